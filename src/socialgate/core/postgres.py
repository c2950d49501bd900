"""PostgreSQL, on its driver: connections that stay open, single statements and transactions."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit
from weakref import WeakValueDictionary

import asyncpg
import msgspec

from socialgate.core.caller import current_owner_id

# The application name of our sessions at the server.
APPLICATION_NAME = "socialgate"
_APPLICATION_NAME_SETTING = "application_name"
# What PgBouncer says of a parameter that it does not know.
_UNSUPPORTED_PARAMETER_MESSAGE = "unsupported startup parameter"
_CONNECTION_TIMEOUT_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
# A unit only does database work, so it pauses for milliseconds. A process that is frozen or cut off in the middle of
# one must not keep its locks, and block other readers, until somebody notices.
_IDLE_TIMEOUT_SETTING = ("idle_in_transaction_session_timeout", "10s")
_STATEMENT_TIMEOUT_SETTING = ("statement_timeout", "30s")
# Waiting for a lock keeps a connection meanwhile, so longer waits are made without one (`core/db.py`). This is
# longer than the server takes to find a deadlock, and short enough that the other sessions of a process that froze with
# a lock do not get it one after the other.
_LOCK_TIMEOUT_SETTING = ("lock_timeout", "2s")
# What reading a page at random costs on the disks of today. The server's default is that of disks that turn: with it, a
# page of a list is sorted from all rows of its owner until the table has statistics.
_RANDOM_PAGE_COST_SETTING = ("random_page_cost", "1.1")
_TRANSACTION_TIMEOUT_SETTING = ("transaction_timeout", "60s")
_MIN_VERSION_WITH_TRANSACTION_TIMEOUT = 17
# A connection idle for this long may have been dropped by a firewall, without notice to either side.
_MAX_IDLE_SECONDS = 300.0
# How a lost connection can fail, including timeouts. The last one is a bug in the driver.
CONNECTION_ERRORS = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def connect_to_postgres(
    dsn: str, *, without_timeouts: bool = False, server_settings: Mapping[str, str] | None = None, **options: Any
) -> Any:
    """Open a connection with our settings. The URL may override them: `?statement_timeout=2s`.

    Slow work may take its time, as long as it does not pause.
    """
    chosen = parse_qs(urlsplit(dsn).query).keys()
    named = (
        (_APPLICATION_NAME_SETTING, APPLICATION_NAME),
        _IDLE_TIMEOUT_SETTING,
        _STATEMENT_TIMEOUT_SETTING,
        _LOCK_TIMEOUT_SETTING,
        _RANDOM_PAGE_COST_SETTING,
    )
    limits = {name: value for name, value in named if name not in chosen}
    unlimited = (
        {name: "0" for name, _ in (_STATEMENT_TIMEOUT_SETTING, _LOCK_TIMEOUT_SETTING)} if without_timeouts else {}
    )
    settings = {**limits, **unlimited, **(server_settings or {})}
    connection = await _connect_with_settings(dsn, settings, **options)
    name, limit = _TRANSACTION_TIMEOUT_SETTING
    try:
        # Older servers refuse a connection with unknown parameters.
        is_known = connection.get_server_version().major >= _MIN_VERSION_WITH_TRANSACTION_TIMEOUT
        if is_known and (without_timeouts or name not in chosen):
            await connection.execute(f"SET {name} = '{0 if without_timeouts else limit}'")
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _connect_with_settings(dsn: str, settings: Mapping[str, str], **options: Any) -> Any:
    """Open a connection with these parameters of the session.

    A pooler refuses those that it does not know, because it could not keep them apart for its clients. In session mode
    they can be set afterwards: nobody else uses the session before it is reset.
    """
    try:
        return await asyncpg.connect(dsn, timeout=_CONNECTION_TIMEOUT_SECONDS, server_settings=settings, **options)
    except asyncpg.ProtocolViolationError as error:
        if _UNSUPPORTED_PARAMETER_MESSAGE not in str(error):
            raise
    known = {name: value for name, value in settings.items() if name == _APPLICATION_NAME_SETTING}
    connection = await asyncpg.connect(dsn, timeout=_CONNECTION_TIMEOUT_SECONDS, server_settings=known, **options)
    try:
        for name, value in settings.items():
            await connection.execute("SELECT set_config($1, $2, false)", name, value)
    except BaseException:
        connection.terminate()
        raise
    return connection


class PostgresConnection:
    """A connection with an open transaction."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        items: Sequence[Any] = await self._connection.fetch(text, *values)
        return items

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        items: Sequence[Any] = await self._connection.fetchmany(text, rows)
        return items

    async def run(self, text: str, values: Sequence[Any], *, by_key: bool = False) -> int:
        del by_key  # The server does the work: however much it is, nothing here waits.
        message = await self._connection.execute(text, *values)
        touched = message.rpartition(" ")[2]
        return int(touched) if touched.isdigit() else 0

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        await self._connection.executemany(text, rows)


class _OwnerConnectionSlots:
    """The part of the connections that transactions of one owner may use."""

    def __init__(self, connections: int) -> None:
        self.room = asyncio.Semaphore(connections)
        # While they do not get their locks, one connection is enough to find out when that is over.
        self.alone = asyncio.Lock()
        self.is_blocked = False


class PostgresDriver:
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
        self._connection_slots = asyncio.Semaphore(connections)
        self._transaction_slots = asyncio.Semaphore(max(1, connections - connections // 4))
        self._max_of_owner = max(1, connections // 3)
        # Forgotten when nobody holds or waits for it.
        self._owner_slots: WeakValueDictionary[str, _OwnerConnectionSlots] = WeakValueDictionary()
        # The last one returned is used first. With the time when it was returned.
        self._idle: list[tuple[Any, float]] = []
        self._closed = False
        self.in_use = 0

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        async with self._acquire_slots([self._connection_slots]):
            connection = self._take_idle_connection() or await self._connect()
            try:
                return await PostgresConnection(connection).fetch(text, values)
            finally:
                self._release_connection(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresConnection]:
        share = self._get_owner_slots()
        async with self._acquire_slots(self._list_slots_to_acquire(share)):
            connection = await self._begin_transaction()
            try:
                yield PostgresConnection(connection)
                await _commit(connection)
                share.is_blocked = False
            except BaseException as error:
                share.is_blocked = share.is_blocked or isinstance(error, asyncpg.LockNotAvailableError)
                await _rollback(connection)
                raise
            finally:
                self._release_connection(connection)

    async def close(self) -> None:
        """Close idle connections now, and those in use when they are returned."""
        self._closed = True
        while self._idle:
            connection, _ = self._idle.pop()
            with suppress(*CONNECTION_ERRORS):
                await connection.close(timeout=_CLOSE_SECONDS)

    def _get_owner_slots(self) -> _OwnerConnectionSlots:
        """Return the share of the current owner; one that limits nothing if there is none."""
        owner_id = current_owner_id.get()
        if not owner_id:
            return _OwnerConnectionSlots(1)
        share = self._owner_slots.get(owner_id)
        if share is None:
            share = self._owner_slots[owner_id] = _OwnerConnectionSlots(self._max_of_owner)
        return share

    def _list_slots_to_acquire(self, share: _OwnerConnectionSlots) -> Iterator[asyncio.Semaphore | asyncio.Lock]:
        """Yield what a transaction has to wait for. Each is taken before the next is chosen."""
        yield share.room
        if share.is_blocked:
            yield share.alone
        yield self._transaction_slots
        yield self._connection_slots

    @asynccontextmanager
    async def _acquire_slots(self, limits: Iterable[asyncio.Semaphore | asyncio.Lock]) -> AsyncIterator[None]:
        taken = []
        try:
            async with asyncio.timeout(_CONNECTION_TIMEOUT_SECONDS):
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

    async def _begin_transaction(self) -> Any:
        """Open a transaction. A connection that was lost unnoticed is detected here, before anything was done."""
        at_hand = self._take_idle_connection()
        if at_hand is not None:
            with suppress(*CONNECTION_ERRORS):
                return await _execute_begin(at_hand)
        return await _execute_begin(await self._connect())

    def _take_idle_connection(self) -> Any:
        """Take one that is still open, if there is one: after a restart of the server all may be lost."""
        oldest = asyncio.get_running_loop().time() - _MAX_IDLE_SECONDS
        while self._idle:
            connection, since = self._idle.pop()
            if since < oldest:
                connection.terminate()
            elif not connection.is_closed():
                return connection
        return None

    def _release_connection(self, connection: Any) -> None:
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
        connection = await connect_to_postgres(self._dsn, **self._options)
        try:
            await connection.set_type_codec("json", schema="pg_catalog", encoder=str, decoder=msgspec.json.decode)
        except BaseException:
            connection.terminate()
            raise
        return connection


async def _execute_begin(connection: Any) -> Any:
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


async def _rollback(connection: Any) -> None:
    with suppress(*CONNECTION_ERRORS):
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK")
