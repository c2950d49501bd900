"""Reports of YouTube Analytics: columns and rows, some days late."""

from typing import Any

from socialgate_sandbox.kit import Call, CallRefusedError, Route, parse_query
from socialgate_sandbox.society.reports import ReportQuery
from socialgate_sandbox.vendors.google.errors import ERRORS, build_report_error, require_valid_report
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNEL_AUDIENCES
from socialgate_sandbox.vendors.google.youtube.metrics import FLOAT_METRICS, REPORT_TABLE, REVENUE_METRICS
from socialgate_sandbox.vendors.google.youtube.quota import REPORT_QUOTA, add_quota_charge
from socialgate_sandbox.vendors.google.youtube.request_helpers import require_own_channel

MONETARY_SCOPE = f"{AUTH}yt-analytics-monetary.readonly"
REPORT_SCOPES = (
    *(f"{AUTH}{name}" for name in ("yt-analytics.readonly", "youtube", "youtube.readonly")),
    MONETARY_SCOPE,
)
_MAX_CALLS_PER_MINUTE = 720
_REFERENCE_URL = "https://developers.google.com/youtube/analytics/v2/available_reports"
_UNSUPPORTED_MESSAGE = (
    f"The query is not supported. Check the documentation at {_REFERENCE_URL} for a list of supported queries."
)


def _build_parameter_error(name: str, value: str | None) -> CallRefusedError:
    if value is None:
        return CallRefusedError(build_report_error("Required", "required"))
    return CallRefusedError(build_report_error(f"Invalid value '{value}' for parameter {name}."))


def query_report(call: Call, token: AccessToken) -> Any:
    if not call.context.try_use(f"reports:{token.parent}", _MAX_CALLS_PER_MINUTE):
        return ERRORS["rate_limited"](call)
    channel, query = require_own_channel(call, token), parse_query(call, ReportQuery, _build_parameter_error)
    for field, word in REPORT_TABLE.list_unknown_words(call.context, query):
        return build_report_error(f"Unknown identifier ({word}) given in field parameters.{field}.")
    paid = any(name in REVENUE_METRICS for name in query.metrics)
    if query.ids[0] not in {"channel==MINE", f"channel=={channel.id}"} or (paid and MONETARY_SCOPE not in token.scopes):
        return ERRORS["forbidden"](call)
    require_valid_report(query.start_date <= query.end_date, "Invalid date range: startDate is after endDate.")
    whole = REPORT_TABLE.build_whole_group(call.context, CHANNEL_AUDIENCES.build_audience(call.context, channel), query)
    require_valid_report(whole.is_empty or REPORT_TABLE.supports(query), _UNSUPPORTED_MESSAGE)
    columns = [("DIMENSION", "STRING", name) for name in query.dimensions]
    columns += [("METRIC", "FLOAT" if name in FLOAT_METRICS else "INTEGER", name) for name in query.metrics]
    headers = [{"name": name, "columnType": kind, "dataType": data} for kind, data, name in columns]
    rows = REPORT_TABLE.build_rows(whole, query)
    return {"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers} | ({"rows": rows} if rows else {})


ROUTES = [
    Route(
        "GET",
        "/youtubeanalytics.googleapis.com/v2/reports",
        add_quota_charge(query_report, *REPORT_SCOPES, quota=REPORT_QUOTA),
    )
]
