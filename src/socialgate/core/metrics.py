"""What the service counts. Each help text is the metric's documentation."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_PREFIX = "socialgate"


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
        self.attempts = Counter(
            "delivery_attempts",
            "Attempts to deliver an event to a hook, by outcome.",
            ("outcome",),
            namespace=_PREFIX,
            registry=self.registry,
        )
        # Bound once: looking a label up costs more than counting.
        self.attempts_succeeded = self.attempts.labels("succeeded")
        self.attempts_failed = self.attempts.labels("failed")
        self.attempt_seconds = Histogram(
            "delivery_attempt_seconds",
            "Time of one attempt: connecting, sending, and reading the answer.",
            namespace=_PREFIX,
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
        )
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
            "What platforms reported, by platform and kind. `Other` is what no part of the service acts on.",
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
