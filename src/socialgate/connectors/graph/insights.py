"""Insights of the Graph API: values by day that end at midnight in California, a single total, or a mix of both."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from socialgate.connectors.graph.dialect import Caller, Rows, when
from socialgate.connectors.insights import daily, single
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import PACIFIC, Metric

_ZONE = ZoneInfo(PACIFIC)


class _Value(msgspec.Struct, kw_only=True):
    value: Any = None
    end_time: str | None = None

    @property
    def day(self) -> date | None:
        """The day that ends then: `end_time` is its midnight, or an hour off when daylight saving time changes."""
        end = when(self.end_time)
        return None if end is None else (end.astimezone(_ZONE) - timedelta(minutes=90)).date()


class _Result(msgspec.Struct, kw_only=True):
    dimension_values: list[str] = []
    value: Any = None


class _Breakdown(msgspec.Struct, kw_only=True):
    results: list[_Result] = []


class _Total(msgspec.Struct, kw_only=True):
    value: Any = None
    breakdowns: list[_Breakdown] = []

    def of(self, dimension: str) -> Any:
        """Return one part of a total that has a breakdown; None if it has no such part."""
        results = [result for breakdown in self.breakdowns for result in breakdown.results]
        return next((one.value for one in results if dimension in one.dimension_values), None)


class _Insight(msgspec.Struct, kw_only=True):
    name: str = ""
    values: list[_Value] = []
    total_value: _Total | None = None
    # Link clicks are reported per link.
    link_total_values: list[_Value] = []


async def counted(
    api: Caller, path: str, metrics: Sequence[Metric], days: Days | None = None, *, part: str = "", **query: str
) -> Readings:
    """Make one call for insights and return them by our names. Metrics missing from the response are left out.

    `part` selects one part of totals that have a breakdown.
    """
    if not metrics:
        return {}
    span = {} if days is None else {"since": _midnight(days.first), "until": _midnight(days.last + timedelta(days=1))}
    names = ",".join(metric.vendor for metric in metrics)
    rows = (await api.get(path, Rows[_Insight], metric=names, **span, **query)).data
    by_name = {row.name: row for row in rows}
    return {one.name: _reading(one, by_name[one.vendor], days, part) for one in metrics if one.vendor in by_name}


def _reading(metric: Metric, row: _Insight, days: Days | None, part: str) -> Reading:
    if row.total_value is not None:
        return single(metric, row.total_value.of(part) if part else row.total_value.value)
    if row.link_total_values:
        return single(metric, sum(int(link.value or 0) for link in row.link_total_values))
    dated = list(_dated(row.values))
    if days is not None and dated:
        return daily(metric, dated, days)
    return single(metric, row.values[0].value) if row.values else Reading()


def _dated(values: Sequence[_Value]) -> Iterator[tuple[date, Any]]:
    for value in values:
        if (day := value.day) is not None:
            yield day, value.value


def _midnight(day: date) -> int:
    return int(datetime.combine(day, datetime.min.time(), _ZONE).astimezone(UTC).timestamp())
