"""Reports of YouTube Analytics: columns and rows, some days late."""

from datetime import date
from typing import Annotated, Any

import msgspec

from socialgate.sandbox.kit import Call, Refused, Route, read_query
from socialgate.sandbox.society.metrics import living
from socialgate.sandbox.society.reports import Group
from socialgate.sandbox.vendors.google.audiences import CHANNELS
from socialgate.sandbox.vendors.google.errors import ERRORS, query_error, require
from socialgate.sandbox.vendors.google.metrics import CHANNEL_METRICS, DIMENSIONS, FLOATS, MONEY, PEOPLE, REPORT, SHARE
from socialgate.sandbox.vendors.google.quota import REPORTS, metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken
from socialgate.sandbox.vendors.google.youtube import own_channel

MONETARY = f"{AUTH}yt-analytics-monetary.readonly"
SCOPES = (*(f"{AUTH}{name}" for name in ("yt-analytics.readonly", "youtube", "youtube.readonly")), MONETARY)
_MOST_VIDEOS, _PER_MINUTE = 200, 720
_REFERENCE = "https://developers.google.com/youtube/analytics/v2/available_reports"
_UNSUPPORTED = f"The query is not supported. Check the documentation at {_REFERENCE} for a list of supported queries."


class _Query(msgspec.Struct, rename="camel"):
    ids: list[str]
    metrics: list[str]
    start_date: date
    end_date: date
    dimensions: list[str] = []
    filters: str = ""
    sort: list[str] = []
    start_index: Annotated[int, msgspec.Meta(ge=1)] = 1
    max_results: Annotated[int, msgspec.Meta(ge=1)] | None = None


def _invalid(name: str, given: str | None) -> Refused:
    if given is None:
        return Refused(query_error("Required", "required"))
    return Refused(query_error(f"Invalid value '{given}' for parameter {name}."))


def _require_known(call: Call, asked: _Query, filters: list[str]) -> None:
    for field, words, known in (
        ("metrics", asked.metrics, living(call.world, {*CHANNEL_METRICS.account, *CHANNEL_METRICS.derived, SHARE})),
        ("dimensions", asked.dimensions, DIMENSIONS),
        ("filters", filters, {"video", "country"}),
        ("sort", [word.removeprefix("-") for word in asked.sort], {*asked.dimensions, *asked.metrics}),
    ):
        for word in words:
            require(word in known, f"Unknown identifier ({word}) given in field parameters.{field}.")


def query(call: Call, token: AccessToken) -> Any:
    if not call.world.allow(f"reports:{token.parent}", _PER_MINUTE):
        return ERRORS["rate_limited"](call)
    channel, asked = own_channel(call, token), read_query(call, _Query, _invalid)
    filters = [part.partition("==") for part in asked.filters.split(";") if part]
    _require_known(call, asked, [name for name, _, _value in filters])
    paid = any(name in MONEY for name in asked.metrics)
    if asked.ids[0] not in {"channel==MINE", f"channel=={channel.id}"} or (paid and MONETARY not in token.scopes):
        return ERRORS["forbidden"](call)
    require(asked.start_date <= asked.end_date, "Invalid date range: startDate is after endDate.")
    last = min(asked.end_date, CHANNEL_METRICS.newest(call.world))
    whole = Group([], CHANNELS.of(call.world, channel), asked.start_date, last)
    for name, _, value in filters:
        whole = REPORT.narrowed(whole, name, value)
    require(whole.is_empty or _is_supported(asked), _UNSUPPORTED)
    return _table(asked, REPORT.rows(whole, asked.dimensions, asked.metrics, asked.sort))


def _is_supported(asked: _Query) -> bool:
    """Whether there is such a report: the people by share only, videos only as a ranking, one dimension otherwise."""
    people = not set(asked.dimensions).isdisjoint(PEOPLE)
    ranked = bool(asked.sort) and asked.max_results is not None and asked.max_results <= _MOST_VIDEOS
    fits = people == (asked.metrics == [SHARE]) and (asked.dimensions != ["video"] or ranked)
    return fits and (len(asked.dimensions) <= 1 or set(asked.dimensions) <= set(PEOPLE))


def _table(asked: _Query, rows: list[list[Any]]) -> dict[str, Any]:
    begin = asked.start_index - 1
    shown = rows[begin : begin + (asked.max_results or len(rows))]
    kinds = dict.fromkeys(asked.dimensions, ("DIMENSION", "STRING"))
    kinds |= {name: ("METRIC", "FLOAT" if name in FLOATS else "INTEGER") for name in asked.metrics}
    names = [*asked.dimensions, *asked.metrics]
    headers = [{"name": name, "columnType": kinds[name][0], "dataType": kinds[name][1]} for name in names]
    return {"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers} | ({"rows": shown} if shown else {})


ROUTES = [Route("GET", "/youtubeanalytics.googleapis.com/v2/reports", metered(query, *SCOPES, bucket=REPORTS))]
