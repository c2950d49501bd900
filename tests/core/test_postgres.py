"""The connections to PostgreSQL: none is lost, none goes back in a state that the next one trips over."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from socialgate.core import db as db_module
from socialgate.core.caller import current_owner_id
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.postgres import CONNECTION_ERRORS, PostgresDriver, connect_to_postgres
from socialgate.core.wakeups import NOTIFY_CHANNEL, WakeupDispatcher
from support.postgres import empty_database

ONE = "SELECT 1"
LEFT_OPEN = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
CUT_OFF = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), $1)
"""


@pytest.fixture(scope="module", name="url")
def url_of_database(postgres_url: str) -> str:
    return empty_database(postgres_url)


def on(url: str, job: Callable[[PostgresDriver], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = PostgresDriver(url, 1)
        try:
            return await job(database)
        finally:
            await database.close()

    return asyncio.run(run())


async def cut_off_all(url: str, spare: int = 0) -> None:
    """End all connections to a database but one, as a server that restarts does."""
    connection = await asyncpg.connect(url)
    await connection.execute(CUT_OFF, spare)
    await connection.close()


def cut_off_unnoticed(url: str, spare: int = 0) -> None:
    """The loop stands still meanwhile: nobody on it has learnt of this yet."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, cut_off_all(url, spare)).result()


def test_a_connection_that_the_driver_gave_up_is_replaced(url: str) -> None:
    async def give_up(database: PostgresDriver) -> None:
        async with database.transaction() as link:
            # As the driver does when it cannot tell a frozen server to cancel a statement.
            link._connection._abort()
            await link.fetch(ONE, ())

    async def go_on(database: PostgresDriver) -> list[Any]:
        with pytest.raises(CONNECTION_ERRORS):
            await give_up(database)
        return [tuple(row) for row in await database.fetch(ONE, ())]

    assert on(url, go_on) == [(1,)]


def test_a_transaction_begins_also_where_the_connection_at_hand_is_lost(url: str) -> None:
    async def begin(database: PostgresDriver) -> list[int]:
        await database.fetch(ONE, ())
        cut_off_unnoticed(url)
        async with database.transaction() as link:
            return [row[0] for row in await link.fetch(ONE, ())]

    assert on(url, begin) == [1]


def test_a_transaction_that_is_cut_off_leaves_nothing_open(url: str) -> None:
    async def cancelled(database: PostgresDriver) -> int:
        begun = asyncio.Event()

        async def hold() -> None:
            async with database.transaction() as link:
                begun.set()
                await link.fetch("SELECT pg_sleep(60)", ())

        holding = asyncio.create_task(hold())
        await begun.wait()
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        (row,) = await database.fetch(LEFT_OPEN, ())
        return int(row[0])

    assert on(url, cancelled) == 0


def test_a_connection_that_comes_back_to_a_closed_database_is_closed(url: str) -> None:
    async def close(database: PostgresDriver) -> bool:
        async with database.transaction() as link:
            await database.close()
            await link.fetch(ONE, ())
        return bool(link._connection.is_closed())

    assert on(url, close)


LIMITS = """
    SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),
           current_setting('transaction_timeout', true), current_setting('lock_timeout')
"""


def limits_of(url: str) -> tuple[str, ...]:
    async def ask(database: PostgresDriver) -> tuple[str, ...]:
        (row,) = await database.fetch(LIMITS, ())
        return tuple(row)

    result: tuple[str, ...] = on(url, ask)
    return result


def test_every_connection_has_limits_of_time_and_the_address_may_have_others(url: str) -> None:
    assert limits_of(url) == ("30s", "10s", "1min", "2s")
    assert limits_of(f"{url}&statement_timeout=2s&transaction_timeout=7s&lock_timeout=1s") == ("2s", "10s", "7s", "1s")


def test_changing_the_schema_may_take_its_time_but_not_pause(url: str) -> None:
    async def ask() -> tuple[str, ...]:
        connection = await connect_to_postgres(
            f"{url}&statement_timeout=2s&transaction_timeout=2s", without_timeouts=True
        )
        try:
            return tuple(await connection.fetchrow(LIMITS))
        finally:
            await connection.close()

    assert asyncio.run(ask()) == ("0", "10s", "0", "0")


def test_a_unit_that_the_server_ended_fails_as_an_outage_and_the_next_one_works(url: str) -> None:
    async def run_out() -> int:
        db = Database(f"{url}&idle_in_transaction_session_timeout=500ms", SystemClock(), pool_size=1)

        async def pause(tx: Tx) -> None:
            await tx.scalar(sa.text(ONE))
            await asyncio.to_thread(asyncio.run, until_alone(url))
            await tx.scalar(sa.text(ONE))

        try:
            with pytest.raises(Unavailable):
                await db.write(pause)
            return await db.write(_one)
        finally:
            await db.close()

    assert asyncio.run(run_out()) == 1


@pytest.mark.parametrize("limit", ["statement_timeout", "transaction_timeout"])
def test_a_unit_that_takes_too_long_fails_as_an_outage_and_the_next_one_works(url: str, limit: str) -> None:
    async def run_out() -> int:
        db = Database(f"{url}&{limit}=500ms", SystemClock(), pool_size=1)

        async def take_long(tx: Tx) -> None:
            await tx.execute(sa.text("SELECT pg_sleep(60)"))

        try:
            with pytest.raises(Unavailable):
                await db.write(take_long)
            return await db.write(_one)
        finally:
            await db.close()

    assert asyncio.run(run_out()) == 1


async def _lock(tx: Tx) -> None:
    await tx.lock("held by a process that is frozen")


def test_changes_that_wait_for_a_lock_leave_connections_to_other_owners_and_to_reads(url: str) -> None:
    """Whoever holds the lock may be frozen: only the owner whose lock it is may have to wait."""

    async def crowd(db: Database, free: asyncio.Event, owner_id: str) -> None:
        current_owner_id.set(owner_id)
        waiting = [asyncio.create_task(db.write(_lock)) for _ in range(30)]
        current_owner_id.set("another owner")
        async with asyncio.timeout(4):
            assert [await db.read(_one) for _ in range(20)] == [1] * 20
            assert [await db.write(_one) for _ in range(20)] == [1] * 20
        assert not any(task.done() for task in waiting)
        free.set()
        await asyncio.gather(*waiting)

    async def hold(db: Database, credentials: asyncio.Event, free: asyncio.Event) -> None:
        async def keep(tx: Tx) -> None:
            await _lock(tx)
            credentials.set()
            await free.wait()

        await db.write(keep)

    async def run() -> None:
        frozen, db = (Database(f"{url}&lock_timeout=60s", SystemClock(), pool_size=10) for _ in range(2))
        event, free = asyncio.Event(), asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(hold(frozen, event, free))
                await event.wait()
                group.create_task(crowd(db, free, "the owner of the lock"))
        finally:
            await frozen.close()
            await db.close()

    asyncio.run(run())


def test_a_lock_that_nobody_releases_is_not_waited_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db_module, "_MAX_LOCK_SECONDS", 0.5)

    async def run() -> int:
        holder = await connect_to_postgres(url)
        db = Database(f"{url}&lock_timeout=200ms", SystemClock(), pool_size=1)
        try:
            await holder.execute("SELECT pg_advisory_lock(hashtext('held by a process that is frozen'))")
            with pytest.raises(Unavailable):
                await db.write(_lock)
            return await db.write(_one)
        finally:
            await db.close()
            await holder.close()

    assert asyncio.run(run()) == 1


async def _one(tx: Tx) -> int:
    return int(await tx.scalar(sa.text(ONE)))


async def until_alone(url: str) -> None:
    """Wait until the server has ended every transaction that waits for its client."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(60):
        while not await connection.fetchval(LEFT_OPEN):
            await connection.execute("SELECT pg_sleep(0.01)")
        while await connection.fetchval(LEFT_OPEN):
            await connection.execute("SELECT pg_sleep(0.01)")
    await connection.close()


@pytest.mark.parametrize("turns", range(6))
def test_what_was_to_be_said_when_the_connection_broke_is_said_on_the_next(url: str, turns: int) -> None:
    async def say_while_it_breaks() -> None:
        queue: asyncio.Queue[str] = asyncio.Queue()
        listener = await asyncpg.connect(url)
        await listener.add_listener(NOTIFY_CHANNEL, lambda *message: queue.put_nowait(message[3]))
        speaker = WakeupDispatcher()
        speaker.connect(url)
        try:
            async with asyncio.timeout(60):
                speaker.publish({"before"})
                assert await queue.get() == "before"
                cut_off_unnoticed(url, spare=listener.get_server_pid())
                # Before, while and after the loop learns of it.
                for _ in range(turns):
                    await asyncio.sleep(0)
                speaker.publish({"meanwhile"})
                assert await queue.get() == "meanwhile"
        finally:
            await speaker.close()
            await listener.close()

    asyncio.run(say_while_it_breaks())


def test_a_read_that_ends_in_a_deadlock_is_repeated(url: str) -> None:
    """It has the first lock, waits for the third, and wants the second, whose holder waits for the first."""
    locks = sa.text("SELECT pg_advisory_xact_lock(1), pg_advisory_xact_lock(3), pg_advisory_xact_lock(2)")
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1"
    runs = 0

    async def unit(tx: Tx) -> None:
        nonlocal runs
        runs += 1
        await tx.all(locks)

    async def until_somebody_waits_for(watcher: Any, number: int) -> None:
        for _ in range(10_000):
            if await watcher.fetchval(waiting, number):
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"nobody waits for {number}")

    async def run() -> None:
        # Only the read looks for deadlocks, so it is the one that the server ends.
        db = Database(f"{url}&deadlock_timeout=1ms", SystemClock())
        second, third, watcher = [await asyncpg.connect(url) for _ in range(3)]
        await second.execute("SET deadlock_timeout = '1h'; BEGIN; SELECT pg_advisory_xact_lock(2)")
        await third.execute("BEGIN; SELECT pg_advisory_xact_lock(3)")
        reading = asyncio.create_task(db.read(unit))
        await until_somebody_waits_for(watcher, 3)
        closing = asyncio.create_task(second.execute("SELECT pg_advisory_xact_lock(1)"))
        await until_somebody_waits_for(watcher, 1)
        await third.execute("COMMIT")
        await closing
        await second.execute("COMMIT")
        await reading
        for connection in (second, third, watcher):
            await connection.close()
        await db.close()

    asyncio.run(run())
    assert runs == 2


def test_a_lock_that_a_transaction_has_already_costs_no_statement(url: str) -> None:
    """Each of hundreds of messages of an account took it again."""

    async def take_twice(tx: Tx) -> int:
        await tx.lock("messages one", "messages two")
        before = tx.statement_count
        await tx.lock("messages two")
        return tx.statement_count - before

    async def run() -> int:
        db = Database(url, SystemClock())
        try:
            return await db.write(take_twice)
        finally:
            await db.close()

    assert asyncio.run(run()) == 0
