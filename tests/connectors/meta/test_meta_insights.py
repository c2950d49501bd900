"""What Meta refuses, does not show, or no longer has: each is said of its metric, and fails no other."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from socialgate.connectors.meta.metrics import INSTAGRAM, PAGE
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformRateLimited
from socialgate.contracts.insights import INSIGHTS, Days, Readings
from socialgate.contracts.metrics import Metric
from socialgate.contracts.platforms import Kind, Platform
from support.connections import available, connected
from support.connectors import connector_of, held_of
from support.sandbox import Connection, Sandbox
from support.service import OwnerOf, RunningService

TODAY = datetime.now(UTC).date()
DEAD = Metric(name="impressions", vendor="page_impressions")


@pytest.fixture
def meta(service: RunningService) -> Iterator[Connector]:
    """Give a connector that has not heard of any metric that is gone."""
    with connector_of(service, Platform.META) as found:
        yield found


def account(owner: OwnerOf, kind: Kind, name: str = "Lindqvist Bakery") -> AccountCredentials:
    rows = owner.session.get("/accounts", params={"limit": 200}).json()["data"]
    found = next(row["id"] for row in rows if row["kind"] == kind and row["name"] == name)
    return held_of(owner.running, found)


def read(
    running: RunningService,
    meta: Connector,
    held: AccountCredentials,
    metrics: tuple[Metric, ...],
    days: Days | None = None,
) -> Readings:
    part = meta.part(Kind(held.kind), INSIGHTS)
    assert part is not None
    recent = Days(TODAY - timedelta(days=9), TODAY - timedelta(days=3))
    found: Readings = running.run(part.of_account(held, metrics, days or recent, ()))
    return found


def calls(sandbox: Sandbox) -> list[str]:
    rows = sandbox.listed("received", platform="meta", path="*/insights", limit=2000)
    return [row["query"]["metric"] for row in rows]


def codes(readings: Readings) -> dict[str, str]:
    return {name: one.unavailable.code for name, one in readings.items() if one.unavailable is not None}


def test_a_retired_metric_is_found_by_halves_and_then_left_out(
    owner: OwnerOf, sandbox: Sandbox, meta: Connector
) -> None:
    connected(sandbox, owner, "meta")
    held = account(owner, Kind.FACEBOOK_PAGE)
    metrics = (*PAGE.account[1:5], DEAD, *PAGE.account[5:])
    before = len(calls(sandbox))
    first = read(owner.running, meta, held, metrics)
    assert codes(first) == {"impressions": "retired"}
    assert all(first[one.name].total is not None for one in metrics if one.form == "flow" and one is not DEAD)
    tried = len(calls(sandbox)) - before
    assert 1 < tried <= 2 * len(metrics)
    second = read(owner.running, meta, held, metrics)
    assert (codes(second), len(calls(sandbox)) - before - tried) == ({"impressions": "retired"}, 1)
    assert "page_impressions" not in calls(sandbox)[0]


def test_a_permission_that_was_not_granted_is_said_of_each_metric_that_needs_it(
    owner: OwnerOf, sandbox: Sandbox, meta: Connector
) -> None:
    scopes = [
        *("pages_show_list", "pages_read_engagement", "pages_manage_metadata", "business_management"),
        *("instagram_basic", "pages_messaging"),
    ]
    assert Connection(sandbox, owner, "meta").finish(scopes=scopes).status_code == 200
    path = f"/profiles/{owner.profile_id}/connect/meta"
    assert owner.session.post(path, json={"ids": available(owner, path)}).status_code == 201
    for kind, table in ((Kind.FACEBOOK_PAGE, PAGE), (Kind.INSTAGRAM, INSTAGRAM)):
        told = read(owner.running, meta, account(owner, kind), table.account, Days(*[TODAY] * 2))
        assert told["followers"].total is not None
        assert set(codes(told).values()) == {"permission_missing"}
        assert set(codes(told)) == {one.name for one in table.account} - {"followers"}
        assert all(one.total is None for name, one in told.items() if name != "followers")


def test_a_small_account_shows_why_it_has_no_numbers(owner: OwnerOf, sandbox: Sandbox, meta: Connector) -> None:
    """A Page with fewer than 100 likes gets empty answers, and so does a small account on Instagram."""
    connected(sandbox, owner, "meta")
    small = [one for one in sandbox.accounts("meta") if one["name"] == "Bakers Wanted"]
    assert small
    told = read(owner.running, meta, account(owner, Kind.FACEBOOK_PAGE, "Bakers Wanted"), PAGE.account)
    assert set(codes(told).values()) <= {"too_few_viewers", "not_counted_yet"}
    assert all(one.total is None for one in told.values() if one.unavailable is not None)


def test_too_many_calls_are_a_failure_only_where_nothing_was_read(
    owner: OwnerOf, sandbox: Sandbox, meta: Connector
) -> None:
    connected(sandbox, owner, "meta")
    held = account(owner, Kind.INSTAGRAM)
    order: dict[str, Any] = {"platform": "meta", "error": "business_rate_limited", "path": "*/insights"}
    sandbox.control("fail", **order)
    told = read(owner.running, meta, held, INSTAGRAM.account, Days(TODAY - timedelta(days=3), TODAY))
    assert told["followers"].total is not None
    assert codes(told)["reach"] == "platform_rate_limited"
    with pytest.raises(PlatformRateLimited):
        read(owner.running, meta, held, INSTAGRAM.account[1:3])
