"""How fast a session may send, and the headers that report it on every response."""

import math
from collections.abc import Mapping

from socialgate.sandbox.kit import Call, World
from socialgate.sandbox.vendors.wasender.access import key_session
from socialgate.sandbox.vendors.wasender.errors import too_fast
from socialgate.sandbox.vendors.wasender.state import Customer, Message, Session

_MINUTE = 60.0
_DAY = 86_400.0
_PAID = 256
_TRIAL_DAY = 50
_PROTECTED = 5.0


def check(world: World, session: Session) -> None:
    """Reject messages that come too soon after the previous ones."""
    most, seconds = _rule(world, session)
    ages = _ages(world, session)
    if session.account_protection and ages and ages[0] < _PROTECTED:
        text = "You have account protection enabled. You can only send 1 message every 5 seconds."
        raise too_fast(text, math.ceil(_PROTECTED - ages[0]))
    if len(ages) >= most and ages[most - 1] < seconds:
        text = "You are on a free trial. You can only send 1 message every 1 minute."
        if most != 1:
            text = f"You have reached the limit of {most} messages per minute."
        raise too_fast(text, math.ceil(seconds - ages[most - 1]))
    if most == 1 and len(ages) >= _TRIAL_DAY and ages[_TRIAL_DAY - 1] < _DAY:
        raise too_fast("You have reached your daily limit of 50 messages.", math.ceil(_DAY - ages[_TRIAL_DAY - 1]))


def headers(call: Call) -> Mapping[str, str]:
    session = key_session(call.world, call.bearer or "")
    if session is None:
        return _written(_PAID, _PAID, 0)
    most, seconds = _rule(call.world, session)
    recent = [age for age in _ages(call.world, session) if age < seconds]
    reset = math.ceil(seconds - recent[-1]) if recent else 0
    return _written(most, max(most - len(recent), 0), reset)


def _written(limit: int, remaining: int, reset: int) -> Mapping[str, str]:
    # The remaining seconds. Older documents say it is the time of day.
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": str(reset),
    }


def _rule(world: World, session: Session) -> tuple[int, float]:
    if session.account_protection:
        return 1, _PROTECTED
    customer = world.store.get(Customer, session.parent)
    return (1 if customer is not None and customer.plan == "trial" else _PAID), _MINUTE


def _ages(world: World, session: Session) -> list[float]:
    """Return the age of the last messages, newest first."""
    recent = world.store.find(Message, parent=session.id, newest_first=True, limit=2 * _PAID)
    ages = [world.clock.since(message.made) for message in recent if message.number]
    # After the clock was moved back, there may be messages in the future.
    return [age for age in ages if age >= 0]
