"""What the service counts. Each help text is the metric's documentation."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

_PREFIX = "socialgate"


class Attempts(Collector):
    """Attempts to deliver: how many, and how long they took.

    Counted by hand, and put into form only when somebody looks: the client's own counters, which are for many threads,
    took ten times as long, and this is done for every delivery.
    """

    BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)

    def __init__(self, registry: CollectorRegistry) -> None:
        self._succeeded = self._failed = 0
        self._seconds = 0.0
        self._counts = [0] * (len(self.BOUNDS) + 1)
        registry.register(self)

    def count(self, seconds: float, *, succeeded: bool) -> None:
        if succeeded:
            self._succeeded += 1
        else:
            self._failed += 1
        self._seconds += seconds
        self._counts[bisect_left(self.BOUNDS, seconds)] += 1

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        number = CounterMetricFamily(
            f"{_PREFIX}_delivery_attempts", "Attempts to deliver an event to a hook, by outcome.", labels=["outcome"]
        )
        number.add_metric(["succeeded"], self._succeeded)
        number.add_metric(["failed"], self._failed)
        yield number
        bounds = [*map(str, self.BOUNDS), "+Inf"]
        yield HistogramMetricFamily(
            f"{_PREFIX}_delivery_attempt_seconds",
            "Time of one attempt: connecting, sending, and reading the answer.",
            buckets=list(zip(bounds, accumulate(self._counts), strict=True)),
            sum_value=self._seconds,
        )

    # By this the registry knows the names.
    describe = collect


class Metrics:
    """All metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "http_requests",
            "Requests answered, by method, route and status.",
            ("method", "route", "status"),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.request_seconds = Histogram(
            "http_request_seconds",
            "Time from the first byte of a request to the last byte of its answer, by route.",
            ("route",),
            namespace=_PREFIX,
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )
        self.in_flight = Gauge(
            "http_requests_in_flight",
            "Requests being worked on now.",
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.connections = Gauge(
            "connections",
            "Connections that clients hold now.",
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.refused_connections = Counter(
            "refused_connections",
            "Connections ended by the service, by reason: the code of the error that was answered, `evicted` to make "
            "room for others, `silent` where no request came, `answer_not_read` where the client did not take it.",
            ("reason",),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.refused_credentials = Counter(
            "refused_credentials",
            "Requests with a credential that is unknown, expired or revoked.",
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.replays = Counter(
            "idempotent_replays",
            "Requests answered from the record of an earlier one with the same Idempotency-Key.",
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.rate_limited = Counter(
            "rate_limited",
            "Requests refused because a limit was reached, by policy.",
            ("policy",),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.quota_refusals = Counter(
            "platform_quota_refusals",
            "Calls to platforms that were not made because a quota is used up, by platform and quota.",
            ("platform", "quota"),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.attempts = Attempts(self.registry)
        self.lanes_held = Gauge(
            "delivery_lanes_held",
            "Hooks that this process is delivering to now.",
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.webhooks = Counter(
            "inbound_webhooks",
            "Requests of platforms, by platform and outcome: `stored`, `refused`, or `answered` with nothing to keep.",
            ("platform", "outcome"),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.inbound_facts = Counter(
            "inbound_facts",
            "What platforms reported, by platform and kind. `UnhandledFact` is what no part of the service acts on.",
            ("platform", "kind"),
            namespace=_PREFIX,
            registry=self.registry,
        )
        self.maintenance_rows = Counter(
            "maintenance_rows",
            "Expired rows removed by the worker, by table.",
            ("table",),
            namespace=_PREFIX,
            registry=self.registry,
        )
