"""Reading past SQLAlchemy's execution: it gives the text of a SELECT, the driver runs it, and rows become tuples.

To run a statement and wrap its rows took SQLAlchemy longer than it took the database to find them. What is left of it
here is what it is best at: the text, made once for all statements that differ only in their values.
"""

import sqlite3
import time
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import asyncpg
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.util import greenlet_spawn

_MOST_FORMS = 1000
_STEPS_BETWEEN_LOOKS = 5000
_LONGEST_SECONDS = 0.003
# What PostgreSQL calls a double. SQLAlchemy reads no float without being told which it is.
_DOUBLE = 701
_POSTGRES_FAILURES = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class Door(Protocol):
    """Reaches a driver."""

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any] | None:
        """Fetch all rows. None: not this way, try the usual one, which also knows how to tell a failure."""

    async def close(self) -> None:
        """Let go of the driver."""


def _reader(kind: Any, dialect: Dialect) -> Any:
    return kind._cached_result_processor(dialect, _DOUBLE if isinstance(kind, sa.Float) else None)  # noqa: SLF001 - no other way leads to it


class Form:
    """All statements that differ only in their values: their text, and how to read their rows."""

    def __init__(self, statement: sa.Select[Any], key: Any, dialect: Dialect) -> None:
        self._compiled: Any = statement.compile(dialect=dialect, cache_key=key)
        columns = self._compiled._result_columns  # noqa: SLF001 - nowhere else are the types of the columns
        self._row: Any = namedtuple("Row", [column.keyname for column in columns], rename=True)  # type: ignore[misc] # noqa: PYI024 - known only now
        readers = [_reader(column.type, dialect) for column in columns]
        self._readers = [(place, read) for place, read in enumerate(readers) if read is not None]

    def fill(self, key: Any, given: Mapping[str, Any] | None) -> tuple[str, list[Any]]:
        """Give the text and the values, in the order in which the text names them."""
        compiled = self._compiled
        values = compiled.construct_params(given, extracted_parameters=key.bindparams, escape_names=False)
        text, order, writers = compiled.string, compiled.positiontup, compiled._bind_processors  # noqa: SLF001 - as above
        if compiled.post_compile_params:
            # A list of values becomes as many parameters as it is long.
            expanded = compiled.construct_expanded_state(values, escape_names=False)
            text, order, writers = expanded.statement, expanded.positiontup, {**writers, **expanded.processors}
            values = expanded.parameters
        return text, [writers[name](values[name]) if name in writers else values[name] for name in order]

    def rows(self, found: Sequence[Sequence[Any]]) -> list[Any]:
        if not (found and self._readers):
            return list(map(self._row._make, found))
        columns = list(zip(*found, strict=True))
        for place, read in self._readers:
            columns[place] = tuple(map(read, columns[place]))
        return list(map(self._row._make, zip(*columns, strict=True)))


class Reader:
    """Runs SELECTs. Whatever else there is, or does not go well, is left to the usual way."""

    def __init__(self, dialect: Dialect, door: Door) -> None:
        self._dialect = dialect
        self._door = door
        self._forms: dict[Any, Form] = {}

    async def all(self, statement: sa.Executable, values: Mapping[str, Any] | None) -> list[Any] | None:
        """Fetch the rows as named tuples. None: this has to go the usual way."""
        if not isinstance(statement, sa.Select) or (key := statement._generate_cache_key()) is None:  # noqa: SLF001 - SQLAlchemy keeps its own texts by it
            return None
        form = self._forms.get(key.key)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            form = self._forms[key.key] = Form(statement, key, self._dialect)
        found = await self._door.fetch(*form.fill(key, values))
        return None if found is None else form.rows(found)

    async def close(self) -> None:
        await self._door.close()


class SqliteDoor:
    """Reads on the event loop itself. The driver lets go of the interpreter for each row, and a thread then has to win
    it back from a busy loop: with threads, a list of 50 rows was answered 250 to 370 times a second.

    The loop must not stand still. What would wait for a lock, or takes longer than a moment, is broken off: the usual
    way has threads.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._until = 0.0

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any] | None:
        try:
            connection = self._connection or self._connect()
            self._until = time.perf_counter() + _LONGEST_SECONDS
            return connection.execute(text, values).fetchall()
        except sqlite3.Error:
            return None

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA query_only = ON")
        # SQLite counts the steps of all runs of a statement together, so that a short one is looked at now and then.
        connection.set_progress_handler(lambda: time.perf_counter() > self._until, _STEPS_BETWEEN_LOOKS)
        self._connection = connection
        return connection


class PostgresDoor:
    """Reads on a connection of the common pool, outside of any transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._failures = (*_POSTGRES_FAILURES, engine.dialect.loaded_dbapi.Error)

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any] | None:
        try:
            pooled, driver = await self._connection()
            try:
                # One that was cut off is safe to use: the driver first waits until its last query is really over.
                return list(await driver.fetch(text, *values))
            finally:
                await greenlet_spawn(pooled.invalidate if driver.is_closed() else pooled.close)
        except self._failures:
            return None

    async def close(self) -> None:
        """The pool is not this door's own."""

    async def _connection(self) -> tuple[PoolProxiedConnection, Any]:
        """Take a connection that still stands: after a restart of the server the pool is full of others."""
        while True:
            pooled = await self._engine.raw_connection()
            driver: Any = pooled.driver_connection
            if not driver.is_closed():
                return pooled, driver
            await greenlet_spawn(pooled.invalidate)
