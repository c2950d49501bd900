"""Finding what a control request names."""

from socialgate_sandbox.kit import ControlError, World
from socialgate_sandbox.kit.accounts import named
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Status, User, member_of, set_member, user_of
from socialgate_sandbox.vendors.telegram.updates import membership_changed


def bot_named(world: World, key: str) -> Bot:
    return named(world, key, "bot", Bot)


def chat_named(world: World, key: str) -> Chat:
    return named(world, key, "bot, group or channel", Chat)


def person_named(world: World, key: str) -> User:
    user = user_of(world, key)
    if user is None:
        raise ControlError(f"There is no person {key}. Try dario, elif or finn.")
    return user


def meet(world: World, bot: Bot, user: User, status: Status) -> None:
    """Start, block or unblock a bot. The bot is notified unless this is the first time."""
    old = member_of(world, user.id, bot.id)
    if old is not None and old.status == status:
        return
    new = set_member(world, user.id, bot.id, status)
    if old is not None:
        membership_changed(world, bot, user, user.id, old, new)
