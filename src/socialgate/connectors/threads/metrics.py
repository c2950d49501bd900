"""The metrics of Threads, with our names and its own."""

from datetime import date

from socialgate.contracts.metrics import PACIFIC, Metric, MetricTable

METRICS = MetricTable(
    account=(
        # It must be requested alone and without a time range.
        Metric(name="followers", vendor="followers_count", form="level", daily=False, asked="now"),
        Metric(name="views", vendor="views"),
        Metric(name="likes", vendor="likes", daily=False),
        Metric(name="comments", vendor="replies", daily=False),
        Metric(name="reposts", vendor="reposts", daily=False),
        Metric(name="quotes", vendor="quotes", daily=False),
        Metric(name="clicks", vendor="clicks", daily=False),
    ),
    post=(
        Metric(name="views", vendor="views"),
        Metric(name="likes", vendor="likes"),
        Metric(name="comments", vendor="replies"),
        Metric(name="shares", vendor="shares"),
        Metric(name="reposts", vendor="reposts"),
        Metric(name="quotes", vendor="quotes"),
    ),
    zone=PACIFIC,
    history_days=30,
    # Threads rejects a range that begins earlier.
    first_day=date(2024, 4, 13),
)
