"""Insights of YouTube channels and videos, and the performance of Business Profiles. Numbers arrive as strings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlencode

from socialgate.connectors.google.api import YOUTUBE_API_URL as YOUTUBE_API
from socialgate.connectors.google.api import GoogleApi
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.metrics import BUSINESS_METRICS, YOUTUBE_METRICS
from socialgate.connectors.google.responses import GoogleStruct, YouTubePage
from socialgate.connectors.insights import InsightsAdapterBase, build_daily_reading, build_single_reading
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.insights import DateRange, MetricReading, MetricReadings
from socialgate.contracts.metrics import PlatformMetric

T = TypeVar("T")

_REPORTS_URL = "https://youtubeanalytics.googleapis.com/v2/reports"
_PERFORMANCE_API_URL = "https://businessprofileperformance.googleapis.com/v1"
_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
# Before YouTube existed, to cover the whole life of a video.
_FIRST_POSSIBLE_DAY = date(2005, 1, 1)


class _StatisticsResource(GoogleStruct, frozen=True):
    id: str = ""
    statistics: Mapping[str, Any] = _EMPTY_MAPPING


class _ColumnHeader(GoogleStruct, frozen=True):
    name: str = ""


class _Report(GoogleStruct, frozen=True):
    """A table. Without rows, `rows` is missing."""

    column_headers: tuple[_ColumnHeader, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()

    def iterate_rows_by(self, dimension: str, read: Callable[[str], T]) -> Iterator[tuple[T, Mapping[str, Any]]]:
        names = [header.name for header in self.column_headers]
        for row in self.rows:
            result = dict(zip(names, row, strict=False))
            with suppress(ValueError):
                yield read(str(result.get(dimension))), result


class YouTubeInsights(InsightsAdapterBase):
    table = YOUTUBE_METRICS
    posts_per_call = 50

    def __init__(self, api: GoogleApi, wire: VendorTransport) -> None:
        super().__init__(wire.clock)
        self._data = partial(api.build_client_for_account, GoogleProduct.YOUTUBE)
        self._reports = partial(api.build_client_for_account, GoogleProduct.ANALYTICS)

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        if metrics[0].request_group == "statistics":
            query = {"part": "statistics", "mine": "true"}
            channels = (
                await self._data(credentials).get(f"{YOUTUBE_API}/channels", YouTubePage[_StatisticsResource], **query)
            ).items
            return _read_statistics(metrics, channels[0].statistics if channels else {})
        rows = list(
            (await self._fetch_report(credentials, metrics, days, "day")).iterate_rows_by("day", date.fromisoformat)
        )
        return {
            metric.name: build_daily_reading(metric, [(day, row.get(metric.vendor)) for day, row in rows], days)
            for metric in metrics
        }

    async def fetch_post_metrics(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Mapping[str, MetricReadings]:
        ids = ",".join(posts)
        if metrics[0].request_group == "statistics":
            query = {"part": "statistics", "id": ids, "maxResults": self.posts_per_call}
            videos = (
                await self._data(credentials).get(f"{YOUTUBE_API}/videos", YouTubePage[_StatisticsResource], **query)
            ).items
            return {video.id: _read_statistics(metrics, video.statistics) for video in videos}
        # Reports by video are rejected without a sort order and a limit.
        ranked = {"filters": f"video=={ids}", "sort": f"-{metrics[0].vendor}", "maxResults": self.posts_per_call}
        report = await self._fetch_report(
            credentials, metrics, DateRange(_FIRST_POSSIBLE_DAY, self.requester.get_today()), "video", **ranked
        )
        rows = dict(report.iterate_rows_by("video", str))
        return {post: _build_readings(metrics, rows.get(post, {})) for post in posts}

    async def _fetch_report(
        self,
        credentials: AccountCredentials,
        metrics: Sequence[PlatformMetric],
        days: DateRange,
        dimension: str,
        **rest: Any,
    ) -> _Report:
        query = {
            "ids": "channel==MINE",
            "startDate": days.first.isoformat(),
            "endDate": days.last.isoformat(),
            "metrics": ",".join(metric.vendor for metric in metrics),
            "dimensions": dimension,
            **rest,
        }
        return await self._reports(credentials).get(_REPORTS_URL, _Report, **query)


class _DailyMetric(GoogleStruct, frozen=True):
    daily_metric: str = ""
    time_series: Mapping[str, tuple[Mapping[str, Any], ...]] = _EMPTY_MAPPING

    def iterate_values(self) -> Iterator[tuple[date, Any]]:
        """Yield the values by day. A day without a value counts as zero."""
        for dated in self.time_series.get("datedValues", ()):
            with suppress(KeyError, TypeError, ValueError):
                yield date(**dated["date"]), dated.get("value", 0)


class _Performance(GoogleStruct, frozen=True):
    multi_daily_metric_time_series: tuple[Mapping[str, tuple[_DailyMetric, ...]], ...] = ()


class BusinessInsights(InsightsAdapterBase):
    table = BUSINESS_METRICS

    def __init__(self, api: GoogleApi, wire: VendorTransport) -> None:
        super().__init__(wire.clock)
        self._open = partial(api.build_client_for_account, GoogleProduct.PERFORMANCE)

    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        query = [("dailyMetrics", name) for metric in metrics for name in metric.vendor.split("+")]
        for end, day in (("startDate", days.first), ("endDate", days.last)):
            query += [(f"dailyRange.{end}.{part}", str(getattr(day, part))) for part in ("year", "month", "day")]
        location = credentials.platform_account_id.rpartition("/")[2]
        url = f"{_PERFORMANCE_API_URL}/locations/{location}:fetchMultiDailyMetricsTimeSeries?{urlencode(query)}"
        answer = await self._open(credentials).get(url, _Performance)
        series = [many.get("dailyMetricTimeSeries", ()) for many in answer.multi_daily_metric_time_series]
        values = {
            daily_metric.daily_metric: dict(daily_metric.iterate_values()) for many in series for daily_metric in many
        }
        return {metric.name: _sum_parts(metric, values, days) for metric in metrics}


def _sum_parts(metric: PlatformMetric, values: Mapping[str, Mapping[date, Any]], days: DateRange) -> MetricReading:
    """Add up the parts of a metric by day. A day with a missing part is not counted yet."""
    parts = {name: values.get(name, {}) for name in metric.vendor.split("+")}
    known = set.intersection(*map(set, parts.values()))
    return build_daily_reading(
        metric, [(day, {name: part[day] for name, part in parts.items()}) for day in known], days
    )


def _read_statistics(metrics: Sequence[PlatformMetric], statistics: Mapping[str, Any]) -> MetricReadings:
    """Hidden values are missing, except a hidden subscriber count, which is reported as zero."""
    hidden = {"subscriberCount"} if statistics.get("hiddenSubscriberCount") else set()
    return _build_readings(metrics, {name: value for name, value in statistics.items() if name not in hidden})


def _build_readings(metrics: Sequence[PlatformMetric], values: Mapping[str, Any]) -> MetricReadings:
    return {
        metric.name: build_single_reading(metric, values[metric.vendor])
        for metric in metrics
        if metric.vendor in values
    }
