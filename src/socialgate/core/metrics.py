"""The metrics of the service. Each help text is the metric's documentation."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from math import nan

from prometheus_client import CollectorRegistry, Counter, Gauge, GCCollector, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

_METRIC_PREFIX = "socialgate"


class DeliveryAttemptCollector(Collector):
    """Delivery attempts: how many, and how long they took.

    Counted in plain numbers and converted only when they are scraped: the client's own thread-safe counters took ten
    times as long, and this runs for every delivery.
    """

    BUCKET_BOUNDS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)

    def __init__(self, registry: CollectorRegistry) -> None:
        self._succeeded = self._failed = 0
        self._seconds = 0.0
        self._counts = [0] * (len(self.BUCKET_BOUNDS_SECONDS) + 1)
        registry.register(self)

    def observe_attempt(self, seconds: float, *, succeeded: bool) -> None:
        if succeeded:
            self._succeeded += 1
        else:
            self._failed += 1
        self._seconds += seconds
        self._counts[bisect_left(self.BUCKET_BOUNDS_SECONDS, seconds)] += 1

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        number = CounterMetricFamily(
            f"{_METRIC_PREFIX}_delivery_attempts",
            "Attempts to deliver an event to a hook, by outcome.",
            labels=["outcome"],
        )
        number.add_metric(["succeeded"], self._succeeded)
        number.add_metric(["failed"], self._failed)
        yield number
        bounds = [*map(str, self.BUCKET_BOUNDS_SECONDS), "+Inf"]
        yield HistogramMetricFamily(
            f"{_METRIC_PREFIX}_delivery_attempt_seconds",
            "Duration of one attempt: connecting, sending, and reading the response.",
            buckets=list(zip(bounds, accumulate(self._counts), strict=True)),
            sum_value=self._seconds,
        )

    # The registry learns the metric names from this.
    describe = collect


class BacklogGauges:
    """How much work waits in the database: of the whole deployment, so every process shows the same."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.deliveries_pending = Gauge(
            "deliveries_pending",
            "Deliveries that have not succeeded or failed for good, including those that wait for their next attempt. "
            "Counted up to 100,000. Of the whole deployment, like all metrics of what is waiting; NaN if the "
            "database cannot be read.",
            namespace=_METRIC_PREFIX,
            registry=registry,
        )
        self.oldest_delivery = Gauge(
            "delivery_oldest_due_seconds",
            "How long the oldest delivery that could be sent now has been due. Deliveries of hooks that are disabled, "
            "or paused after failures, do not count. 0 if none is due.",
            namespace=_METRIC_PREFIX,
            registry=registry,
        )
        self.jobs_due = Gauge(
            "jobs_due",
            "Background jobs that are due and that no process is running, by type. Types without any are not listed. "
            "Counted up to 100,000.",
            ("type",),
            namespace=_METRIC_PREFIX,
            registry=registry,
        )
        self.oldest_job = Gauge(
            "job_oldest_due_seconds",
            "How long the oldest of these jobs has been due, by type.",
            ("type",),
            namespace=_METRIC_PREFIX,
            registry=registry,
        )
        self.posts_due = Gauge(
            "posts_due",
            "Targets of posts whose next step is due and that no process is publishing. Counted up to 100,000.",
            namespace=_METRIC_PREFIX,
            registry=registry,
        )
        self.oldest_post = Gauge(
            "post_oldest_due_seconds",
            "How long the oldest of these targets has been due. 0 if none is due.",
            namespace=_METRIC_PREFIX,
            registry=registry,
        )

    def mark_unknown(self) -> None:
        """Show that nothing is known."""
        for gauge in (self.deliveries_pending, self.oldest_delivery, self.posts_due, self.oldest_post):
            gauge.set(nan)
        self.jobs_due.clear()
        self.oldest_job.clear()


class Metrics:
    """All metrics of one process, in a registry of their own. Those of `backlog` concern the whole deployment."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.backlog = BacklogGauges(self.registry)
        self.requests = Counter(
            "http_requests",
            "Requests answered, by method, route and status.",
            ("method", "route", "status"),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.request_seconds = Histogram(
            "http_request_seconds",
            "Time from the first byte of a request to the last byte of its response, by route.",
            ("route",),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )
        self.in_flight = Gauge(
            "http_requests_in_flight",
            "Requests in progress.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.connections = Gauge(
            "connections",
            "Open client connections.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.refused_connections = Counter(
            "refused_connections",
            "Connections closed by the service, by reason: the code of the error that was returned, `evicted` to make "
            "room for others, `silent` if no request was received, `answer_not_read` if the client did not read the "
            "response.",
            ("reason",),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.refused_credentials = Counter(
            "refused_credentials",
            "Requests with an unknown, expired or revoked credential.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.replays = Counter(
            "idempotent_replays",
            "Requests answered with the stored response of an earlier request with the same Idempotency-Key.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.rate_limited = Counter(
            "rate_limited",
            "Requests rejected because a limit was reached, by policy.",
            ("policy",),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.quota_refusals = Counter(
            "platform_quota_refusals",
            "Calls to platforms that were not made because a quota is used up, by platform and quota.",
            ("platform", "quota"),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.plan_refusals = Counter(
            "plan_refusals",
            "Requests rejected because the limit of a plan was reached, by what it limits.",
            ("metric",),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.attempts = DeliveryAttemptCollector(self.registry)
        self.lanes_held = Gauge(
            "delivery_lanes_held",
            "Hooks that this process is currently delivering to.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.webhooks = Counter(
            "inbound_webhooks",
            "Webhook requests from platforms, by platform and outcome: `stored`, `refused`, or `answered` if there "
            "was nothing to store.",
            ("platform", "outcome"),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.inbound_facts = Counter(
            "inbound_facts",
            "Facts reported by platforms, by platform and kind. `UnhandledFact` counts those that no part of the "
            "service handles.",
            ("platform", "kind"),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.database_connections = Gauge(
            "database_connections_in_use",
            "Connections to the database that are running a statement or a transaction. With PostgreSQL at most "
            "SOCIALGATE_DATABASE_POOL.",
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
        self.maintenance_rows = Counter(
            "maintenance_rows",
            "Expired rows deleted by the worker, by table.",
            ("table",),
            namespace=_METRIC_PREFIX,
            registry=self.registry,
        )
