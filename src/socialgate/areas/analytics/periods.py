"""Days, weeks and months, and when they begin in a time zone. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from hashlib import blake2b
from typing import Literal
from zoneinfo import ZoneInfo

from socialgate.contracts.insights import DateRange
from socialgate.core.errors import InvalidRequest

Granularity = Literal["day", "week", "month"]
MAX_RANGE_DAYS = 366
_FIRST_YEAR, _LAST_YEAR = 2000, 2999
_ONE_DAY = timedelta(days=1)
# Snapshots are taken well within a day, so that a daylight saving change at night moves none into another day.
_EARLIEST_SNAPSHOT_TIME, _LATEST_SNAPSHOT_TIME = time(3, 30), time(22, 30)


def get_period_start(day: date, granularity: Granularity) -> date:
    """Return the first day of the week (a Monday) or month that contains a day."""
    if granularity == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if granularity == "month" else day


def get_next_period_start(day: date, granularity: Granularity) -> date:
    """Return the first day of the next week or month."""
    first = get_period_start(day, granularity)
    if granularity == "month":
        return get_period_start(first + timedelta(days=31), granularity)
    return first + (timedelta(days=7) if granularity == "week" else _ONE_DAY)


def split_into_periods(days: DateRange, granularity: Granularity) -> Iterator[DateRange]:
    """Split a range at week or month boundaries. The first and the last piece may be shorter than the others."""
    first = days.first
    while first <= days.last:
        following = get_next_period_start(first, granularity)
        yield DateRange(first, min(following - _ONE_DAY, days.last))
        first = following


def get_day_start(day: date, zone: ZoneInfo) -> datetime:
    """Return when a day begins in a time zone: 23 or 25 hours after the previous one if the clocks change."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def get_local_date(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def compute_snapshot_time(account_id: str, day: date, zone: ZoneInfo) -> datetime:
    """Return when an account is read on a day: at the same time every day, different for each account."""
    share = int.from_bytes(blake2b(account_id.encode(), digest_size=8).digest()) / 2**64
    first = datetime.combine(day, _EARLIEST_SNAPSHOT_TIME, zone)
    last = datetime.combine(day, _LATEST_SNAPSHOT_TIME, zone)
    return (first + (last - first) * share).astimezone(UTC)


def compute_next_snapshot_time(account_id: str, now: datetime, zone: ZoneInfo) -> datetime:
    """Return when an account is read next: tomorrow, in its time zone."""
    return compute_snapshot_time(account_id, get_local_date(now, zone) + _ONE_DAY, zone)


def parse_range(
    since: date | None,
    until: date | None,
    today: date,
    default_days: int,
    granularity: Granularity = "day",
    *,
    default_end: date | None = None,
) -> DateRange:
    """Read the range of a query; by default the `default_days` days up to today, without an incomplete week at the
    start.

    A month may be longer than that: then it starts with the month. `default_end` is where a range ends by default, if
    not today.
    """
    for name, day in (("since", since), ("until", until)):
        if day is not None and not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            raise InvalidRequest.for_field(
                f"?{name}", "out_of_range", f"Send a date from {_FIRST_YEAR} to {_LAST_YEAR}."
            )
    last = until or default_end or today
    first = since or _get_default_start(last - timedelta(days=default_days - 1), granularity)
    if until is None and first > today:
        raise InvalidRequest.for_field("?since", "out_of_range", f"`since` is in the future. Today is {today}.")
    if until is None and first > last:
        detail = f"Without `until`, the range ends on {last}. Use an earlier `since`, or send `until`."
        raise InvalidRequest.for_field("?since", "out_of_range", detail)
    if first > last:
        raise InvalidRequest.for_field("?since", "contradiction", "`since` is after `until`. Swap them, or omit one.")
    days = DateRange(first, last)
    if days.count > MAX_RANGE_DAYS:
        raise InvalidRequest.for_field("?since", "out_of_range", f"Request at most {MAX_RANGE_DAYS} days at once.")
    return days


def _get_default_start(day: date, granularity: Granularity) -> date:
    first = get_period_start(day, granularity)
    return get_next_period_start(day, granularity) if granularity == "week" and first != day else first


def join_consecutive_days(days: Sequence[date]) -> list[DateRange]:
    """Join consecutive days."""
    date_ranges: list[DateRange] = []
    for day in sorted(days):
        if date_ranges and day == date_ranges[-1].last + _ONE_DAY:
            date_ranges[-1] = DateRange(date_ranges[-1].first, day)
        else:
            date_ranges.append(DateRange(day, day))
    return date_ranges
