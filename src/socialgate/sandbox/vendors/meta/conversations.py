"""Conversations as a Page reads them: threads and their messages."""

from typing import Any

from socialgate.sandbox.dialects.graph.fields import Field
from socialgate.sandbox.dialects.graph.given import one_of, text
from socialgate.sandbox.dialects.graph.media import pixels
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.paging import listing
from socialgate.sandbox.dialects.graph.times import written
from socialgate.sandbox.kit import Call
from socialgate.sandbox.society.comments import Author
from socialgate.sandbox.society.conversations import is_open
from socialgate.sandbox.vendors.meta.accounts import CDN, linked_instagram
from socialgate.sandbox.vendors.meta.chats import Message, Thread, contact_of, person_in
from socialgate.sandbox.vendors.meta.messages import require_page_token, require_scope
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.viewer import viewer

_PLATFORMS = ("messenger", "instagram")
# Older messages of a thread are listed, but without any details.
_READABLE = 20


def _account(call: Call, thread: Thread) -> Page | Instagram:
    found: Page | Instagram | None = call.world.store.get(Page, thread.parent)
    found = found or call.world.store.get(Instagram, thread.parent)
    assert found is not None
    return found


def _party(who: Author | Page | Instagram, account: Page | Instagram) -> dict[str, str]:
    if isinstance(account, Instagram):
        return {"username": who.username, "id": who.id}
    return {"name": who.name, "email": f"{who.id}@facebook.com", "id": who.id}


def _parties(call: Call, thread: Thread, _field: Field) -> dict[str, Any]:
    account = _account(call, thread)
    return {"data": [_party(who, account) for who in (contact_of(thread), account)]}


def _messages_of(call: Call, thread: Thread) -> list[Message]:
    found = call.world.store.find(Message, parent=thread.id, newest_first=True)
    return [message for message in found if not message.deleted]


def _snippet(call: Call, thread: Thread, _field: Field) -> str | None:
    newest = next(iter(_messages_of(call, thread)), None)
    return newest.text or None if newest is not None else None


THREAD = NodeType(
    "UnifiedThread",
    {
        **own("id"),
        "updated_time": lambda _call, thread, _field: written(thread.updated),
        "link": lambda _call, thread, _field: f"/{thread.parent}/inbox/{thread.id.removeprefix('t_')}/",
        "snippet": _snippet,
        "message_count": lambda call, thread, _field: len(_messages_of(call, thread)),
        "unread_count": lambda _call, thread, _field: thread.unread,
        "can_reply": lambda call, thread, _field: is_open(call.world, thread.last_inbound),
        "participants": _parties,
        "senders": _parties,
    },
    ("link", "updated_time", "id"),
)


def _thread_of(call: Call, message: Message) -> Thread:
    thread = call.world.store.get(Thread, message.parent)
    assert thread is not None
    return thread


def _from(call: Call, message: Message, _field: Field) -> dict[str, str]:
    thread = _thread_of(call, message)
    account = _account(call, thread)
    return _party(contact_of(thread) if message.person else account, account)


def _to(call: Call, message: Message, _field: Field) -> dict[str, Any]:
    thread = _thread_of(call, message)
    account = _account(call, thread)
    return {"data": [_party(account if message.person else contact_of(thread), account)]}


def _attachments(call: Call, message: Message, _field: Field) -> dict[str, Any] | None:
    if message.attached is None:
        return None
    kind, media = message.attached.kind, message.attached.media
    url = media.url(call.world, CDN)
    name = media.file or url.rpartition("/")[2]
    row: dict[str, Any] = {"id": message.id[2:18], "mime_type": media.content_type, "name": name, "size": media.size}
    if kind in {"image", "video"}:
        row[f"{kind}_data"] = pixels(media) | {"url": url, "preview_url": url}
    else:
        row["file_url"] = url
    return {"data": [row]}


def _reactions(call: Call, message: Message, _field: Field) -> dict[str, Any] | None:
    thread = _thread_of(call, message)
    account = _account(call, thread)
    rows = [
        {"reaction": emoji, "users": [_party(contact_of(thread) if by else account, account)]}
        for by, emoji in message.reactions.items()
    ]
    return {"data": rows} if rows else None


def _nothing(_call: Call, _message: Message, _field: Field) -> None:
    """Stand in for what messages of the sandbox do not have."""


MESSAGE = NodeType(
    "Message",
    {
        **own("id"),
        "created_time": lambda _call, message, _field: written(message.made),
        "message": lambda _call, message, _field: message.text,
        "from": _from,
        "to": _to,
        "attachments": _attachments,
        "reactions": _reactions,
        "reply_to": lambda _call, message, _field: {"mid": message.reply_to} if message.reply_to else None,
        "is_unsupported": lambda _call, _message, _field: False,
        **dict.fromkeys(("shares", "sticker", "story", "tags"), _nothing),
    },
    ("created_time", "id"),
)


def conversations(call: Call, page: Page) -> Any:
    """List the threads of a Page, or of its Instagram account, most recently updated first."""
    require_page_token(call, page.id)
    platform = one_of("platform", text(call, "platform").lower(), _PLATFORMS)
    require_scope(call, on_instagram=platform == "instagram")
    account = linked_instagram(call.world, page.id) if platform == "instagram" else page
    if account is None:
        return {"data": []}
    found = call.world.store.find(Thread, parent=account.id)
    if text(call, "user_id"):
        person = person_in(account.id, text(call, "user_id"))
        found = [thread for thread in found if person is not None and thread.person == person.key]
    found.sort(key=lambda thread: thread.updated, reverse=True)
    return listing(call, [Node(THREAD, thread) for thread in found])


def messages(call: Call, thread: Thread) -> Any:
    return listing(call, [Node(MESSAGE, message) for message in _messages_of(call, thread)])


def let_in(call: Call, account: str) -> bool:
    """Whether the caller acts for the account; if so, it must be allowed to read the account's messages."""
    linked = call.world.store.get(Instagram, account)
    page = linked.parent if linked is not None else account
    if viewer(call).page != page:
        return False
    require_page_token(call, page)
    require_scope(call, on_instagram=linked is not None)
    return True


def thread_node(call: Call, key: str) -> Node | None:
    thread = call.world.store.get(Thread, key)
    return Node(THREAD, thread) if thread is not None and let_in(call, thread.parent) else None


def message_node(call: Call, key: str) -> Node | None:
    message = call.world.store.get(Message, key)
    if message is None or not let_in(call, _thread_of(call, message).parent):
        return None
    readable = _messages_of(call, _thread_of(call, message))[:_READABLE]
    return Node(MESSAGE, message) if any(one.id == key for one in readable) else None
