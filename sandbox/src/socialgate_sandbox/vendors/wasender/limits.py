"""How fast a session may send, and the headers that report it on every response."""

import math
from collections.abc import Mapping

from socialgate_sandbox.kit import Call, Pace, Refused, World, ages_of
from socialgate_sandbox.vendors.wasender.access import key_session
from socialgate_sandbox.vendors.wasender.errors import bare
from socialgate_sandbox.vendors.wasender.state import Customer, Message, Session

_PROTECTED = (Pace(1, 5), "You have account protection enabled. You can only send 1 message every 5 seconds.")
_TRIAL = (Pace(1, 60), "You are on a free trial. You can only send 1 message every 1 minute.")
_TRIAL_DAY = (Pace(50, 86_400), "You have reached your daily limit of 50 messages.")
_PAID = (Pace(256, 60), "You have reached the limit of 256 messages per minute.")
_REMEMBERED = 512


def check(world: World, session: Session) -> None:
    """Reject messages that come too soon after the previous ones."""
    ages = _ages(world, session)
    for pace, message in _rules(world, session):
        wait = pace.wait(ages)
        if wait:
            raise Refused(bare(429, message, wait))


def headers(call: Call) -> Mapping[str, str]:
    session = key_session(call.world, call.bearer or "")
    pace, _message = _PAID if session is None else _rules(call.world, session)[0]
    recent = [] if session is None else [age for age in _ages(call.world, session) if age < pace.seconds]
    return {
        "X-RateLimit-Limit": str(pace.most),
        "X-RateLimit-Remaining": str(max(pace.most - len(recent), 0)),
        # The remaining seconds. Older documents say it is the time of day.
        "X-RateLimit-Reset": str(math.ceil(pace.seconds - recent[-1]) if recent else 0),
    }


def _rules(world: World, session: Session) -> list[tuple[Pace, str]]:
    if session.account_protection:
        return [_PROTECTED, _TRIAL_DAY]
    customer = world.store.get(Customer, session.parent)
    return [_TRIAL, _TRIAL_DAY] if customer is not None and customer.plan == "trial" else [_PAID]


def _ages(world: World, session: Session) -> list[float]:
    recent = world.store.find(Message, parent=session.id, newest_first=True, limit=_REMEMBERED)
    return ages_of(world, (message.made for message in recent if message.number))
