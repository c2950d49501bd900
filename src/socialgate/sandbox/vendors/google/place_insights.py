"""Business Profile Performance: what people did with a location, some days late. Counts are strings, zeros omitted."""

from datetime import date, timedelta
from typing import Any

from socialgate.sandbox.kit import Call, Refused, Route
from socialgate.sandbox.society.growth import Audience
from socialgate.sandbox.society.metrics import days, living
from socialgate.sandbox.vendors.google.audiences import place_audience
from socialgate.sandbox.vendors.google.business import location_of
from socialgate.sandbox.vendors.google.errors import ERRORS, field_violation
from socialgate.sandbox.vendors.google.metrics import KEYWORDS, PLACE_METRICS

_HOST = "/businessprofileperformance.googleapis.com/v1/locations"
_LATE, _KEPT = timedelta(days=4), timedelta(days=548)
_PER_MINUTE = 300
# Numbers of searches below this are not reported exactly.
_THRESHOLD = 15
_SEARCHES = ("BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH")


def _date(call: Call, edge: str, *, month: bool = False) -> date:
    """Read a date from its parts, which may be named in either style."""
    kind = "Month" if month else "Date"
    parts = []
    for part in ("year", "month") if month else ("year", "month", "day"):
        names = (f"{'monthly' if month else 'daily'}Range.{edge}{end}.{part}" for end in (kind, f"_{kind.lower()}"))
        given = next((call.query[name] for name in names if name in call.query), "")
        parts.append(int(given) if given.isdecimal() else 0)
    try:
        return date(parts[0], parts[1], 1 if month else parts[2])
    except ValueError:
        field = f"{'monthly' if month else 'daily'}_range.{edge}_{kind.lower()}"
        raise Refused(field_violation(field, f"{field} is required and must be a valid date")) from None


def _asked(call: Call) -> tuple[Audience | None, date, date]:
    place = location_of(call, call.args["location"])
    if not call.world.allow(f"performance:{place.parent}", _PER_MINUTE):
        raise Refused(ERRORS["rate_limited"](call))
    first, last, today = _date(call, "start"), _date(call, "end"), PLACE_METRICS.today(call.world)
    if first > last:
        raise Refused(field_violation("daily_range", "The start date must not be after the end date"))
    return place_audience(call.world, place.id), max(first, today - _KEPT), min(last, today - _LATE)


def _series(audience: Audience | None, metric: str, first: date, last: date) -> dict[str, Any]:
    if audience is None or first > last:
        return {}
    counted = {day: PLACE_METRICS.on(audience, metric, day) for day in days(first, last)}
    dated = [({"year": day.year, "month": day.month, "day": day.day}, count) for day, count in counted.items()]
    return {"datedValues": [{"date": on} | ({"value": str(count)} if count else {}) for on, count in dated]}


def _require_metrics(call: Call, field: str, given: list[str]) -> list[str]:
    for name in given or [""]:
        if name not in living(call.world, PLACE_METRICS.account):
            kind = "type.googleapis.com/google.mybusiness.businessprofileperformance.v1.DailyMetric"
            raise Refused(field_violation(field, f"Invalid value at '{field}' ({kind}), \"{name}\""))
    return given


def many(call: Call) -> object:
    asked = _asked(call)
    names = _require_metrics(call, "daily_metrics", call.query.getlist("dailyMetrics"))
    rows = [{"dailyMetric": name, "timeSeries": _series(asked[0], name, *asked[1:])} for name in dict.fromkeys(names)]
    return {"multiDailyMetricTimeSeries": [{"dailyMetricTimeSeries": rows}]}


def one(call: Call) -> object:
    asked = _asked(call)
    [name] = _require_metrics(call, "daily_metric", [call.query.get("dailyMetric", "")])
    return {"timeSeries": _series(asked[0], name, *asked[1:])}


def keywords(call: Call) -> object:
    """List what people searched for. Whole months count, no matter how late the newest days are."""
    place = location_of(call, call.args["location"])
    first, last = _date(call, "start", month=True), _date(call, "end", month=True)
    audience = place_audience(call.world, place.id)
    end = (last + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    total = 0 if audience is None else sum(PLACE_METRICS.over(audience, name, first, end) for name in _SEARCHES)
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
