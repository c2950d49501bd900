"""The failure record of a hook, kept in its lane. Test events are never counted."""

from datetime import datetime, timedelta

from socialgate.delivery.retry_policy import PROBE_AFTER_FAILURES, HookHealth
from socialgate.delivery.store import Lane

_INITIAL_PROBE_PAUSE = timedelta(seconds=5)
MAX_PROBE_PAUSE = timedelta(minutes=5)
# Doubles each time, so the longest delay is reached well before this.
_MAX_EXPONENT = 10


def reset_failures(lane: Lane) -> None:
    lane.consecutive_failures, lane.exhausted, lane.paused_until = 0, 0, None


def count_failure(lane: Lane, now: datetime, *, exhausted: bool) -> None:
    """Probe a failing hook ever more slowly, with one delivery; the others use up no attempts in the meantime."""
    lane.consecutive_failures += 1
    lane.exhausted += exhausted
    if is_failing(lane):
        doublings = min(lane.consecutive_failures - PROBE_AFTER_FAILURES, _MAX_EXPONENT)
        lane.paused_until = now + min(_INITIAL_PROBE_PAUSE * 2**doublings, MAX_PROBE_PAUSE)


def is_failing(lane: Lane) -> bool:
    return lane.consecutive_failures >= PROBE_AFTER_FAILURES


def build_hook_health(lane: Lane) -> HookHealth:
    return HookHealth(
        consecutive_failures=lane.consecutive_failures,
        activated_at=lane.activated_at,
        last_success_at=lane.last_success_at,
        exhausted=lane.exhausted,
    )
