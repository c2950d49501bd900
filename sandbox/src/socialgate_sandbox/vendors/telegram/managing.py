"""What bots say about themselves to clients, and what administrators do in their chats."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from socialgate_sandbox.kit import Call, text
from socialgate_sandbox.vendors.telegram.access import chat_of, is_admin
from socialgate_sandbox.vendors.telegram.args import number_of, text_of, value_of
from socialgate_sandbox.vendors.telegram.errors import bad_request, require
from socialgate_sandbox.vendors.telegram.shapes import anybody_json
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Setting, User, set_member

_LONGEST_TITLE, _LONGEST_DESCRIPTION = 128, 255
_MOST_COMMANDS = 100
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


class _Command(msgspec.Struct):
    command: str
    description: str


def _setting(call: Call, bot: Bot, what: str) -> Setting:
    """Find what a bot set for a scope and a language."""
    scope = value_of(call, "scope", "bot command scope") or {"type": "default"}
    key = f"{bot.id} {what} {msgspec.json.encode(scope).decode()} {text_of(call, 'language_code')}"
    return call.world.store.get(Setting, key) or Setting(id=key, parent=bot.id, value=None)


def set_commands(call: Call, bot: Bot) -> bool:
    given = value_of(call, "commands", "bot commands")
    try:
        commands = msgspec.convert(given, list[_Command])
    except msgspec.ValidationError as error:
        raise bad_request("can't parse BotCommand: expected an Object") from error
    require(len(commands) <= _MOST_COMMANDS, "BOT_COMMANDS_TOO_MUCH")
    for one in commands:
        name = one.command.removeprefix("/")
        require(_COMMAND.fullmatch(name), "BOT_COMMAND_INVALID")
    setting = _setting(call, bot, "commands")
    setting.value = [{"command": one.command.removeprefix("/"), "description": one.description} for one in commands]
    call.world.store.put(setting)
    return True


def get_commands(call: Call, bot: Bot) -> list[Json]:
    return _setting(call, bot, "commands").value or []


def delete_commands(call: Call, bot: Bot) -> bool:
    call.world.store.delete(Setting, _setting(call, bot, "commands").id)
    return True


def _menu(call: Call, bot: Bot) -> Setting:
    key = f"{bot.id} menu {text_of(call, 'chat_id')}"
    return call.world.store.get(Setting, key) or Setting(id=key, parent=bot.id, value={"type": "commands"})


def set_menu(call: Call, bot: Bot) -> bool:
    setting = _menu(call, bot)
    setting.value = value_of(call, "menu_button", "menu button") or {"type": "commands"}
    call.world.store.put(setting)
    return True


def get_menu(call: Call, bot: Bot) -> Any:
    return _menu(call, bot).value


def profile_photos(call: Call, _bot: Bot) -> Json:
    """Nobody here has a photo that a bot could see."""
    if call.world.store.get(User, str(number_of(call, "user_id"))) is None:
        raise bad_request("invalid user_id specified")
    return {"total_count": 0, "photos": []}


def _managed(call: Call, bot: Bot, right: str) -> Chat:
    chat = chat_of(call, bot, "write")
    if isinstance(chat, User):
        raise bad_request("method is available only for supergroups and channels")
    require(is_admin(call.world, bot, chat, right), "not enough rights to perform the action")
    return chat


def _writer(field: str, longest: int) -> Callable[[Call, Bot], bool]:
    def change(call: Call, bot: Bot) -> bool:
        chat, given = _managed(call, bot, "can_change_info"), text_of(call, field)
        require(len(given) <= longest and (field != "title" or given), f"chat {field} is invalid")
        setattr(chat, field, given)
        call.world.store.put(chat)
        return True

    return change


def invite_link(call: Call, bot: Bot) -> Json:
    _managed(call, bot, "can_invite_users")
    limits = {name: number_of(call, name) for name in ("expire_date", "member_limit") if number_of(call, name)}
    named = {"name": text_of(call, "name")} if text_of(call, "name") else {}
    return {
        "invite_link": f"https://t.me/+{text(16)}",
        "creator": anybody_json(call.world, bot.id),
        "creates_join_request": text_of(call, "creates_join_request").lower() == "true",
        "is_primary": False,
        "is_revoked": False,
    } | (named | limits)


def primary_link(call: Call, bot: Bot) -> str:
    chat = _managed(call, bot, "can_invite_users")
    return f"https://t.me/+{chat.id.lstrip('-')}"


def _mover(status: Any) -> Callable[[Call, Bot], bool]:
    def move(call: Call, bot: Bot) -> bool:
        chat, user = _managed(call, bot, "can_restrict_members"), str(number_of(call, "user_id"))
        if call.world.store.get(User, user) is None:
            raise bad_request("PARTICIPANT_ID_INVALID")
        set_member(call.world, chat.id, user, status)
        return True

    return move


METHODS: dict[str, Callable[[Call, Bot], Any]] = {
    "setMyCommands": set_commands,
    "getMyCommands": get_commands,
    "deleteMyCommands": delete_commands,
    "setChatMenuButton": set_menu,
    "getChatMenuButton": get_menu,
    "getUserProfilePhotos": profile_photos,
    "setChatTitle": _writer("title", _LONGEST_TITLE),
    "setChatDescription": _writer("description", _LONGEST_DESCRIPTION),
    "createChatInviteLink": invite_link,
    "exportChatInviteLink": primary_link,
    "banChatMember": _mover("kicked"),
    "unbanChatMember": _mover("left"),
}
