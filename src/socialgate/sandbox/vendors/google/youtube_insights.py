"""Reports of YouTube Analytics: columns and rows, some days late."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from socialgate.sandbox.kit import Call, Refused, Route
from socialgate.sandbox.society.growth import DEMOGRAPHICS
from socialgate.sandbox.society.metrics import living
from socialgate.sandbox.society.reports import Group, grouped, narrowed, sort_rows
from socialgate.sandbox.vendors.google.audiences import audience_of
from socialgate.sandbox.vendors.google.channels import listed, own_channel
from socialgate.sandbox.vendors.google.errors import ERRORS, query_error, require
from socialgate.sandbox.vendors.google.metrics import CHANNEL_METRICS, DIMENSIONS, FLOATS, MONEY, PEOPLE, SHARE
from socialgate.sandbox.vendors.google.quota import REPORTS, metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken

MONETARY = f"{AUTH}yt-analytics-monetary.readonly"
SCOPES = (*(f"{AUTH}{name}" for name in ("yt-analytics.readonly", "youtube", "youtube.readonly")), MONETARY)
_LATE, _MOST_VIDEOS, _PER_MINUTE = timedelta(days=3), 200, 720
_REFERENCE = "https://developers.google.com/youtube/analytics/v2/available_reports"
_UNSUPPORTED = f"The query is not supported. Check the documentation at {_REFERENCE} for a list of supported queries."
_KNOWN = {"metrics": {*CHANNEL_METRICS.account, *CHANNEL_METRICS.derived, SHARE}, "dimensions": DIMENSIONS}


def _needed(call: Call, name: str) -> list[str]:
    found = listed(call, name)
    require(found, "Required", "required")
    return found


def _require_known(field: str, words: Iterable[str], known: Iterable[str]) -> None:
    for word in words:
        require(word in known, f"Unknown identifier ({word}) given in field parameters.{field}.")


def _day(call: Call, name: str) -> date:
    try:
        return date.fromisoformat(_needed(call, name)[0])
    except ValueError:
        raise Refused(query_error(f"Invalid value '{call.query[name]}' for parameter {name}.")) from None


def _number(call: Call, name: str, default: int) -> int:
    given = call.query.get(name, str(default))
    fits = given.isdecimal() and (int(given) > 0 or not default)
    require(fits, f"Invalid value '{given}' for parameter {name}.")
    return int(given)


def query(call: Call, token: AccessToken) -> Any:
    if not call.world.allow(f"reports:{token.parent}", _PER_MINUTE):
        return ERRORS["rate_limited"](call)
    owner, channel = _needed(call, "ids")[0], own_channel(call, token)
    asked = {"metrics": _needed(call, "metrics"), "dimensions": listed(call, "dimensions")}
    first, last = _day(call, "startDate"), _day(call, "endDate")
    for field, words in asked.items():
        _require_known(field, words, living(call.world, _KNOWN[field]))
    paid = any(name in MONEY for name in asked["metrics"])
    if owner not in {"channel==MINE", f"channel=={channel.id}"} or (paid and MONETARY not in token.scopes):
        return ERRORS["forbidden"](call)
    require(first <= last, "Invalid date range: startDate is after endDate.")
    last = min(last, CHANNEL_METRICS.today(call.world) - _LATE)
    whole = _filtered(call, Group([], audience_of(call.world, channel), first, last))
    groups = [] if whole.is_empty else _groups(call, whole, **asked)
    return _table(call, list(groups), **asked)


def _filtered(call: Call, whole: Group) -> Group:
    """Restrict a report to some videos or a country. There may be nothing left to report."""
    for part in filter(None, call.query.get("filters", "").split(";")):
        name, _, value = part.partition("==")
        _require_known("filters", [name], ["video", "country"])
        share = DEMOGRAPHICS["country"].get(value, 0) if name == "country" else None
        whole = narrowed(whole, value.split(","), share)
    return whole


def _groups(call: Call, whole: Group, metrics: list[str], dimensions: list[str]) -> Iterator[Group]:
    people = not set(dimensions).isdisjoint(PEOPLE)
    ranked = "sort" in call.query and 1 <= _number(call, "maxResults", 0) <= _MOST_VIDEOS
    fits = people == (metrics == [SHARE]) and (dimensions != ["video"] or ranked)
    require(fits and (len(dimensions) <= 1 or set(dimensions) <= set(PEOPLE)), _UNSUPPORTED)
    return grouped(whole, dimensions, "video", {"country": DEMOGRAPHICS["country"], **PEOPLE})


def _table(call: Call, groups: list[Group], metrics: list[str], dimensions: list[str]) -> dict[str, Any]:
    names, order = [*dimensions, *metrics], listed(call, "sort")
    _require_known("sort", [word.removeprefix("-") for word in order], names)
    rows = [[*one.named, *(one.value(CHANNEL_METRICS, name) for name in metrics)] for one in groups]
    sort_rows(rows, names, order)
    begin = _number(call, "startIndex", 1) - 1
    shown = rows[begin : begin + _number(call, "maxResults", len(rows) or 1)]
    kinds = dict.fromkeys(dimensions, ("DIMENSION", "STRING"))
    kinds |= {name: ("METRIC", "FLOAT" if name in FLOATS else "INTEGER") for name in metrics}
    headers = [{"name": name, "columnType": kinds[name][0], "dataType": kinds[name][1]} for name in names]
    return {"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers} | ({"rows": shown} if shown else {})


ROUTES = [Route("GET", "/youtubeanalytics.googleapis.com/v2/reports", metered(query, *SCOPES, bucket=REPORTS))]
