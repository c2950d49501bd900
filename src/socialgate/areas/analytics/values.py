"""How readings from platforms are shown: grouped by week or month, with derived metrics. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal
from zoneinfo import ZoneInfo

from socialgate.areas.analytics.calendar import Granularity, begins, midnight
from socialgate.areas.analytics.schemas import MetricValue, Number, Point, VendorMetric
from socialgate.contracts.insights import Missing, Reading, Readings
from socialgate.contracts.metrics import Metric

# What people do with a post; added up if the platform has no total for it.
_ENGAGEMENT = ("likes", "comments", "shares", "saves", "reposts", "quotes", "replies")
_SEEN = ("reach", "views", "impressions")
DERIVED = ("engagement", "engagementRate")


_NOT_ADDED_UP = Missing(
    code="not_offered",
    detail="The platform does not report this for a whole period, and daily values cannot be added up. Use "
    "granularity=day.",
)


def shown(metric: Metric, reading: Reading, granularity: Granularity | Literal["total"], zone: ZoneInfo) -> MetricValue:
    series = [] if granularity == "total" else _points(metric, reading.series, granularity, zone)
    missing = reading.unavailable
    if missing is None and reading.total is None and not series:
        missing = _NOT_ADDED_UP
    return MetricValue(
        name=metric.name,
        unit=metric.unit,
        total=reading.total,
        series=series,
        vendor=VendorMetric(name=reading.name or metric.vendor, value=reading.value),
        unavailable=missing,
    )


def not_offered(name: str) -> MetricValue:
    missing = Missing(code="not_offered", detail="The platform does not offer this. GET /platforms lists its metrics.")
    return MetricValue(name=name, unit="count", total=None, series=[], vendor=None, unavailable=missing)


def _points(
    metric: Metric, series: Sequence[tuple[date, Number]], granularity: Granularity, zone: ZoneInfo
) -> list[Point]:
    """Group days. What cannot be added up is shown by day only."""
    if metric.form == "unique" and granularity != "day":
        return []
    found: dict[date, Number] = {}
    for day, value in series:
        start = begins(day, granularity)
        found[start] = value if metric.form == "level" else found.get(start, 0) + value
    return [Point(at=midnight(start, zone), value=value) for start, value in found.items()]


def totals_of(readings: Readings) -> dict[str, Number]:
    return {name: reading.total for name, reading in readings.items() if reading.total is not None}


def engagement_of(numbers: Mapping[str, Number]) -> Number | None:
    """Return the platform's own value, or the sum of what people did; None if nothing is known."""
    if "engagement" in numbers:
        return numbers["engagement"]
    known = [numbers[name] for name in _ENGAGEMENT if name in numbers]
    return sum(known) if known else None


def derived(readings: Readings, wanted: Sequence[str]) -> list[MetricValue]:
    """Calculate derived metrics from what the platform reports. Without that there is nothing to show."""
    numbers = totals_of(readings)
    engagement = engagement_of(numbers)
    seen = next((numbers[name] for name in _SEEN if numbers.get(name)), None)
    rate = None if engagement is None or seen is None else round(100 * engagement / seen, 2)
    found: list[MetricValue] = []
    if "engagement" in wanted and "engagement" not in readings and engagement is not None:
        found.append(_calculated("engagement", "count", engagement))
    if "engagementRate" in wanted and rate is not None:
        found.append(_calculated("engagementRate", "percent", rate))
    return found


def _calculated(name: str, unit: Literal["count", "percent"], value: Number) -> MetricValue:
    return MetricValue(name=name, unit=unit, total=value, series=[], vendor=None, unavailable=None)
