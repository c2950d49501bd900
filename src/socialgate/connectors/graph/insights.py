"""Insights of the Graph API: values by day that end at midnight in California, or one total, and shapes in between."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from socialgate.connectors.dialects.graph import when
from socialgate.connectors.insights import daily, single
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import PACIFIC, Metric

_ZONE = ZoneInfo(PACIFIC)


class Value(msgspec.Struct, kw_only=True):
    value: Any = None
    end_time: str | None = None

    @property
    def day(self) -> date | None:
        """The day that ends then: `end_time` is its midnight, or an hour off where a clock was changed."""
        end = when(self.end_time)
        return None if end is None else (end.astimezone(_ZONE) - timedelta(minutes=90)).date()


class _Result(msgspec.Struct, kw_only=True):
    dimension_values: list[str] = []
    value: Any = None


class _Breakdown(msgspec.Struct, kw_only=True):
    results: list[_Result] = []


class Total(msgspec.Struct, kw_only=True):
    value: Any = None
    breakdowns: list[_Breakdown] = []

    def of(self, dimension: str) -> Any:
        """Give one part of a total that is broken down; None where it has no such part."""
        results = [result for breakdown in self.breakdowns for result in breakdown.results]
        return next((one.value for one in results if dimension in one.dimension_values), None)


class Insight(msgspec.Struct, kw_only=True):
    name: str = ""
    values: list[Value] = []
    total_value: Total | None = None
    # Clicks on links come one by one.
    link_total_values: list[Value] = []


def range_of(days: Days) -> Mapping[str, int]:
    """Give the two moments that enclose the days."""
    return {"since": _midnight(days.first), "until": _midnight(days.last + timedelta(days=1))}


def names_of(metrics: Sequence[Metric]) -> str:
    return ",".join(metric.vendor for metric in metrics)


def readings_of(metrics: Sequence[Metric], rows: Sequence[Insight], days: Days | None = None) -> Readings:
    """Read what was answered, by our names. What Meta leaves out is left out here."""
    by_name = {row.name: row for row in rows}
    return {one.name: _reading(one, by_name[one.vendor], days) for one in metrics if one.vendor in by_name}


def _reading(metric: Metric, row: Insight, days: Days | None) -> Reading:
    if row.total_value is not None:
        return single(metric, row.total_value.value)
    if row.link_total_values:
        return single(metric, sum(int(link.value or 0) for link in row.link_total_values))
    dated = list(_dated(row.values))
    if days is not None and dated:
        return daily(metric, dated, days)
    return single(metric, row.values[0].value) if row.values else Reading()


def _dated(values: Sequence[Value]) -> Iterator[tuple[date, Any]]:
    for value in values:
        if (day := value.day) is not None:
            yield day, value.value


def _midnight(day: date) -> int:
    return int(datetime.combine(day, datetime.min.time(), _ZONE).astimezone(UTC).timestamp())
