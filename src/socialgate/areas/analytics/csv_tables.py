"""Responses as CSV tables (RFC 4180). An unknown value is an empty cell."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.areas.analytics.overview import Overview
from socialgate.areas.analytics.schemas import (
    AccountInsights,
    AnalyticsSummary,
    FollowersSeries,
    MetricValue,
    PostInsights,
)
from socialgate.web.content_negotiation import encode_csv
from socialgate.web.schemas import Page


def build_insights_csv(view: AccountInsights) -> str:
    rows: list[Sequence[Any]] = []
    for metric in view.metrics:
        code = metric.unavailable.code if metric.unavailable else None
        vendor = metric.vendor.name if metric.vendor else None
        rows += [(metric.name, metric.unit, vendor, "total", None, metric.total, code)]
        rows += [
            (metric.name, metric.unit, vendor, view.granularity, _format_time(point.at), point.value, None)
            for point in metric.series
        ]
    return encode_csv(("metric", "unit", "vendorMetric", "period", "at", "value", "unavailable"), rows)


def build_posts_csv(view: Page[PostInsights]) -> str:
    names = list(dict.fromkeys(metric.name for post in view.data for metric in post.metrics))
    rows = [
        (post.object_id, post.post_id, post.url, _format_time(post.published_at), *_build_cells(post.metrics, names))
        for post in view.data
    ]
    return encode_csv(("objectId", "postId", "url", "publishedAt", *names, "unavailable"), rows)


def build_followers_csv(view: FollowersSeries) -> str:
    rows = [(point.date, point.followers, point.change, str(point.gap).lower()) for point in view.data]
    return encode_csv(("date", "followers", "change", "gap"), rows)


def build_summary_csv(view: AnalyticsSummary) -> str:
    """Show the totals only: the other parts of a summary do not fit into the same table."""
    rows: list[Sequence[Any]] = [
        (total.name, total.unit, total.value, total.previous, total.change_percent, total.days) for total in view.totals
    ]
    rows += [("postsPublished", "count", view.posts_published, None, None, None)]
    return encode_csv(("metric", "unit", "value", "previous", "changePercent", "days"), rows)


def build_overview_csv(view: Overview) -> str:
    """Show each day of the period with all metrics."""
    names = [trend.total.name for trend in view.metrics]
    rows = zip(view.days.list_days(), *(trend.values for trend in view.metrics), strict=True)
    return encode_csv(("date", *names), rows)


def _build_cells(metrics: Sequence[MetricValue], names: Sequence[str]) -> list[Any]:
    """Return the value of each metric, then why some have none."""
    totals = {metric.name: metric.total for metric in metrics}
    missing = [f"{metric.name}: {metric.unavailable.code}" for metric in metrics if metric.unavailable is not None]
    return [*(totals.get(name) for name in names), "; ".join(missing) or None]


def _format_time(moment: datetime | None) -> str | None:
    """Write a time as JSON responses do."""
    return None if moment is None else str(msgspec.to_builtins(moment.astimezone(UTC)))
