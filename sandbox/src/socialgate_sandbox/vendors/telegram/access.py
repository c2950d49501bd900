"""Which bot makes a call, and what it may do in the chat that it names."""

from collections.abc import Sequence
from typing import Literal

from socialgate_sandbox.kit import Call, Refused, World
from socialgate_sandbox.vendors.telegram.args import text_of
from socialgate_sandbox.vendors.telegram.errors import bad_request, failed, forbidden, refusal
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, User, member_of

Need = Literal["read", "members", "edit", "write"]
_LONGEST_TOKEN = 80
_MOST = 1 << 54
_IN = {"creator", "administrator", "member"}


def bot_of(call: Call) -> Bot:
    token = call.args["token"]
    number, colon, secret = token.partition(":")
    if not colon or token.startswith("0") or len(token) > _LONGEST_TOKEN:
        raise refusal("token_invalid")
    if not number.lstrip("-").isdigit():
        raise refusal("misdirected")
    if not 0 < int(number) < _MOST:
        raise refusal("token_invalid")
    bot = call.world.store.get(Bot, number)
    if bot is None or bot.gone or bot.secret != secret:
        raise refusal("token_revoked")
    return bot


def accounts_of(call: Call) -> Sequence[str]:
    """Return the bot and the chat that it names: a failure can target either."""
    number, _, secret = call.args.get("token", "").partition(":")
    bot = call.world.store.get(Bot, number)
    if bot is None or bot.secret != secret:
        return ()
    chat = find_chat(call.world, text_of(call, "chat_id"))
    return (bot.id,) if chat is None else (bot.id, chat.id)


def find_chat(world: World, name: str) -> Chat | User | None:
    if name.startswith("@"):
        wanted = name[1:].lower()
        return next((chat for chat in world.store.find(Chat) if wanted and chat.username.lower() == wanted), None)
    return world.store.get(Chat, name) or world.store.get(User, name)


def chat_of(call: Call, bot: Bot, need: Need, name: str = "chat_id") -> Chat | User:
    """Find the chat that a call names, if the bot has the required rights there."""
    given = text_of(call, name)
    if not given:
        raise bad_request(f"{name} is empty")
    chat = find_chat(call.world, given)
    if chat is None:
        raise refusal("not_found")
    if isinstance(chat, User):
        _check_private(call.world, bot, chat, need)
    else:
        _check_shared(call.world, bot, chat, need)
    return chat


def _check_private(world: World, bot: Bot, user: User, need: Need) -> None:
    place = member_of(world, user.id, bot.id)
    if place is None:
        raise refusal("not_found")
    if user.gone and need in {"edit", "write"}:
        raise refusal("user_deactivated")
    if place.status == "kicked" and need == "write":
        raise refusal("blocked")


def _check_shared(world: World, bot: Bot, chat: Chat, need: Need) -> None:
    place = member_of(world, chat.id, bot.id)
    status = "unknown" if place is None else place.status
    # The server hides a private chat that the bot was never in.
    if status == "unknown" and not chat.username:
        raise refusal("not_found")
    if chat.kind == "group" and chat.migrated_to and need in {"members", "write"}:
        raise _migrated(chat)
    if chat.gone and need != "read":
        raise forbidden(f"the {chat.word} was deleted")
    if status == "kicked" and (chat.kind != "group" or need in {"edit", "write"}):
        raise forbidden(f"bot was kicked from the {chat.word}")
    if status not in _IN and (need in {"edit", "write"} or not chat.username):
        raise forbidden(f"bot is not a member of the {chat.word}")


def _migrated(chat: Chat) -> Refused:
    text = "group chat was upgraded to a supergroup chat"
    return Refused(failed(400, text, {"migrate_to_chat_id": int(chat.migrated_to)}))


def is_admin(world: World, bot: Bot, chat: Chat, right: str = "can_manage_chat") -> bool:
    place = member_of(world, chat.id, bot.id)
    return place is not None and place.status == "administrator" and place.rights.get(right, False)
