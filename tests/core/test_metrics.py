"""What is counted by hand looks as if Prometheus' own client had counted it.

All but the times of creation, which are documented nowhere.
"""

import pytest
from prometheus_client import CollectorRegistry, Gauge, Histogram

from socialgate.core.metrics import Attempts

SECONDS = [0.0, 0.004, 0.005, 0.006, 0.025, 0.3, 1.0, 19.999, 20.0, 20.001, 3_600.0]
NAME = "socialgate_delivery_attempt_seconds"


def samples(registry: CollectorRegistry) -> dict[tuple[str, str], float]:
    found = [sample for family in registry.collect() for sample in family.samples if sample.name.startswith(f"{NAME}_")]
    return {(one.name, one.labels.get("le", "")): one.value for one in found if not one.name.endswith("_created")}


def test_times_of_attempts_fall_into_the_same_buckets() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    attempts, histogram = Attempts(ours), Histogram(NAME, "", registry=theirs, buckets=Attempts.BOUNDS)
    assert samples(ours) == samples(theirs)
    for seconds in SECONDS:
        attempts.count(seconds, succeeded=True)
        histogram.observe(seconds)
    assert samples(ours) == samples(theirs)


@pytest.mark.parametrize("name", [NAME, "socialgate_delivery_attempts"])
def test_the_registry_knows_the_names(name: str) -> None:
    registry = CollectorRegistry()
    Attempts(registry)
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        Gauge(name, "", registry=registry)


def test_times_can_be_asked_for_by_their_name() -> None:
    registry = CollectorRegistry()
    Attempts(registry)
    asked = registry.restricted_registry([f"{NAME}_count"])
    assert [sample.name for family in asked.collect() for sample in family.samples] == [f"{NAME}_count"]


@pytest.mark.parametrize(("outcome", "count"), [("succeeded", 3), ("failed", 1)])
def test_attempts_are_counted_by_outcome(outcome: str, count: int) -> None:
    registry = CollectorRegistry()
    attempts = Attempts(registry)
    for succeeded in (True, True, False, True):
        attempts.count(0.1, succeeded=succeeded)
    assert registry.get_sample_value("socialgate_delivery_attempts_total", {"outcome": outcome}) == count
