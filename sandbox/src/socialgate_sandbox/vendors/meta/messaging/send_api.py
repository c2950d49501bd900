"""The Send API: messages of Pages and of their Instagram accounts to people who wrote first."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_parameter_error, build_parameter_response, require
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.dialects.graph.parameters import validate_choice
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.chats import Chat, Json
from socialgate_sandbox.society.conversation_requests import REPLY_WINDOW
from socialgate_sandbox.vendors.meta.errors import build_refusal
from socialgate_sandbox.vendors.meta.messaging.chats import (
    CHAT_SERVICE,
    MESSAGING_TASKS,
    MessagingProduct,
    find_chat,
    find_product,
)
from socialgate_sandbox.vendors.meta.messaging.message_bodies import build_message_fields, validate_text
from socialgate_sandbox.vendors.meta.messaging.message_formats import Reaction, SendRequest, get_contact
from socialgate_sandbox.vendors.meta.messaging.private_replies import PrivateReply, get_comment_author_chat
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import require_page_token, require_scope

_MESSAGING_TYPES = ("RESPONSE", "UPDATE", "MESSAGE_TAG", "UTILITY")
_SENDER_ACTIONS = ("typing_on", "typing_off", "mark_seen", "react", "unreact")
_AGENT_WINDOW = timedelta(days=7)
_RETIRED_TAGS = {"CONFIRMED_EVENT_UPDATE", "POST_PURCHASE_UPDATE", "ACCOUNT_UPDATE"}


async def send_message(call: Call, page: Page) -> Any:
    """Serve the one endpoint of both products; the recipient's id tells which one it is."""
    require_page_token(call, page.id, MESSAGING_TASKS)
    send_request, world = call.parse_params(SendRequest), call.context
    comment = send_request.recipient.comment_id
    chat = (
        get_comment_author_chat(call, page, comment)
        if comment
        else find_chat(world, page.id, send_request.recipient.id)
    )
    if chat is None or not (comment or CHAT_SERVICE.has_begun(world, chat)):
        raise build_refusal("recipient_unknown")
    about = find_product(world, chat.parent)
    require_scope(call, about.scope)
    if send_request.sender_action:
        with world.store.transaction():
            return _run_sender_action(call, chat, send_request)
    if send_request.message is None:
        return build_parameter_response("param message must be non-empty.")
    validate_text(send_request.message, about)
    if not comment:
        _require_window(call, chat, send_request, about)
    fields = await build_message_fields(call, send_request.message, about)
    with world.store.transaction():
        if comment:
            world.store.put(PrivateReply(id=comment))
        # Read again: somebody may have written while the file was fetched.
        chat = CHAT_SERVICE.get_or_build_chat(world, chat.parent, chat.person)
        quoted = (
            _find_message(call, chat, "reply_to[mid]", send_request.reply_to.mid).id
            if send_request.reply_to is not None
            else ""
        )
        return _build_send_response(chat, CHAT_SERVICE.send(world, chat, about.state_delays, **fields, reply_to=quoted))


def _build_send_response(chat: Chat, message: Message | None = None) -> Json:
    return {"recipient_id": get_contact(chat).id} | ({"message_id": message.id} if message is not None else {})


def _require_window(call: Call, chat: Chat, request: SendRequest, product: MessagingProduct) -> None:
    kind = validate_choice("messaging_type", request.messaging_type.upper(), _MESSAGING_TYPES)
    if request.tag in _RETIRED_TAGS:
        raise CallRefusedError(
            build_parameter_response(f"Message tag {request.tag} is no longer supported", subcode=1893061)
        )
    if kind == "MESSAGE_TAG" or request.tag:
        require(request.tag == "HUMAN_AGENT", "Param tag must be one of {HUMAN_AGENT}")
    if not chat.is_within_window(call.context, _AGENT_WINDOW if request.tag else REPLY_WINDOW):
        raise build_refusal("instagram_window_closed" if product.is_instagram else "window_closed")


def _find_message(call: Call, chat: Chat, parameter_name: str, key: str) -> Message:
    message = CHAT_SERVICE.message(call.context, chat, key)
    if message is None:
        raise build_parameter_error(f"Param {parameter_name} must be a message of this conversation")
    return message


def _run_sender_action(call: Call, chat: Chat, request: SendRequest) -> Json:
    word = validate_choice("sender_action", request.sender_action.lower(), _SENDER_ACTIONS)
    require(request.message is None, "A sender_action must be sent without a message")
    if word == "mark_seen":
        chat.unread = 0
        call.context.store.put(chat)
    if word in {"react", "unreact"}:
        reaction = request.payload or Reaction("")
        message = _find_message(call, chat, "payload[message_id]", reaction.message_id)
        emoji = "❤️" if reaction.reaction == "love" else reaction.reaction
        CHAT_SERVICE.react(call.context, message, "", emoji if word == "react" else "")
    return _build_send_response(chat)
