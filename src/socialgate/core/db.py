"""One schema on two engines, and the only two ways to access it: `read` and `write`.

A unit is a function that takes an open transaction. It is a function and not a `with` block because a write unit must
be shielded from cancellation as a whole (a cancelled SQLite statement keeps the write lock), and because PostgreSQL may
require a retry (deadlock, serialization, a lock that somebody keeps). What holds for both engines is in this file,
which is why it has so many lines.
"""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import asyncpg
import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy.engine.interfaces import Dialect

from socialgate.core.breaks import EventLoopYielder
from socialgate.core.clock import Clock
from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.facts import FactAbout, FactDispatcher
from socialgate.core.jitter import random_between
from socialgate.core.postgres import CONNECTION_ERRORS, PostgresDriver
from socialgate.core.sqlite import SqliteConnection, SqliteDriver, format_sqlite_time, parse_sqlite_time
from socialgate.core.statements import QueryConnection, StatementConnection, StatementRunner, Values
from socialgate.core.wakeups import WakeupDispatcher

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

# Ids are compared byte by byte everywhere, so that keyset pagination follows the order in which ids are created.
Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")

_MAX_ATTEMPTS = 4
# How often a unit is run again after something was prepared for it.
_MAX_RESTARTS_AFTER_WORK = 3
_RETRYABLE_ERRORS = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError, asyncpg.InvalidCachedStatementError)
_RETRY_AFTER_SECONDS = 2
# What a short statement takes on SQLite, with what calls it.
_SECONDS_PER_STATEMENT = 0.0002
# A failed write says little about the disk after this long. Workers write every few seconds.
_DISK_FULL_MEMORY_SECONDS = 60.0
# How long a unit waits for locks, in many short attempts that keep no connection in between: long enough to outlast a
# process that froze with a lock, which the server ends after ten seconds.
_MAX_LOCK_SECONDS = 12.0
_NAIVE_TIME = "a time without a time zone reached the database"
_LOCK_PAUSE_SECONDS = (0.05, 0.15)
# What the drivers raise. Errors of the unit itself pass through unchanged.
DRIVER_ERRORS = (sqlite3.Error, asyncpg.PostgresError, *CONNECTION_ERRORS)


def inline_literal(word: str) -> sa.ColumnElement[str]:
    """Write a word into the text of a statement, for a column that a partial index compares with a word.

    With a parameter in that place, SQLite compiles the statement again on every run, to find out whether it may use the
    index. That took longer than most of these statements.
    """
    assert word.isidentifier(), f"{word!r} would need quotes"
    return sa.literal_column(f"'{word}'", sa.String)


class UtcDateTime(sa.TypeDecorator[datetime]):
    """A point in time. Rejects naive times on write, and returns aware ones on read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(_NAIVE_TIME)
        return value.astimezone(UTC)

    def bind_processor(self, dialect: Dialect) -> Any:
        """Write text at once for SQLite: three times are written with every event."""
        return _format_sqlite_datetime if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """PostgreSQL's driver returns aware times. SQLite returns text, and adding the zone before parsing takes a
        sixth of the time of adding it afterwards.
        """
        del coltype
        return _parse_sqlite_datetime if dialect.name == "sqlite" else None


def _format_sqlite_datetime(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is None:
        raise ValueError(_NAIVE_TIME)
    return format_sqlite_time(value)


def _parse_sqlite_datetime(text: str | None) -> datetime | None:
    return None if text is None else parse_sqlite_time(text)


class Tx:
    """An open transaction, with the single timestamp that everything written in it gets.

    In a read-only unit, each statement runs on its own and sees what is committed when it starts. Short statements of
    SQLite run on the event loop itself, so a unit of many statements gives way to others in between.
    """

    __slots__ = (
        *("_breaks", "_commit_batches", "_facts", "_locks", "_reader", "_owners_with_events", "_statements", "_writer"),
        *("_may_run_again", "erases", "gives_up_locks", "now", "only_overwrites", "statement_count", "wakeup_keys"),
    )

    def __init__(
        self,
        statements: StatementRunner,
        reader: QueryConnection,
        writer: StatementConnection | None,
        now: datetime,
        facts: FactDispatcher,
        *,
        may_run_again: bool = False,
    ) -> None:
        self._facts = facts
        self._breaks = EventLoopYielder()
        self._statements = statements
        self._reader = reader
        self._writer = writer
        self.now = now
        self.wakeup_keys: set[str] = set()
        # For units that end early: while one runs on SQLite, nobody else can write.
        self.statement_count = 0
        # Set by what erases personal data: the database then also removes it from its log.
        self.erases = False
        # Set by what needs no more room than before: that it succeeds does not say that the disk has any.
        self.only_overwrites = False
        # Whether this transaction fails, instead of being run again, if it has to wait for a lock for too long.
        self.gives_up_locks = False
        self._may_run_again = may_run_again
        self._owners_with_events: set[str] = set()
        self._locks: set[str] = set()
        self._commit_batches: dict[Callable[[Tx, Any], Awaitable[None]], Any] = {}

    def get_commit_batch(self, write: "Callable[[Tx, T], Awaitable[None]]", empty: Callable[[], T]) -> T:
        """Return what this transaction has collected for `write`, which gets all of it right before the commit.

        What many transactions write to, such as a counter, is then locked for a moment only, in one order everywhere,
        and with one statement.
        """
        if write not in self._commit_batches:
            self._commit_batches[write] = empty()
        collected: T = self._commit_batches[write]
        return collected

    async def write_commit_batches(self) -> None:
        """Write what was collected. If this fails, nothing of the transaction is committed."""
        for write, collected in self._commit_batches.items():
            await write(self, collected)

    def mark_first_event(self, owner_id: str) -> bool:
        """Remember that this transaction has an event for an owner. Returns False if it already had one."""
        is_first = owner_id not in self._owners_with_events
        self._owners_with_events.add(owner_id)
        return is_first

    def wake_on_commit(self, *keys: str) -> None:
        """Wake up everything that waits for these keys, once this transaction is committed."""
        self.wakeup_keys.update(keys)

    def restart_after(self, work: "Callable[[Database], Awaitable[None]]") -> None:
        """End this transaction, do long work outside of any, and run the unit again.

        Returns if the unit has been run again too often for that: it then does the work itself.
        """
        if self._may_run_again:
            raise _RestartAfterWork(work)

    def count_computation(self, seconds: float) -> None:
        """Count what was computed between statements as the statements that take as long."""
        self.statement_count += int(seconds / _SECONDS_PER_STATEMENT)

    async def publish_fact(self, fact: FactAbout[T], about: T) -> None:
        """Call every listener for this type of fact, in this transaction."""
        await self._facts.dispatch(self, fact, about)

    async def execute(self, statement: sa.Executable, values: Values | Sequence[Values] | None = None) -> None:
        """Run a statement without reading rows: once, or once for each set of values in a list."""
        self.statement_count += 1
        await self._breaks.yield_if_due()
        if values is None or isinstance(values, Mapping):
            await self._statements.run(self._connection, statement, values)
        else:
            await self._statements.run_many(self._connection, statement, values)

    async def execute_and_count(self, statement: sa.Executable, values: Values | None = None) -> int:
        """Run an INSERT, UPDATE or DELETE and return how many rows it changed."""
        self.statement_count += 1
        await self._breaks.yield_if_due()
        return await self._statements.run(self._connection, statement, values)

    async def all(self, statement: sa.Executable, values: Values | Sequence[Values] | None = None) -> list[sa.Row[Any]]:
        self.statement_count += 1
        await self._breaks.yield_if_due()
        if values is None or isinstance(values, Mapping):
            return await self._statements.fetch(self._reader, statement, values)
        return await self._statements.fetch_many(self._connection, statement, values)

    async def first(self, statement: sa.Executable, values: Values | None = None) -> sa.Row[Any] | None:
        rows = await self.all(statement, values)
        return rows[0] if rows else None

    async def one(self, statement: sa.Executable, values: Values | None = None) -> sa.Row[Any]:
        """Return the only row; it must exist."""
        [row] = await self.all(statement, values)
        return row

    async def all_as(
        self, statement: sa.Executable, read: Callable[[Sequence[Any]], T], values: Values | None = None
    ) -> list[T]:
        """Return every row, converted by a reader from `core/rows.py`."""
        self.statement_count += 1
        await self._breaks.yield_if_due()
        return await self._statements.fetch(self._reader, statement, values, read)

    async def first_as(
        self, statement: sa.Executable, read: Callable[[Sequence[Any]], T], values: Values | None = None
    ) -> T | None:
        """Return the first row, converted by a reader."""
        items = await self.all_as(statement, read, values)
        return items[0] if items else None

    async def scalar(self, statement: sa.Executable, values: Values | None = None) -> Any:
        row = await self.first(statement, values)
        return None if row is None else row[0]

    @property
    def dialect_name(self) -> str:
        return self._statements.dialect.name

    @property
    def _connection(self) -> StatementConnection:
        assert self._writer is not None, "a read-only unit cannot write"
        return self._writer

    async def lock(self, *names: str) -> None:
        """Let only one transaction at a time pass here, until it ends. SQLite has one writer anyway.

        Several locks are taken in the order given. Those that this transaction has already cost nothing.
        """
        missing = [name for name in names if name not in self._locks]
        if missing and self.dialect_name == "postgresql":
            await self.execute(_TAKE_LOCK, [{"name": name} for name in missing])
            self._locks.update(missing)

    def build_upsert(self, table: sa.Table) -> Any:
        """Start an INSERT that supports ON CONFLICT. Both dialects use the same syntax, but different classes."""
        return build_upsert(table, self.dialect_name)

    def build_insert_if_absent(self, table: sa.Table, *, returning: bool = False) -> Any:
        """Return the INSERT that leaves existing rows alone; `returning` gives the new ones. Built once per table."""
        known = self.dialect_name, table, returning
        result = _INSERT_IF_ABSENT_CACHE.get(known)
        if result is None:
            result = self.build_upsert(table).on_conflict_do_nothing()
            result = _INSERT_IF_ABSENT_CACHE[known] = result.returning(table) if returning else result
        return result


_TAKE_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(sa.bindparam("name", type_=sa.String))))


def build_upsert(table: sa.Table, dialect: str) -> Any:
    """Start an INSERT that supports ON CONFLICT, for a statement that is built once for each dialect."""
    from sqlalchemy.dialects import postgresql, sqlite  # noqa: PLC0415 - each is loaded where it is used

    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


class _RestartAfterWork(Exception):
    """The unit needs something that is not prepared yet. Nothing of it was written."""

    def __init__(self, work: "Callable[[Database], Awaitable[None]]") -> None:
        super().__init__()
        self.work = work


_INSERT_IF_ABSENT_CACHE: dict[tuple[str, sa.Table, bool], Any] = {}

TransactionFunction = Callable[Concatenate[Tx, P], Awaitable[T]]


class Database:
    def __init__(self, url: str, clock: Clock, *, pool_size: int = 10) -> None:
        self.url = sa.make_url(url)
        self.clock = clock
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._driver = SqliteDriver(Path(self.url.database or "")) if self.is_sqlite else PostgresDriver(url, pool_size)
        self._statements = StatementRunner(_build_dialect("sqlite" if self.is_sqlite else "postgresql+asyncpg"))
        self._running_writes: set[asyncio.Task[Any]] = set()
        # Until when the disk counts as full, because the last write failed for that reason.
        self._full_until = 0.0
        self.wakeups = WakeupDispatcher()
        self.facts = FactDispatcher()

    async def read(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a read-only unit. It is retried if the connection was lost, or if the database asks for it."""
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            try:
                return await self._read(unit, *args, **kwargs)
            except DRIVER_ERRORS as error:
                if attempt == _MAX_ATTEMPTS or not _is_retryable_read(error, attempt):
                    _raise_as_service_error(error)
                if isinstance(error, _RETRYABLE_ERRORS):
                    log.info("unit_run_again", attempt=attempt, reason=type(error).__name__)
        raise AssertionError("unreachable")

    async def write(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a unit in one transaction: all of it is committed, or nothing.

        If the waiting task is cancelled, the unit still runs to its end.
        """
        task = asyncio.create_task(self._write(unit, *args, **kwargs))
        self._running_writes.add(task)
        task.add_done_callback(self._on_write_done)
        return await asyncio.shield(task)

    @property
    def connections_in_use(self) -> int:
        return self._driver.in_use

    @property
    def is_disk_full(self) -> bool:
        """Whether the last write failed because there is no disk space left."""
        return time.monotonic() < self._full_until

    def take_writer_turn(self) -> AbstractAsyncContextManager[None]:
        """Wait for the turn of another connection among the writers of this process. SQLite has one at a time.

        Queueing for it here gave a p99 of 63 ms with 20 writers; waiting inside SQLite gave 233 ms.
        """
        return self._driver.take_writer_turn() if isinstance(self._driver, SqliteDriver) else nullcontext()

    async def close(self) -> None:
        if self._running_writes:
            await asyncio.wait(self._running_writes)
        await self.wakeups.close()
        await self._driver.close()

    def _on_write_done(self, task: "asyncio.Task[Any]") -> None:
        self._running_writes.discard(task)
        # The caller may be gone, so nobody else would retrieve the exception.
        _ = task.cancelled() or task.exception()

    async def _read(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await unit(Tx(self._statements, self._driver, None, self.clock.now(), self.facts), *args, **kwargs)

    async def _write(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        attempt, started_at, preparations = 1, time.monotonic(), 0
        while True:
            may_run_again = preparations < _MAX_RESTARTS_AFTER_WORK
            try:
                return await self._commit(lambda tx: unit(tx, *args, **kwargs), may_run_again=may_run_again)
            except _RestartAfterWork as needed:
                preparations += 1
                await needed.work(self)
            except asyncpg.LockNotAvailableError as error:
                if time.monotonic() - started_at > _MAX_LOCK_SECONDS:
                    _raise_as_service_error(error)
                log.info("unit_waits_for_lock")
                await asyncio.sleep(random_between(*_LOCK_PAUSE_SECONDS))
            except DRIVER_ERRORS as error:
                if _is_disk_full_error(error):
                    self._full_until = time.monotonic() + _DISK_FULL_MEMORY_SECONDS
                if attempt == _MAX_ATTEMPTS or not isinstance(error, _RETRYABLE_ERRORS):
                    _raise_as_service_error(error)
                log.info("unit_run_again", attempt=attempt, reason=type(error).__name__)
                attempt += 1

    async def _commit(self, unit: Callable[[Tx], Awaitable[T]], *, may_run_again: bool) -> T:
        async with self._driver.transaction() as link:
            now = self.clock.now()
            tx = Tx(self._statements, link, link, now, self.facts, may_run_again=may_run_again)
            try:
                answer = await unit(tx)
                await tx.write_commit_batches()
            except asyncpg.LockNotAvailableError as error:
                if tx.gives_up_locks:
                    _raise_as_service_error(error)
                raise
            if tx.erases and isinstance(link, SqliteConnection):
                link.mark_erased()
        if not tx.only_overwrites:
            self._full_until = 0.0
        if tx.wakeup_keys:
            self.wakeups.publish(tx.wakeup_keys)
        return answer


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def _build_dialect(driver: str) -> Dialect:
    """Return the SQLAlchemy dialect that compiles statements."""
    dialect: Any = sa.make_url(f"{driver}://").get_dialect()
    # Lists are read with every event, and this decoder takes a fifth of the time of the default one.
    sql_dialect: Dialect = dialect(
        json_serializer=lambda value: msgspec.json.encode(value).decode(), json_deserializer=msgspec.json.decode
    )
    return sql_dialect


def _is_retryable_read(error: Exception, attempt: int) -> bool:
    """A lost connection is replaced once. A caller that already waited without success must not queue again."""
    if isinstance(error, TimeoutError):
        return False
    return isinstance(error, _RETRYABLE_ERRORS) or (attempt == 1 and isinstance(error, CONNECTION_ERRORS))


def _raise_as_service_error(error: Exception) -> NoReturn:
    """Turn "the database is unavailable" and "the disk is full" into responses. Anything else is a bug of ours."""
    if _is_disk_full_error(error):
        raise StorageFull(
            "The disk of the database is full, so nothing was stored. Reading still works. The operator must free up "
            "disk space; then send the request again.",
            retry_after=_RETRY_AFTER_SECONDS,
        ) from error
    if _is_outage(error):
        raise Unavailable(
            "The database is not responding, so nothing was stored. Send the request again.",
            retry_after=_RETRY_AFTER_SECONDS,
        ) from error
    raise error


def _is_disk_full_error(error: Exception) -> bool:
    return isinstance(error, asyncpg.DiskFullError) or "disk is full" in str(error)


def _is_outage(cause: BaseException) -> bool:
    if isinstance(cause, sqlite3.OperationalError):
        text = str(cause)
        return any(sign in text for sign in ("locked", "unable to open", "disk I/O", "readonly"))
    return isinstance(
        cause,
        OSError
        | asyncpg.PostgresConnectionError
        | asyncpg.InterfaceError
        | asyncpg.InternalClientError
        | asyncpg.InvalidCatalogNameError
        | asyncpg.InvalidAuthorizationSpecificationError
        # The server ended a transaction that this process left open for too long.
        | asyncpg.IdleInTransactionSessionTimeoutError
        | asyncpg.TransactionTimeoutError
        | asyncpg.LockNotAvailableError
        | asyncpg.OperatorInterventionError
        | asyncpg.InsufficientResourcesError,
    )
