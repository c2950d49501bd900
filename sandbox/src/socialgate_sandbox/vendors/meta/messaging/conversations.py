"""Conversations as a Page reads them: threads, their messages, and who writes."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.dialects.graph.nodes import Node, build_finder
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_text, validate_choice
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.chats import Chat, get_chat, list_messages
from socialgate_sandbox.vendors.meta.account_nodes import find_linked_instagram
from socialgate_sandbox.vendors.meta.messaging.chats import (
    CHAT_SERVICE,
    MESSAGING_TASKS,
    find_chat,
    find_product,
    get_product,
)
from socialgate_sandbox.vendors.meta.messaging.message_formats import (
    INSTAGRAM_USER_NODE_TYPE,
    MESSAGE_NODE_TYPE,
    MESSENGER_USER_NODE_TYPE,
    THREAD_NODE_TYPE,
    get_contact,
)
from socialgate_sandbox.vendors.meta.stored_objects import Instagram, Page
from socialgate_sandbox.vendors.meta.token_access import require_page_token, require_scope, require_token

_PLATFORMS = ("messenger", "instagram")
# Older messages of a thread are listed, but without any details.
_MAX_READABLE_MESSAGES = 20


def list_conversations(call: Call, page: Page) -> Any:
    """List the threads of a Page, or of its Instagram account, most recently updated first."""
    require_page_token(call, page.id, MESSAGING_TASKS)
    on_instagram = validate_choice("platform", get_text(call, "platform").lower(), _PLATFORMS) == "instagram"
    require_scope(call, get_product(is_instagram=on_instagram).scope)
    account = find_linked_instagram(call.context, page.id) if on_instagram else page
    if account is None:
        return {"data": []}
    expected, every = get_text(call, "user_id"), call.context.store.find(Chat, parent=account.id)
    chats = [chat for chat in every if expected in {"", get_contact(chat).id}]
    chats.sort(key=lambda chat: chat.updated, reverse=True)
    return build_page(call, [Node(THREAD_NODE_TYPE, chat) for chat in chats])


def list_thread_messages(call: Call, chat: Chat) -> Any:
    return build_page(
        call, [Node(MESSAGE_NODE_TYPE, message) for message in list_messages(call.context, Message, chat)]
    )


def _require_if_own(call: Call, account_id: str) -> bool:
    """Whether the caller acts for the account; if so, it must be allowed to read the account's messages."""
    linked = call.context.store.get(Instagram, account_id)
    page = linked.parent if linked is not None else account_id
    if require_token(call).page != page:
        return False
    require_page_token(call, page, MESSAGING_TASKS)
    require_scope(call, find_product(call.context, account_id).scope)
    return True


def _is_readable(call: Call, message: Message) -> bool:
    if not _require_if_own(call, message.parent):
        return False
    newest = list_messages(call.context, Message, get_chat(call.context, message))[:_MAX_READABLE_MESSAGES]
    return any(current_message.id == message.id for current_message in newest)


find_thread_node = build_finder(Chat, THREAD_NODE_TYPE, lambda call, chat: _require_if_own(call, chat.parent))
find_message_node = build_finder(Message, MESSAGE_NODE_TYPE, _is_readable)


def find_person_node(call: Call, key: str) -> Node | None:
    """Find a person by the id that they have for the caller's Page or its Instagram account, if they wrote to it."""
    page = require_token(call).page
    chat = find_chat(call.context, page, key) if page else None
    if chat is None or not _require_if_own(call, chat.parent):
        return None
    on_instagram = chat.parent != page
    if CHAT_SERVICE.has_begun(call.context, chat):
        return Node(INSTAGRAM_USER_NODE_TYPE if on_instagram else MESSENGER_USER_NODE_TYPE, get_contact(chat))
    if on_instagram:
        message = "(#230) User consent is required to access user profile"
        raise CallRefusedError(build_error_response(message, 230, kind="IGApiException"))
    return None
