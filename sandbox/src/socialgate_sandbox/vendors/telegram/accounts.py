"""The bot itself and the chats it is in."""

from collections.abc import Callable, Sequence
from typing import Any

from socialgate_sandbox.kit import Account, Call, VendorContext
from socialgate_sandbox.vendors.telegram.access import has_admin_right, require_chat
from socialgate_sandbox.vendors.telegram.api_objects import build_full_chat_json, build_member_json, build_own_bot_json
from socialgate_sandbox.vendors.telegram.chat_messages import find_message
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, require
from socialgate_sandbox.vendors.telegram.method_parameters import get_number, get_text
from socialgate_sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    Pins,
    User,
    find_member,
    get_conversation_id,
    set_member,
)
from socialgate_sandbox.vendors.telegram.subscribers import count_members
from socialgate_sandbox.vendors.telegram.updates import notify_membership_change

BotMethod = Callable[[Call, Bot], Any]
_MAX_LENGTHS = {"first_name": 64, "description": 512, "short_description": 120}


def get_me(_call: Call, bot: Bot) -> Json:
    return build_own_bot_json(bot)


def _build_getter(field: str, attribute: str) -> BotMethod:
    def get(_call: Call, bot: Bot) -> Json:
        return {field: getattr(bot, attribute)}

    return get


def _build_setter(field: str, attribute: str) -> BotMethod:
    def change(call: Call, bot: Bot) -> bool:
        value = get_text(call, field)
        require(len(value) <= _MAX_LENGTHS[attribute], f"BOT_{field.upper()}_TOO_LONG")
        setattr(bot, attribute, value)
        call.context.store.put(bot)
        return True

    return change


def get_chat(call: Call, bot: Bot) -> Json:
    chat = require_chat(call, bot, "read")
    pins = call.context.store.get(Pins, get_conversation_id(chat, bot))
    pinned = (find_message(call.context, chat, bot, number) for number in reversed(pins.numbers if pins else []))
    newest = next(filter(None, pinned), None)
    return build_full_chat_json(chat) | ({} if newest is None else {"pinned_message": newest.body})


def get_chat_member(call: Call, bot: Bot) -> Json:
    number = get_number(call, "user_id")
    require(number > 0, "invalid user_id specified")
    user = str(number)
    chat = require_chat(call, bot, "read" if user == bot.id else "members")
    if user != bot.id:
        _require_member_list_access(call.context, bot, chat)
    member = find_member(call.context, chat.id, user)
    if member is None:
        if call.context.store.get(User, user) is None and call.context.store.get(Bot, user) is None:
            raise build_bad_request("PARTICIPANT_ID_INVALID")
        member = Member(id="", parent=chat.id, user=user, status="left")
    return build_member_json(call.context, chat, member)


def get_chat_administrators(call: Call, bot: Bot) -> list[Json]:
    chat = require_chat(call, bot, "members")
    if isinstance(chat, User):
        raise build_bad_request("there are no administrators in the private chat")
    _require_member_list_access(call.context, bot, chat)
    members = call.context.store.find(Member, parent=chat.id)
    # Other bots are never listed, except for the caller.
    return [
        build_member_json(call.context, chat, member)
        for member in members
        if member.status in {"creator", "administrator"}
        and (member.user == bot.id or call.context.store.get(Bot, member.user) is None)
    ]


def get_chat_member_count(call: Call, bot: Bot) -> int:
    chat = require_chat(call, bot, "members")
    return 2 if isinstance(chat, User) else count_members(call.context, chat)


def leave_chat(call: Call, bot: Bot) -> bool:
    chat = require_chat(call, bot, "write")
    if isinstance(chat, User):
        raise build_bad_request("chat member status can't be changed in private chats")
    old = find_member(call.context, chat.id, bot.id)
    new = set_member(call.context, chat.id, bot.id, "left")
    notify_membership_change(call.context, bot, chat, bot.id, old, new)
    return True


def _require_member_list_access(context: VendorContext, bot: Bot, chat: Chat | User) -> None:
    if isinstance(chat, Chat) and chat.kind == "channel" and not has_admin_right(context, bot, chat):
        raise build_bad_request("member list is inaccessible")


ACCOUNT_METHODS: dict[str, BotMethod] = {
    "getMe": get_me,
    "getMyName": _build_getter("name", "first_name"),
    "setMyName": _build_setter("name", "first_name"),
    "getMyDescription": _build_getter("description", "description"),
    "setMyDescription": _build_setter("description", "description"),
    "getMyShortDescription": _build_getter("short_description", "short_description"),
    "setMyShortDescription": _build_setter("short_description", "short_description"),
    "getChat": get_chat,
    "getChatMember": get_chat_member,
    "getChatAdministrators": get_chat_administrators,
    "getChatMemberCount": get_chat_member_count,
    "getChatMembersCount": get_chat_member_count,
    "leaveChat": leave_chat,
}


def list_accounts(context: VendorContext) -> Sequence[Account]:
    bots = [
        Account(
            kind="bot",
            id=bot.id,
            name=f"@{bot.username}",
            state="deleted" if bot.gone else "active",
            connected=[] if bot.webhook is None else [bot.webhook.url],
        )
        for bot in context.store.find(Bot)
    ]
    return [*bots, *(_build_chat_account(context, chat) for chat in context.store.find(Chat))]


def _build_chat_account(context: VendorContext, chat: Chat) -> Account:
    places = [member for member in context.store.find(Member, parent=chat.id) if context.store.get(Bot, member.user)]
    return Account(
        kind=chat.kind,
        id=chat.id,
        name=f"@{chat.username}" if chat.username else chat.title,
        state="deleted" if chat.gone else "active",
        connected=[f"{place.user} {place.status}" for place in places],
    )
