"""Conversations as a Page reads them: threads, their messages, and who writes."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.given import one_of, text
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.dialects.graph.nodes import Node, finder
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.chats import Chat, chat_of, messages_in
from socialgate_sandbox.vendors.meta.accounts import linked_instagram
from socialgate_sandbox.vendors.meta.messaging.chats import CHATS, TASKS, chat_with, product_for, product_of
from socialgate_sandbox.vendors.meta.messaging.shapes import INSTAGRAM_USER, MESSAGE, MESSENGER_USER, THREAD, contact_of
from socialgate_sandbox.vendors.meta.state import Instagram, Page
from socialgate_sandbox.vendors.meta.viewer import require_page_token, require_scope, viewer

_PLATFORMS = ("messenger", "instagram")
# Older messages of a thread are listed, but without any details.
_READABLE = 20


def conversations(call: Call, page: Page) -> Any:
    """List the threads of a Page, or of its Instagram account, most recently updated first."""
    require_page_token(call, page.id, TASKS)
    on_instagram = one_of("platform", text(call, "platform").lower(), _PLATFORMS) == "instagram"
    require_scope(call, product_for(on_instagram=on_instagram).scope)
    account = linked_instagram(call.world, page.id) if on_instagram else page
    if account is None:
        return {"data": []}
    wanted, every = text(call, "user_id"), call.world.store.find(Chat, parent=account.id)
    found = [chat for chat in every if wanted in {"", contact_of(chat).id}]
    found.sort(key=lambda chat: chat.updated, reverse=True)
    return listing(call, [Node(THREAD, chat) for chat in found])


def messages(call: Call, chat: Chat) -> Any:
    return listing(call, [Node(MESSAGE, message) for message in messages_in(call.world, Message, chat)])


def _let_in(call: Call, account: str) -> bool:
    """Whether the caller acts for the account; if so, it must be allowed to read the account's messages."""
    linked = call.world.store.get(Instagram, account)
    page = linked.parent if linked is not None else account
    if viewer(call).page != page:
        return False
    require_page_token(call, page, TASKS)
    require_scope(call, product_of(call.world, account).scope)
    return True


def _is_readable(call: Call, message: Message) -> bool:
    if not _let_in(call, message.parent):
        return False
    newest = messages_in(call.world, Message, chat_of(call.world, message))[:_READABLE]
    return any(one.id == message.id for one in newest)


thread_node = finder(Chat, THREAD, lambda call, chat: _let_in(call, chat.parent))
message_node = finder(Message, MESSAGE, _is_readable)


def person_node(call: Call, key: str) -> Node | None:
    """Find a person by the id that they have for the caller's Page or its Instagram account, if they wrote to it."""
    page = viewer(call).page
    chat = chat_with(call.world, page, key) if page else None
    if chat is None or not _let_in(call, chat.parent):
        return None
    on_instagram = chat.parent != page
    if CHATS.has_begun(call.world, chat):
        return Node(INSTAGRAM_USER if on_instagram else MESSENGER_USER, contact_of(chat))
    if on_instagram:
        message = "(#230) User consent is required to access user profile"
        raise Refused(failure(message, 230, kind="IGApiException"))
    return None
