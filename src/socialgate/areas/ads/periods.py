"""Which days a request for insights means, in the time zone of the ad account."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from socialgate.areas.ads.insight_schemas import AdInsightsQuery
from socialgate.contracts.insights import Days
from socialgate.core.errors import Invalid

DEFAULT = "last30d"
# Meta keeps numbers for 37 months, others for less.
_MOST_DAYS = 37 * 31
_MONTHS_OF_QUARTER = 3
# Before and after these years, adding days or changing the time zone could leave the calendar.
_YEARS = range(2000, 2200)


def zone_of(name: object) -> tzinfo:
    """Return a time zone by name; UTC if the platform names one that nobody knows."""
    try:
        return ZoneInfo(str(name))
    except (KeyError, ValueError, OSError):
        return UTC


def days_of(query: AdInsightsQuery, now: datetime, zone: tzinfo) -> Days:
    today = now.astimezone(zone).date()
    if query.preset is not None and (query.since is not None or query.until is not None):
        raise Invalid.at("?preset", "contradiction", "Send either `preset`, or `since` and `until`.")
    if query.since is None and query.until is None:
        return _PRESETS[query.preset or DEFAULT](today)
    for name, day in (("since", query.since), ("until", query.until)):
        if day is not None and day.year not in _YEARS:
            detail = f"`{name}` must be between the years {_YEARS[0]} and {_YEARS[-1]}."
            raise Invalid.at(f"?{name}", "out_of_range", detail)
    until = query.until or today
    since = query.since or until - timedelta(days=29)
    if since > until:
        raise Invalid.at("?since", "contradiction", "`since` is after `until`.")
    if since > today:
        raise Invalid.at("?since", "invalid", f"This is in the future. Today is {today} in the ad account's time zone.")
    if until > today:
        raise Invalid.at("?until", "invalid", f"This is in the future. Today is {today} in the ad account's time zone.")
    if (until - since).days >= _MOST_DAYS:
        raise Invalid.at("?since", "out_of_range", f"A period can have at most {_MOST_DAYS} days.")
    return Days(since, until)


def _last(count: int) -> Callable[[date], Days]:
    """The last full days: today is not over."""
    return lambda today: Days(today - timedelta(days=count), today - timedelta(days=1))


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _quarter(day: date) -> date:
    return date(day.year, (day.month - 1) // _MONTHS_OF_QUARTER * _MONTHS_OF_QUARTER + 1, 1)


def _before(first: Callable[[date], date]) -> Callable[[date], Days]:
    """The whole period before the one that a day is in."""

    def days(today: date) -> Days:
        last = first(today) - timedelta(days=1)
        return Days(first(last), last)

    return days


def _until_today(first: Callable[[date], date]) -> Callable[[date], Days]:
    return lambda today: Days(first(today), today)


def _month(day: date) -> date:
    return day.replace(day=1)


def _year(day: date) -> date:
    return date(day.year, 1, 1)


_PRESETS: Mapping[str, Callable[[date], Days]] = {
    "today": lambda today: Days(today, today),
    "yesterday": _last(1),
    "last7d": _last(7),
    "last14d": _last(14),
    "last28d": _last(28),
    "last30d": _last(30),
    "last90d": _last(90),
    "thisWeek": _until_today(_monday),
    "lastWeek": _before(_monday),
    "thisMonth": _until_today(_month),
    "lastMonth": _before(_month),
    "thisQuarter": _until_today(_quarter),
    "lastQuarter": _before(_quarter),
    "thisYear": _until_today(_year),
    "lastYear": _before(_year),
}
