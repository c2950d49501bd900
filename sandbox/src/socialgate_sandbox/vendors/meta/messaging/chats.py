"""Conversations of people with Pages and Instagram accounts: what differs, and what the app is notified of."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from socialgate_sandbox.dialects.graph.messages import Message, build_file_fields, create_sample_media
from socialgate_sandbox.kit import FOLLOWERS, ControlError, VendorContext, generate_alphanumeric
from socialgate_sandbox.society.chats import Button, Chat, ChatService, Json, MessageEvent
from socialgate_sandbox.society.comments import build_person_author
from socialgate_sandbox.society.conversation_requests import WriteMessageRequest
from socialgate_sandbox.society.message_fates import DeliveryState
from socialgate_sandbox.vendors.meta.account_nodes import list_page_and_instagram
from socialgate_sandbox.vendors.meta.messaging.message_formats import EVENT_FORMATS, build_webhook_row, get_account
from socialgate_sandbox.vendors.meta.stored_objects import Instagram, Page
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_instagram, notify_page

_MEBIBYTE = 1 << 20
# The tasks on a Page of which people need one to read and write its messages.
MESSAGING_TASKS = ("MESSAGING",)


class MessagingProduct(NamedTuple):
    """What differs between Messenger and Instagram.

    `state_delays` is what becomes of a message by itself. `webhook_field_names` are webhook fields that have another
    name there.
    """

    is_instagram: bool = False
    scope: str = "pages_messaging"
    max_text_length: int = 2000
    count_length: Callable[[str], int] = len
    max_image_bytes: int = 25 * _MEBIBYTE
    state_delays: Mapping[DeliveryState, float] = {"sent": 0.0, "delivered": 1.0}
    notify: Callable[..., bool] = notify_page
    webhook_field_names: Mapping[str, str] = {}


_MESSENGER_PRODUCT = MessagingProduct()
_INSTAGRAM_PRODUCT = MessagingProduct(
    is_instagram=True,
    scope="instagram_manage_messages",
    max_text_length=1000,
    # It counts bytes.
    count_length=lambda words: len(words.encode()),
    max_image_bytes=8 * _MEBIBYTE,
    state_delays={"sent": 0.0},
    notify=notify_instagram,
    webhook_field_names={
        "message_echoes": "messages",
        "message_reads": "messaging_seen",
        "message_edits": "message_edit",
    },
)


def get_product(*, is_instagram: bool) -> MessagingProduct:
    return _INSTAGRAM_PRODUCT if is_instagram else _MESSENGER_PRODUCT


def find_product(context: VendorContext, account_id: str) -> MessagingProduct:
    return get_product(is_instagram=context.store.get(Instagram, account_id) is not None)


def find_chat(context: VendorContext, page_id: str, scoped_id: str) -> Chat | None:
    """Find the conversation of a Page, or of its Instagram account, with the person who has this id there."""
    for account in list_page_and_instagram(context, page_id):
        person = next(
            (follower for follower in FOLLOWERS if build_person_author(follower, account).id == scoped_id), None
        )
        if person is not None:
            return CHAT_SERVICE.get_or_build_chat(context, account, person.key)
    return None


def _build_contents(
    context: VendorContext, _chat: Chat, request: WriteMessageRequest, _quoted: Message | None
) -> Sequence[Json]:
    """Split a text and a file into two messages, as in the apps."""
    parts = (
        [build_file_fields(request.attachment, create_sample_media(context, request.attachment)[1])]
        if request.attachment
        else []
    )
    return [*parts, *([{"text": request.text}] if request.text.strip() else [])]


def _build_quick_reply(_world: VendorContext, _message: Message, button: Button) -> Json | None:
    """A chosen quick reply is a message of the person; a button of a template is not."""
    if button.kind != "quick_reply":
        return None
    return {"text": button.title, "content": {"quick_reply": {"payload": button.payload}}}


def _notify_event(context: VendorContext, event: MessageEvent[Message]) -> bool:
    account = event.chat.parent
    product = find_product(context, account)
    if event.change == "delivered" and "delivered" not in product.state_delays:
        raise ControlError("Instagram does not report when a message is delivered.", 409)
    if event.change not in EVENT_FORMATS or (event.change == "deleted" and not product.is_instagram):
        return False
    field, *_ = EVENT_FORMATS[event.change]
    entry = {"messaging": [build_webhook_row(context, event)]}
    return product.notify(
        context, account, product.webhook_field_names.get(field, field), entry, delay_seconds=event.after
    )


CHAT_SERVICE: ChatService[Message, Page | Instagram] = ChatService(
    kind=Message,
    account_noun="Page or Instagram account",
    accounts=get_account,
    name=lambda account: account.name,
    new_id=lambda: f"m_{generate_alphanumeric(60)}",
    build_message_fields=_build_contents,
    notify_product=_notify_event,
    answer=_build_quick_reply,
    attachments=("image", "video", "audio", "file"),
    get_max_length=lambda world, chat, _order: find_product(world, chat.parent).max_text_length,
    key=lambda account, person: f"t_{sha256(f'{account}:{person}'.encode()).hexdigest()[:24]}",
    reads_all=True,
)
