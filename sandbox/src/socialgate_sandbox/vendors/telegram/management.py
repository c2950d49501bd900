"""What bots say about themselves to clients, and what administrators do in their chats."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from socialgate_sandbox.kit import Call, generate_alphanumeric
from socialgate_sandbox.vendors.telegram.access import has_admin_right, require_chat
from socialgate_sandbox.vendors.telegram.api_objects import build_bot_or_user_json
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, require
from socialgate_sandbox.vendors.telegram.method_parameters import get_json_value, get_number, get_text
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Setting, User, set_member

_MAX_TITLE_LENGTH, _MAX_DESCRIPTION_LENGTH = 128, 255
_MAX_COMMANDS = 100
_COMMAND_PATTERN = re.compile(r"[a-z0-9_]{1,32}")


class _Command(msgspec.Struct):
    command: str
    description: str


def _get_setting(call: Call, bot: Bot, setting_name: str) -> Setting:
    """Find what a bot set for a scope and a language."""
    scope = get_json_value(call, "scope", "bot command scope") or {"type": "default"}
    key = f"{bot.id} {setting_name} {msgspec.json.encode(scope).decode()} {get_text(call, 'language_code')}"
    return call.context.store.get(Setting, key) or Setting(id=key, parent=bot.id, value=None)


def set_commands(call: Call, bot: Bot) -> bool:
    value = get_json_value(call, "commands", "bot commands")
    try:
        commands = msgspec.convert(value, list[_Command])
    except msgspec.ValidationError as error:
        raise build_bad_request("can't parse BotCommand: expected an Object") from error
    require(len(commands) <= _MAX_COMMANDS, "BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        name = command.command.removeprefix("/")
        require(_COMMAND_PATTERN.fullmatch(name), "BOT_COMMAND_INVALID")
    setting = _get_setting(call, bot, "commands")
    setting.value = [
        {"command": command.command.removeprefix("/"), "description": command.description} for command in commands
    ]
    call.context.store.put(setting)
    return True


def get_commands(call: Call, bot: Bot) -> list[Json]:
    return _get_setting(call, bot, "commands").value or []


def delete_commands(call: Call, bot: Bot) -> bool:
    call.context.store.delete(Setting, _get_setting(call, bot, "commands").id)
    return True


def _get_menu_setting(call: Call, bot: Bot) -> Setting:
    key = f"{bot.id} menu {get_text(call, 'chat_id')}"
    return call.context.store.get(Setting, key) or Setting(id=key, parent=bot.id, value={"type": "commands"})


def set_menu_button(call: Call, bot: Bot) -> bool:
    setting = _get_menu_setting(call, bot)
    setting.value = get_json_value(call, "menu_button", "menu button") or {"type": "commands"}
    call.context.store.put(setting)
    return True


def get_menu_button(call: Call, bot: Bot) -> Any:
    return _get_menu_setting(call, bot).value


def get_profile_photos(call: Call, _bot: Bot) -> Json:
    """Nobody here has a photo that a bot could see."""
    if call.context.store.get(User, str(get_number(call, "user_id"))) is None:
        raise build_bad_request("invalid user_id specified")
    return {"total_count": 0, "photos": []}


def _require_managed_chat(call: Call, bot: Bot, right: str) -> Chat:
    chat = require_chat(call, bot, "write")
    if isinstance(chat, User):
        raise build_bad_request("method is available only for supergroups and channels")
    require(has_admin_right(call.context, bot, chat, right), "not enough rights to perform the action")
    return chat


def _build_chat_setter(field: str, max_length: int) -> Callable[[Call, Bot], bool]:
    def change(call: Call, bot: Bot) -> bool:
        chat, value = _require_managed_chat(call, bot, "can_change_info"), get_text(call, field)
        require(len(value) <= max_length and (field != "title" or value), f"chat {field} is invalid")
        setattr(chat, field, value)
        call.context.store.put(chat)
        return True

    return change


def create_invite_link(call: Call, bot: Bot) -> Json:
    _require_managed_chat(call, bot, "can_invite_users")
    limits = {name: get_number(call, name) for name in ("expire_date", "member_limit") if get_number(call, name)}
    named = {"name": get_text(call, "name")} if get_text(call, "name") else {}
    return {
        "invite_link": f"https://t.me/+{generate_alphanumeric(16)}",
        "creator": build_bot_or_user_json(call.context, bot.id),
        "creates_join_request": get_text(call, "creates_join_request").lower() == "true",
        "is_primary": False,
        "is_revoked": False,
    } | (named | limits)


def export_invite_link(call: Call, bot: Bot) -> str:
    chat = _require_managed_chat(call, bot, "can_invite_users")
    return f"https://t.me/+{chat.id.lstrip('-')}"


def _build_status_setter(status: Any) -> Callable[[Call, Bot], bool]:
    def move(call: Call, bot: Bot) -> bool:
        chat, user = _require_managed_chat(call, bot, "can_restrict_members"), str(get_number(call, "user_id"))
        if call.context.store.get(User, user) is None:
            raise build_bad_request("PARTICIPANT_ID_INVALID")
        set_member(call.context, chat.id, user, status)
        return True

    return move


MANAGEMENT_METHODS: dict[str, Callable[[Call, Bot], Any]] = {
    "setMyCommands": set_commands,
    "getMyCommands": get_commands,
    "deleteMyCommands": delete_commands,
    "setChatMenuButton": set_menu_button,
    "getChatMenuButton": get_menu_button,
    "getUserProfilePhotos": get_profile_photos,
    "setChatTitle": _build_chat_setter("title", _MAX_TITLE_LENGTH),
    "setChatDescription": _build_chat_setter("description", _MAX_DESCRIPTION_LENGTH),
    "createChatInviteLink": create_invite_link,
    "exportChatInviteLink": export_invite_link,
    "banChatMember": _build_status_setter("kicked"),
    "unbanChatMember": _build_status_setter("left"),
}
