"""Conversations of people with Pages and Instagram accounts: what differs, and what the app is notified of."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

import msgspec

from socialgate.sandbox.dialects.graph.messages import Message, sampled, with_file
from socialgate.sandbox.kit import FOLLOWERS, ControlError, World, text
from socialgate.sandbox.society.chats import Button, Chat, Chats, Event, Json
from socialgate.sandbox.society.comments import Author, author_of
from socialgate.sandbox.society.conversations import Written, person_of
from socialgate.sandbox.society.fates import State
from socialgate.sandbox.vendors.meta.accounts import CDN, linked_instagram
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.webhooks import notify_instagram, notify_page

Account = Page | Instagram
_MIB = 1 << 20
_REACTIONS = {"❤": "love", "😆": "smile", "😮": "wow", "😢": "sad", "😠": "angry", "👍": "like", "👎": "dislike"}


class Product(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between Messenger and Instagram. `fields` are webhook fields that have another name there."""

    on_instagram: bool = False
    scope: str = "pages_messaging"
    longest: int = 2000
    measure: Callable[[str], int] = len
    largest_image: int = 25 * _MIB
    reports_delivery: bool = True
    notify: Callable[..., bool] = notify_page
    fields: Mapping[str, str] = {}

    @property
    def plan(self) -> Mapping[State, float]:
        """Return what becomes of a message by itself."""
        return {"sent": 0.0, "delivered": 1.0} if self.reports_delivery else {"sent": 0.0}


_MESSENGER = Product()
_INSTAGRAM = Product(
    on_instagram=True,
    scope="instagram_manage_messages",
    longest=1000,
    # It counts bytes.
    measure=lambda words: len(words.encode()),
    largest_image=8 * _MIB,
    reports_delivery=False,
    notify=notify_instagram,
    fields={"message_echoes": "messages", "message_reads": "messaging_seen", "message_edits": "message_edit"},
)


def product_for(*, on_instagram: bool) -> Product:
    return _INSTAGRAM if on_instagram else _MESSENGER


def product_of(world: World, account: str) -> Product:
    return product_for(on_instagram=world.store.get(Instagram, account) is not None)


def contact_of(chat: Chat) -> Author:
    return author_of(person_of(chat.person), chat.parent)


def chat_with(world: World, page: str, scoped: str) -> Chat | None:
    """Find the conversation of a Page, or of its Instagram account, with the person who has this id there."""
    linked = linked_instagram(world, page)
    for account in [page, *([linked.id] if linked is not None else [])]:
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
    chat = event.chat
    product = product_of(world, chat.parent)
    if event.what == "delivered" and not product.reports_delivery:
        raise ControlError("Instagram does not report when a message is delivered.", 409)
    known = _EVENTS.get(event.what)
    if known is None or (event.what == "deleted" and not product.on_instagram):
        return False
    field, member, body = known
    person, account = {"id": contact_of(chat).id}, {"id": chat.parent}
    sender, recipient = (account, person) if field == "message_echoes" else (person, account)
    moment = int((world.clock.time() + event.after) * 1000)
    row = {"sender": sender, "recipient": recipient, "timestamp": moment, member: body(world, event)}
    entry = {"messaging": [row]}
    return product.notify(world, chat.parent, product.fields.get(field, field), entry, after=event.after)


def _body(world: World, event: Event[Message]) -> Json:
    message = event.message
    body: Json = {"mid": message.id} | ({"text": message.text} if message.text else {})
    if message.file is not None:
        body["attachments"] = [{"type": message.kind, "payload": {"url": message.file.url(world, CDN)}}]
    quoted = {"reply_to": {"mid": message.reply_to}} if message.reply_to else {}
    echo = {"is_echo": True, "app_id": world.app.id} if event.what == "echoed" else {}
    return {**body, **quoted, **echo, **message.content}


def _read(world: World, event: Event[Message]) -> Json:
    """Messenger reports the time up to which everything was read, Instagram the message."""
    on_instagram = product_of(world, event.chat.parent).on_instagram
    return {"mid": event.message.id} if on_instagram else _watermark(event)


def _reaction(_world: World, event: Event[Message]) -> Json:
    mid, emoji = {"mid": event.message.id}, event.message.reactions.get(event.chat.person)
    if emoji is None:
        return mid | {"action": "unreact"}
    word = _REACTIONS.get(emoji.removesuffix("\N{VARIATION SELECTOR-16}"), "other")
    return mid | {"action": "react", "reaction": word, "emoji": emoji}


def _edit(_world: World, event: Event[Message]) -> Json:
    return {"mid": event.message.id, "text": event.message.text, "num_edit": event.message.edits}


def _postback(_world: World, event: Event[Message]) -> Json:
    assert event.button is not None
    return {"mid": event.message.id, "title": event.button.title, "payload": event.button.payload}


def _watermark(event: Event[Message]) -> Json:
    return {"watermark": int(event.message.made.timestamp() * 1000)}


# The webhook field of each event, and the member of its row.
_EVENTS: Mapping[str, tuple[str, str, Callable[[World, Event[Message]], Json]]] = {
    "written": ("messages", "message", _body),
    "echoed": ("message_echoes", "message", _body),
    "delivered": ("message_deliveries", "delivery", lambda _, event: {"mids": [event.message.id], **_watermark(event)}),
    "read": ("message_reads", "read", _read),
    "reacted": ("message_reactions", "reaction", _reaction),
    "edited": ("message_edits", "message_edit", _edit),
    "deleted": ("messages", "message", lambda _, event: {"mid": event.message.id, "is_deleted": True}),
    "pressed": ("messaging_postbacks", "postback", _postback),
}
CHATS: Chats[Message, Account] = Chats(
    kind=Message,
    called="Page or Instagram account",
    accounts=lambda world, key: world.store.get(Page, key) or world.store.get(Instagram, key),
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
