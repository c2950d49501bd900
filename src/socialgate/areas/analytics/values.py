"""How readings from platforms are shown: grouped by week or month, with derived metrics. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal
from zoneinfo import ZoneInfo

from socialgate.areas.analytics.periods import Granularity, get_day_start, get_period_start
from socialgate.areas.analytics.schemas import MetricPoint, MetricValue, Number, VendorMetric
from socialgate.contracts.insights import MetricReading, MetricReadings, MissingMetricReason
from socialgate.contracts.metrics import PlatformMetric

# What people do with a post; added up if the platform has no total for it.
_ENGAGEMENT_METRICS = ("likes", "comments", "shares", "saves", "reposts", "quotes", "replies")
_VIEW_METRICS = ("reach", "views", "impressions")
DERIVED_METRICS = ("engagement", "engagementRate")


_NO_TOTAL = MissingMetricReason(
    code="not_offered",
    detail="The platform does not report this for a whole period, and daily values cannot be added up. Use "
    "granularity=day.",
)


def build_metric_value(
    metric: PlatformMetric, reading: MetricReading, granularity: Granularity | Literal["total"], zone: ZoneInfo
) -> MetricValue:
    series = [] if granularity == "total" else _build_points(metric, reading.series, granularity, zone)
    missing = reading.unavailable
    if missing is None and reading.total is None and not series:
        missing = _NO_TOTAL
    return MetricValue(
        name=metric.name,
        unit=metric.unit,
        total=reading.total,
        series=series,
        vendor=VendorMetric(name=reading.name or metric.vendor, value=reading.value),
        unavailable=missing,
    )


def build_unavailable_metric(name: str) -> MetricValue:
    missing = MissingMetricReason(
        code="not_offered", detail="The platform does not offer this. GET /platforms lists its metrics."
    )
    return MetricValue(name=name, unit="count", total=None, series=[], vendor=None, unavailable=missing)


def _build_points(
    metric: PlatformMetric, series: Sequence[tuple[date, Number]], granularity: Granularity, zone: ZoneInfo
) -> list[MetricPoint]:
    """Group days. What cannot be added up is shown by day only."""
    if metric.form == "unique" and granularity != "day":
        return []
    result: dict[date, Number] = {}
    for day, value in series:
        start = get_period_start(day, granularity)
        result[start] = value if metric.form == "level" else result.get(start, 0) + value
    return [MetricPoint(at=get_day_start(start, zone), value=value) for start, value in result.items()]


def get_totals(readings: MetricReadings) -> dict[str, Number]:
    return {name: reading.total for name, reading in readings.items() if reading.total is not None}


def compute_engagement(numbers: Mapping[str, Number]) -> Number | None:
    """Return the platform's own value, or the sum of what people did; None if nothing is known."""
    if "engagement" in numbers:
        return numbers["engagement"]
    known = [numbers[name] for name in _ENGAGEMENT_METRICS if name in numbers]
    return sum(known) if known else None


def build_derived_metrics(readings: MetricReadings, values: Sequence[str]) -> list[MetricValue]:
    """Calculate derived metrics from what the platform reports. Without that there is nothing to show."""
    numbers = get_totals(readings)
    engagement = compute_engagement(numbers)
    seen = next((numbers[name] for name in _VIEW_METRICS if numbers.get(name)), None)
    rate = None if engagement is None or seen is None else round(100 * engagement / seen, 2)
    metric_values: list[MetricValue] = []
    if "engagement" in values and "engagement" not in readings and engagement is not None:
        metric_values.append(_build_derived_metric("engagement", "count", engagement))
    if "engagementRate" in values and rate is not None:
        metric_values.append(_build_derived_metric("engagementRate", "percent", rate))
    return metric_values


def _build_derived_metric(name: str, unit: Literal["count", "percent"], value: Number) -> MetricValue:
    return MetricValue(name=name, unit=unit, total=value, series=[], vendor=None, unavailable=None)
