"""The weeks of tables on PostgreSQL: they are created and dropped while others use the tables, and nobody fails."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from socialgate.core.db import Database, Tx
from socialgate.core.metrics import Metrics
from socialgate.core.partitions import ID_PREFIX_BY_TABLE, create_partitions, drop_expired_rows
from support.postgres import new_database
from support.service import MovableClock

LATER = timedelta(days=60)
LOOKS = 10_000
WEEKS = "SELECT count(*) FROM pg_inherits WHERE inhparent = CAST(:parent AS regclass)"
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass"


@pytest.fixture(name="url")
def url_of_database(postgres_url: str) -> str:
    return new_database(postgres_url)


@asynccontextmanager
async def opened(url: str, clock: MovableClock) -> AsyncIterator[Database]:
    db = Database(url, clock)
    try:
        yield db
    finally:
        await db.close()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        # A deadlock is found at once, by the one that must not suffer from it.
        await connection.execute("SET deadlock_timeout = '1ms'")
        yield connection
    finally:
        await connection.close()


async def weeks_of(db: Database, table: str) -> int:
    async def unit(tx: Tx) -> int:
        return int(await tx.scalar(sa.text(WEEKS), {"parent": table}))

    return await db.read(unit)


async def until_somebody_waits_for(watcher: Any, table: str, job: "asyncio.Task[None]") -> None:
    for _ in range(LOOKS):
        if job.done() or await watcher.fetchval(WAITING, table):
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"nobody waits for {table}")


async def drop(db: Database) -> None:
    await drop_expired_rows(db, Metrics(), tuple(ID_PREFIX_BY_TABLE), timedelta(days=7))


@pytest.mark.parametrize("job", [create_partitions, drop])
@pytest.mark.parametrize(("first", "second"), [("deliveries", "events"), ("inbound", "deliveries")])
def test_who_reads_two_tables_is_never_part_of_a_deadlock(
    url: str, job: Callable[[Database], Awaitable[None]], first: str, second: str
) -> None:
    """The reader has one table and wants another, which the job has already worked on when it waits for the first."""
    clock = MovableClock()

    async def run() -> None:
        async with opened(url, clock) as db, connected(url) as reader, connected(url) as watcher:
            await create_partitions(db)
            clock.offset += LATER
            before = await weeks_of(db, second)
            async with reader.transaction():
                await reader.fetchval(f"SELECT count(*) FROM {first}")  # noqa: S608 - one of our own
                working = asyncio.ensure_future(job(db))
                await until_somebody_waits_for(watcher, first, working)
                assert await reader.fetchval(f"SELECT count(*) FROM {second}") == 0  # noqa: S608 - one of our own
            (outcome,) = await asyncio.gather(working, return_exceptions=True)
            # At worst it waited for the reader for too long, and is to be repeated.
            assert outcome is None or isinstance(outcome.__cause__, asyncpg.LockNotAvailableError)
            await job(db)
            assert await weeks_of(db, second) != before

    asyncio.run(run())


def test_old_weeks_are_dropped_and_new_ones_stay(url: str) -> None:
    clock = MovableClock()

    async def run() -> None:
        async with opened(url, clock) as db:
            clock.offset += timedelta(days=365)
            await create_partitions(db)
            await drop(db)
            # The default partition, the week before, this one, and four ahead.
            assert [await weeks_of(db, table) for table in ID_PREFIX_BY_TABLE] == [7, 7, 7]

    asyncio.run(run())
