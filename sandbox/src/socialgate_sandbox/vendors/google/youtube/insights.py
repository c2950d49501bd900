"""Reports of YouTube Analytics: columns and rows, some days late."""

from typing import Any

from socialgate_sandbox.kit import Call, Refused, Route, read_query
from socialgate_sandbox.society.reports import Query
from socialgate_sandbox.vendors.google.errors import ERRORS, query_error, require
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken
from socialgate_sandbox.vendors.google.youtube.api import own_channel
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNELS
from socialgate_sandbox.vendors.google.youtube.metrics import FLOATS, MONEY, REPORT
from socialgate_sandbox.vendors.google.youtube.quota import REPORTS, metered

MONETARY = f"{AUTH}yt-analytics-monetary.readonly"
SCOPES = (*(f"{AUTH}{name}" for name in ("yt-analytics.readonly", "youtube", "youtube.readonly")), MONETARY)
_PER_MINUTE = 720
_REFERENCE = "https://developers.google.com/youtube/analytics/v2/available_reports"
_UNSUPPORTED = f"The query is not supported. Check the documentation at {_REFERENCE} for a list of supported queries."


def _invalid(name: str, given: str | None) -> Refused:
    if given is None:
        return Refused(query_error("Required", "required"))
    return Refused(query_error(f"Invalid value '{given}' for parameter {name}."))


def query(call: Call, token: AccessToken) -> Any:
    if not call.world.allow(f"reports:{token.parent}", _PER_MINUTE):
        return ERRORS["rate_limited"](call)
    channel, asked = own_channel(call, token), read_query(call, Query, _invalid)
    for field, word in REPORT.unknown(call.world, asked):
        return query_error(f"Unknown identifier ({word}) given in field parameters.{field}.")
    paid = any(name in MONEY for name in asked.metrics)
    if asked.ids[0] not in {"channel==MINE", f"channel=={channel.id}"} or (paid and MONETARY not in token.scopes):
        return ERRORS["forbidden"](call)
    require(asked.start_date <= asked.end_date, "Invalid date range: startDate is after endDate.")
    whole = REPORT.whole(call.world, CHANNELS.of(call.world, channel), asked)
    require(whole.is_empty or REPORT.supports(asked), _UNSUPPORTED)
    columns = [("DIMENSION", "STRING", name) for name in asked.dimensions]
    columns += [("METRIC", "FLOAT" if name in FLOATS else "INTEGER", name) for name in asked.metrics]
    headers = [{"name": name, "columnType": kind, "dataType": data} for kind, data, name in columns]
    rows = REPORT.rows(whole, asked)
    return {"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers} | ({"rows": rows} if rows else {})


ROUTES = [Route("GET", "/youtubeanalytics.googleapis.com/v2/reports", metered(query, *SCOPES, bucket=REPORTS))]
