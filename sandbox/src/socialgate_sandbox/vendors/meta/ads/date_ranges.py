"""The days that insights are about: `time_range`, `time_ranges`, `date_preset` and `time_increment`."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_json_text
from socialgate_sandbox.kit import Call, CallRefusedError

_ONE_DAY = timedelta(days=1)
_MAX_AGE = timedelta(days=37 * 365 // 12)
_MAX_STEP_LENGTH = 90


class DateRange(NamedTuple):
    """A range of days, both included."""

    first_day: date
    last_day: date


def _build_last_days(days: int) -> Callable[[date], DateRange]:
    return lambda today: DateRange(today - days * _ONE_DAY, today - _ONE_DAY)


def _build_week(first_day: int, weeks: int) -> Callable[[date], DateRange]:
    """Return the week that starts with a day, 0 for Monday: the current one so far, or an earlier one."""

    def find(today: date) -> DateRange:
        start = today - ((today.weekday() - first_day) % 7 + 7 * weeks) * _ONE_DAY
        return DateRange(start, start + 6 * _ONE_DAY if weeks else today)

    return find


def _get_month_start(today: date, months: int) -> date:
    """Return the first day of the month that is so many months before today's."""
    count = today.year * 12 + today.month - 1 - months
    return date(count // 12, count % 12 + 1, 1)


def _get_month_of_quarter(today: date) -> int:
    return (today.month - 1) % 3


_DATE_PRESETS: Mapping[str, Callable[[date], DateRange]] = {
    "today": lambda today: DateRange(today, today),
    "yesterday": _build_last_days(1),
    **{f"last_{days}d": _build_last_days(days) for days in (3, 7, 14, 28, 30, 90)},
    "this_week_mon_today": _build_week(0, 0),
    "this_week_sun_today": _build_week(6, 0),
    "last_week_mon_sun": _build_week(0, 1),
    "last_week_sun_sat": _build_week(6, 1),
    "this_month": lambda today: DateRange(_get_month_start(today, 0), today),
    "last_month": lambda today: DateRange(_get_month_start(today, 1), _get_month_start(today, 0) - _ONE_DAY),
    "this_quarter": lambda today: DateRange(_get_month_start(today, _get_month_of_quarter(today)), today),
    "last_quarter": lambda today: DateRange(
        _get_month_start(today, _get_month_of_quarter(today) + 3),
        _get_month_start(today, _get_month_of_quarter(today)) - _ONE_DAY,
    ),
    "this_year": lambda today: DateRange(date(today.year, 1, 1), today),
    "last_year": lambda today: DateRange(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
    "maximum": lambda today: DateRange(today - _MAX_AGE, today),
    "data_maximum": lambda today: DateRange(today - _MAX_AGE, today),
}


def parse_date_ranges(call: Call, today: date) -> list[DateRange]:
    """Read the ranges of days, each of which has rows of its own."""
    ranges = parse_json_text(call.params.get("time_ranges"))
    single = parse_json_text(call.params.get("time_range"))
    if ranges or single:
        return [
            part for item in ranges or [single] for part in _split_by_increment(call, _parse_time_range(item, today))
        ]
    preset = get_text(call, "date_preset") or "last_30d"
    if preset not in _DATE_PRESETS:
        raise build_parameter_error(f"Param date_preset must be one of {{{', '.join(_DATE_PRESETS)}}}")
    return list(_split_by_increment(call, _DATE_PRESETS[preset](today)))


def _parse_time_range(value: Any, today: date) -> DateRange:
    try:
        result = DateRange(date.fromisoformat(value["since"]), date.fromisoformat(value["until"]))
    except (TypeError, KeyError, ValueError) as error:
        raise build_parameter_error("Param time_range must have since and until as YYYY-MM-DD") from error
    if result.first_day > result.last_day:
        raise build_parameter_error("time_range: since must not be after until")
    if today - result.first_day > _MAX_AGE + _ONE_DAY:
        message = "(#3018) The start date of the time range cannot be beyond 37 months from the current date"
        raise CallRefusedError(build_error_response(message, 3018))
    return result


def _split_by_increment(call: Call, date_range: DateRange) -> Iterator[DateRange]:
    step = get_text(call, "time_increment") or "all_days"
    if step not in {"monthly", "all_days"} and not (step.isdecimal() and 1 <= int(step) <= _MAX_STEP_LENGTH):
        raise build_parameter_error("Param time_increment must be monthly, all_days, or a number of days from 1 to 90")
    first = date_range.first_day
    while first <= date_range.last_day:
        if step == "all_days":
            last = date_range.last_day
        else:
            last = _get_month_start(first, -1) - _ONE_DAY if step == "monthly" else first + (int(step) - 1) * _ONE_DAY
        yield DateRange(first, min(last, date_range.last_day))
        first = last + _ONE_DAY
