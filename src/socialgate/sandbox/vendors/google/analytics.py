"""Reports of YouTube Analytics: columns and rows, some days late."""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

from socialgate.sandbox.kit import Call, Refused, Route
from socialgate.sandbox.society.growth import DEMOGRAPHICS, Audience
from socialgate.sandbox.society.metrics import Count, Metrics, counts, days, living
from socialgate.sandbox.vendors.google.audiences import audience_of, channel_audience
from socialgate.sandbox.vendors.google.channels import own_channel
from socialgate.sandbox.vendors.google.errors import ERRORS, query_error
from socialgate.sandbox.vendors.google.quota import REPORTS, metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken

MONETARY = f"{AUTH}yt-analytics-monetary.readonly"
SCOPES = (*(f"{AUTH}{name}" for name in ("yt-analytics.readonly", "youtube", "youtube.readonly")), MONETARY)
_LATE = timedelta(days=3)
_MOST_VIDEOS, _PER_MINUTE = 200, 720
_UNSUPPORTED = (
    "The query is not supported. Check the documentation at "
    "https://developers.google.com/youtube/analytics/v2/available_reports for a list of supported queries."
)
_COUNTED = {
    **counts(views="views", engagedViews="reach", redViews="", likes="likes", comments="comments", shares="shares"),
    **counts(subscribersGained="follows", subscribersLost="unfollows", estimatedMinutesWatched="watch_minutes"),
    **counts(videosAddedToPlaylists="saves", videosRemovedFromPlaylists=""),
    "dislikes": Count(("likes",), (96, 100)),
}
CHANNEL_METRICS = Metrics(channel_audience, _COUNTED, _COUNTED)
_MONEY = {"estimatedRevenue", "estimatedAdRevenue", "grossRevenue", "cpm", "adImpressions", "monetizedPlaybacks"}
_AVERAGES = ("averageViewDuration", "averageViewPercentage")
_SHARE = "viewerPercentage"
_KNOWN = {*_COUNTED, *_AVERAGES, *_MONEY, _SHARE}
_PEOPLE = {
    "ageGroup": {f"age{age}": share for age, share in DEMOGRAPHICS["age"].items()},
    "gender": {"female": 58, "male": 42},
}
_TIMES = {"day", "month"}
_DIMENSIONS = {*_TIMES, "video", "country", *_PEOPLE}
_STRINGS, _FLOATS = _DIMENSIONS, {*_MONEY, "averageViewPercentage", _SHARE}


class _Group(NamedTuple):
    """What one row is about. `share` is how much of it all, in percent."""

    named: list[str]
    audience: Audience
    first: date
    last: date
    share: float = 100

    def value(self, metric: str) -> float:
        def count(name: str) -> int:
            return int(CHANNEL_METRICS.over(self.audience, name, self.first, self.last) * self.share // 100)

        if metric == _SHARE:
            return self.share
        if metric in _AVERAGES:
            seconds = count("estimatedMinutesWatched") * 60 / (count("views") or 1)
            return int(seconds) if metric == _AVERAGES[0] else round(seconds * 100 / 30, 2)
        return 0.0 if metric in _MONEY else count(metric)


def _words(call: Call, name: str, *, needed: bool = False) -> list[str]:
    found = [word.strip() for word in call.query.get(name, "").split(",") if word.strip()]
    if needed and not found:
        raise Refused(query_error("Required", "required"))
    return found


def _day(call: Call, name: str) -> date:
    try:
        return date.fromisoformat(_words(call, name, needed=True)[0])
    except ValueError:
        raise Refused(query_error(f"Invalid value '{call.query[name]}' for parameter {name}.")) from None


def _number(call: Call, name: str, default: int) -> int:
    given = call.query.get(name, str(default))
    if not given.isdecimal() or (int(given) == 0 and default):
        raise Refused(query_error(f"Invalid value '{given}' for parameter {name}."))
    return int(given)


def query(call: Call, token: AccessToken) -> Any:
    if not call.world.allow(f"reports:{token.parent}", _PER_MINUTE):
        return ERRORS["rate_limited"](call)
    owner, channel = _words(call, "ids", needed=True)[0], own_channel(call, token)
    metrics, dimensions = _words(call, "metrics", needed=True), _words(call, "dimensions")
    first, last = _day(call, "startDate"), _day(call, "endDate")
    for name, given, known in (
        ("metrics", metrics, living(call.world, _KNOWN)),
        ("dimensions", dimensions, _DIMENSIONS),
    ):
        for word in given:
            if word not in known:
                raise Refused(query_error(f"Unknown identifier ({word}) given in field parameters.{name}."))
    if owner not in {"channel==MINE", f"channel=={channel.id}"} or (
        _MONEY & {*metrics} and MONETARY not in token.scopes
    ):
        return ERRORS["forbidden"](call)
    if first > last:
        raise Refused(query_error("Invalid date range: startDate is after endDate."))
    last = min(last, CHANNEL_METRICS.today(call.world) - _LATE)
    whole = _filtered(call, _Group([], audience_of(call.world, channel), first, last))
    groups = list(_groups(call, whole, dimensions, metrics)) if whole is not None else []
    rows = [[*group.named, *map(group.value, metrics)] for group in groups]
    return _table(call, [*dimensions, *metrics], rows, len(dimensions))


def _filtered(call: Call, whole: _Group) -> _Group | None:
    """Narrow a report down to some videos or a country. There may be nothing left to report."""
    for part in filter(None, call.query.get("filters", "").split(";")):
        name, _, value = part.partition("==")
        if name == "video":
            pieces = [piece for piece in whole.audience.pieces if piece.id in value.split(",")]
            whole = whole._replace(audience=whole.audience.only(*pieces))
        elif name == "country":
            whole = whole._replace(share=DEMOGRAPHICS["country"].get(value, 0))
        else:
            raise Refused(query_error(f"Unknown identifier ({name}) given in field parameters.filters."))
    seen = whole.audience.older or whole.audience.pieces
    return whole if seen and whole.share and whole.first <= whole.last else None


def _groups(call: Call, whole: _Group, dimensions: list[str], metrics: list[str]) -> Iterator[_Group]:
    people = bool(set(dimensions) & set(_PEOPLE))
    ranked = "sort" in call.query and 1 <= _number(call, "maxResults", 0) <= _MOST_VIDEOS
    unfit = people != (metrics == [_SHARE]) or (dimensions == ["video"] and not ranked)
    if unfit or (len(dimensions) > 1 and not set(dimensions) <= set(_PEOPLE)):
        raise Refused(query_error(_UNSUPPORTED))
    every = list(days(whole.first, whole.last))
    match dimensions:
        case []:
            yield whole
        case ["day"]:
            yield from (whole._replace(named=[str(day)], first=day, last=day) for day in every)
        case ["month"]:
            for month in dict.fromkeys(str(day)[:7] for day in every):
                inside = [day for day in every if str(day).startswith(month)]
                yield whole._replace(named=[month], first=inside[0], last=inside[-1])
        case ["video"]:
            audience = whole.audience
            yield from (whole._replace(named=[one.id], audience=audience.only(one)) for one in audience.pieces)
        case ["country"]:
            yield from (whole._replace(named=[one], share=part) for one, part in DEMOGRAPHICS["country"].items())
        case _:
            for chosen in product(*(_PEOPLE[name].items() for name in dimensions)):
                share = 100 * prod(part / 100 for _name, part in chosen)
                yield whole._replace(named=[name for name, _part in chosen], share=round(share, 2))


def _table(call: Call, names: list[str], rows: list[list[Any]], dimensions: int) -> dict[str, Any]:
    for word in reversed(_words(call, "sort")):
        name = word.removeprefix("-")
        if name not in names:
            raise Refused(query_error(f"Unknown identifier ({name}) given in field parameters.sort."))
        rows.sort(key=itemgetter(names.index(name)), reverse=word.startswith("-"))
    begin = _number(call, "startIndex", 1) - 1
    shown = rows[begin : begin + _number(call, "maxResults", len(rows) or 1)]
    headers = [
        {
            "name": name,
            "columnType": "DIMENSION" if place < dimensions else "METRIC",
            "dataType": "STRING" if name in _STRINGS else "FLOAT" if name in _FLOATS else "INTEGER",
        }
        for place, name in enumerate(names)
    ]
    return {"kind": "youtubeAnalytics#resultTable", "columnHeaders": headers} | ({"rows": shown} if shown else {})


ROUTES = [Route("GET", "/youtubeanalytics.googleapis.com/v2/reports", metered(query, *SCOPES, bucket=REPORTS))]
