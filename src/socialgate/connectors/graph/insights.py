"""Insights of the Graph API: values by day that end at midnight in California, a single total, or a mix of both."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage, parse_time
from socialgate.connectors.insights import build_daily_reading, build_single_reading
from socialgate.contracts.insights import DateRange, MetricReading, MetricReadings
from socialgate.contracts.metrics import PACIFIC_TIMEZONE, PlatformMetric

_PACIFIC_ZONE = ZoneInfo(PACIFIC_TIMEZONE)


class _InsightValue(msgspec.Struct, kw_only=True):
    value: Any = None
    end_time: str | None = None

    @property
    def day(self) -> date | None:
        """The day that ends then: `end_time` is its midnight, or an hour off when daylight saving time changes."""
        end = parse_time(self.end_time)
        return None if end is None else (end.astimezone(_PACIFIC_ZONE) - timedelta(minutes=90)).date()


class _BreakdownResult(msgspec.Struct, kw_only=True):
    dimension_values: list[str] = []
    value: Any = None


class _Breakdown(msgspec.Struct, kw_only=True):
    results: list[_BreakdownResult] = []


class _InsightTotal(msgspec.Struct, kw_only=True):
    value: Any = None
    breakdowns: list[_Breakdown] = []

    def get_dimension(self, dimension: str) -> Any:
        """Return one part of a total that has a breakdown; None if it has no such part."""
        results = [result for breakdown in self.breakdowns for result in breakdown.results]
        return next((result.value for result in results if dimension in result.dimension_values), None)


class _Insight(msgspec.Struct, kw_only=True):
    name: str = ""
    values: list[_InsightValue] = []
    total_value: _InsightTotal | None = None
    # Link clicks are reported per link.
    link_total_values: list[_InsightValue] = []


async def request_insights(
    api: GraphCaller,
    path: str,
    metrics: Sequence[PlatformMetric],
    days: DateRange | None = None,
    *,
    breakdown_value: str = "",
    **query: str,
) -> MetricReadings:
    """Make one call for insights and return them by our names. Metrics missing from the response are left out.

    `breakdown_value` selects one part of totals that have a breakdown.
    """
    if not metrics:
        return {}
    span = (
        {}
        if days is None
        else {
            "since": _get_midnight_timestamp(days.first),
            "until": _get_midnight_timestamp(days.last + timedelta(days=1)),
        }
    )
    names = ",".join(metric.vendor for metric in metrics)
    rows = (await api.get(path, GraphPage[_Insight], metric=names, **span, **query)).data
    by_name = {row.name: row for row in rows}
    return {
        metric.name: _build_reading(metric, by_name[metric.vendor], days, breakdown_value)
        for metric in metrics
        if metric.vendor in by_name
    }


def _build_reading(
    metric: PlatformMetric, row: _Insight, days: DateRange | None, breakdown_value: str
) -> MetricReading:
    if row.total_value is not None:
        return build_single_reading(
            metric, row.total_value.get_dimension(breakdown_value) if breakdown_value else row.total_value.value
        )
    if row.link_total_values:
        return build_single_reading(metric, sum(int(link.value or 0) for link in row.link_total_values))
    dated = list(_iterate_dated_values(row.values))
    if days is not None and dated:
        return build_daily_reading(metric, dated, days)
    return build_single_reading(metric, row.values[0].value) if row.values else MetricReading()


def _iterate_dated_values(values: Sequence[_InsightValue]) -> Iterator[tuple[date, Any]]:
    for value in values:
        if (day := value.day) is not None:
            yield day, value.value


def _get_midnight_timestamp(day: date) -> int:
    return int(datetime.combine(day, datetime.min.time(), _PACIFIC_ZONE).astimezone(UTC).timestamp())
