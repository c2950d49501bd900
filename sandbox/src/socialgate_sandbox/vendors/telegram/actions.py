"""What people do in their Telegram apps, including with BotFather."""

from typing import Any, Literal

from socialgate_sandbox.kit import OWNERS, Action, ActionRequest, ControlError, World, digits, text
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.tokens import revoke_action
from socialgate_sandbox.vendors.telegram import messages
from socialgate_sandbox.vendors.telegram.named import bot_named, chat_named, meet, person_named
from socialgate_sandbox.vendors.telegram.seed import FULL_RIGHTS
from socialgate_sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    member_of,
    set_member,
)
from socialgate_sandbox.vendors.telegram.updates import membership_changed


class NewBot(ActionRequest, frozen=True, kw_only=True):
    """BotFather's /newbot."""

    person: str
    name: str
    username: str


class Meeting(ActionRequest, frozen=True, kw_only=True):
    account: str
    person: str = "dario"


class Promotion(ActionRequest, frozen=True, kw_only=True):
    """The owner of a channel or group makes a bot its administrator, or a plain member of a group."""

    account: str
    bot: str
    role: Literal["administrator", "member"] = "administrator"
    can_post: bool = True


def new_bot(world: World, order: NewBot) -> Json:
    if not order.username.lower().endswith("bot"):
        raise ControlError("Sorry, the username must end in 'bot'. E.g. 'Tetris_bot' or 'Tetrisbot'", 422)
    if any(bot.username.lower() == order.username.lower() for bot in world.store.find(Bot)):
        raise ControlError("Sorry, this username is already taken. Please try something different.", 409)
    owner = person_named(world, order.person).parent
    bot = Bot(id=digits(10), parent=owner, secret=_secret(), first_name=order.name, username=order.username)
    world.store.put(bot)
    return show_token(world, OfAccount(account=bot.id))


def show_token(world: World, order: OfAccount) -> Json:
    bot = bot_named(world, order.account)
    return {"id": bot.id, "username": bot.username, "token": bot.token}


def revoke(world: World, account: str, how: str) -> object:
    if world.store.get(Bot, account) is not None:
        return _revoke_bot(world, bot_named(world, account), how)
    return _revoke_chat(world, chat_named(world, account), how)


def _revoke_bot(world: World, bot: Bot, how: str) -> object:
    """Revoke a token. Telegram notifies nobody: the next call is rejected, and the webhook is deleted."""
    bot.secret, bot.webhook, bot.gone = _secret(), None, how == "deleted"
    world.store.put(bot)
    return {"id": bot.id, "username": bot.username, "token": None if bot.gone else bot.token}


def _revoke_chat(world: World, chat: Chat, how: str) -> object:
    """Take the chat away from every bot in it, and notify them as Telegram does."""
    if how == "deleted":
        chat.gone = True
        world.store.put(chat)
    for place in world.store.find(Member, parent=chat.id):
        bot = world.store.get(Bot, place.user)
        if bot is not None and place.status in {"administrator", "member"}:
            _take_place(world, chat, bot, place, how)
    return None


def _take_place(world: World, chat: Chat, bot: Bot, place: Member, how: str) -> None:
    if how == "cannot_post":
        new = set_member(world, chat.id, bot.id, place.status, place.rights | {"can_post_messages": False})
    else:
        new = set_member(world, chat.id, bot.id, "kicked" if how == "banned" else "left")
    membership_changed(world, bot, chat, person_named(world, chat.parent).id, place, new)


def promote(world: World, order: Promotion) -> object:
    chat, bot = chat_named(world, order.account), bot_named(world, order.bot)
    if chat.kind == "channel" and order.role == "member":
        raise ControlError("In a channel, a bot can only be an administrator.", 422)
    old = member_of(world, chat.id, bot.id)
    rights = FULL_RIGHTS | {"can_post_messages": order.can_post} if order.role == "administrator" else {}
    new = set_member(world, chat.id, bot.id, order.role, rights)
    membership_changed(world, bot, chat, person_named(world, chat.parent).id, old, new)
    return None


def block(world: World, order: Meeting) -> object:
    meet(world, bot_named(world, order.account), person_named(world, order.person), "kicked")
    return None


def unblock(world: World, order: Meeting) -> object:
    meet(world, bot_named(world, order.account), person_named(world, order.person), "member")
    return None


def _secret() -> str:
    return f"AA{text(33)}"


_ROOMS = ("channel", "supergroup", "group")


def _ways(world: World, account: str) -> dict[str, str]:
    if world.store.get(Bot, account) is not None:
        return {"": "Revoke the token", "deleted": "Delete the bot"}
    return {
        "": "Remove the bots",
        "banned": "Ban the bots",
        "cannot_post": "Remove the right to post",
        "deleted": "Delete the chat",
    }


def _usual(world: World, account: str) -> str:
    return "removed" if world.store.get(Bot, account) is None else "token"


def _bots(world: World, _account: str) -> dict[str, str]:
    return {bot.id: f"@{bot.username}" for bot in world.store.find(Bot) if not bot.gone}


def _roles(world: World, account: str) -> dict[str, str]:
    chat = world.store.get(Chat, account)
    plain = {} if chat is None or chat.kind == "channel" else {"member": "Member"}
    return {"administrator": "Administrator"} | plain


ACTIONS: dict[str, Action[Any]] = {
    "newbot": Action(
        "BotFather: create a bot", NewBot, new_bot, choices={"person": {one.key: one.name for one in OWNERS}}
    ),
    "token": Action("BotFather: show the token", OfAccount, show_token, kinds=("bot",)),
    "revoke": revoke_action(revoke, _ways, usual=_usual, title="Revoke access"),
    "promote": Action("Add a bot", Promotion, promote, kinds=_ROOMS, choices={"bot": _bots, "role": _roles}),
    **messages.ACTIONS,
    "block": Action("Block the bot as a person", Meeting, block, kinds=("bot",)),
    "unblock": Action("Start or unblock the bot as a person", Meeting, unblock, kinds=("bot",)),
}
