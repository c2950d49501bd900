"""What is counted by hand looks as if Prometheus' own client had counted it.

All but the times of creation, which are documented nowhere.
"""

import pytest
from prometheus_client import CollectorRegistry, Gauge, Histogram

from socialgate.core.metrics import DeliveryAttemptCollector

SECONDS = [0.0, 0.004, 0.005, 0.006, 0.025, 0.3, 1.0, 19.999, 20.0, 20.001, 3_600.0]
NAME = "socialgate_delivery_attempt_seconds"


def samples(registry: CollectorRegistry) -> dict[tuple[str, str], float]:
    result = [
        sample for family in registry.collect() for sample in family.samples if sample.name.startswith(f"{NAME}_")
    ]
    return {(item.name, item.labels.get("le", "")): item.value for item in result if not item.name.endswith("_created")}


def test_times_of_attempts_fall_into_the_same_buckets() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    attempts, histogram = (
        DeliveryAttemptCollector(ours),
        Histogram(NAME, "", registry=theirs, buckets=DeliveryAttemptCollector.BUCKET_BOUNDS_SECONDS),
    )
    assert samples(ours) == samples(theirs)
    for seconds in SECONDS:
        attempts.observe_attempt(seconds, succeeded=True)
        histogram.observe(seconds)
    assert samples(ours) == samples(theirs)


@pytest.mark.parametrize("name", [NAME, "socialgate_delivery_attempts"])
def test_the_registry_knows_the_names(name: str) -> None:
    registry = CollectorRegistry()
    DeliveryAttemptCollector(registry)
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        Gauge(name, "", registry=registry)


def test_times_can_be_asked_for_by_their_name() -> None:
    registry = CollectorRegistry()
    DeliveryAttemptCollector(registry)
    restricted_registry = registry.restricted_registry([f"{NAME}_count"])
    assert [sample.name for family in restricted_registry.collect() for sample in family.samples] == [f"{NAME}_count"]


@pytest.mark.parametrize(("outcome", "count"), [("succeeded", 3), ("failed", 1)])
def test_attempts_are_counted_by_outcome(outcome: str, count: int) -> None:
    registry = CollectorRegistry()
    attempts = DeliveryAttemptCollector(registry)
    for succeeded in (True, True, False, True):
        attempts.observe_attempt(0.1, succeeded=succeeded)
    assert registry.get_sample_value("socialgate_delivery_attempts_total", {"outcome": outcome}) == count
