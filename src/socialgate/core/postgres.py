"""PostgreSQL, on its driver: connections that stay open, single statements and transactions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
import msgspec

_WAIT_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
# What lies unused for so long may have been forgotten by a firewall on the way, without a word to either side.
_LONGEST_IDLE_SECONDS = 300.0
# What a connection that is lost can end in. The last one is the driver itself stumbling over it.
LOST = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class PostgresLink:
    """A connection with a transaction open."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = await self._connection.fetch(text, *values)
        return found

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        found: Sequence[Any] = await self._connection.fetchmany(text, rows)
        return found

    async def run(self, text: str, values: Sequence[Any]) -> int:
        said = await self._connection.execute(text, *values)
        touched = said.rpartition(" ")[2]
        return int(touched) if touched.isdigit() else 0

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._connection.executemany(text, rows)


class Postgres:
    """The database as a whole. Used as a link, each text is a transaction of its own.

    It keeps its connections itself: the driver's pool makes a task for each that comes back and resets its session,
    although nothing of ours outlives its transaction. That took 6 % of a worker's time.
    """

    def __init__(self, dsn: str, connections: int, **options: Any) -> None:
        self._dsn = dsn
        self._options = options
        self._room = asyncio.Semaphore(connections)
        # The one that came back last is taken first. With the time when it did.
        self._idle: list[tuple[Any, float]] = []

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        async with self._taken() as connection:
            return await PostgresLink(connection).fetch(text, values)

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        async with self._taken() as connection:
            return await PostgresLink(connection).fetch_many(text, rows)

    async def run(self, text: str, values: Sequence[Any]) -> int:
        async with self._taken() as connection:
            return await PostgresLink(connection).run(text, values)

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        async with self._taken() as connection:
            await PostgresLink(connection).run_many(text, rows)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresLink]:
        async with self._taken() as connection:
            await connection.execute("BEGIN")
            try:
                yield PostgresLink(connection)
            except BaseException:
                with suppress(*LOST):
                    await connection.execute("ROLLBACK")
                raise
            # A transaction in which something failed ends with this word too, and without any of what was done in it.
            if await connection.execute("COMMIT") != "COMMIT":
                raise asyncpg.InFailedSQLTransactionError("A statement failed, and its unit went on as if it had not.")

    async def close(self) -> None:
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(*LOST, TimeoutError):
                await connection.close(timeout=_CLOSE_SECONDS)

    @asynccontextmanager
    async def _taken(self) -> AsyncIterator[Any]:
        async with asyncio.timeout(_WAIT_SECONDS):
            await self._room.acquire()
        try:
            connection = self._take() or await self._connect()
            try:
                yield connection
            finally:
                self._put_back(connection)
        finally:
            self._room.release()

    def _take(self) -> Any:
        """Take one that still stands, if there is one: after a restart of the server all may be lost."""
        oldest = asyncio.get_running_loop().time() - _LONGEST_IDLE_SECONDS
        while self._idle:
            connection, since = self._idle.pop()
            if since < oldest:
                connection.terminate()
            elif not connection.is_closed():
                return connection
        return None

    def _put_back(self, connection: Any) -> None:
        """One that was cut off in a statement is safe to use: the driver first waits until that is really over."""
        if connection.is_in_transaction():
            connection.terminate()
        elif not connection.is_closed():
            self._idle.append((connection, asyncio.get_running_loop().time()))

    async def _connect(self) -> Any:
        connection = await asyncpg.connect(self._dsn, timeout=_WAIT_SECONDS, **self._options)
        try:
            await connection.set_type_codec("json", schema="pg_catalog", encoder=str, decoder=msgspec.json.decode)
        except BaseException:
            connection.terminate()
            raise
        return connection
