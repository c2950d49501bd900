"""Conversations as a Page reads them: threads, their messages, and who writes."""

from typing import Any

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.dialects.graph.fields import Field
from socialgate.sandbox.dialects.graph.given import one_of, text
from socialgate.sandbox.dialects.graph.media import pixels
from socialgate.sandbox.dialects.graph.messages import Message
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.paging import listing
from socialgate.sandbox.dialects.graph.picture import picture_url
from socialgate.sandbox.dialects.graph.times import written
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.chats import Chat
from socialgate.sandbox.vendors.meta.accounts import CDN, linked_instagram
from socialgate.sandbox.vendors.meta.messaging.chats import CHATS, chat_with, contact_of, product_for, product_of
from socialgate.sandbox.vendors.meta.messaging.messages import require_page_token, require_scope
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.viewer import viewer

_PLATFORMS = ("messenger", "instagram")
# Older messages of a thread are listed, but without any details.
_READABLE = 20


def _party(call: Call, of: Chat | Message, *, person: bool) -> dict[str, str]:
    """Return the person of a conversation, or the account, as the product shows them."""
    chat = CHATS.chat_of(call.world, of) if isinstance(of, Message) else of
    account = CHATS.account(call.world, chat.parent)
    who = contact_of(chat) if person else account
    if isinstance(account, Instagram):
        return {"username": who.username, "id": who.id}
    return {"name": who.name, "email": f"{who.id}@facebook.com", "id": who.id}


def _parties(call: Call, chat: Chat, _field: Field) -> dict[str, Any]:
    return {"data": [_party(call, chat, person=person) for person in (True, False)]}


THREAD = NodeType(
    "UnifiedThread",
    {
        **own("id"),
        "updated_time": lambda _call, chat, _field: written(chat.updated),
        "link": lambda _call, chat, _field: f"/{chat.parent}/inbox/{chat.id.removeprefix('t_')}/",
        "snippet": lambda call, chat, _field: next((one.text or None for one in CHATS.listed(call.world, chat)), None),
        "message_count": lambda call, chat, _field: len(CHATS.listed(call.world, chat)),
        "unread_count": lambda _call, chat, _field: chat.unread,
        "can_reply": lambda call, chat, _field: chat.is_open(call.world),
        "participants": _parties,
        "senders": _parties,
    },
    ("link", "updated_time", "id"),
)


def _attachments(call: Call, message: Message, _field: Field) -> dict[str, Any] | None:
    kind, media = message.kind, message.file
    if media is None:
        return None
    url = media.url(call.world, CDN)
    name = media.file or url.rpartition("/")[2]
    row: dict[str, Any] = {"id": message.id[2:18], "mime_type": media.content_type, "name": name, "size": media.size}
    if kind in {"image", "video"}:
        row[f"{kind}_data"] = pixels(media) | {"url": url, "preview_url": url}
    else:
        row["file_url"] = url
    return {"data": [row]}


def _reactions(call: Call, message: Message, _field: Field) -> dict[str, Any] | None:
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
        "is_unsupported": lambda _call, _message, _field: False,
        # Messages of the sandbox have none of these.
        **dict.fromkeys(("shares", "sticker", "story", "tags"), lambda _call, _message, _field: None),
    },
    ("created_time", "id"),
)
_MESSENGER_USER = NodeType(
    "User",
    {
        **own("id", "name"),
        "first_name": lambda _call, who, _field: who.name.partition(" ")[0],
        "last_name": lambda _call, who, _field: who.name.partition(" ")[2],
        "profile_pic": lambda call, who, _field: picture_url(call, CDN, who.person, 1024),
    },
    ("first_name", "last_name", "profile_pic", "id"),
)
_INSTAGRAM_USER = NodeType(
    "IGBusinessScopedID",
    {
        **own("id", "name", "username"),
        "profile_pic": lambda call, who, _field: picture_url(call, CDN, who.person, 1024),
        "follower_count": lambda _call, _who, _field: 152,
        "is_user_follow_business": lambda _call, _who, _field: True,
        "is_business_follow_user": lambda _call, _who, _field: False,
        "is_verified_user": lambda _call, _who, _field: False,
    },
    ("name", "username", "profile_pic", "id"),
)


def conversations(call: Call, page: Page) -> Any:
    """List the threads of a Page, or of its Instagram account, most recently updated first."""
    require_page_token(call, page.id)
    on_instagram = one_of("platform", text(call, "platform").lower(), _PLATFORMS) == "instagram"
    require_scope(call, product_for(on_instagram=on_instagram))
    account = linked_instagram(call.world, page.id) if on_instagram else page
    found = call.world.store.find(Chat, parent=account.id) if account is not None else []
    wanted = text(call, "user_id")
    found = [chat for chat in found if wanted in {"", contact_of(chat).id}]
    found.sort(key=lambda chat: chat.updated, reverse=True)
    return listing(call, [Node(THREAD, chat) for chat in found]) if account is not None else {"data": []}


def messages(call: Call, chat: Chat) -> Any:
    return listing(call, [Node(MESSAGE, message) for message in CHATS.listed(call.world, chat)])


def _let_in(call: Call, account: str) -> bool:
    """Whether the caller acts for the account; if so, it must be allowed to read the account's messages."""
    linked = call.world.store.get(Instagram, account)
    page = linked.parent if linked is not None else account
    if viewer(call).page != page:
        return False
    require_page_token(call, page)
    require_scope(call, product_of(call.world, account))
    return True


def thread_node(call: Call, key: str) -> Node | None:
    chat = call.world.store.get(Chat, key)
    return Node(THREAD, chat) if chat is not None and _let_in(call, chat.parent) else None


def message_node(call: Call, key: str) -> Node | None:
    message = call.world.store.get(Message, key)
    if message is None or not _let_in(call, message.parent):
        return None
    readable = CHATS.listed(call.world, CHATS.chat_of(call.world, message))[:_READABLE]
    return Node(MESSAGE, message) if any(one.id == key for one in readable) else None


def person_node(call: Call, key: str) -> Node | None:
    """Find a person by the id that they have for the caller's Page or its Instagram account, if they wrote to it."""
    page = viewer(call).page
    chat = chat_with(call.world, page, key) if page else None
    if chat is None or not _let_in(call, chat.parent):
        return None
    on_instagram = chat.parent != page
    if CHATS.has_begun(call.world, chat):
        return Node(_INSTAGRAM_USER if on_instagram else _MESSENGER_USER, contact_of(chat))
    if on_instagram:
        message = "(#230) User consent is required to access user profile"
        raise Refused(failure(message, 230, kind="IGApiException"))
    return None
