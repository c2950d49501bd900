"""Insights of YouTube channels and videos, and the performance of Business Profiles. Numbers arrive as strings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlencode

from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.metrics import BUSINESS, YOUTUBE
from socialgate.connectors.google.shapes import Items, Shape
from socialgate.connectors.google.wire import YOUTUBE as YOUTUBE_API
from socialgate.connectors.google.wire import GoogleApi
from socialgate.connectors.insights import InsightsPart, daily, single
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import Metric

T = TypeVar("T")

_REPORTS = "https://youtubeanalytics.googleapis.com/v2/reports"
_PERFORMANCE = "https://businessprofileperformance.googleapis.com/v1"
_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Before YouTube existed, to cover the whole life of a video.
_EVER = date(2005, 1, 1)


class _Counted(Shape, frozen=True):
    id: str = ""
    statistics: Mapping[str, Any] = _NOTHING


class _Header(Shape, frozen=True):
    name: str = ""


class _Report(Shape, frozen=True):
    """A table. Without rows, `rows` is missing."""

    column_headers: tuple[_Header, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()

    def by(self, dimension: str, read: Callable[[str], T]) -> Iterator[tuple[T, Mapping[str, Any]]]:
        names = [header.name for header in self.column_headers]
        for row in self.rows:
            found = dict(zip(names, row, strict=False))
            with suppress(ValueError):
                yield read(str(found.get(dimension))), found


class YouTubeInsights(InsightsPart):
    table = YOUTUBE
    posts_per_call = 50

    def __init__(self, api: GoogleApi, wire: Wire) -> None:
        super().__init__(wire.clock)
        self._data = partial(api.for_account, Product.YOUTUBE)
        self._reports = partial(api.for_account, Product.ANALYTICS)

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        if metrics[0].asked == "statistics":
            query = {"part": "statistics", "mine": "true"}
            channels = (await self._data(held).get(f"{YOUTUBE_API}/channels", Items[_Counted], **query)).items
            return _statistics(metrics, channels[0].statistics if channels else {})
        rows = list((await self._report(held, metrics, days, "day")).by("day", date.fromisoformat))
        return {one.name: daily(one, [(day, row.get(one.vendor)) for day, row in rows], days) for one in metrics}

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        ids = ",".join(posts)
        if metrics[0].asked == "statistics":
            query = {"part": "statistics", "id": ids, "maxResults": self.posts_per_call}
            videos = (await self._data(held).get(f"{YOUTUBE_API}/videos", Items[_Counted], **query)).items
            return {video.id: _statistics(metrics, video.statistics) for video in videos}
        # Reports by video are rejected without a sort order and a limit.
        ranked = {"filters": f"video=={ids}", "sort": f"-{metrics[0].vendor}", "maxResults": self.posts_per_call}
        report = await self._report(held, metrics, Days(_EVER, self.asking.today()), "video", **ranked)
        rows = dict(report.by("video", str))
        return {post: _present(metrics, rows.get(post, {})) for post in posts}

    async def _report(
        self, held: AccountCredentials, metrics: Sequence[Metric], days: Days, dimension: str, **rest: Any
    ) -> _Report:
        query = {
            "ids": "channel==MINE",
            "startDate": days.first.isoformat(),
            "endDate": days.last.isoformat(),
            "metrics": ",".join(metric.vendor for metric in metrics),
            "dimensions": dimension,
            **rest,
        }
        return await self._reports(held).get(_REPORTS, _Report, **query)


class _DailyMetric(Shape, frozen=True):
    daily_metric: str = ""
    time_series: Mapping[str, tuple[Mapping[str, Any], ...]] = _NOTHING

    def values(self) -> Iterator[tuple[date, Any]]:
        """Yield the values by day. A day without a value counts as zero."""
        for dated in self.time_series.get("datedValues", ()):
            with suppress(KeyError, TypeError, ValueError):
                yield date(**dated["date"]), dated.get("value", 0)


class _Performance(Shape, frozen=True):
    multi_daily_metric_time_series: tuple[Mapping[str, tuple[_DailyMetric, ...]], ...] = ()


class BusinessInsights(InsightsPart):
    table = BUSINESS

    def __init__(self, api: GoogleApi, wire: Wire) -> None:
        super().__init__(wire.clock)
        self._open = partial(api.for_account, Product.PERFORMANCE)

    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        query = [("dailyMetrics", name) for metric in metrics for name in metric.vendor.split("+")]
        for end, day in (("startDate", days.first), ("endDate", days.last)):
            query += [(f"dailyRange.{end}.{part}", str(getattr(day, part))) for part in ("year", "month", "day")]
        location = held.platform_account_id.rpartition("/")[2]
        url = f"{_PERFORMANCE}/locations/{location}:fetchMultiDailyMetricsTimeSeries?{urlencode(query)}"
        answer = await self._open(held).get(url, _Performance)
        series = [many.get("dailyMetricTimeSeries", ()) for many in answer.multi_daily_metric_time_series]
        values = {one.daily_metric: dict(one.values()) for many in series for one in many}
        return {one.name: _added(one, values, days) for one in metrics}


def _added(metric: Metric, values: Mapping[str, Mapping[date, Any]], days: Days) -> Reading:
    """Add up the parts of a metric by day. A day with a missing part is not counted yet."""
    parts = {name: values.get(name, {}) for name in metric.vendor.split("+")}
    known = set.intersection(*map(set, parts.values()))
    return daily(metric, [(day, {name: part[day] for name, part in parts.items()}) for day in known], days)


def _statistics(metrics: Sequence[Metric], statistics: Mapping[str, Any]) -> Readings:
    """Hidden values are missing, except a hidden subscriber count, which is reported as zero."""
    hidden = {"subscriberCount"} if statistics.get("hiddenSubscriberCount") else set()
    return _present(metrics, {name: value for name, value in statistics.items() if name not in hidden})


def _present(metrics: Sequence[Metric], values: Mapping[str, Any]) -> Readings:
    return {metric.name: single(metric, values[metric.vendor]) for metric in metrics if metric.vendor in values}
