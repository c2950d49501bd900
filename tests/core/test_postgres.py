"""The connections to PostgreSQL: none is lost, none goes back in a state that the next one trips over."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import pytest

from socialgate.core.postgres import LOST, Postgres
from socialgate.core.wakeups import CHANNEL, Wakeups
from support.postgres import new_database

ONE = "SELECT 1"
LEFT_OPEN = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
CUT_OFF = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), $1)
"""


@pytest.fixture(scope="module", name="url")
def url_of_database(postgres_url: str) -> str:
    return new_database(postgres_url)


def on(url: str, job: Callable[[Postgres], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = Postgres(url, 1)
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
    async def give_up(database: Postgres) -> None:
        async with database.transaction() as link:
            # As the driver does when it cannot tell a frozen server to cancel a statement.
            link._connection._abort()
            await link.fetch(ONE, ())

    async def go_on(database: Postgres) -> list[Any]:
        with pytest.raises(LOST):
            await give_up(database)
        return [tuple(row) for row in await database.fetch(ONE, ())]

    assert on(url, go_on) == [(1,)]


def test_a_transaction_begins_also_where_the_connection_at_hand_is_lost(url: str) -> None:
    async def begin(database: Postgres) -> list[int]:
        await database.fetch(ONE, ())
        cut_off_unnoticed(url)
        async with database.transaction() as link:
            return [row[0] for row in await link.fetch(ONE, ())]

    assert on(url, begin) == [1]


def test_a_transaction_that_is_cut_off_leaves_nothing_open(url: str) -> None:
    async def cancelled(database: Postgres) -> int:
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
    async def close(database: Postgres) -> bool:
        async with database.transaction() as link:
            await database.close()
            await link.fetch(ONE, ())
        return bool(link._connection.is_closed())

    assert on(url, close)


@pytest.mark.parametrize("turns", range(6))
def test_what_was_to_be_said_when_the_connection_broke_is_said_on_the_next(url: str, turns: int) -> None:
    async def say_while_it_breaks() -> None:
        said: asyncio.Queue[str] = asyncio.Queue()
        listener = await asyncpg.connect(url)
        await listener.add_listener(CHANNEL, lambda *message: said.put_nowait(message[3]))
        speaker = Wakeups()
        speaker.connect(url)
        try:
            async with asyncio.timeout(60):
                speaker.publish({"before"})
                assert await said.get() == "before"
                cut_off_unnoticed(url, spare=listener.get_server_pid())
                # Before, while and after the loop learns of it.
                for _ in range(turns):
                    await asyncio.sleep(0)
                speaker.publish({"meanwhile"})
                assert await said.get() == "meanwhile"
        finally:
            await speaker.close()
            await listener.close()

    asyncio.run(say_while_it_breaks())
