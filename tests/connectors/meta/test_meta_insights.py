"""What Meta refuses, does not show, or no longer has: each is said of its metric, and fails no other."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from socialgate.connectors.meta.metrics import INSTAGRAM_METRICS, PAGE_METRICS
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.failures import PlatformRateLimitError
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange, MetricReadings
from socialgate.contracts.metrics import PlatformMetric
from socialgate.contracts.platforms import Kind, Platform
from support.connections import available, connect_accounts
from support.connectors import connector_of, open_credentials
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService

TODAY = datetime.now(UTC).date()
# A person whose accounts are small.
BRAM = "122097438912000202"
DEAD = PlatformMetric(name="impressions", vendor="page_impressions")


@pytest.fixture
def meta(service: RunningService) -> Iterator[Connector]:
    """Give a connector that has not heard of any metric that is gone."""
    with connector_of(service, Platform.META) as connector:
        yield connector


def account(owner: OwnerFixture, kind: Kind, name: str = "Lindqvist Bakery") -> AccountCredentials:
    rows = owner.session.get("/accounts", params={"limit": 200}).json()["data"]
    result = next(row["id"] for row in rows if row["kind"] == kind and row["name"] == name)
    return open_credentials(owner.running, result)


def read(
    running: RunningService,
    meta: Connector,
    credentials: AccountCredentials,
    metrics: tuple[PlatformMetric, ...],
    days: DateRange | None = None,
) -> MetricReadings:
    part = meta.find_adapter(Kind(credentials.kind), INSIGHTS_CAPABILITY)
    assert part is not None
    recent = DateRange(TODAY - timedelta(days=9), TODAY - timedelta(days=3))
    metric_readings: MetricReadings = running.run(part.read_account_metrics(credentials, metrics, days or recent, ()))
    return metric_readings


def calls(sandbox: Sandbox) -> list[str]:
    rows = sandbox.listed("received", platform="meta", path="*/insights", limit=2000)
    return [row["query"]["metric"] for row in rows]


def codes(readings: MetricReadings) -> dict[str, str]:
    return {name: reading.unavailable.code for name, reading in readings.items() if reading.unavailable is not None}


def test_a_retired_metric_is_found_by_halves_and_then_left_out(
    owner: OwnerFixture, sandbox: Sandbox, meta: Connector
) -> None:
    connect_accounts(sandbox, owner, "meta")
    credentials = account(owner, Kind.FACEBOOK_PAGE)
    metrics = (*PAGE_METRICS.account_metrics[1:5], DEAD, *PAGE_METRICS.account_metrics[5:])
    before = len(calls(sandbox))
    first = read(owner.running, meta, credentials, metrics)
    assert codes(first) == {"impressions": "retired"}
    assert all(
        first[metric.name].total is not None for metric in metrics if metric.form == "flow" and metric is not DEAD
    )
    tried = len(calls(sandbox)) - before
    assert 1 < tried <= 2 * len(metrics)
    second = read(owner.running, meta, credentials, metrics)
    assert (codes(second), len(calls(sandbox)) - before - tried) == ({"impressions": "retired"}, 1)
    assert "page_impressions" not in calls(sandbox)[0]


def test_a_permission_that_was_not_granted_is_said_of_each_metric_that_needs_it(
    owner: OwnerFixture, sandbox: Sandbox, meta: Connector
) -> None:
    scopes = [
        *("pages_show_list", "pages_read_engagement", "pages_manage_metadata", "business_management"),
        *("instagram_basic", "pages_messaging"),
    ]
    assert Connection(sandbox, owner, "meta").finish(scopes=scopes).status_code == 200
    path = f"/profiles/{owner.profile_id}/connect/meta"
    assert owner.session.post(path, json={"ids": available(owner, path)}).status_code == 201
    for kind, table in ((Kind.FACEBOOK_PAGE, PAGE_METRICS), (Kind.INSTAGRAM, INSTAGRAM_METRICS)):
        metric_readings = read(
            owner.running,
            meta,
            account(owner, kind),
            table.account_metrics,
            DateRange(TODAY - timedelta(days=3), TODAY),
        )
        assert metric_readings["followers"].total is not None
        assert set(codes(metric_readings).values()) == {"permission_missing"}
        assert set(codes(metric_readings)) == {platform_metric.name for platform_metric in table.account_metrics} - {
            "followers"
        }
        assert all(
            metric_reading.total is None for name, metric_reading in metric_readings.items() if name != "followers"
        )


def test_a_small_account_shows_why_it_has_no_numbers(owner: OwnerFixture, sandbox: Sandbox, meta: Connector) -> None:
    """Instagram leaves out of its answer what it does not tell of accounts with fewer than 100 followers."""
    assert Connection(sandbox, owner, "meta").finish(person=BRAM).status_code == 200
    path = f"/profiles/{owner.profile_id}/connect/meta"
    assert owner.session.post(path, json={"ids": available(owner, path)}).status_code == 201
    metric_readings = read(
        owner.running, meta, account(owner, Kind.INSTAGRAM, "Okafor Media"), INSTAGRAM_METRICS.account_metrics[1:]
    )
    assert codes(metric_readings) == {"follows": "too_few_viewers", "unfollows": "too_few_viewers"}
    assert [metric_readings[name].total for name in codes(metric_readings)] == [None, None]
    assert metric_readings["views"].total is not None


def test_too_many_calls_are_a_failure_only_where_nothing_was_read(
    owner: OwnerFixture, sandbox: Sandbox, meta: Connector
) -> None:
    connect_accounts(sandbox, owner, "meta")
    credentials = account(owner, Kind.INSTAGRAM)
    order: dict[str, Any] = {"platform": "meta", "error": "business_rate_limited", "path": "*/insights"}
    sandbox.control("fail", **order)
    metric_readings = read(
        owner.running, meta, credentials, INSTAGRAM_METRICS.account_metrics, DateRange(TODAY - timedelta(days=3), TODAY)
    )
    assert metric_readings["followers"].total is not None
    assert codes(metric_readings)["reach"] == "platform_rate_limited"
    with pytest.raises(PlatformRateLimitError):
        read(owner.running, meta, credentials, INSTAGRAM_METRICS.account_metrics[1:3])
