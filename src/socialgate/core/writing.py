"""Writing on SQLite without a hop to a thread for every step.

The usual driver hands each step to a thread: sixteen hops for one event, all of them while it holds the only write
lock, and each time the thread has to win the interpreter back from a busy loop. What is brief by nature runs on the
loop itself here. What may take long goes to the thread, above all the commit, which waits for the disk.
"""

import math
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import Any

import aiosqlite

_MOST_ROWS = 200
_LONGEST_SECONDS = 0.003
_STEPS_BETWEEN_LOOKS = 5000
_PATIENT = "PRAGMA busy_timeout = 10000"
_IMPATIENT = "PRAGMA busy_timeout = 0"


async def open_writer(path: str) -> "Writer":
    writer = Writer(lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False), 64)
    # Whoever forgets to close it must not keep the process from ending.
    writer._thread.daemon = True  # noqa: SLF001 - as SQLAlchemy does with the usual driver
    _ = await writer
    writer.watch()
    return writer


class Writer(aiosqlite.Connection):
    def watch(self) -> None:
        """Break off what only reads and takes longer than a moment. A change must not be: it would undo all others."""
        self.until = math.inf
        self._conn.set_progress_handler(lambda: time.perf_counter() > self.until, _STEPS_BETWEEN_LOOKS)

    def cursor(self) -> "_Cursor":  # type: ignore[override] # the usual one needs a hop to give it
        return _Cursor(self, self._conn.cursor())

    async def rollback(self) -> None:
        if self._conn.in_transaction:
            await super().rollback()


class _Cursor(aiosqlite.Cursor):
    def __init__(self, writer: Writer, cursor: sqlite3.Cursor) -> None:
        super().__init__(writer, cursor)
        self._writer = writer
        self._found: Sequence[Any] | None = None

    async def execute(self, sql: str, parameters: Any = None) -> "_Cursor":
        values = () if parameters is None else parameters
        match sql.split(maxsplit=1)[0]:
            case "INSERT":
                self._found = self._cursor.execute(sql, values).fetchall()
            case "SELECT" if self._read(sql, values):
                pass
            case "BEGIN" if self._begin(sql):
                pass
            case _:
                self._found = None
                await super().execute(sql, values)
        return self

    async def executemany(self, sql: str, parameters: Iterable[Any]) -> "_Cursor":
        rows = list(parameters)
        if sql.startswith("INSERT") and len(rows) <= _MOST_ROWS:
            self._cursor.executemany(sql, rows)
        else:
            await super().executemany(sql, rows)
        return self

    async def fetchall(self) -> Iterable[Any]:
        if self._found is None:
            return await super().fetchall()
        found, self._found = self._found, None
        return found

    async def close(self) -> None:
        self._cursor.close()

    def _read(self, sql: str, values: Any) -> bool:
        self._writer.until = time.perf_counter() + _LONGEST_SECONDS
        try:
            self._found = self._cursor.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            return False
        finally:
            self._writer.until = math.inf
        return True

    def _begin(self, sql: str) -> bool:
        """Take the lock if nobody has it. Only another process can: the writers of this one wait for their turn."""
        connection = self._cursor.connection
        connection.execute(_IMPATIENT)
        try:
            self._cursor.execute(sql)
        except sqlite3.OperationalError:
            return False
        finally:
            connection.execute(_PATIENT)
        return True
