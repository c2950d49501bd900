"""Business Profile Performance: what people did with a location, some days late. Counts are strings, zeros omitted."""

from datetime import date, timedelta
from typing import Any

from socialgate_sandbox.kit import Call, Refused, Route
from socialgate_sandbox.society.metrics import living
from socialgate_sandbox.vendors.google.errors import field_violation, refusal, require_field
from socialgate_sandbox.vendors.google.places.audiences import PLACES
from socialgate_sandbox.vendors.google.places.locations import location_of
from socialgate_sandbox.vendors.google.places.metrics import KEYWORDS, PLACE_METRICS, SEARCHES

_HOST = "/businessprofileperformance.googleapis.com/v1/locations"
_METRIC = "type.googleapis.com/google.mybusiness.businessprofileperformance.v1.DailyMetric"
_PER_MINUTE = 300
# Numbers of searches below this are not reported exactly.
_THRESHOLD = 15


def _date(call: Call, span: str, edge: str) -> date:
    """Read a date from its parts, which may be named in either style. A month is read as its first day."""
    kind = "date" if span == "daily" else "month"
    styles = (f"{edge}{kind.title()}", f"{edge}_{kind}")
    names = {f"{span}Range.{style}.{part}": part for style in styles for part in ("year", "month", "day")}
    try:
        given = {part: int(call.query[name]) for name, part in names.items() if name in call.query}
        return date(**(given if span == "daily" else given | {"day": 1}))
    except (TypeError, ValueError, OverflowError):
        field = f"{span}_range.{edge}_{kind}"
        raise Refused(field_violation(field, f"{field} is required and must be a valid date")) from None


def _series(call: Call, field: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """Return the values of each metric by day."""
    place = location_of(call, call.args["location"])
    if not call.world.allow(f"performance:{place.parent}", _PER_MINUTE):
        raise refusal("rate_limited")
    first, last = _date(call, "daily", "start"), _date(call, "daily", "end")
    require_field(first <= last, "daily_range", "The start date must not be after the end date")
    known = living(call.world, PLACE_METRICS.account)
    for name in names or [""]:
        require_field(name in known, field, f"Invalid value at '{field}' ({_METRIC}), \"{name}\"")
    audience, every = PLACES(call.world, place.id), PLACE_METRICS.reported(call.world, first, last)
    if audience is None or not every:
        return {name: {} for name in names}
    return {
        name: {"datedValues": [_dated(day, PLACE_METRICS.on(audience, name, day)) for day in every]} for name in names
    }


def _dated(day: date, count: int) -> dict[str, Any]:
    on = {"date": {"year": day.year, "month": day.month, "day": day.day}}
    return on | ({"value": str(count)} if count else {})


def many(call: Call) -> object:
    found = _series(call, "daily_metrics", call.query.getlist("dailyMetrics"))
    rows = [{"dailyMetric": name, "timeSeries": series} for name, series in found.items()]
    return {"multiDailyMetricTimeSeries": [{"dailyMetricTimeSeries": rows}]}


def one(call: Call) -> object:
    [series] = _series(call, "daily_metric", [call.query.get("dailyMetric", "")]).values()
    return {"timeSeries": series}


def keywords(call: Call) -> object:
    """List what people searched for. Whole months count, no matter how late the newest days are."""
    place = location_of(call, call.args["location"])
    first, last = _date(call, "monthly", "start"), _date(call, "monthly", "end")
    audience = PLACES(call.world, place.id)
    end = (last + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    total = 0 if audience is None else sum(PLACE_METRICS.over(audience, name, first, end) for name in SEARCHES)
    rows = [
        {"searchKeyword": word, "insightsValue": _rough(total * part // 100_000)} for word, part in KEYWORDS.items()
    ]
    return {"searchKeywordsCounts": rows} if total else {}


def _rough(count: int) -> dict[str, str]:
    return {"value": str(count)} if count >= _THRESHOLD else {"threshold": str(_THRESHOLD)}


ROUTES = [
    Route("GET", f"{_HOST}/{{location}}:fetchMultiDailyMetricsTimeSeries", many),
    Route("GET", f"{_HOST}/{{location}}:getDailyMetricsTimeSeries", one),
    Route("GET", f"{_HOST}/{{location}}/searchkeywords/impressions/monthly", keywords),
]
