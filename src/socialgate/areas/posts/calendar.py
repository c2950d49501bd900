"""When slots come: a weekday and a time of day on the clocks of a place, week after week. Pure."""

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.posts.queue_schemas import Weekday
from socialgate.areas.posts.tables import SlotRow

WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEK = timedelta(days=7)


def occurrences(weekday: int, clock: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Give the moments of a slot after a moment, without end.

    The clocks of the place count: the time of day stays the same when they are changed. A time that is skipped on one
    day comes as much later as the clocks are put forward; of one that comes twice, the first is meant.
    """
    hour, minute = (int(part) for part in clock.split(":"))
    local = after.astimezone(zone)
    day = local.date() + timedelta(days=(weekday - local.weekday()) % 7)
    while True:
        moment = datetime.combine(day, time(hour, minute), tzinfo=zone).astimezone(UTC)
        if moment > after:
            yield moment
        day += _WEEK


def upcoming(slots: Sequence[SlotRow], after: datetime) -> Iterator[tuple[datetime, SlotRow]]:
    """Give the moments of all slots in order, without end."""
    series = [_of_slot(slot, after) for slot in slots]
    yield from heapq.merge(*series, key=lambda one: (one[0], one[1].id))


def _of_slot(slot: SlotRow, after: datetime) -> Iterator[tuple[datetime, SlotRow]]:
    for moment in occurrences(slot.weekday, slot.time, ZoneInfo(slot.timezone), after):
        yield moment, slot
