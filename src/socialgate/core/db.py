"""One schema on two engines, and the only two ways to reach it: `read` and `write`.

A unit is a function of an open transaction. It is a function and not a `with` block because a write unit must
be shielded from cancellation as a whole (a cancelled SQLite statement keeps the write lock) and because
PostgreSQL may ask for it to be run again (deadlock, serialization).
"""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import asyncpg
import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from socialgate.core.clock import Clock
from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.reading import PostgresDoor, Reader, SqliteDoor
from socialgate.core.wakeups import Wakeups
from socialgate.core.writing import open_writer

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Ids are compared byte by byte everywhere, so that keyset pages agree with the order ids are made in.
Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")

_ATTEMPTS = 4
_RUN_AGAIN = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_RETRY_AFTER_SECONDS = 2
# What the drivers and the pool raise. Failures of the unit itself pass through untouched.
_DATABASE_ERRORS = (
    DBAPIError,
    PoolTimeoutError,
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    # What the driver stumbles over when a connection is lost while it is given back to the pool.
    asyncpg.InternalClientError,
)


class Utc(sa.TypeDecorator[datetime]):
    """An instant. Refuses naive times on the way in, and gives aware ones on the way out."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone reached the database")
        return value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """PostgreSQL's driver gives what we want. SQLite has text, and adding the zone to it before it is read takes a
        sixth of the time of adding it afterwards.
        """
        del coltype
        return _read_utc if dialect.name == "sqlite" else None


def _read_utc(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text + "+00:00")


class Tx:
    """An open transaction, with the one time that everything written in it carries."""

    __slots__ = ("connection", "now", "woken")

    def __init__(self, connection: AsyncConnection, now: datetime) -> None:
        self.connection = connection
        self.now = now
        self.woken: set[str] = set()

    def wake(self, *keys: str) -> None:
        """Tell whoever waits for these keys, once this transaction is committed."""
        self.woken.update(keys)

    async def execute(
        self, statement: sa.Executable, rows: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> sa.CursorResult[Any]:
        return await self.connection.execute(statement, rows)

    async def first(self, statement: sa.Executable) -> sa.Row[Any] | None:
        return (await self.connection.execute(statement)).first()

    async def all(self, statement: sa.Executable, values: dict[str, Any] | None = None) -> list[sa.Row[Any]]:
        return list(await self.connection.execute(statement, values))

    async def scalar(self, statement: sa.Executable) -> Any:
        return await self.connection.scalar(statement)

    async def changed(self, statement: sa.Executable) -> int:
        """Run an UPDATE or DELETE and tell how many rows it touched."""
        return (await self.connection.execute(statement)).rowcount

    @property
    def dialect(self) -> str:
        return self.connection.dialect.name

    async def lock(self, name: str) -> None:
        """Let only one transaction at a time pass here, until it ends. SQLite has one writer anyway."""
        if self.dialect == "postgresql":
            await self.connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(name))))

    def upsert(self, table: sa.Table) -> Any:
        """Begin an INSERT that can carry ON CONFLICT. Both dialects spell it alike, in two classes."""
        from sqlalchemy.dialects import postgresql, sqlite  # noqa: PLC0415 - each is loaded where it is used

        return postgresql.insert(table) if self.dialect == "postgresql" else sqlite.insert(table)


class _ReadTx(Tx):
    """Statements that only read, each by itself: past SQLAlchemy where that can be, else on a connection of its own."""

    __slots__ = ("_engine", "_reader")

    def __init__(self, engine: AsyncEngine, reader: Reader, now: datetime) -> None:
        self._engine = engine
        self._reader = reader
        self.now = now

    async def execute(
        self, statement: sa.Executable, rows: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> sa.CursorResult[Any]:
        async with self._engine.connect() as connection:
            # Held apart from the connection, which goes back to its pool.
            held: Any = (await connection.execute(statement, rows)).freeze()
        return held()  # type: ignore[no-any-return]

    async def first(self, statement: sa.Executable) -> sa.Row[Any] | None:
        rows = await self.all(statement)
        return rows[0] if rows else None

    async def all(self, statement: sa.Executable, values: dict[str, Any] | None = None) -> list[sa.Row[Any]]:
        rows = await self._reader.all(statement, values)
        return list(await self.execute(statement, values)) if rows is None else rows

    async def scalar(self, statement: sa.Executable) -> Any:
        row = await self.first(statement)
        return None if row is None else row[0]

    @property
    def dialect(self) -> str:
        return self._engine.dialect.name


Unit = Callable[Concatenate[Tx, P], Awaitable[T]]


class Database:
    def __init__(self, url: str, clock: Clock, *, pool_size: int = 10) -> None:
        self.url = sa.make_url(url)
        self.clock = clock
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(self.url) if self.is_sqlite else _postgres_engine(self.url, pool_size)
        self._patient = (
            _sqlite_reader(self.url) if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        )
        door = SqliteDoor(self.url.database or "") if self.is_sqlite else PostgresDoor(self.engine)
        self._reader = Reader(self.engine.dialect, door)
        # SQLite has one writer at a time. Waiting for it here, in order, gave a p99 of 63 ms at 20 writers
        # where waiting inside SQLite gave 233 ms.
        self._writing = asyncio.Lock() if self.is_sqlite else None
        self._units: set[asyncio.Task[Any]] = set()
        self.wakeups = Wakeups()

    async def read(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a unit that only reads. Each of its statements sees what is committed at its start."""
        try:
            return await unit(_ReadTx(self._patient, self._reader, self.clock.now()), *args, **kwargs)
        except _DATABASE_ERRORS as error:
            raise _as_service_error(error) from error

    async def write(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a unit in one transaction: all of it is committed, or nothing.

        If the waiting task is cancelled, the unit itself still runs to its end.
        """
        task = asyncio.create_task(self._write(unit, *args, **kwargs))
        self._units.add(task)
        task.add_done_callback(self._units.discard)
        return await asyncio.shield(task)

    def writing(self) -> AbstractAsyncContextManager[Any]:
        """Wait for the turn of one's own among the writers of this process."""
        return nullcontext() if self._writing is None else self._writing

    async def close(self) -> None:
        if self._units:
            await asyncio.wait(self._units)
        await self.wakeups.close()
        await self._reader.close()
        await self._patient.dispose()
        await self.engine.dispose()

    async def _write(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self.writing():
                    return await self._commit(unit, *args, **kwargs)
            except _DATABASE_ERRORS as error:
                if attempt == _ATTEMPTS or not _wants_another_run(error):
                    raise _as_service_error(error) from error
                log.info("unit_run_again", attempt=attempt, reason=type(error).__name__)
        raise AssertionError("unreachable")

    async def _commit(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self.engine.begin() as connection:
            tx = Tx(connection, self.clock.now())
            answer = await unit(tx, *args, **kwargs)
        if tx.woken:
            self.wakeups.publish(tx.woken)
        return answer


def sqlite_url(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


# Both engines hide parameters: failed statements are logged, and hashes and names must not be in logs. The driver
# of SQLite would log those of every statement when debugging is on.
logging.getLogger("aiosqlite").setLevel(logging.INFO)


# Lists of ids and events are read with every event: this decoder takes a fifth of the time of the usual one.
_JSON: Any = {
    "json_serializer": lambda value: msgspec.json.encode(value).decode(),
    "json_deserializer": msgspec.json.decode,
}


def _sqlite_engine(url: sa.URL) -> AsyncEngine:
    engine = create_async_engine(
        url,
        async_creator=partial(open_writer, url.database or ""),
        pool_size=2,
        max_overflow=0,
        hide_parameters=True,
        **_JSON,
    )
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _sqlite_reader(url: sa.URL) -> AsyncEngine:
    """Connections that can only read, and never open a transaction: each BEGIN and ROLLBACK is a hop to the
    thread of the driver and back, and they were half the time of a read.
    """
    engine = create_async_engine(
        url, pool_size=8, max_overflow=0, hide_parameters=True, skip_autocommit_rollback=True, **_JSON
    )
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "connect", _forbid_writing)
    return engine


def _postgres_engine(url: sa.URL, pool_size: int) -> AsyncEngine:
    return create_async_engine(
        url, pool_size=pool_size, max_overflow=0, pool_timeout=10, pool_recycle=1800, hide_parameters=True, **_JSON
    )


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    # Without this the driver begins transactions by itself, late, and reads were seen to be stale.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    # A commit is on the disk when it is answered, also if the power fails in the next instant.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA busy_timeout = 10000")
    cursor.close()


def _forbid_writing(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only = ON")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A writer takes the lock at once: upgrading a read lock later fails under load instead of waiting.
    read_only = connection.get_execution_options().get("read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def _driver_error(error: BaseException) -> BaseException:
    """Dig out what the driver raised: SQLAlchemy wraps it, and its asyncpg adapter wraps it once more."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def _wants_another_run(error: BaseException) -> bool:
    return isinstance(_driver_error(error), _RUN_AGAIN)


def _as_service_error(error: Exception) -> Exception:
    """Turn "the database is away" and "the disk is full" into answers. Anything else is our own fault."""
    cause = _driver_error(error)
    text = str(cause)
    if isinstance(cause, asyncpg.DiskFullError) or "disk is full" in text:
        return StorageFull(
            "The disk under the database is full, so nothing was stored. Make room, then send it again.",
            retry_after=_RETRY_AFTER_SECONDS,
        )
    if _is_outage(cause):
        return Unavailable(
            "The database does not answer, so nothing was stored. Send the request again.",
            retry_after=_RETRY_AFTER_SECONDS,
        )
    return error


def _is_outage(cause: BaseException) -> bool:
    if isinstance(cause, sqlite3.OperationalError):
        text = str(cause)
        return any(sign in text for sign in ("locked", "unable to open", "disk I/O", "readonly"))
    return isinstance(
        cause,
        OSError
        | TimeoutError
        | PoolTimeoutError
        | asyncpg.PostgresConnectionError
        | asyncpg.InterfaceError
        | asyncpg.InternalClientError
        | asyncpg.InvalidCatalogNameError
        | asyncpg.InvalidAuthorizationSpecificationError
        | asyncpg.OperatorInterventionError
        | asyncpg.InsufficientResourcesError,
    )
