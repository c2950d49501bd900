"""When to retry a delivery, and when to stop: pure functions of what happened.

Nothing here reads a clock or uses randomness. The caller provides the time and the jitter, so that every decision can
be repeated, tested and explained.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Literal, TypeAlias

import msgspec

RetrySchedule: TypeAlias = tuple[timedelta, ...]
"""The waits between attempts: one attempt more than there are waits."""

DEFAULT_RETRY_SCHEDULE: RetrySchedule = (
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=10),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=12),
    timedelta(hours=24),
    timedelta(hours=24),
)
TEST_EVENT_RETRY_SCHEDULE: RetrySchedule = DEFAULT_RETRY_SCHEDULE[:3]

JITTER_SHARE = 0.2
MAX_RETRY_AFTER = timedelta(hours=24)
PROBE_AFTER_FAILURES = 10
DISABLE_AFTER_SILENCE = timedelta(days=5)
DISABLE_AFTER_EXHAUSTED_DELIVERIES = 20

_SUCCESS_STATUSES = range(HTTPStatus.OK, HTTPStatus.MULTIPLE_CHOICES)
_REDIRECT_STATUSES = range(HTTPStatus.MULTIPLE_CHOICES, HTTPStatus.BAD_REQUEST)


class AttemptSucceeded(msgspec.Struct, frozen=True):
    """A 2xx, complete and in time."""


class AttemptFailed(msgspec.Struct, frozen=True):
    """Anything else. `reason` is an error name of the client, or one for the status."""

    reason: str
    status: int | None = None
    retry_after: timedelta | None = None


class ReceiverGone(msgspec.Struct, frozen=True):
    """410: the receiver asks us never to send again."""


AttemptOutcome: TypeAlias = AttemptSucceeded | AttemptFailed | ReceiverGone


class DeliveryDone(msgspec.Struct, frozen=True):
    """Delivered."""


class RetryAfter(msgspec.Struct, frozen=True):
    """Retry this long after the attempt ended."""

    delay: timedelta


class GiveUp(msgspec.Struct, frozen=True):
    """The schedule is used up: the delivery is exhausted."""


class DisableHook(msgspec.Struct, frozen=True):
    """The hook must be disabled; the reason becomes its `disabledReason`."""

    reason: Literal["gone", "failing"]


DeliveryDecision: TypeAlias = DeliveryDone | RetryAfter | GiveUp | DisableHook


def classify_response(status: int, headers: Mapping[str, str], now: datetime) -> AttemptOutcome:
    """What a response means. A failed request has no response: that is `Failed(reason)`."""
    if status in _SUCCESS_STATUSES:
        return AttemptSucceeded()
    if status == HTTPStatus.GONE:
        return ReceiverGone()
    if status in _REDIRECT_STATUSES:
        return AttemptFailed("redirect_refused", status)
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        return AttemptFailed("status_refused", status, read_retry_after_header(headers, now))
    return AttemptFailed("status_refused", status)


def decide_next_step(
    attempt: int, outcome: AttemptOutcome, *, jitter: float, schedule: RetrySchedule = DEFAULT_RETRY_SCHEDULE
) -> DeliveryDecision:
    """`attempt` counts from 1 and has just ended; `jitter` is in [-1, 1], with any even distribution."""
    match outcome:
        case AttemptSucceeded():
            return DeliveryDone()
        case ReceiverGone():
            return DisableHook("gone")
        case AttemptFailed(retry_after=delay):
            if attempt > len(schedule):
                return GiveUp()
            planned = schedule[attempt - 1] * (1 + JITTER_SHARE * jitter)
            return RetryAfter(max(planned, delay or planned))


def read_retry_after_header(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long a response asks us to wait."""
    try:
        return parse_retry_after(headers.get("retry-after"), now)
    except ValueError:
        # A value that is not text raises when it is read. It is ignored.
        return None


def parse_retry_after(text: str | None, now: datetime) -> timedelta | None:
    """Seconds or an HTTP date, up to a day. Anything unreadable is ignored."""
    if text is None:
        return None
    plain = text.strip()
    delay = _parse_seconds(plain) if plain.isascii() and plain.isdigit() else _parse_date(plain, now)
    return None if delay is None else min(max(delay, timedelta()), MAX_RETRY_AFTER)


def _parse_seconds(text: str) -> timedelta:
    # Python refuses to read numbers of more than 4300 digits, and a timedelta those beyond 2.7 million years.
    longest = int(MAX_RETRY_AFTER.total_seconds())
    return timedelta(seconds=longest if len(text.lstrip("0")) > len(str(longest)) else int(text))


def _parse_date(text: str, now: datetime) -> timedelta | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)) - now


class HookHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a hook. Test events are never counted."""

    consecutive_failures: int
    activated_at: datetime
    last_success_at: datetime | None
    # Exhausted deliveries since the later of the two times above.
    exhausted: int

    @property
    def no_success_since(self) -> datetime:
        return max(self.activated_at, self.last_success_at or self.activated_at)


class SendNormally(msgspec.Struct, frozen=True):
    """Nothing prevents sending."""


class SendProbesOnly(msgspec.Struct, frozen=True):
    """One delivery at a time until one succeeds. Those held back use up no attempts."""


SendMode: TypeAlias = SendNormally | SendProbesOnly | DisableHook


def decide_send_mode(health: HookHealth, now: datetime) -> SendMode:
    if (
        now - health.no_success_since >= DISABLE_AFTER_SILENCE
        and health.exhausted >= DISABLE_AFTER_EXHAUSTED_DELIVERIES
    ):
        return DisableHook("failing")
    if health.consecutive_failures >= PROBE_AFTER_FAILURES:
        return SendProbesOnly()
    return SendNormally()
