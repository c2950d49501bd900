"""The bot itself and the chats it is in."""

from collections.abc import Callable, Sequence
from typing import Any

from socialgate_sandbox.kit import Account, Call, World
from socialgate_sandbox.vendors.telegram.access import chat_of, is_admin
from socialgate_sandbox.vendors.telegram.args import number_of, text_of
from socialgate_sandbox.vendors.telegram.errors import bad_request, require
from socialgate_sandbox.vendors.telegram.rooms import find_message
from socialgate_sandbox.vendors.telegram.shapes import full_chat_json, me_json, member_json
from socialgate_sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    Pins,
    User,
    member_of,
    room_of,
    set_member,
)
from socialgate_sandbox.vendors.telegram.subscribers import member_count
from socialgate_sandbox.vendors.telegram.updates import membership_changed

Method = Callable[[Call, Bot], Any]
_LONGEST = {"first_name": 64, "description": 512, "short_description": 120}


def get_me(_call: Call, bot: Bot) -> Json:
    return me_json(bot)


def _getter(field: str, attribute: str) -> Method:
    def get(_call: Call, bot: Bot) -> Json:
        return {field: getattr(bot, attribute)}

    return get


def _setter(field: str, attribute: str) -> Method:
    def change(call: Call, bot: Bot) -> bool:
        given = text_of(call, field)
        require(len(given) <= _LONGEST[attribute], f"BOT_{field.upper()}_TOO_LONG")
        setattr(bot, attribute, given)
        call.world.store.put(bot)
        return True

    return change


def get_chat(call: Call, bot: Bot) -> Json:
    chat = chat_of(call, bot, "read")
    pins = call.world.store.get(Pins, room_of(chat, bot))
    pinned = (find_message(call.world, chat, bot, number) for number in reversed(pins.numbers if pins else []))
    newest = next(filter(None, pinned), None)
    return full_chat_json(chat) | ({} if newest is None else {"pinned_message": newest.body})


def get_chat_member(call: Call, bot: Bot) -> Json:
    wanted = number_of(call, "user_id")
    require(wanted > 0, "invalid user_id specified")
    user = str(wanted)
    chat = chat_of(call, bot, "read" if user == bot.id else "members")
    if user != bot.id:
        _check_list(call.world, bot, chat)
    member = member_of(call.world, chat.id, user)
    if member is None:
        if call.world.store.get(User, user) is None and call.world.store.get(Bot, user) is None:
            raise bad_request("PARTICIPANT_ID_INVALID")
        member = Member(id="", parent=chat.id, user=user, status="left")
    return member_json(call.world, chat, member)


def get_chat_administrators(call: Call, bot: Bot) -> list[Json]:
    chat = chat_of(call, bot, "members")
    if isinstance(chat, User):
        raise bad_request("there are no administrators in the private chat")
    _check_list(call.world, bot, chat)
    members = call.world.store.find(Member, parent=chat.id)
    # Other bots are never listed, except for the caller.
    return [
        member_json(call.world, chat, member)
        for member in members
        if member.status in {"creator", "administrator"}
        and (member.user == bot.id or call.world.store.get(Bot, member.user) is None)
    ]


def get_chat_member_count(call: Call, bot: Bot) -> int:
    chat = chat_of(call, bot, "members")
    return 2 if isinstance(chat, User) else member_count(call.world, chat)


def leave_chat(call: Call, bot: Bot) -> bool:
    chat = chat_of(call, bot, "write")
    if isinstance(chat, User):
        raise bad_request("chat member status can't be changed in private chats")
    old = member_of(call.world, chat.id, bot.id)
    new = set_member(call.world, chat.id, bot.id, "left")
    membership_changed(call.world, bot, chat, bot.id, old, new)
    return True


def _check_list(world: World, bot: Bot, chat: Chat | User) -> None:
    if isinstance(chat, Chat) and chat.kind == "channel" and not is_admin(world, bot, chat):
        raise bad_request("member list is inaccessible")


METHODS: dict[str, Method] = {
    "getMe": get_me,
    "getMyName": _getter("name", "first_name"),
    "setMyName": _setter("name", "first_name"),
    "getMyDescription": _getter("description", "description"),
    "setMyDescription": _setter("description", "description"),
    "getMyShortDescription": _getter("short_description", "short_description"),
    "setMyShortDescription": _setter("short_description", "short_description"),
    "getChat": get_chat,
    "getChatMember": get_chat_member,
    "getChatAdministrators": get_chat_administrators,
    "getChatMemberCount": get_chat_member_count,
    "getChatMembersCount": get_chat_member_count,
    "leaveChat": leave_chat,
}


def list_accounts(world: World) -> Sequence[Account]:
    bots = [
        Account(
            kind="bot",
            id=bot.id,
            name=f"@{bot.username}",
            state="deleted" if bot.gone else "active",
            connected=[] if bot.webhook is None else [bot.webhook.url],
        )
        for bot in world.store.find(Bot)
    ]
    return [*bots, *(_chat_account(world, chat) for chat in world.store.find(Chat))]


def _chat_account(world: World, chat: Chat) -> Account:
    places = [member for member in world.store.find(Member, parent=chat.id) if world.store.get(Bot, member.user)]
    return Account(
        kind=chat.kind,
        id=chat.id,
        name=f"@{chat.username}" if chat.username else chat.title,
        state="deleted" if chat.gone else "active",
        connected=[f"{place.user} {place.status}" for place in places],
    )
