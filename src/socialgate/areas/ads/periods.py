"""Which days a request for insights means, in the time zone of the ad account."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from socialgate.areas.ads.insight_schemas import AdInsightsQuery
from socialgate.contracts.insights import DateRange
from socialgate.core.errors import InvalidRequest

DEFAULT_PRESET = "last30d"
# Meta keeps numbers for 37 months, others for less.
_MAX_PERIOD_DAYS = 37 * 31
_MONTHS_OF_QUARTER = 3
# Before and after these years, adding days or changing the time zone could leave the calendar.
_ALLOWED_YEARS = range(2000, 2200)


def parse_timezone(name: object) -> tzinfo:
    """Return a time zone by name; UTC if the platform names one that nobody knows."""
    try:
        return ZoneInfo(str(name))
    except (KeyError, ValueError, OSError):
        return UTC


def parse_period(query: AdInsightsQuery, now: datetime, zone: tzinfo) -> DateRange:
    today = now.astimezone(zone).date()
    if query.preset is not None and (query.since is not None or query.until is not None):
        raise InvalidRequest.for_field("?preset", "contradiction", "Send either `preset`, or `since` and `until`.")
    if query.since is None and query.until is None:
        return _PERIOD_PRESETS[query.preset or DEFAULT_PRESET](today)
    for name, day in (("since", query.since), ("until", query.until)):
        if day is not None and day.year not in _ALLOWED_YEARS:
            detail = f"`{name}` must be between the years {_ALLOWED_YEARS[0]} and {_ALLOWED_YEARS[-1]}."
            raise InvalidRequest.for_field(f"?{name}", "out_of_range", detail)
    until = query.until or today
    since = query.since or until - timedelta(days=29)
    if since > until:
        raise InvalidRequest.for_field("?since", "contradiction", "`since` is after `until`.")
    if since > today:
        raise InvalidRequest.for_field(
            "?since", "invalid", f"This is in the future. Today is {today} in the ad account's time zone."
        )
    if until > today:
        raise InvalidRequest.for_field(
            "?until", "invalid", f"This is in the future. Today is {today} in the ad account's time zone."
        )
    if (until - since).days >= _MAX_PERIOD_DAYS:
        raise InvalidRequest.for_field("?since", "out_of_range", f"A period can have at most {_MAX_PERIOD_DAYS} days.")
    return DateRange(since, until)


def _last_full_days(count: int) -> Callable[[date], DateRange]:
    """The last full days: today is not over."""
    return lambda today: DateRange(today - timedelta(days=count), today - timedelta(days=1))


def _first_of_week(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _first_of_quarter(day: date) -> date:
    return date(day.year, (day.month - 1) // _MONTHS_OF_QUARTER * _MONTHS_OF_QUARTER + 1, 1)


def _previous_period(first: Callable[[date], date]) -> Callable[[date], DateRange]:
    """The whole period before the one that a day is in."""

    def days(today: date) -> DateRange:
        last = first(today) - timedelta(days=1)
        return DateRange(first(last), last)

    return days


def _current_period(first: Callable[[date], date]) -> Callable[[date], DateRange]:
    return lambda today: DateRange(first(today), today)


def _first_of_month(day: date) -> date:
    return day.replace(day=1)


def _first_of_year(day: date) -> date:
    return date(day.year, 1, 1)


_PERIOD_PRESETS: Mapping[str, Callable[[date], DateRange]] = {
    "today": lambda today: DateRange(today, today),
    "yesterday": _last_full_days(1),
    "last7d": _last_full_days(7),
    "last14d": _last_full_days(14),
    "last28d": _last_full_days(28),
    "last30d": _last_full_days(30),
    "last90d": _last_full_days(90),
    "thisWeek": _current_period(_first_of_week),
    "lastWeek": _previous_period(_first_of_week),
    "thisMonth": _current_period(_first_of_month),
    "lastMonth": _previous_period(_first_of_month),
    "thisQuarter": _current_period(_first_of_quarter),
    "lastQuarter": _previous_period(_first_of_quarter),
    "thisYear": _current_period(_first_of_year),
    "lastYear": _previous_period(_first_of_year),
}
