"""The days that a calendar shows: a month with whole weeks, a week, or the next days as a list."""

from calendar import Calendar
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from socialgate.core.errors import InvalidRequest

LIST_DAYS = 30
_WEEK = timedelta(days=7)
_DECEMBER = 12
# Far enough from the ends of the calendar that a month before and after exists.
_FIRST_YEAR, _LAST_YEAR = 1971, 8999

DaysView = Literal["month", "week", "list"]


def choose_anchor(day: date | None, today: date) -> date:
    """Return the day whose month or week is shown, today by default."""
    if day is not None and not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        raise InvalidRequest.for_field("?day", "out_of_range", f"Choose a day from {_FIRST_YEAR} to {_LAST_YEAR}.")
    return day or today


def list_days(view: DaysView, anchor: date) -> list[date]:
    if view == "month":
        return list(Calendar().itermonthdates(anchor.year, anchor.month))
    first = anchor - timedelta(days=anchor.weekday()) if view == "week" else anchor
    return [first + timedelta(days=number) for number in range(7 if view == "week" else LIST_DAYS)]


def step_days(view: DaysView, anchor: date, direction: int) -> date:
    """Return a day of the month, week or list before or after."""
    if view == "month":
        months = anchor.year * _DECEMBER + anchor.month - 1 + direction
        return date(months // _DECEMBER, months % _DECEMBER + 1, 1)
    return anchor + direction * (_WEEK if view == "week" else timedelta(days=LIST_DAYS))


def get_start(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
