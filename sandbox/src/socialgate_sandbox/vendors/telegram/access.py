"""Which bot makes a call, and what it may do in the chat that it names."""

from collections.abc import Sequence
from typing import Literal

from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext
from socialgate_sandbox.vendors.telegram.errors import (
    build_bad_request,
    build_error_response,
    build_forbidden,
    build_refusal,
)
from socialgate_sandbox.vendors.telegram.method_parameters import get_text
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, User, find_member

ChatAccess = Literal["read", "members", "edit", "write"]
_MAX_TOKEN_LENGTH = 80
_MAX_BOT_ID = 1 << 54
_MEMBER_STATUSES = {"creator", "administrator", "member"}


def authenticate_bot(call: Call) -> Bot:
    token = call.path_params["token"]
    number, colon, secret = token.partition(":")
    if not colon or token.startswith("0") or len(token) > _MAX_TOKEN_LENGTH:
        raise build_refusal("token_invalid")
    if not number.lstrip("-").isdigit():
        raise build_refusal("misdirected")
    if not 0 < int(number) < _MAX_BOT_ID:
        raise build_refusal("token_invalid")
    bot = call.context.store.get(Bot, number)
    if bot is None or bot.gone or bot.secret != secret:
        raise build_refusal("token_revoked")
    return bot


def get_account_ids(call: Call) -> Sequence[str]:
    """Return the bot and the chat that it names: a failure can target either."""
    number, _, secret = call.path_params.get("token", "").partition(":")
    bot = call.context.store.get(Bot, number)
    if bot is None or bot.secret != secret:
        return ()
    chat = find_chat(call.context, get_text(call, "chat_id"))
    return (bot.id,) if chat is None else (bot.id, chat.id)


def find_chat(context: VendorContext, name: str) -> Chat | User | None:
    if name.startswith("@"):
        expected = name[1:].lower()
        return next((chat for chat in context.store.find(Chat) if expected and chat.username.lower() == expected), None)
    return context.store.get(Chat, name) or context.store.get(User, name)


def require_chat(call: Call, bot: Bot, access: ChatAccess, name: str = "chat_id") -> Chat | User:
    """Find the chat that a call names, if the bot has the required rights there."""
    value = get_text(call, name)
    if not value:
        raise build_bad_request(f"{name} is empty")
    chat = find_chat(call.context, value)
    if chat is None:
        raise build_refusal("not_found")
    if isinstance(chat, User):
        _check_private_chat(call.context, bot, chat, access)
    else:
        _check_group_or_channel(call.context, bot, chat, access)
    return chat


def _check_private_chat(context: VendorContext, bot: Bot, user: User, access: ChatAccess) -> None:
    place = find_member(context, user.id, bot.id)
    if place is None:
        raise build_refusal("not_found")
    if user.gone and access in {"edit", "write"}:
        raise build_refusal("user_deactivated")
    if place.status == "kicked" and access == "write":
        raise build_refusal("blocked")


def _check_group_or_channel(context: VendorContext, bot: Bot, chat: Chat, access: ChatAccess) -> None:
    place = find_member(context, chat.id, bot.id)
    status = "unknown" if place is None else place.status
    # The server hides a private chat that the bot was never in.
    if status == "unknown" and not chat.username:
        raise build_refusal("not_found")
    if chat.kind == "group" and chat.migrated_to and access in {"members", "write"}:
        raise _build_migrated_error(chat)
    if chat.gone and access != "read":
        raise build_forbidden(f"the {chat.noun} was deleted")
    if status == "kicked" and (chat.kind != "group" or access in {"edit", "write"}):
        raise build_forbidden(f"bot was kicked from the {chat.noun}")
    if status not in _MEMBER_STATUSES and (access in {"edit", "write"} or not chat.username):
        raise build_forbidden(f"bot is not a member of the {chat.noun}")


def _build_migrated_error(chat: Chat) -> CallRefusedError:
    text = "group chat was upgraded to a supergroup chat"
    return CallRefusedError(build_error_response(400, text, {"migrate_to_chat_id": int(chat.migrated_to)}))


def has_admin_right(context: VendorContext, bot: Bot, chat: Chat, right: str = "can_manage_chat") -> bool:
    place = find_member(context, chat.id, bot.id)
    return place is not None and place.status == "administrator" and place.rights.get(right, False)
