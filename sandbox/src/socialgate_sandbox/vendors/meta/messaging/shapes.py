"""What the Send API reads, the nodes of conversations, and the rows of webhooks, as Meta writes them."""

from collections.abc import Callable, Mapping

import msgspec

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.media import pixels
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.dialects.graph.nodes import NodeType, Resolver, always, own
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.society.chats import Chat, Event, Json, chat_of, messages_in
from socialgate_sandbox.society.comments import Author, author_of
from socialgate_sandbox.society.conversations import person_of
from socialgate_sandbox.vendors.meta.accounts import CDN
from socialgate_sandbox.vendors.meta.state import Instagram, Page

_REACTIONS = {"❤": "love", "😆": "smile", "😮": "wow", "😢": "sad", "😠": "angry", "👍": "like", "👎": "dislike"}


# What callers send.


class Recipient(msgspec.Struct):
    """A person, or the author of a comment."""

    id: str = ""
    comment_id: str = ""


class Pressable(msgspec.Struct):
    title: str
    type: str = "postback"
    payload: str = ""
    url: str = ""


class Payload(msgspec.Struct):
    url: str = ""
    template_type: str = ""
    text: str = ""
    buttons: list[Pressable] = []


class Attachment(msgspec.Struct):
    type: str
    payload: Payload = msgspec.field(default_factory=Payload)


class Body(msgspec.Struct):
    text: str = ""
    attachment: Attachment | None = None
    quick_replies: list[Pressable] = []
    metadata: str = ""


class Reply(msgspec.Struct):
    mid: str


class Reaction(msgspec.Struct):
    message_id: str
    reaction: str = "love"


class Given(msgspec.Struct):
    recipient: Recipient
    message: Body | None = None
    messaging_type: str = ""
    tag: str = ""
    sender_action: str = ""
    reply_to: Reply | None = None
    payload: Reaction | None = None


# What callers read.


def contact_of(chat: Chat) -> Author:
    """Return the person of a conversation, with the id that only this account has for them."""
    return author_of(person_of(chat.person), chat.parent)


def account_of(world: World, key: str) -> Page | Instagram | None:
    return world.store.get(Page, key) or world.store.get(Instagram, key)


def _party(call: Call, of: Chat | Message, *, person: bool) -> dict[str, str]:
    """Return the person of a conversation, or the account, as the product shows them."""
    chat = chat_of(call.world, of) if isinstance(of, Message) else of
    account = account_of(call.world, chat.parent)
    assert account is not None
    who = contact_of(chat) if person else account
    if isinstance(account, Instagram):
        return {"username": who.username, "id": who.id}
    return {"name": who.name, "email": f"{who.id}@facebook.com", "id": who.id}


def _parties(call: Call, chat: Chat, _field: Field) -> Json:
    return {"data": [_party(call, chat, person=person) for person in (True, False)]}


def _snippet(call: Call, chat: Chat, _field: Field) -> str | None:
    return next((one.text or None for one in messages_in(call.world, Message, chat)), None)


THREAD = NodeType(
    "UnifiedThread",
    {
        **own("id"),
        "updated_time": lambda _call, chat, _field: written(chat.updated),
        "link": lambda _call, chat, _field: f"/{chat.parent}/inbox/{chat.id.removeprefix('t_')}/",
        "snippet": _snippet,
        "message_count": lambda call, chat, _field: len(messages_in(call.world, Message, chat)),
        "unread_count": lambda _call, chat, _field: chat.unread,
        "can_reply": lambda call, chat, _field: chat.is_open(call.world),
        **dict.fromkeys(("participants", "senders"), _parties),
    },
    ("link", "updated_time", "id"),
)


def _attachments(call: Call, message: Message, _field: Field) -> Json | None:
    kind, media = message.kind, message.file
    if media is None:
        return None
    url = media.url(call.world, CDN)
    name = media.file or url.rpartition("/")[2]
    row: Json = {"id": message.id[2:18], "mime_type": media.content_type, "name": name, "size": media.size}
    if kind in {"image", "video"}:
        return {"data": [row | {f"{kind}_data": pixels(media) | {"url": url, "preview_url": url}}]}
    return {"data": [row | {"file_url": url}]}


def _reactions(call: Call, message: Message, _field: Field) -> Json | None:
    users = {by: [_party(call, message, person=bool(by))] for by in message.reactions}
    rows = [{"reaction": emoji, "users": users[by]} for by, emoji in message.reactions.items()]
    return {"data": rows} if rows else None


MESSAGE = NodeType(
    "Message",
    {
        **own("id"),
        "created_time": lambda _call, message, _field: written(message.made),
        "message": lambda _call, message, _field: message.text,
        "from": lambda call, message, _field: _party(call, message, person=bool(message.person)),
        "to": lambda call, message, _field: {"data": [_party(call, message, person=not message.person)]},
        "attachments": _attachments,
        "reactions": _reactions,
        "reply_to": lambda _call, message, _field: {"mid": message.reply_to} if message.reply_to else None,
        **always(is_unsupported=False, shares=None, sticker=None, story=None, tags=None),
    },
    ("created_time", "id"),
)
_PICTURE: Mapping[str, Resolver] = {
    "profile_pic": lambda call, who, _field: picture_url(call.world, CDN, who.person, 1024)
}
MESSENGER_USER = NodeType(
    "User",
    {
        **own("id", "name"),
        **_PICTURE,
        "first_name": lambda _call, who, _field: who.name.partition(" ")[0],
        "last_name": lambda _call, who, _field: who.name.partition(" ")[2],
    },
    ("first_name", "last_name", "profile_pic", "id"),
)
INSTAGRAM_USER = NodeType(
    "IGBusinessScopedID",
    {
        **own("id", "name", "username"),
        **_PICTURE,
        **always(follower_count=152, is_user_follow_business=True, is_business_follow_user=False),
        **always(is_verified_user=False),
    },
    ("name", "username", "profile_pic", "id"),
)


# What webhooks report.


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
    on_instagram = isinstance(account_of(world, event.chat.parent), Instagram)
    return {"mid": event.message.id} if on_instagram else _watermark(event)


def _watermark(event: Event[Message]) -> Json:
    return {"watermark": int(event.message.made.timestamp() * 1000)}


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


# The webhook field of each event, and the member of its row.
EVENTS: Mapping[str, tuple[str, str, Callable[[World, Event[Message]], Json]]] = {
    "written": ("messages", "message", _body),
    "echoed": ("message_echoes", "message", _body),
    "delivered": ("message_deliveries", "delivery", lambda _, event: {"mids": [event.message.id], **_watermark(event)}),
    "read": ("message_reads", "read", _read),
    "reacted": ("message_reactions", "reaction", _reaction),
    "edited": ("message_edits", "message_edit", _edit),
    "deleted": ("messages", "message", lambda _, event: {"mid": event.message.id, "is_deleted": True}),
    "pressed": ("messaging_postbacks", "postback", _postback),
}


def row_of(world: World, event: Event[Message]) -> Json:
    """Return an event as webhooks report it, with who did it and to whom."""
    person, account = {"id": contact_of(event.chat).id}, {"id": event.chat.parent}
    sender, recipient = (account, person) if event.what == "echoed" else (person, account)
    _, member, body = EVENTS[event.what]
    moment = int((world.clock.time() + event.after) * 1000)
    return {"sender": sender, "recipient": recipient, "timestamp": moment, member: body(world, event)}
