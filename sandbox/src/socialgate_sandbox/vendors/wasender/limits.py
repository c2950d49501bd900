"""How fast a session may send, and the headers that report it on every response."""

import math
from collections.abc import Mapping

from socialgate_sandbox.kit import Call, CallRefusedError, UsageRate, VendorContext, compute_ages
from socialgate_sandbox.vendors.wasender.access import find_session_by_key
from socialgate_sandbox.vendors.wasender.errors import build_framework_error
from socialgate_sandbox.vendors.wasender.state import Customer, Message, Session

_PROTECTED_LIMIT = (
    UsageRate(1, 5),
    "You have account protection enabled. You can only send 1 message every 5 seconds.",
)
_TRIAL_LIMIT = (UsageRate(1, 60), "You are on a free trial. You can only send 1 message every 1 minute.")
_TRIAL_DAY_LIMIT = (UsageRate(50, 86_400), "You have reached your daily limit of 50 messages.")
_PAID_LIMIT = (UsageRate(256, 60), "You have reached the limit of 256 messages per minute.")
_MAX_RECENT_MESSAGES = 512


def enforce_send_limits(context: VendorContext, session: Session) -> None:
    """Reject messages that come too soon after the previous ones."""
    ages = _compute_message_ages(context, session)
    for pace, message in _list_limits(context, session):
        wait = pace.compute_wait_seconds(ages)
        if wait:
            raise CallRefusedError(build_framework_error(429, message, wait))


def build_headers(call: Call) -> Mapping[str, str]:
    session = find_session_by_key(call.context, call.bearer_token or "")
    pace, _message = _PAID_LIMIT if session is None else _list_limits(call.context, session)[0]
    recent = (
        [] if session is None else [age for age in _compute_message_ages(call.context, session) if age < pace.seconds]
    )
    return {
        "X-RateLimit-Limit": str(pace.most),
        "X-RateLimit-Remaining": str(max(pace.most - len(recent), 0)),
        # The remaining seconds. Older documents say it is the time of day.
        "X-RateLimit-Reset": str(math.ceil(pace.seconds - recent[-1]) if recent else 0),
    }


def _list_limits(context: VendorContext, session: Session) -> list[tuple[UsageRate, str]]:
    if session.account_protection:
        return [_PROTECTED_LIMIT, _TRIAL_DAY_LIMIT]
    customer = context.store.get(Customer, session.parent)
    return [_TRIAL_LIMIT, _TRIAL_DAY_LIMIT] if customer is not None and customer.plan == "trial" else [_PAID_LIMIT]


def _compute_message_ages(context: VendorContext, session: Session) -> list[float]:
    recent = context.store.find(Message, parent=session.id, newest_first=True, limit=_MAX_RECENT_MESSAGES)
    return compute_ages(context, (message.created_at for message in recent if message.number))
