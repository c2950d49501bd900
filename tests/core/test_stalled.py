"""A process that stops in the middle of a statement does not keep its locks for long."""

import asyncio
import struct
from datetime import timedelta

import asyncpg
import pytest

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.postgres import connect_to_postgres
from socialgate.core.stalled_sessions import terminate_stalled_sessions
from support.postgres import empty_database

STATES = "SELECT state, wait_event FROM pg_stat_activity WHERE pid = $1"


def half_a_statement() -> bytes:
    """Ask to parse a statement, and never send its values."""
    text = b"\0SELECT $1::text\0" + struct.pack("!h", 0)
    return b"P" + struct.pack("!i", len(text) + 4) + text


async def stall(url: str) -> asyncpg.Connection:
    """Take a lock, and stop in the middle of the next statement."""
    connection = await connect_to_postgres(f"{url}&transaction_timeout=0&statement_timeout=0")
    await connection.execute("BEGIN")
    await connection.execute("SELECT pg_advisory_xact_lock(1)")
    # The flush makes the server work on what it has.
    connection._transport.write(half_a_statement() + b"H" + struct.pack("!i", 4))
    return connection


async def until_active(watcher: asyncpg.Connection, pid: int) -> None:
    while tuple(await watcher.fetchrow(STATES, pid)) != ("active", "ClientRead"):  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("ours", [True, False])
def test_a_session_that_stopped_in_a_statement_is_ended_if_it_is_ours(postgres_url: str, *, ours: bool) -> None:
    url = empty_database(postgres_url)

    async def run() -> tuple[int, bool]:
        stalled = await stall(url if ours else f"{url}&application_name=other")
        watcher = await asyncpg.connect(url)
        db = Database(url, SystemClock(), pool_size=1)
        try:
            await until_active(watcher, stalled.get_server_pid())
            ended = await db.read(terminate_stalled_sessions, timedelta(0))
            if ended:
                await watcher.execute("SELECT pg_advisory_lock(1)")
            return ended, await watcher.fetchval("SELECT pg_try_advisory_lock(1)")
        finally:
            stalled.terminate()
            await watcher.close()
            await db.close()

    assert asyncio.run(run()) == ((1, True) if ours else (0, False))
