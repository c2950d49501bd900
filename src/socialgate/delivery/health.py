"""The failure record of a hook, kept in its lane. Test events are never counted."""

from datetime import datetime, timedelta

from socialgate.delivery.plan import PROBE_AFTER_FAILURES, Health
from socialgate.delivery.store import Lane

_FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=5)
# Doubles each time, so the longest delay is reached well before this.
_MOST_DOUBLINGS = 10


def forget_failures(lane: Lane) -> None:
    lane.consecutive_failures, lane.exhausted, lane.paused_until = 0, 0, None


def count_failure(lane: Lane, now: datetime, *, exhausted: bool) -> None:
    """Probe a failing hook ever more slowly, with one delivery; the others use up no attempts in the meantime."""
    lane.consecutive_failures += 1
    lane.exhausted += exhausted
    if is_probed(lane):
        doublings = min(lane.consecutive_failures - PROBE_AFTER_FAILURES, _MOST_DOUBLINGS)
        lane.paused_until = now + min(_FIRST_PAUSE * 2**doublings, LONGEST_PAUSE)


def is_probed(lane: Lane) -> bool:
    return lane.consecutive_failures >= PROBE_AFTER_FAILURES


def health_of(lane: Lane) -> Health:
    return Health(
        consecutive_failures=lane.consecutive_failures,
        activated_at=lane.activated_at,
        last_success_at=lane.last_success_at,
        exhausted=lane.exhausted,
    )
