"""Conversations of people with Pages and Instagram accounts: what differs, and what the app is notified of."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from socialgate_sandbox.dialects.graph.messages import Message, sampled, with_file
from socialgate_sandbox.kit import FOLLOWERS, ControlError, World, text
from socialgate_sandbox.society.chats import Button, Chat, Chats, Event, Json
from socialgate_sandbox.society.comments import author_of
from socialgate_sandbox.society.conversations import Written
from socialgate_sandbox.society.fates import State
from socialgate_sandbox.vendors.meta.accounts import with_instagram
from socialgate_sandbox.vendors.meta.messaging.shapes import EVENTS, account_of, row_of
from socialgate_sandbox.vendors.meta.state import Instagram, Page
from socialgate_sandbox.vendors.meta.webhooks import notify_instagram, notify_page

_MIB = 1 << 20
# The tasks on a Page of which people need one to read and write its messages.
TASKS = ("MESSAGING",)


class Product(NamedTuple):
    """What differs between Messenger and Instagram.

    `plan` is what becomes of a message by itself. `fields` are webhook fields that have another name there.
    """

    on_instagram: bool = False
    scope: str = "pages_messaging"
    longest: int = 2000
    measure: Callable[[str], int] = len
    largest_image: int = 25 * _MIB
    plan: Mapping[State, float] = {"sent": 0.0, "delivered": 1.0}
    notify: Callable[..., bool] = notify_page
    fields: Mapping[str, str] = {}


_MESSENGER = Product()
_INSTAGRAM = Product(
    on_instagram=True,
    scope="instagram_manage_messages",
    longest=1000,
    # It counts bytes.
    measure=lambda words: len(words.encode()),
    largest_image=8 * _MIB,
    plan={"sent": 0.0},
    notify=notify_instagram,
    fields={"message_echoes": "messages", "message_reads": "messaging_seen", "message_edits": "message_edit"},
)


def product_for(*, on_instagram: bool) -> Product:
    return _INSTAGRAM if on_instagram else _MESSENGER


def product_of(world: World, account: str) -> Product:
    return product_for(on_instagram=world.store.get(Instagram, account) is not None)


def chat_with(world: World, page: str, scoped: str) -> Chat | None:
    """Find the conversation of a Page, or of its Instagram account, with the person who has this id there."""
    for account in with_instagram(world, page):
        person = next((one for one in FOLLOWERS if author_of(one, account).id == scoped), None)
        if person is not None:
            return CHATS.of(world, account, person.key)
    return None


def _compose(world: World, _chat: Chat, order: Written, _quoted: Message | None) -> Sequence[Json]:
    """Split a text and a file into two messages, as in the apps."""
    parts = [with_file(order.attachment, sampled(world, order.attachment)[1])] if order.attachment else []
    return [*parts, *([{"text": order.text}] if order.text.strip() else [])]


def _answer(_world: World, _message: Message, button: Button) -> Json | None:
    """A chosen quick reply is a message of the person; a button of a template is not."""
    if button.kind != "quick_reply":
        return None
    return {"text": button.title, "content": {"quick_reply": {"payload": button.payload}}}


def _tell(world: World, event: Event[Message]) -> bool:
    account = event.chat.parent
    product = product_of(world, account)
    if event.what == "delivered" and "delivered" not in product.plan:
        raise ControlError("Instagram does not report when a message is delivered.", 409)
    if event.what not in EVENTS or (event.what == "deleted" and not product.on_instagram):
        return False
    field, *_ = EVENTS[event.what]
    entry = {"messaging": [row_of(world, event)]}
    return product.notify(world, account, product.fields.get(field, field), entry, after=event.after)


CHATS: Chats[Message, Page | Instagram] = Chats(
    kind=Message,
    called="Page or Instagram account",
    accounts=account_of,
    name=lambda account: account.name,
    new_id=lambda: f"m_{text(60)}",
    compose=_compose,
    tell=_tell,
    answer=_answer,
    attachments=("image", "video", "audio", "file"),
    longest=lambda world, chat, _order: product_of(world, chat.parent).longest,
    key=lambda account, person: f"t_{sha256(f'{account}:{person}'.encode()).hexdigest()[:24]}",
    reads_all=True,
)
