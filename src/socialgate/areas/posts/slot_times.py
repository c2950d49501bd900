"""When slots occur: a weekday and a local time, week after week. Pure."""

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.posts.queue_schemas import Weekday
from socialgate.areas.posts.tables import SlotRow

WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ONE_WEEK = timedelta(days=7)


def iterate_occurrences(weekday: int, clock: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Yield the times of a slot after a given time, without end.

    The local time of day stays the same when clocks change. A time that is skipped moves forward by the skipped
    interval; of a time that occurs twice, the first is used.
    """
    hour, minute = (int(part) for part in clock.split(":"))
    local = after.astimezone(zone)
    day = local.date() + timedelta(days=(weekday - local.weekday()) % 7)
    while True:
        moment = datetime.combine(day, time(hour, minute), tzinfo=zone).astimezone(UTC)
        if moment > after:
            yield moment
        day += _ONE_WEEK


def iterate_all_slot_times(slots: Sequence[SlotRow], after: datetime) -> Iterator[tuple[datetime, SlotRow]]:
    """Yield the times of all slots in order, without end."""
    series = [_iterate_slot_times(slot, after) for slot in slots]
    yield from heapq.merge(*series, key=lambda item: (item[0], item[1].id))


def _iterate_slot_times(slot: SlotRow, after: datetime) -> Iterator[tuple[datetime, SlotRow]]:
    for moment in iterate_occurrences(slot.weekday, slot.time, ZoneInfo(slot.timezone), after):
        yield moment, slot
