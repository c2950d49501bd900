"""Business Profile Performance: what people did with a location, some days late. Counts are strings, zeros omitted."""

from datetime import date, timedelta
from typing import Any

from socialgate_sandbox.kit import Call, CallRefusedError, Route
from socialgate_sandbox.society.platform_metrics import list_active_metrics
from socialgate_sandbox.vendors.google.errors import build_field_violation, build_refusal, require_field
from socialgate_sandbox.vendors.google.places.audiences import LOCATION_AUDIENCES
from socialgate_sandbox.vendors.google.places.locations import require_location
from socialgate_sandbox.vendors.google.places.metrics import KEYWORD_SHARES, LOCATION_METRICS, SEARCH_METRICS

_LOCATIONS_PATH = "/businessprofileperformance.googleapis.com/v1/locations"
_METRIC_TYPE_URL = "type.googleapis.com/google.mybusiness.businessprofileperformance.v1.DailyMetric"
_MAX_CALLS_PER_MINUTE = 300
# Numbers of searches below this are not reported exactly.
_MIN_EXACT_COUNT = 15


def _parse_date(call: Call, range_name: str, boundary: str) -> date:
    """Read a date from its parts, which may be named in either style. A month is read as its first day."""
    kind = "date" if range_name == "daily" else "month"
    styles = (f"{boundary}{kind.title()}", f"{boundary}_{kind}")
    names = {f"{range_name}Range.{style}.{part}": part for style in styles for part in ("year", "month", "day")}
    try:
        params = {part: int(call.query[name]) for name, part in names.items() if name in call.query}
        return date(**(params if range_name == "daily" else params | {"day": 1}))
    except (TypeError, ValueError, OverflowError):
        field = f"{range_name}_range.{boundary}_{kind}"
        raise CallRefusedError(build_field_violation(field, f"{field} is required and must be a valid date")) from None


def _read_time_series(call: Call, field: str, metric_names: list[str]) -> dict[str, dict[str, Any]]:
    """Return the values of each metric by day."""
    place = require_location(call, call.path_params["location"])
    if not call.context.try_use(f"performance:{place.parent}", _MAX_CALLS_PER_MINUTE):
        raise build_refusal("rate_limited")
    first, last = _parse_date(call, "daily", "start"), _parse_date(call, "daily", "end")
    require_field(first <= last, "daily_range", "The start date must not be after the end date")
    known = list_active_metrics(call.context, LOCATION_METRICS.account_metrics)
    for name in metric_names or [""]:
        require_field(name in known, field, f"Invalid value at '{field}' ({_METRIC_TYPE_URL}), \"{name}\"")
    audience, every = (
        LOCATION_AUDIENCES(call.context, place.id),
        LOCATION_METRICS.list_reported_days(call.context, first, last),
    )
    if audience is None or not every:
        return {name: {} for name in metric_names}
    return {
        name: {
            "datedValues": [
                _build_dated_value(day, LOCATION_METRICS.count_on_day(audience, name, day)) for day in every
            ]
        }
        for name in metric_names
    }


def _build_dated_value(day: date, count: int) -> dict[str, Any]:
    on = {"date": {"year": day.year, "month": day.month, "day": day.day}}
    return on | ({"value": str(count)} if count else {})


def get_multiple_time_series(call: Call) -> object:
    result = _read_time_series(call, "daily_metrics", call.query.getlist("dailyMetrics"))
    rows = [{"dailyMetric": name, "timeSeries": series} for name, series in result.items()]
    return {"multiDailyMetricTimeSeries": [{"dailyMetricTimeSeries": rows}]}


def get_time_series(call: Call) -> object:
    [series] = _read_time_series(call, "daily_metric", [call.query.get("dailyMetric", "")]).values()
    return {"timeSeries": series}


def list_search_keywords(call: Call) -> object:
    """List what people searched for. Whole months count, no matter how late the newest days are."""
    place = require_location(call, call.path_params["location"])
    first, last = _parse_date(call, "monthly", "start"), _parse_date(call, "monthly", "end")
    audience = LOCATION_AUDIENCES(call.context, place.id)
    end = (last + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    total = (
        0
        if audience is None
        else sum(LOCATION_METRICS.count_over_days(audience, name, first, end) for name in SEARCH_METRICS)
    )
    rows = [
        {"searchKeyword": word, "insightsValue": _build_insights_value(total * part // 100_000)}
        for word, part in KEYWORD_SHARES.items()
    ]
    return {"searchKeywordsCounts": rows} if total else {}


def _build_insights_value(count: int) -> dict[str, str]:
    return {"value": str(count)} if count >= _MIN_EXACT_COUNT else {"threshold": str(_MIN_EXACT_COUNT)}


ROUTES = [
    Route("GET", f"{_LOCATIONS_PATH}/{{location}}:fetchMultiDailyMetricsTimeSeries", get_multiple_time_series),
    Route("GET", f"{_LOCATIONS_PATH}/{{location}}:getDailyMetricsTimeSeries", get_time_series),
    Route("GET", f"{_LOCATIONS_PATH}/{{location}}/searchkeywords/impressions/monthly", list_search_keywords),
]
