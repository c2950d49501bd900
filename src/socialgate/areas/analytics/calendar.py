"""Days, weeks and months, and when they begin in a time zone. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from hashlib import blake2b
from typing import Literal
from zoneinfo import ZoneInfo

from socialgate.contracts.insights import Days
from socialgate.core.errors import Invalid

Granularity = Literal["day", "week", "month"]
MOST_DAYS = 366
_FIRST_YEAR, _LAST_YEAR = 2000, 2999
_DAY = timedelta(days=1)
# Snapshots are taken well within a day, so that a daylight saving change at night moves none into another day.
_EARLIEST, _LATEST = time(3, 30), time(22, 30)


def begins(day: date, granularity: Granularity) -> date:
    """Return the first day of the week (a Monday) or month that contains a day."""
    if granularity == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if granularity == "month" else day


def follows(day: date, granularity: Granularity) -> date:
    """Return the first day of the next week or month."""
    first = begins(day, granularity)
    if granularity == "month":
        return begins(first + timedelta(days=31), granularity)
    return first + (timedelta(days=7) if granularity == "week" else _DAY)


def spans(days: Days, granularity: Granularity) -> Iterator[Days]:
    """Split a range at week or month boundaries. The first and the last piece may be shorter than the others."""
    first = days.first
    while first <= days.last:
        following = follows(first, granularity)
        yield Days(first, min(following - _DAY, days.last))
        first = following


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return when a day begins in a time zone: 23 or 25 hours after the previous one if the clocks change."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def day_of(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def snapshot_at(account_id: str, day: date, zone: ZoneInfo) -> datetime:
    """Return when an account is read on a day: at the same time every day, different for each account."""
    share = int.from_bytes(blake2b(account_id.encode(), digest_size=8).digest()) / 2**64
    first = datetime.combine(day, _EARLIEST, zone)
    last = datetime.combine(day, _LATEST, zone)
    return (first + (last - first) * share).astimezone(UTC)


def next_snapshot(account_id: str, now: datetime, zone: ZoneInfo) -> datetime:
    """Return when an account is read next: tomorrow, in its time zone."""
    return snapshot_at(account_id, day_of(now, zone) + _DAY, zone)


def range_of(
    since: date | None,
    until: date | None,
    today: date,
    length: int,
    granularity: Granularity = "day",
    *,
    ends: date | None = None,
) -> Days:
    """Read the range of a query; by default the `length` days up to today, without an incomplete week at the start.

    A month may be longer than that: then it starts with the month. `ends` is where a range ends by default, if not
    today.
    """
    for name, day in (("since", since), ("until", until)):
        if day is not None and not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            raise Invalid.at(f"?{name}", "out_of_range", f"Send a date from {_FIRST_YEAR} to {_LAST_YEAR}.")
    last = until or ends or today
    first = since or _edge(last - timedelta(days=length - 1), granularity)
    if until is None and first > today:
        raise Invalid.at("?since", "out_of_range", f"`since` is in the future. Today is {today}.")
    if until is None and first > last:
        detail = f"Without `until`, the range ends on {last}. Use an earlier `since`, or send `until`."
        raise Invalid.at("?since", "out_of_range", detail)
    if first > last:
        raise Invalid.at("?since", "contradiction", "`since` is after `until`. Swap them, or omit one.")
    days = Days(first, last)
    if days.count > MOST_DAYS:
        raise Invalid.at("?since", "out_of_range", f"Request at most {MOST_DAYS} days at once.")
    return days


def _edge(day: date, granularity: Granularity) -> date:
    first = begins(day, granularity)
    return follows(day, granularity) if granularity == "week" and first != day else first


def runs(days: Sequence[date]) -> list[Days]:
    """Join consecutive days."""
    found: list[Days] = []
    for day in sorted(days):
        if found and day == found[-1].last + _DAY:
            found[-1] = Days(found[-1].first, day)
        else:
            found.append(Days(day, day))
    return found
