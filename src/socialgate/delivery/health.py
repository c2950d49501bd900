"""The failure record of a hook, kept in its lane. Test events are never counted."""

from datetime import datetime, timedelta

from socialgate.delivery.plan import PROBE_AFTER_FAILURES, Health
from socialgate.delivery.store import Lane

_FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=5)
# Doubles each time, so the longest delay is reached well before this.
_MOST_DOUBLINGS = 10


def forget_failures(lane: Lane) -> None:
    lane.failures_in_row, lane.exhausted, lane.paused_until = 0, 0, None


def count_failure(lane: Lane, now: datetime, *, exhausted: bool) -> None:
    """Probe a failing hook ever more slowly, with one delivery; the others use up no attempts in the meantime."""
    lane.failures_in_row += 1
    lane.exhausted += exhausted
    if is_probed(lane):
        doublings = min(lane.failures_in_row - PROBE_AFTER_FAILURES, _MOST_DOUBLINGS)
        lane.paused_until = now + min(_FIRST_PAUSE * 2**doublings, LONGEST_PAUSE)


def is_probed(lane: Lane) -> bool:
    return lane.failures_in_row >= PROBE_AFTER_FAILURES


def health_of(lane: Lane) -> Health:
    return Health(
        failures_in_a_row=lane.failures_in_row,
        activated_at=lane.activated_at,
        last_success_at=lane.last_success_at,
        exhausted=lane.exhausted,
    )
