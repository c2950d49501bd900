"""What people do in their Telegram apps, with BotFather among them."""

from typing import Any, Literal

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, Revoke, World, digits, text
from socialgate.sandbox.vendors.telegram.rooms import as_reply, tell, write
from socialgate.sandbox.vendors.telegram.seed import FULL_RIGHTS
from socialgate.sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    Status,
    User,
    member_of,
    set_member,
    user_of,
)
from socialgate.sandbox.vendors.telegram.updates import membership_changed

_LONGEST_TEXT = 4096


class NewBot(ActionRequest, frozen=True, kw_only=True):
    """BotFather's /newbot."""

    person: str
    name: str
    username: str


class OneBot(ActionRequest, frozen=True, kw_only=True):
    account: str


class Written(ActionRequest, frozen=True, kw_only=True):
    """A person writes to a bot or in a group, or the owner of a channel posts there."""

    account: str
    text: str
    person: str = "dario"
    reply_to: int = 0


class Meeting(ActionRequest, frozen=True, kw_only=True):
    account: str
    person: str = "dario"


class Promotion(ActionRequest, frozen=True, kw_only=True):
    """The owner of a channel or group makes a bot its administrator, or a plain member of a group."""

    account: str
    bot: str
    role: Literal["administrator", "member"] = "administrator"
    can_post: bool = True


def bot_named(world: World, key: str) -> Bot:
    bot = world.store.get(Bot, key)
    if bot is None:
        raise ControlError(f"There is no bot {key}. GET /_control/accounts lists them.")
    return bot


def chat_named(world: World, key: str) -> Chat:
    chat = world.store.get(Chat, key)
    if chat is None:
        raise ControlError(f"There is no bot, group or channel {key}. GET /_control/accounts lists them.")
    return chat


def person_named(world: World, key: str) -> User:
    user = user_of(world, key)
    if user is None:
        raise ControlError(f"There is nobody called {key}. Try dario, elif or finn.")
    return user


def new_bot(world: World, order: NewBot) -> Json:
    if not order.username.lower().endswith("bot"):
        raise ControlError("Sorry, the username must end in 'bot'. E.g. 'Tetris_bot' or 'Tetrisbot'", 422)
    if any(bot.username.lower() == order.username.lower() for bot in world.store.find(Bot)):
        raise ControlError("Sorry, this username is already taken. Please try something different.", 409)
    owner = person_named(world, order.person).parent
    bot = Bot(id=digits(10), parent=owner, secret=_secret(), first_name=order.name, username=order.username)
    world.store.put(bot)
    return show_token(world, OneBot(account=bot.id))


def show_token(world: World, order: OneBot) -> Json:
    bot = bot_named(world, order.account)
    return {"id": bot.id, "username": bot.username, "token": bot.token}


def revoke(world: World, order: Revoke) -> object:
    if world.store.get(Bot, order.account) is not None:
        return _revoke_bot(world, bot_named(world, order.account), order.how)
    return _revoke_chat(world, chat_named(world, order.account), order.how)


def _revoke_bot(world: World, bot: Bot, how: str) -> object:
    """Take a token away. Telegram tells nobody: the next call is refused, and the webhook is gone."""
    if how not in {"", "token", "deleted"}:
        raise ControlError("A bot knows these ways: token (the usual one), deleted.", 422)
    bot.secret, bot.webhook, bot.gone = _secret(), None, how == "deleted"
    world.store.put(bot)
    return {"id": bot.id, "username": bot.username, "token": None if bot.gone else bot.token}


def _revoke_chat(world: World, chat: Chat, how: str) -> object:
    """Take the chat away from every bot that is in it, and let them know as Telegram does."""
    ways = {"", "removed", "banned", "cannot_post", "deleted"}
    if how not in ways:
        raise ControlError("A chat knows these ways: removed (the usual one), banned, cannot_post, deleted.", 422)
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
        raise ControlError("A bot is in a channel as an administrator or not at all.", 422)
    old = member_of(world, chat.id, bot.id)
    rights = FULL_RIGHTS | {"can_post_messages": order.can_post} if order.role == "administrator" else {}
    new = set_member(world, chat.id, bot.id, order.role, rights)
    membership_changed(world, bot, chat, person_named(world, chat.parent).id, old, new)
    return None


def message(world: World, order: Written) -> object:
    if not 0 < len(order.text) <= _LONGEST_TEXT:
        raise ControlError(f"A message has 1 to {_LONGEST_TEXT} characters.", 422)
    bot = world.store.get(Bot, order.account)
    if bot is None:
        return _write_in_chat(world, chat_named(world, order.account), order)
    user = person_named(world, order.person)
    _meet(world, bot, user, "member")
    content = {"text": order.text} | _command(order.text) | as_reply(world, user, bot, order.reply_to)
    written = write(world, user, bot, user, content)
    tell(world, user, bot, written)
    return {"messageId": written.number}


def _write_in_chat(world: World, chat: Chat, order: Written) -> object:
    user = person_named(world, chat.parent if chat.kind == "channel" else order.person)
    nobody = Bot(id="", secret="", first_name="", username="")
    content = {"text": order.text} | _command(order.text) | as_reply(world, chat, nobody, order.reply_to)
    written = write(world, chat, nobody, user, content)
    tell(world, chat, nobody, written)
    return {"messageId": written.number}


def block(world: World, order: Meeting) -> object:
    _meet(world, bot_named(world, order.account), person_named(world, order.person), "kicked")
    return None


def unblock(world: World, order: Meeting) -> object:
    _meet(world, bot_named(world, order.account), person_named(world, order.person), "member")
    return None


def _meet(world: World, bot: Bot, user: User, status: Status) -> None:
    """Start, block or unblock a bot. A bot hears of it unless this is the first time."""
    old = member_of(world, user.id, bot.id)
    if old is not None and old.status == status:
        return
    new = set_member(world, user.id, bot.id, status)
    if old is not None:
        membership_changed(world, bot, user, user.id, old, new)


def _command(words: str) -> Json:
    if not words.startswith("/"):
        return {}
    return {"entities": [{"offset": 0, "length": len(words.split(maxsplit=1)[0]), "type": "bot_command"}]}


def _secret() -> str:
    return f"AA{text(33)}"


ACTIONS: dict[str, Action[Any]] = {
    "newbot": Action("BotFather: make a bot", NewBot, new_bot),
    "token": Action("BotFather: show the token", OneBot, show_token),
    "revoke": Action("Revoke the token, or take the bot out of the chat", Revoke, revoke),
    "promote": Action("Make a bot administrator", Promotion, promote),
    "message": Action("Write a message", Written, message),
    "block": Action("Block the bot", Meeting, block),
    "unblock": Action("Start or unblock the bot", Meeting, unblock),
}
