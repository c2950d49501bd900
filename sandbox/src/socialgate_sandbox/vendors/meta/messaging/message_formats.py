"""What the Send API reads, the nodes of conversations, and the rows of webhooks, as Meta writes them."""

from collections.abc import Callable, Mapping

import msgspec

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.media import build_pixel_fields
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, NodeType, resolve_attributes, resolve_constants
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.society.chats import Chat, Json, MessageEvent, get_chat, list_messages
from socialgate_sandbox.society.comments import Author, build_person_author
from socialgate_sandbox.society.conversation_requests import find_person
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST
from socialgate_sandbox.vendors.meta.stored_objects import Instagram, Page

_REACTION_NAMES = {"❤": "love", "😆": "smile", "😮": "wow", "😢": "sad", "😠": "angry", "👍": "like", "👎": "dislike"}


# What callers send.


class Recipient(msgspec.Struct):
    """A person, or the author of a comment."""

    id: str = ""
    comment_id: str = ""


class MessageButton(msgspec.Struct):
    title: str
    type: str = "postback"
    payload: str = ""
    url: str = ""


class AttachmentPayload(msgspec.Struct):
    url: str = ""
    template_type: str = ""
    text: str = ""
    buttons: list[MessageButton] = []


class Attachment(msgspec.Struct):
    type: str
    payload: AttachmentPayload = msgspec.field(default_factory=AttachmentPayload)


class MessageBody(msgspec.Struct):
    text: str = ""
    attachment: Attachment | None = None
    quick_replies: list[MessageButton] = []
    metadata: str = ""


class Reply(msgspec.Struct):
    mid: str


class Reaction(msgspec.Struct):
    message_id: str
    reaction: str = "love"


class SendRequest(msgspec.Struct):
    recipient: Recipient
    message: MessageBody | None = None
    messaging_type: str = ""
    tag: str = ""
    sender_action: str = ""
    reply_to: Reply | None = None
    payload: Reaction | None = None


# What callers read.


def get_contact(chat: Chat) -> Author:
    """Return the person of a conversation, with the id that only this account has for them."""
    return build_person_author(find_person(chat.person), chat.parent)


def get_account(context: VendorContext, account_id: str) -> Page | Instagram | None:
    return context.store.get(Page, account_id) or context.store.get(Instagram, account_id)


def _build_participant(call: Call, chat_or_message: Chat | Message, *, is_person: bool) -> dict[str, str]:
    """Return the person of a conversation, or the account, as the product shows them."""
    chat = get_chat(call.context, chat_or_message) if isinstance(chat_or_message, Message) else chat_or_message
    account = get_account(call.context, chat.parent)
    assert account is not None
    subject = get_contact(chat) if is_person else account
    if isinstance(account, Instagram):
        return {"username": subject.username, "id": subject.id}
    return {"name": subject.name, "email": f"{subject.id}@facebook.com", "id": subject.id}


def _resolve_participants(call: Call, chat: Chat, _field: RequestedField) -> Json:
    return {"data": [_build_participant(call, chat, is_person=person) for person in (True, False)]}


def _resolve_snippet(call: Call, chat: Chat, _field: RequestedField) -> str | None:
    return next((message.text or None for message in list_messages(call.context, Message, chat)), None)


THREAD_NODE_TYPE = NodeType(
    "UnifiedThread",
    {
        **resolve_attributes("id"),
        "updated_time": lambda _call, chat, _field: format_time(chat.updated),
        "link": lambda _call, chat, _field: f"/{chat.parent}/inbox/{chat.id.removeprefix('t_')}/",
        "snippet": _resolve_snippet,
        "message_count": lambda call, chat, _field: len(list_messages(call.context, Message, chat)),
        "unread_count": lambda _call, chat, _field: chat.unread,
        "can_reply": lambda call, chat, _field: chat.is_within_window(call.context),
        **dict.fromkeys(("participants", "senders"), _resolve_participants),
    },
    ("link", "updated_time", "id"),
)


def _resolve_attachments(call: Call, message: Message, _field: RequestedField) -> Json | None:
    kind, media = message.kind, message.file
    if media is None:
        return None
    url = media.url(call.context, CDN_HOST)
    name = media.file or url.rpartition("/")[2]
    row: Json = {"id": message.id[2:18], "mime_type": media.content_type, "name": name, "size": media.size}
    if kind in {"image", "video"}:
        return {"data": [row | {f"{kind}_data": build_pixel_fields(media) | {"url": url, "preview_url": url}}]}
    return {"data": [row | {"file_url": url}]}


def _resolve_reactions(call: Call, message: Message, _field: RequestedField) -> Json | None:
    users = {by: [_build_participant(call, message, is_person=bool(by))] for by in message.reactions}
    rows = [{"reaction": emoji, "users": users[by]} for by, emoji in message.reactions.items()]
    return {"data": rows} if rows else None


MESSAGE_NODE_TYPE = NodeType(
    "Message",
    {
        **resolve_attributes("id"),
        "created_time": lambda _call, message, _field: format_time(message.created_at),
        "message": lambda _call, message, _field: message.text,
        "from": lambda call, message, _field: _build_participant(call, message, is_person=bool(message.person)),
        "to": lambda call, message, _field: {"data": [_build_participant(call, message, is_person=not message.person)]},
        "attachments": _resolve_attachments,
        "reactions": _resolve_reactions,
        "reply_to": lambda _call, message, _field: {"mid": message.reply_to} if message.reply_to else None,
        **resolve_constants(is_unsupported=False, shares=None, sticker=None, story=None, tags=None),
    },
    ("created_time", "id"),
)
_PICTURE_RESOLVERS: Mapping[str, FieldResolver] = {
    "profile_pic": lambda call, person, _field: build_picture_url(call.context, CDN_HOST, person.person, 1024)
}
MESSENGER_USER_NODE_TYPE = NodeType(
    "User",
    {
        **resolve_attributes("id", "name"),
        **_PICTURE_RESOLVERS,
        "first_name": lambda _call, person, _field: person.name.partition(" ")[0],
        "last_name": lambda _call, person, _field: person.name.partition(" ")[2],
    },
    ("first_name", "last_name", "profile_pic", "id"),
)
INSTAGRAM_USER_NODE_TYPE = NodeType(
    "IGBusinessScopedID",
    {
        **resolve_attributes("id", "name", "username"),
        **_PICTURE_RESOLVERS,
        **resolve_constants(follower_count=152, is_user_follow_business=True, is_business_follow_user=False),
        **resolve_constants(is_verified_user=False),
    },
    ("name", "username", "profile_pic", "id"),
)


# What webhooks report.


def _build_body(context: VendorContext, event: MessageEvent[Message]) -> Json:
    message = event.message
    body: Json = {"mid": message.id} | ({"text": message.text} if message.text else {})
    if message.file is not None:
        body["attachments"] = [{"type": message.kind, "payload": {"url": message.file.url(context, CDN_HOST)}}]
    quoted = {"reply_to": {"mid": message.reply_to}} if message.reply_to else {}
    echo = {"is_echo": True, "app_id": context.app.id} if event.change == "echoed" else {}
    return {**body, **quoted, **echo, **message.content}


def _build_read(context: VendorContext, event: MessageEvent[Message]) -> Json:
    """Messenger reports the time up to which everything was read, Instagram the message."""
    on_instagram = isinstance(get_account(context, event.chat.parent), Instagram)
    return {"mid": event.message.id} if on_instagram else _build_watermark(event)


def _build_watermark(event: MessageEvent[Message]) -> Json:
    return {"watermark": int(event.message.created_at.timestamp() * 1000)}


def _build_reaction(_world: VendorContext, event: MessageEvent[Message]) -> Json:
    mid, emoji = {"mid": event.message.id}, event.message.reactions.get(event.chat.person)
    if emoji is None:
        return mid | {"action": "unreact"}
    word = _REACTION_NAMES.get(emoji.removesuffix("\N{VARIATION SELECTOR-16}"), "other")
    return mid | {"action": "react", "reaction": word, "emoji": emoji}


def _build_edit(_world: VendorContext, event: MessageEvent[Message]) -> Json:
    return {"mid": event.message.id, "text": event.message.text, "num_edit": event.message.edits}


def _build_postback(_world: VendorContext, event: MessageEvent[Message]) -> Json:
    assert event.button is not None
    return {"mid": event.message.id, "title": event.button.title, "payload": event.button.payload}


# The webhook field of each event, and the member of its row.
EVENT_FORMATS: Mapping[str, tuple[str, str, Callable[[VendorContext, MessageEvent[Message]], Json]]] = {
    "written": ("messages", "message", _build_body),
    "echoed": ("message_echoes", "message", _build_body),
    "delivered": (
        "message_deliveries",
        "delivery",
        lambda _, event: {"mids": [event.message.id], **_build_watermark(event)},
    ),
    "read": ("message_reads", "read", _build_read),
    "reacted": ("message_reactions", "reaction", _build_reaction),
    "edited": ("message_edits", "message_edit", _build_edit),
    "deleted": ("messages", "message", lambda _, event: {"mid": event.message.id, "is_deleted": True}),
    "pressed": ("messaging_postbacks", "postback", _build_postback),
}


def build_webhook_row(context: VendorContext, event: MessageEvent[Message]) -> Json:
    """Return an event as webhooks report it, with who did it and to whom."""
    person, account = {"id": get_contact(event.chat).id}, {"id": event.chat.parent}
    sender, recipient = (account, person) if event.change == "echoed" else (person, account)
    _, member, body = EVENT_FORMATS[event.change]
    moment = int((context.clock.get_unix_time() + event.after) * 1000)
    return {"sender": sender, "recipient": recipient, "timestamp": moment, member: body(context, event)}
