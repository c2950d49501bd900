"""The days that insights are about: `time_range`, `time_ranges`, `date_preset` and `time_increment`."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from socialgate_sandbox.dialects.graph.errors import failure, wrong
from socialgate_sandbox.dialects.graph.given import parsed, text
from socialgate_sandbox.kit import Call, Refused

_DAY = timedelta(days=1)
_OLDEST = timedelta(days=37 * 365 // 12)
_LONGEST_STEP = 90


class Days(NamedTuple):
    """A range of days, both included."""

    first: date
    last: date


def _back(days: int) -> Callable[[date], Days]:
    return lambda today: Days(today - days * _DAY, today - _DAY)


def _week(first_day: int, weeks: int) -> Callable[[date], Days]:
    """Return the week that starts with a day, 0 for Monday: the current one so far, or an earlier one."""

    def find(today: date) -> Days:
        start = today - ((today.weekday() - first_day) % 7 + 7 * weeks) * _DAY
        return Days(start, start + 6 * _DAY if weeks else today)

    return find


def _months(today: date, months: int) -> date:
    """Return the first day of the month that is so many months before today's."""
    count = today.year * 12 + today.month - 1 - months
    return date(count // 12, count % 12 + 1, 1)


def _quarter(today: date) -> int:
    return (today.month - 1) % 3


_PRESETS: Mapping[str, Callable[[date], Days]] = {
    "today": lambda today: Days(today, today),
    "yesterday": _back(1),
    **{f"last_{days}d": _back(days) for days in (3, 7, 14, 28, 30, 90)},
    "this_week_mon_today": _week(0, 0),
    "this_week_sun_today": _week(6, 0),
    "last_week_mon_sun": _week(0, 1),
    "last_week_sun_sat": _week(6, 1),
    "this_month": lambda today: Days(_months(today, 0), today),
    "last_month": lambda today: Days(_months(today, 1), _months(today, 0) - _DAY),
    "this_quarter": lambda today: Days(_months(today, _quarter(today)), today),
    "last_quarter": lambda today: Days(_months(today, _quarter(today) + 3), _months(today, _quarter(today)) - _DAY),
    "this_year": lambda today: Days(date(today.year, 1, 1), today),
    "last_year": lambda today: Days(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
    "maximum": lambda today: Days(today - _OLDEST, today),
    "data_maximum": lambda today: Days(today - _OLDEST, today),
}


def days_of(call: Call, today: date) -> list[Days]:
    """Read the ranges of days, each of which has rows of its own."""
    ranges = parsed(call.params.get("time_ranges"))
    single = parsed(call.params.get("time_range"))
    if ranges or single:
        return [part for one in ranges or [single] for part in _stepped(call, _range(one, today))]
    preset = text(call, "date_preset") or "last_30d"
    if preset not in _PRESETS:
        raise wrong(f"Param date_preset must be one of {{{', '.join(_PRESETS)}}}")
    return list(_stepped(call, _PRESETS[preset](today)))


def _range(given: Any, today: date) -> Days:
    try:
        found = Days(date.fromisoformat(given["since"]), date.fromisoformat(given["until"]))
    except (TypeError, KeyError, ValueError) as error:
        raise wrong("Param time_range must have since and until as YYYY-MM-DD") from error
    if found.first > found.last:
        raise wrong("time_range: since must not be after until")
    if today - found.first > _OLDEST + _DAY:
        said = "(#3018) The start date of the time range cannot be beyond 37 months from the current date"
        raise Refused(failure(said, 3018))
    return found


def _stepped(call: Call, whole: Days) -> Iterator[Days]:
    step = text(call, "time_increment") or "all_days"
    if step not in {"monthly", "all_days"} and not (step.isdecimal() and 1 <= int(step) <= _LONGEST_STEP):
        raise wrong("Param time_increment must be monthly, all_days, or a number of days from 1 to 90")
    first = whole.first
    while first <= whole.last:
        if step == "all_days":
            last = whole.last
        else:
            last = _months(first, -1) - _DAY if step == "monthly" else first + (int(step) - 1) * _DAY
        yield Days(first, min(last, whole.last))
        first = last + _DAY
