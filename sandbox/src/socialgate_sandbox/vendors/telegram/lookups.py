"""Finding what a control request names."""

from socialgate_sandbox.kit import ControlError, VendorContext
from socialgate_sandbox.kit.accounts import find_or_raise
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, MemberStatus, User, find_member, find_user, set_member
from socialgate_sandbox.vendors.telegram.updates import notify_membership_change


def require_bot(context: VendorContext, key: str) -> Bot:
    return find_or_raise(context, key, "bot", Bot)


def require_chat(context: VendorContext, key: str) -> Chat:
    return find_or_raise(context, key, "bot, group or channel", Chat)


def require_person(context: VendorContext, key: str) -> User:
    user = find_user(context, key)
    if user is None:
        raise ControlError(f"There is no person {key}. Try dario, elif or finn.")
    return user


def set_bot_status_for_user(context: VendorContext, bot: Bot, user: User, status: MemberStatus) -> None:
    """Start, block or unblock a bot. The bot is notified unless this is the first time."""
    old = find_member(context, user.id, bot.id)
    if old is not None and old.status == status:
        return
    new = set_member(context, user.id, bot.id, status)
    if old is not None:
        notify_membership_change(context, bot, user, user.id, old, new)
