"""The metrics of Threads, with our names and its own."""

from datetime import date

from socialgate.contracts.metrics import PACIFIC_TIMEZONE, MetricTable, PlatformMetric

METRICS = MetricTable(
    account_metrics=(
        # It must be requested alone and without a time range.
        PlatformMetric(name="followers", vendor="followers_count", form="level", daily=False, request_group="now"),
        PlatformMetric(name="views", vendor="views"),
        PlatformMetric(name="likes", vendor="likes", daily=False),
        PlatformMetric(name="comments", vendor="replies", daily=False),
        PlatformMetric(name="reposts", vendor="reposts", daily=False),
        PlatformMetric(name="quotes", vendor="quotes", daily=False),
        PlatformMetric(name="clicks", vendor="clicks", daily=False),
    ),
    post_metrics=(
        PlatformMetric(name="views", vendor="views"),
        PlatformMetric(name="likes", vendor="likes"),
        PlatformMetric(name="comments", vendor="replies"),
        PlatformMetric(name="shares", vendor="shares"),
        PlatformMetric(name="reposts", vendor="reposts"),
        PlatformMetric(name="quotes", vendor="quotes"),
    ),
    zone=PACIFIC_TIMEZONE,
    history_days=30,
    # Threads rejects a range that begins earlier.
    first_day=date(2024, 4, 13),
)
