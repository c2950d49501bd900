"""PostgreSQL, on its driver: connections that stay open, single statements and transactions."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit
from weakref import WeakValueDictionary

import asyncpg
import msgspec

from socialgate.core.caller import on_behalf_of

# The application name of our sessions at the server.
APPLICATION = "socialgate"
_WAIT_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
# A unit only does database work, so it pauses for milliseconds. A process that is frozen or cut off in the middle of
# one must not keep its locks, and block other readers, until somebody notices.
_IDLE_LIMIT = ("idle_in_transaction_session_timeout", "10s")
_STATEMENT_LIMIT = ("statement_timeout", "30s")
# Whoever waits for a lock keeps a connection meanwhile, so longer waits are made without one (`core/db.py`). This is
# longer than the server takes to find a deadlock, and short enough that the other sessions of a process that froze with
# a lock do not get it one after the other.
_LOCK_LIMIT = ("lock_timeout", "2s")
_TRANSACTION_LIMIT = ("transaction_timeout", "60s")
_KNOWS_TRANSACTION_LIMIT = 17
# A connection idle for this long may have been dropped by a firewall, without notice to either side.
_LONGEST_IDLE_SECONDS = 300.0
# How a lost connection can fail, including timeouts. The last one is a bug in the driver.
LOST = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def connect(
    dsn: str, *, at_leisure: bool = False, server_settings: Mapping[str, str] | None = None, **options: Any
) -> Any:
    """Open a connection with timeouts. The URL may override them: `?statement_timeout=2s`.

    Slow work may take its time, as long as it does not pause.
    """
    chosen = parse_qs(urlsplit(dsn).query).keys()
    named = (("application_name", APPLICATION), _IDLE_LIMIT, _STATEMENT_LIMIT, _LOCK_LIMIT)
    limits = {name: value for name, value in named if name not in chosen}
    unlimited = {name: "0" for name, _ in (_STATEMENT_LIMIT, _LOCK_LIMIT)} if at_leisure else {}
    settings = {**limits, **unlimited, **(server_settings or {})}
    connection = await asyncpg.connect(dsn, timeout=_WAIT_SECONDS, server_settings=settings, **options)
    name, limit = _TRANSACTION_LIMIT
    try:
        # Older servers refuse a connection with unknown parameters.
        is_known = connection.get_server_version().major >= _KNOWS_TRANSACTION_LIMIT
        if is_known and (at_leisure or name not in chosen):
            await connection.execute(f"SET {name} = '{0 if at_leisure else limit}'")
    except BaseException:
        connection.terminate()
        raise
    return connection


class PostgresLink:
    """A connection with an open transaction."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = await self._connection.fetch(text, *values)
        return found

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        found: Sequence[Any] = await self._connection.fetchmany(text, rows)
        return found

    async def run(self, text: str, values: Sequence[Any], *, by_key: bool = False) -> int:
        del by_key  # The server does the work: however much it is, nothing here waits.
        said = await self._connection.execute(text, *values)
        touched = said.rpartition(" ")[2]
        return int(touched) if touched.isdigit() else 0

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._connection.executemany(text, rows)


class _Share:
    """The part of the connections that transactions of one owner may use."""

    def __init__(self, connections: int) -> None:
        self.room = asyncio.Semaphore(connections)
        # While they do not get their locks, one connection is enough to find out when that is over.
        self.alone = asyncio.Lock()
        self.is_blocked = False


class Postgres:
    """The database as a whole: each text that it runs is a transaction of its own.

    It pools its connections itself: the driver's pool creates a task for each returned connection and resets its
    session, although nothing of ours outlives its transaction. That took 6% of a worker's time.

    Transactions may wait for a lock, for seconds if its holder is frozen, and keep their connections meanwhile. So
    those of one owner get at most a third of all connections, and a single one after one of them did not get its lock.
    Some connections are left for reads, which wait for no lock.
    """

    def __init__(self, dsn: str, connections: int, **options: Any) -> None:
        self._dsn = dsn
        self._options = options
        self._room = asyncio.Semaphore(connections)
        self._changes = asyncio.Semaphore(max(1, connections - connections // 4))
        self._max_of_owner = max(1, connections // 3)
        # Forgotten when nobody holds or waits for it.
        self._of_owner: WeakValueDictionary[str, _Share] = WeakValueDictionary()
        # The last one returned is used first. With the time when it was returned.
        self._idle: list[tuple[Any, float]] = []
        self._closed = False
        self.in_use = 0

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        async with self._turn([self._room]):
            connection = self._take() or await self._connect()
            try:
                return await PostgresLink(connection).fetch(text, values)
            finally:
                self._put_back(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresLink]:
        share = self._share()
        async with self._turn(self._limits(share)):
            connection = await self._begin()
            try:
                yield PostgresLink(connection)
                await _commit(connection)
                share.is_blocked = False
            except BaseException as error:
                share.is_blocked = share.is_blocked or isinstance(error, asyncpg.LockNotAvailableError)
                await _undo(connection)
                raise
            finally:
                self._put_back(connection)

    async def close(self) -> None:
        """Close idle connections now, and those in use when they are returned."""
        self._closed = True
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(*LOST):
                await connection.close(timeout=_CLOSE_SECONDS)

    def _share(self) -> _Share:
        """Return the share of the current owner; one that limits nothing if there is none."""
        owner_id = on_behalf_of.get()
        if not owner_id:
            return _Share(1)
        share = self._of_owner.get(owner_id)
        if share is None:
            share = self._of_owner[owner_id] = _Share(self._max_of_owner)
        return share

    def _limits(self, share: _Share) -> Iterator[asyncio.Semaphore | asyncio.Lock]:
        """Yield what a transaction has to wait for. Each is taken before the next is chosen."""
        yield share.room
        if share.is_blocked:
            yield share.alone
        yield self._changes
        yield self._room

    @asynccontextmanager
    async def _turn(self, limits: Iterable[asyncio.Semaphore | asyncio.Lock]) -> AsyncIterator[None]:
        taken = []
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                for limit in limits:
                    await limit.acquire()
                    taken.append(limit)
            self.in_use += 1
            try:
                yield
            finally:
                self.in_use -= 1
        finally:
            for limit in taken:
                limit.release()

    async def _begin(self) -> Any:
        """Open a transaction. A connection that was lost unnoticed is detected here, before anything was done."""
        at_hand = self._take()
        if at_hand is not None:
            with suppress(*LOST):
                return await _begun(at_hand)
        return await _begun(await self._connect())

    def _take(self) -> Any:
        """Take one that is still open, if there is one: after a restart of the server all may be lost."""
        oldest = asyncio.get_running_loop().time() - _LONGEST_IDLE_SECONDS
        while self._idle:
            connection, since = self._idle.pop()
            if since < oldest:
                connection.terminate()
            elif not connection.is_closed():
                return connection
        return None

    def _put_back(self, connection: Any) -> None:
        """A connection that was interrupted in a statement is safe to use: the driver first waits until that has really
        ended.
        """
        # First, because one that the driver gave up itself fails in any other call.
        if connection.is_closed():
            return
        if self._closed or connection.is_in_transaction():
            connection.terminate()
        else:
            self._idle.append((connection, asyncio.get_running_loop().time()))

    async def _connect(self) -> Any:
        connection = await connect(self._dsn, **self._options)
        try:
            await connection.set_type_codec("json", schema="pg_catalog", encoder=str, decoder=msgspec.json.decode)
        except BaseException:
            connection.terminate()
            raise
        return connection


async def _begun(connection: Any) -> Any:
    try:
        await connection.execute("BEGIN")
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _commit(connection: Any) -> None:
    """Commit, and verify it: a transaction in which something failed also ends with this command, but without its
    changes.
    """
    if await connection.execute("COMMIT") != "COMMIT":
        raise asyncpg.InFailedSQLTransactionError("A statement failed, but its unit continued as if it had not.")


async def _undo(connection: Any) -> None:
    with suppress(*LOST):
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK")
