"""The Send API: messages of Pages and of their Instagram accounts to people who wrote first."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter, require, wrong
from socialgate_sandbox.dialects.graph.given import one_of
from socialgate_sandbox.dialects.graph.messages import Message
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.chats import Chat, Json
from socialgate_sandbox.society.conversations import WINDOW
from socialgate_sandbox.vendors.meta.errors import refusal
from socialgate_sandbox.vendors.meta.messaging.bodies import check_text, fields_of
from socialgate_sandbox.vendors.meta.messaging.chats import CHATS, TASKS, Product, chat_with, product_of
from socialgate_sandbox.vendors.meta.messaging.private_replies import PrivateReply, chat_with_author
from socialgate_sandbox.vendors.meta.messaging.shapes import Given, Reaction, contact_of
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import require_page_token, require_scope

_TYPES = ("RESPONSE", "UPDATE", "MESSAGE_TAG", "UTILITY")
_ACTIONS = ("typing_on", "typing_off", "mark_seen", "react", "unreact")
_AGENT_WINDOW = timedelta(days=7)
_RETIRED = {"CONFIRMED_EVENT_UPDATE", "POST_PURCHASE_UPDATE", "ACCOUNT_UPDATE"}


async def send(call: Call, page: Page) -> Any:
    """Serve the one endpoint of both products; the recipient's id tells which one it is."""
    require_page_token(call, page.id, TASKS)
    given, world = call.read(Given), call.world
    comment = given.recipient.comment_id
    chat = chat_with_author(call, page, comment) if comment else chat_with(world, page.id, given.recipient.id)
    if chat is None or not (comment or CHATS.has_begun(world, chat)):
        raise refusal("recipient_unknown")
    about = product_of(world, chat.parent)
    require_scope(call, about.scope)
    if given.sender_action:
        with world.store.transaction():
            return _act(call, chat, given)
    if given.message is None:
        return bad_parameter("param message must be non-empty.")
    check_text(given.message, about)
    if not comment:
        _require_window(call, chat, given, about)
    fields = await fields_of(call, given.message, about)
    with world.store.transaction():
        if comment:
            world.store.put(PrivateReply(id=comment))
        # Read again: somebody may have written while the file was fetched.
        chat = CHATS.of(world, chat.parent, chat.person)
        quoted = _named(call, chat, "reply_to[mid]", given.reply_to.mid).id if given.reply_to is not None else ""
        return _answered(chat, CHATS.send(world, chat, about.plan, **fields, reply_to=quoted))


def _answered(chat: Chat, message: Message | None = None) -> Json:
    return {"recipient_id": contact_of(chat).id} | ({"message_id": message.id} if message is not None else {})


def _require_window(call: Call, chat: Chat, given: Given, about: Product) -> None:
    kind = one_of("messaging_type", given.messaging_type.upper(), _TYPES)
    if given.tag in _RETIRED:
        raise Refused(bad_parameter(f"Message tag {given.tag} is no longer supported", subcode=1893061))
    if kind == "MESSAGE_TAG" or given.tag:
        require(given.tag == "HUMAN_AGENT", "Param tag must be one of {HUMAN_AGENT}")
    if not chat.is_open(call.world, _AGENT_WINDOW if given.tag else WINDOW):
        raise refusal("instagram_window_closed" if about.on_instagram else "window_closed")


def _named(call: Call, chat: Chat, param: str, key: str) -> Message:
    found = CHATS.message(call.world, chat, key)
    if found is None:
        raise wrong(f"Param {param} must be a message of this conversation")
    return found


def _act(call: Call, chat: Chat, given: Given) -> Json:
    word = one_of("sender_action", given.sender_action.lower(), _ACTIONS)
    require(given.message is None, "A sender_action must be sent without a message")
    if word == "mark_seen":
        chat.unread = 0
        call.world.store.put(chat)
    if word in {"react", "unreact"}:
        wanted = given.payload or Reaction("")
        message = _named(call, chat, "payload[message_id]", wanted.message_id)
        emoji = "❤️" if wanted.reaction == "love" else wanted.reaction
        CHATS.react(call.world, message, "", emoji if word == "react" else "")
    return _answered(chat)
