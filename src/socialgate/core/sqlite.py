"""SQLite, directly on its driver: short statements run on the event loop, slow ones in a thread.

The driver releases the GIL for each statement, and a thread then has to get it back from a busy event loop. With every
step in a thread, an event took sixteen thread switches, all of them while it held the only write lock, and a list of 50
rows was returned 250 to 370 times a second. But the event loop must not block: a statement that would wait for a lock,
or takes too long, is aborted and run in a thread, and so is a commit, which waits for the disk.
"""

import asyncio
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from socialgate.core.loop_thread import LoopThread
from socialgate.core.shared_commits import SharedCommits

T = TypeVar("T")

_MAX_READER_THREADS = 8
_MAX_LOOP_ROWS = 200
_MAX_LOOP_BYTES = 64 * 1024
_TYPES_WITH_LENGTH = (bytes, str)
_MAX_LOOP_SECONDS = 0.003
_STEPS_PER_DEADLINE_CHECK = 5000
# Beyond the 128 statements that a connection keeps: a text that is used again later is prepared again.
_MAX_TEXT_VARIANTS = 200
_MAX_REPLACED_TEXTS = 1000
_PRAGMA_WAIT_FOR_LOCKS = "PRAGMA busy_timeout = 10000"
_PRAGMA_WAIT_BRIEFLY = "PRAGMA busy_timeout = 500"
_WAL_TRUNCATE_INTERVAL_SECONDS = 1.0
_PRAGMA_NO_LOCK_WAIT = "PRAGMA busy_timeout = 0"
_PRAGMA_READ_ONLY = "PRAGMA query_only = ON"
_BEGIN_SQL = "BEGIN IMMEDIATE"
_LENGTH_WITHOUT_ZONE = len("2030-01-01 00:00:00.000000")


def format_sqlite_time(value: datetime) -> str:
    """Write a time as all tables have it: SQLAlchemy's own way took four times as long."""
    utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    return utc.isoformat(" ", "microseconds")[:_LENGTH_WITHOUT_ZONE]


def parse_sqlite_time(text: str) -> datetime:
    # Adding the zone to the text takes a sixth of the time of adding it afterwards.
    return datetime.fromisoformat(text + "+00:00")


class LoopConnection(sqlite3.Connection):
    """Keeps using prepared statements after one of them was aborted.

    Python 3.11 considers a statement that was aborted between two rows as being in use for as long as it keeps it, and
    prepares it again for every run, which takes longer than running it. With one more space it is another statement.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._replaced_texts: dict[str, str] = {}
        self._last_text = ""

    def execute(self, text: str, values: Any = (), /) -> sqlite3.Cursor:
        self._last_text = text
        return super().execute(self._replaced_texts.get(text, text), values)

    def replace_aborted(self) -> None:
        """Use another text for the last statement from now on."""
        if len(self._replaced_texts) >= _MAX_REPLACED_TEXTS:
            self._replaced_texts.clear()
        text = self._last_text
        spaces = len(self._replaced_texts.get(text, text)) - len(text)
        self._replaced_texts[text] = text + " " * ((spaces + 1) % _MAX_TEXT_VARIANTS)


def connect_to_sqlite(path: Path) -> LoopConnection:
    # Without an isolation level the driver does not begin transactions itself, which it would do too late.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=LoopConnection)
    for setting in (
        _PRAGMA_WAIT_FOR_LOCKS,
        "PRAGMA journal_mode = WAL",
        # A commit is on disk when it returns, even if the power fails in the next instant.
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        # What is deleted is overwritten with zeros: nothing that somebody had erased stays in free pages.
        "PRAGMA secure_delete = ON",
    ):
        connection.execute(setting)
    _register_functions(connection)
    return connection


def _register_functions(connection: sqlite3.Connection) -> None:
    """SQLite's own `lower` only knows ASCII, and searches would not find words in other scripts."""
    connection.create_function("lower", 1, _lowercase_text, deterministic=True)


def _lowercase_text(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


class StatementDeadline:
    """Aborts reads that take too long on a connection. A change must not be aborted: that would undo all others."""

    def __init__(self, connection: LoopConnection) -> None:
        self._connection = connection
        self._until = math.inf
        # SQLite counts the steps of all runs of a statement together, so a short one is also checked now and then.
        connection.set_progress_handler(lambda: time.perf_counter() > self._until, _STEPS_PER_DEADLINE_CHECK)

    def __enter__(self) -> None:
        self._until = time.perf_counter() + _MAX_LOOP_SECONDS

    def __exit__(self, _: object, error: object, __: object) -> None:
        self._until = math.inf
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            self._connection.replace_aborted()


class EventLoopReader:
    """Reads on the event loop itself. `sqlite3.OperationalError` means that a thread has to do it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: tuple[LoopConnection, StatementDeadline] | None = None

    def run(self, query: Callable[..., T], *args: Any) -> T:
        connection, moment = self._opened or self._open()
        with moment:
            return query(connection, *args)

    def close(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _open(self) -> tuple[LoopConnection, StatementDeadline]:
        # Unlike other connections: the event loop must not wait, not even to set a journal mode that the file already
        # has.
        connection = sqlite3.connect(
            self._path, timeout=0, isolation_level=None, check_same_thread=False, factory=LoopConnection
        )
        connection.execute(_PRAGMA_READ_ONLY)
        _register_functions(connection)
        self._opened = connection, StatementDeadline(connection)
        return self._opened


class ThreadedConnections:
    """Connections for slow statements, each used by one thread at a time."""

    def __init__(self, path: Path, most: int, *settings: str) -> None:
        self._path = path
        self._most = most
        self._settings = settings
        self._idle: list[sqlite3.Connection] = []
        self._executor: ThreadPoolExecutor | None = None
        self._asked = 0

    @property
    def in_use(self) -> int:
        return min(self._asked, self._most)

    async def run(self, query: Callable[..., T], *args: Any) -> T:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._most, thread_name_prefix="sqlite")
        running = asyncio.get_running_loop().run_in_executor(self._executor, self._run_with_connection, query, *args)
        self._asked += 1
        running.add_done_callback(self._decrement_in_use)
        # Shielded: a cancelled writer must not leave its transaction open in the thread.
        return await asyncio.shield(running)

    def _decrement_in_use(self, _: object) -> None:
        self._asked -= 1

    async def close(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            await asyncio.to_thread(executor.shutdown)
        while self._idle:
            self._idle.pop().close()

    def _run_with_connection(self, query: Callable[..., T], *args: Any) -> T:
        connection = self._idle.pop() if self._idle else self._connect()
        try:
            return query(connection, *args)
        finally:
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        connection = connect_to_sqlite(self._path)
        for setting in self._settings:
            connection.execute(setting)
        return connection


class SqliteConnection:
    """The connection that writes, with an open transaction."""

    def __init__(self, connection: LoopConnection, thread: LoopThread) -> None:
        self._connection = connection
        self._thread = thread
        self._statement_deadline = StatementDeadline(connection)
        # Unknown after a start: the process before may have died between a commit and emptying the log.
        self._log_has_erased = self._must_empty_log = True
        self._empty_again_at = 0.0

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    @classmethod
    async def open(cls, path: Path) -> "SqliteConnection":
        thread = LoopThread("sqlite-writer")
        return cls(await thread.run(_connect_writer, path), thread)

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        if text.startswith("INSERT") and _is_small([values]):
            return fetch_rows(self._connection, text, values)
        if text.startswith("SELECT"):
            with suppress(sqlite3.OperationalError), self._statement_deadline:
                return fetch_rows(self._connection, text, values)
        return await self._in_thread(fetch_rows, text, values)

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        return [result for values in rows for result in await self.fetch(text, values)]

    async def run(self, text: str, values: Sequence[Any], *, by_key: bool = False) -> int:
        if (by_key or text.startswith("INSERT")) and _is_small([values]):
            return _run_statement(self._connection, text, values)
        return await self._in_thread(_run_statement, text, values)

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        if text.startswith("INSERT") and _is_small(rows):
            self._connection.executemany(text, rows)
        else:
            await self._in_thread(sqlite3.Connection.executemany, text, rows)

    async def begin(self) -> None:
        """Take the lock immediately: asking for it later fails under load instead of waiting.

        Only another process can hold it: the writers of this process wait for their turn.
        """
        with suppress(sqlite3.OperationalError):
            self._connection.execute(_BEGIN_SQL)
        if not self._connection.in_transaction:
            await self._in_thread(_begin_patiently)

    def begin_part(self) -> None:
        self._connection.execute("SAVEPOINT part")

    def end_part(self) -> None:
        self._connection.execute("RELEASE part")

    async def undo_part(self) -> None:
        await self._in_thread(_undo_part)

    async def commit(self) -> None:
        await self._in_thread(sqlite3.Connection.execute, "COMMIT")
        await self._forget_erased()

    async def rollback(self) -> None:
        await self._in_thread(_rollback)

    def mark_erased(self) -> None:
        """The open transaction has erased personal data, which must not stay in the log either."""
        self._log_has_erased = self._must_empty_log = True

    async def _forget_erased(self) -> None:
        """Remove what a transaction has erased from the log, where it would stay until the log is overwritten.

        While somebody reads an older state, the log cannot be emptied: then a later transaction tries again.
        """
        wait, self._must_empty_log = self._must_empty_log, False
        if self._log_has_erased and (wait or time.monotonic() >= self._empty_again_at):
            patience = _PRAGMA_WAIT_BRIEFLY if wait else _PRAGMA_NO_LOCK_WAIT
            self._log_has_erased = not await self._in_thread(_truncate_wal, patience)
            self._empty_again_at = time.monotonic() + _WAL_TRUNCATE_INTERVAL_SECONDS

    async def close(self) -> None:
        await self._in_thread(sqlite3.Connection.close)
        self._thread.close()

    async def _in_thread(self, query: Callable[..., T], *args: Any) -> T:
        """Shielded: the cleanup after a cancellation must run after whatever the thread is doing."""
        return await asyncio.shield(self._thread.run(query, self._connection, *args))


class SqliteDriver:
    """The database as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop_reader = EventLoopReader(path)
        self._readers = ThreadedConnections(path, _MAX_READER_THREADS, _PRAGMA_READ_ONLY)
        self._writer: SqliteConnection | None = None
        self._commits = SharedCommits(self._open_writer)

    @property
    def in_use(self) -> int:
        """How many connections run a statement in a thread, or a transaction."""
        return self._readers.in_use + self._commits.is_taken

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        """Fetch the rows of a query, on connections that cannot write."""
        try:
            return self._loop_reader.run(fetch_rows, text, values)
        except sqlite3.Error:
            return await self._readers.run(fetch_rows, text, values)

    def transaction(self) -> AbstractAsyncContextManager[SqliteConnection]:
        """There is one connection that writes. Its users take turns, and those that wait share a commit."""
        return self._commits.share_transaction()

    async def _open_writer(self) -> SqliteConnection:
        if self._writer is None:
            self._writer = await SqliteConnection.open(self._path)
        return self._writer

    def take_writer_turn(self) -> AbstractAsyncContextManager[None]:
        """Wait for the turn of another connection of this process among its writers."""
        return self._commits.take_turn()

    async def close(self) -> None:
        self._loop_reader.close()
        await self._readers.close()
        writer, self._writer = self._writer, None
        if writer is not None:
            await writer.close()


def _is_small(rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether rows are so few and small that writing them blocks nobody."""
    if len(rows) > _MAX_LOOP_ROWS:
        return False
    size = 0
    for values in rows:
        for value in values:
            if isinstance(value, _TYPES_WITH_LENGTH):
                size += len(value)
    return size <= _MAX_LOOP_BYTES


def _connect_writer(path: Path) -> LoopConnection:
    """Its statements run on the event loop, so it waits for no lock, except where it is told to."""
    connection = connect_to_sqlite(path)
    connection.execute(_PRAGMA_NO_LOCK_WAIT)
    return connection


def _begin_patiently(connection: sqlite3.Connection) -> None:
    connection.execute(_PRAGMA_WAIT_FOR_LOCKS)
    try:
        connection.execute(_BEGIN_SQL)
    finally:
        connection.execute(_PRAGMA_NO_LOCK_WAIT)


def _truncate_wal(connection: sqlite3.Connection, patience: str) -> bool:
    connection.execute(patience)
    try:
        [(is_busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError:
        return False
    finally:
        connection.execute(_PRAGMA_NO_LOCK_WAIT)
    return not is_busy


def _undo_part(connection: sqlite3.Connection) -> None:
    connection.execute("ROLLBACK TO part")
    connection.execute("RELEASE part")


def _rollback(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def fetch_rows(connection: sqlite3.Connection, text: str, values: Sequence[Any]) -> list[Any]:
    return connection.execute(text, values).fetchall()


def _run_statement(connection: sqlite3.Connection, text: str, values: Sequence[Any]) -> int:
    return connection.execute(text, values).rowcount
