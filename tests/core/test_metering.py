"""What owners use: counted with the change itself, exactly, whoever counts at the same time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.metering import (
    OWNER_PART_ID,
    UsageCounted,
    UsageMetric,
    count_usage,
    get_last_usage_levels,
    record_usage_levels,
    usage_days,
    usage_months,
)
from socialgate.core.schema_migration import run_schema_work
from socialgate.core.settings import Settings
from support.postgres import new_database

pytestmark = pytest.mark.both_engines

T = TypeVar("T")

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
TODAY = NOON.date()
LIMIT = 10


class SetClock:
    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        return self.time


class Refused(Exception):
    """What the listener of a plan raises."""


class Node:
    """One process of a deployment, with a plan of ten posts a month."""

    def __init__(self, url: str) -> None:
        self.clock = SetClock()
        self.db = Database(url, self.clock)
        self.db.facts.add_listener(UsageCounted, self._check)

    async def _check(self, tx: Tx, fact: UsageCounted, owner_id: str) -> None:
        del tx, owner_id
        if fact.metric is UsageMetric.POSTS and fact.used > LIMIT:
            raise Refused

    async def use(
        self, metric: UsageMetric = UsageMetric.POSTS, amount: int = 1, profile: str | None = "prf_1"
    ) -> None:
        async def unit(tx: Tx) -> None:
            count_usage(tx, "own_1", profile, metric, amount)

        await self.db.write(unit)

    async def days(self) -> list[tuple[Any, ...]]:
        columns = usage_days.c
        select = sa.select(columns.metric, columns.day, columns.part_id, columns.used)
        return await self._rows(select.order_by(columns.metric, columns.day, columns.part_id))

    async def months(self) -> list[tuple[Any, ...]]:
        columns = usage_months.c
        return await self._rows(sa.select(columns.metric, columns.month, columns.used).order_by(columns.month))

    async def _rows(self, statement: sa.Select[Any]) -> list[tuple[Any, ...]]:
        async def read(tx: Tx) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await tx.all(statement)]

        return await self.db.read(read)


@pytest.fixture
def url(engine: str, postgres_url: str, tmp_path: Path) -> str:
    if engine == "postgres":
        return Settings(database_url=new_database(postgres_url)).effective_database_url
    return sqlite_url(tmp_path / "test.db")


@asynccontextmanager
async def node(url: str) -> AsyncIterator[Node]:
    node = Node(url)
    try:
        await run_schema_work(node.db, lambda connection: usage_days.create(connection, checkfirst=True))
        await run_schema_work(node.db, lambda connection: usage_months.create(connection, checkfirst=True))
        yield node
    finally:
        await node.db.close()


def on_node(url: str, use: Callable[[Node], Awaitable[T]]) -> T:
    async def run() -> T:
        async with node(url) as created_node:
            return await use(created_node)

    return asyncio.run(run())


def test_use_is_counted_by_day_and_profile_and_by_month(url: str) -> None:
    async def use(here: Node) -> None:
        await here.use()
        await here.use(amount=2)
        await here.use(profile=None)
        await here.use(UsageMetric.MESSAGES_RECEIVED, 7)
        here.clock.time = NOON + timedelta(days=16)
        await here.use()
        assert await here.days() == [
            ("messagesReceived", TODAY, "prf_1", 7),
            ("posts", TODAY, "", 1),
            ("posts", TODAY, "prf_1", 3),
            ("posts", date(2026, 12, 1), "prf_1", 1),
        ]
        assert await here.months() == [("posts", date(2026, 11, 1), 4), ("posts", date(2026, 12, 1), 1)]

    on_node(url, use)


def test_a_unit_that_fails_counts_nothing_and_one_that_counts_too_much_fails(url: str) -> None:
    async def fail(tx: Tx) -> None:
        count_usage(tx, "own_1", "prf_1", UsageMetric.POSTS)
        raise ZeroDivisionError

    async def use(here: Node) -> None:
        with pytest.raises(ZeroDivisionError):
            await here.db.write(fail)
        await here.use(amount=LIMIT - 1)
        with pytest.raises(Refused):
            await here.use(amount=2)
        assert await here.days() == [("posts", TODAY, "prf_1", LIMIT - 1)]
        assert await here.months() == [("posts", date(2026, 11, 1), LIMIT - 1)]

    on_node(url, use)


def test_what_did_not_happen_is_returned_to_the_day_it_was_counted_on(url: str) -> None:
    async def give_back(tx: Tx) -> None:
        count_usage(tx, "own_1", "prf_1", UsageMetric.POSTS, -1, at=NOON)

    async def use(here: Node) -> None:
        await here.use(amount=LIMIT)
        here.clock.time = NOON + timedelta(days=20)
        await here.db.write(give_back)
        assert await here.days() == [("posts", TODAY, "prf_1", LIMIT - 1)]
        assert await here.months() == [("posts", date(2026, 11, 1), LIMIT - 1)]

    on_node(url, use)


def test_a_limit_holds_exactly_when_many_use_it_at_once_on_several_nodes(url: str) -> None:
    async def use(here: Node) -> None:
        async with node(url) as other:
            outcomes = await asyncio.gather(
                *(node.use(profile=f"prf_{number}") for number in range(12) for node in (here, other)),
                return_exceptions=True,
            )
        assert [type(outcome) for outcome in outcomes].count(Refused) == 24 - LIMIT
        assert outcomes.count(None) == LIMIT
        assert sum(used for _, _, _, used in await here.days()) == LIMIT

    on_node(url, use)


def test_units_that_count_in_opposite_orders_do_not_wait_for_each_other(url: str) -> None:
    """Nothing is locked until both have counted everything, and then in one order: neither runs twice."""
    runs: list[str] = []

    async def use(here: Node) -> None:
        async def unit(tx: Tx, name: str, owners: list[str]) -> None:
            runs.append(name)
            for owner in owners:
                count_usage(tx, owner, "prf_1", UsageMetric.MESSAGES_RECEIVED)
                count_usage(tx, owner, "prf_1", UsageMetric.MESSAGES_SENT)
                await tx.all(sa.select(usage_days.c.used))

        owners = [f"own_{number:02}" for number in range(20)]
        await asyncio.gather(
            *(here.db.write(unit, f"forward {number}", owners) for number in range(4)),
            *(here.db.write(unit, f"backward {number}", owners[::-1]) for number in range(4)),
        )
        assert len(runs) == len(set(runs)) == 8
        assert {used for _, _, _, used in await here.days()} == {8}

    on_node(url, use)


def test_a_level_counts_by_its_highest_value_and_holds_until_the_next(url: str) -> None:
    accounts = UsageMetric.CONNECTED_ACCOUNTS

    async def use(here: Node) -> None:
        async def now_at(**levels: int) -> None:
            whole = {OWNER_PART_ID: sum(levels.values()), **levels}
            await here.db.write(record_usage_levels, "own_1", accounts, whole)

        await now_at(prf_1=2, prf_2=1)
        await now_at(prf_1=1)
        here.clock.time = NOON + timedelta(days=3)
        await now_at(prf_1=0)
        assert await here.days() == [
            ("connectedAccounts", TODAY, "", 3),
            ("connectedAccounts", TODAY, "prf_1", 2),
            ("connectedAccounts", TODAY, "prf_2", 1),
            ("connectedAccounts", date(2026, 11, 18), "", 1),
            ("connectedAccounts", date(2026, 11, 18), "prf_1", 1),
        ]
        known = {"": 1, "prf_1": 1, "prf_2": 1}
        assert await here.db.read(get_last_usage_levels, "own_1", accounts, date(2026, 11, 17)) == known
        assert await here.db.read(get_last_usage_levels, "own_1", accounts, TODAY - timedelta(days=1)) == {}

    on_node(url, use)
