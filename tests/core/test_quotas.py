"""Quotas of platforms: counted over all nodes, never exceeded, and free again when their span is over."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.metrics import Metrics
from socialgate.core.quotas import (
    BudgetUsage,
    QuotaBudget,
    QuotaExceededError,
    Quotas,
    get_budget_usage,
    get_next_midnight,
    purge_quotas,
    quota_use,
)
from socialgate.core.schema_migration import run_schema_work
from socialgate.core.settings import Settings
from support.postgres import new_database
from support.spender import spend_together, spent

pytestmark = pytest.mark.both_engines

T = TypeVar("T")

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = 24 * 60 * 60
PACIFIC = "America/Los_Angeles"
POSTS = QuotaBudget(platform="threads", quota="posts", subject="12", limit=3, window_seconds=DAY)
UNITS = QuotaBudget(
    platform="google", quota="units", subject="app", limit=10_000, window_seconds=DAY, reset_timezone=PACIFIC
)


class StoppedClock:
    def __init__(self, time: datetime = NOON) -> None:
        self.time = time

    def now(self) -> datetime:
        return self.time


class Node:
    """One process of a deployment."""

    def __init__(self, url: str, clock: StoppedClock) -> None:
        self.clock = clock
        self.metrics = Metrics()
        self.db = Database(url, clock)
        self.quotas = Quotas(self.db, self.metrics)

    async def refused(self, budget: QuotaBudget, units: int = 1) -> QuotaExceededError:
        with pytest.raises(QuotaExceededError) as caught:
            await self.quotas.spend([(budget, units)])
        return caught.value

    async def use(self, budget: QuotaBudget) -> BudgetUsage | None:
        return (await self.db.read(get_budget_usage, [budget.key])).get(budget.key)

    async def rows(self) -> int:
        async def count(tx: Tx) -> int:
            return int(await tx.scalar(sa.select(sa.func.count()).select_from(quota_use)))

        return await self.db.read(count)


@pytest.fixture
def url(engine: str, postgres_url: str, tmp_path: Path) -> str:
    """Give an empty database of one's own."""
    if engine == "postgres":
        return Settings(database_url=new_database(postgres_url)).effective_database_url
    return sqlite_url(tmp_path / "test.db")


@asynccontextmanager
async def node(url: str, time: datetime = NOON) -> AsyncIterator[Node]:
    node = Node(url, StoppedClock(time))
    try:
        await run_schema_work(node.db, lambda connection: quota_use.create(connection, checkfirst=True))
        yield node
    finally:
        await node.db.close()


def on_node(url: str, use: Callable[[Node], Awaitable[T]], time: datetime = NOON) -> T:
    async def run() -> T:
        async with node(url, time) as created_node:
            return await use(created_node)

    return asyncio.run(run())


def test_a_quota_is_refused_when_it_is_used_up_and_says_until_when(url: str) -> None:
    async def use(here: Node) -> None:
        assert await spent(here.quotas, POSTS, 5) == 3
        refused = await here.refused(POSTS)
        assert (refused.budget, refused.used) == (POSTS, 3)
        assert timedelta(days=1) <= refused.frees_at - NOON <= timedelta(days=1, hours=1.05)
        assert refused.wait_seconds == pytest.approx((refused.frees_at - NOON).total_seconds(), abs=1)
        assert await here.use(POSTS) == BudgetUsage(3, refused.frees_at)
        counted = here.metrics.registry.get_sample_value(
            "socialgate_platform_quota_refusals_total", {"platform": "threads", "quota": "posts"}
        )
        assert counted == 3

    on_node(url, use)


def test_a_sliding_span_frees_what_is_older_and_no_more(url: str) -> None:
    async def use(here: Node) -> None:
        for _ in range(3):
            await here.quotas.spend([(POSTS, 1)])
            here.clock.time += timedelta(hours=6)
        refused = await here.refused(POSTS)
        here.clock.time = NOON + timedelta(seconds=DAY - 1)
        await here.refused(POSTS)
        here.clock.time = refused.frees_at
        await here.quotas.spend([(POSTS, 1)])
        await here.refused(POSTS)
        assert await here.rows() == 3, "what is over is removed by whoever spends"

    on_node(url, use)


def test_accounts_and_quotas_are_counted_apart(url: str) -> None:
    others = [
        QuotaBudget(platform="threads", quota="posts", subject="13", limit=3, window_seconds=DAY),
        QuotaBudget(platform="threads", quota="replies", subject="12", limit=3, window_seconds=DAY),
        QuotaBudget(platform="threads", quota="posts", subject="12", limit=3, window_seconds=60),
        QuotaBudget(platform="tiktok", quota="posts", subject="12", limit=3, window_seconds=DAY),
    ]

    async def use(here: Node) -> None:
        for budget in (POSTS, *others):
            assert await spent(here.quotas, budget, 4) == 3

    on_node(url, use)


def test_units_are_taken_of_all_budgets_or_of_none(url: str) -> None:
    async def use(here: Node) -> None:
        await here.quotas.spend([(UNITS, 9_950)])
        await here.refused(UNITS, 51)
        with pytest.raises(QuotaExceededError):
            await here.quotas.spend([(POSTS, 1), (UNITS, 51)])
        with pytest.raises(QuotaExceededError):
            await here.quotas.spend([(UNITS, 51), (POSTS, 1)])
        assert await here.use(POSTS) is None
        await here.quotas.spend([(POSTS, 1), (UNITS, 50)])
        used = await here.use(UNITS)
        assert used is not None
        assert used.used == 10_000
        with pytest.raises(ValueError, match="no call can spend"):
            await here.quotas.spend([(UNITS, 10_001)])

    on_node(url, use)


def test_what_is_given_back_can_be_spent_again(url: str) -> None:
    async def use(here: Node) -> None:
        await here.quotas.spend([(POSTS, 2)])
        taken = await here.quotas.spend([(POSTS, 1), (UNITS, 50)])
        await here.refused(POSTS)
        here.clock.time += timedelta(hours=2)
        await here.quotas.refund(taken)
        await here.quotas.spend([(POSTS, 1)])
        await here.refused(POSTS)
        assert await here.use(UNITS) is None

    on_node(url, use)


def test_what_is_over_is_purged(url: str) -> None:
    async def use(here: Node) -> None:
        await here.quotas.spend([(POSTS, 1)])
        await here.quotas.spend([(UNITS, 1)])
        assert await here.db.write(purge_quotas, NOON + timedelta(hours=1)) == 0
        assert await here.db.write(purge_quotas, NOON + timedelta(hours=26)) == 2
        assert await here.rows() == 0

    on_node(url, use)


# Each is a moment in UTC, and the midnight after it on the Pacific coast. On two of the days clocks change there.
MIDNIGHTS = [
    ("2026-11-15T12:00:00Z", "2026-11-16T08:00:00Z"),
    ("2026-11-16T07:59:59Z", "2026-11-16T08:00:00Z"),
    ("2026-11-16T08:00:00Z", "2026-11-17T08:00:00Z"),
    ("2026-07-01T12:00:00Z", "2026-07-02T07:00:00Z"),
    ("2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z"),
    ("2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z"),
]


@pytest.mark.parametrize(("now", "midnight"), MIDNIGHTS)
def test_a_quota_starts_again_at_midnight_where_the_platform_is(now: str, midnight: str) -> None:
    end = datetime.fromisoformat(midnight)
    assert get_next_midnight(datetime.fromisoformat(now), PACIFIC) == end
    assert UNITS.frees_at(datetime.fromisoformat(now)) == end


# The days of 23 and of 25 hours.
@pytest.mark.parametrize(("now", "midnight"), MIDNIGHTS[-2:])
def test_all_of_it_is_free_at_midnight_and_nothing_before(url: str, now: str, midnight: str) -> None:
    end = datetime.fromisoformat(midnight)

    async def use(here: Node) -> None:
        await here.quotas.spend([(UNITS, 9_000)])
        here.clock.time = end - timedelta(seconds=1)
        await here.quotas.spend([(UNITS, 1_000)])
        refused = await here.refused(UNITS)
        assert (refused.frees_at, refused.wait_seconds) == (end, 1)
        here.clock.time = end
        await here.quotas.spend([(UNITS, 10_000)])

    on_node(url, use, datetime.fromisoformat(now))


@given(st.integers(1, 90_000), st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - the zone is given beside
def test_what_is_used_counts_for_the_whole_span_and_one_slice_more_at_most(seconds: int, now: datetime) -> None:
    budget = QuotaBudget(platform="threads", quota="posts", subject="12", limit=3, window_seconds=seconds)
    span = timedelta(seconds=seconds)
    assert now + span < budget.frees_at(now) <= now + span + span / 23


def test_nodes_on_both_sides_of_a_slice_do_not_exceed_a_quota_together(url: str) -> None:
    """Clocks differ a little, and each node then writes into a slice of its own."""
    budget = QuotaBudget(platform="threads", quota="posts", subject="12", limit=30, window_seconds=DAY)
    border = budget.frees_at(NOON) - timedelta(seconds=DAY)

    async def run() -> int:
        async with node(url, border - timedelta(milliseconds=1)) as here, node(url, border) as there:
            assert budget.frees_at(here.clock.now()) != budget.frees_at(there.clock.now())
            return sum(await asyncio.gather(spent(here.quotas, budget, 30), spent(there.quotas, budget, 30)))

    assert asyncio.run(run()) == 30


def test_processes_do_not_exceed_a_quota_together(url: str) -> None:
    budget = QuotaBudget(platform="threads", quota="posts", subject="12", limit=50, window_seconds=DAY)

    async def make(_: Node) -> None:
        """Make the table."""

    on_node(url, make)
    assert spend_together(2, url, budget, 50) == 50
