"""Writing on SQLite: brief steps run on the loop, and whatever may take long must not."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sqlalchemy as sa

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx, sqlite_url

numbers = sa.table("numbers", sa.column("n", sa.Integer))
LONG_LOOK = """
    SELECT count(*) AS counted FROM (
        WITH RECURSIVE upwards(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM upwards WHERE n < 1000000)
        SELECT n FROM upwards
    )
"""

MANY_ROWS = (
    "WITH RECURSIVE upwards(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM upwards WHERE n < :most) SELECT n FROM upwards"
)
# What the authorizer of SQLite says when it compiles a SELECT.
SELECT_ACTION = 21


@pytest.fixture(name="path")
def path_of_database(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
    return path


def on(path: Path, job: Callable[[Database], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        db = Database(sqlite_url(path), SystemClock())
        try:
            return await job(db)
        finally:
            await db.close()

    return asyncio.run(run())


def stored(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


async def add(tx: Tx, *number: int) -> None:
    await tx.execute(sa.insert(numbers), [{"n": n} for n in number])


def test_a_lock_that_another_process_holds_stops_no_one_else(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write_while_it_is_held(db: Database) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        writing = asyncio.create_task(db.write(add, 1))
        # A loop that waited for the lock itself would stand still until SQLite gives up, for ten seconds.
        await asyncio.sleep(0.05)
        assert loop.time() - began < 5
        assert not writing.done()
        other.execute("INSERT INTO numbers VALUES (2)")
        other.execute("COMMIT")
        await writing

    on(path, write_while_it_is_held)
    other.close()
    assert stored(path) == [1, 2]


def test_a_file_that_another_process_has_for_itself_stops_no_one_else(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("INSERT INTO numbers VALUES (1)")

    async def look(tx: Tx) -> list[int]:
        return [row.n for row in await tx.all(sa.select(numbers))]

    async def read_while_it_is_held(db: Database) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        reading = asyncio.create_task(db.read(look))
        # A loop that waited for the file itself would stand still until SQLite gives up, for ten seconds.
        await asyncio.sleep(0.05)
        assert loop.time() - began < 5
        assert not reading.done()
        other.execute("COMMIT")
        other.close()
        assert await reading == [1]

    on(path, read_while_it_is_held)


def test_a_long_look_is_broken_off_and_undoes_nothing(path: Path) -> None:
    async def add_look_add(tx: Tx) -> int:
        await add(tx, 1)
        counted = await tx.scalar(sa.text(LONG_LOOK))
        await add(tx, 2)
        return int(counted)

    async def turns_meanwhile(db: Database) -> int:
        writing = asyncio.create_task(db.write(add_look_add))
        turns = 0
        while not writing.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert await writing == 1_000_000
        return turns

    assert on(path, turns_meanwhile) > 5
    assert stored(path) == [1, 2]


def test_a_statement_that_was_broken_off_between_two_rows_is_prepared_once_more_and_then_kept(path: Path) -> None:
    compiled: list[int] = []

    def note(action: int, *_: Any) -> int:
        if action == SELECT_ACTION:
            compiled.append(action)
        return sqlite3.SQLITE_OK

    async def count(tx: Tx, most: int) -> int:
        return len(await tx.all(sa.text(MANY_ROWS), {"most": most}))

    async def read_after_a_break(db: Database) -> None:
        assert await db.read(count, 300_000) == 300_000
        assert await db.read(count, 3) == 3
        driver: Any = db._driver
        connection, _ = driver._loop_reader._opened
        connection.set_authorizer(note)
        # Setting an authorizer makes SQLite compile every statement once more.
        assert await db.read(count, 3) == 3
        compiled.clear()
        assert [await db.read(count, most) for most in (1, 2, 3)] == [1, 2, 3]

    on(path, read_after_a_break)
    assert compiled == []


class Watched:
    """A number that notes in which threads the driver reads it."""

    def __init__(self, number: int, threads: set[int]) -> None:
        self._number = number
        self._threads = threads

    def __conform__(self, protocol: object) -> int:
        del protocol
        self._threads.add(threading.get_ident())
        return self._number


class WatchedText(str):
    """The same for a text."""

    threads: ClassVar[set[int]] = set()

    __slots__ = ()

    def __conform__(self, protocol: object) -> str:
        del protocol
        self.threads.add(threading.get_ident())
        return str(self)


@pytest.mark.parametrize(("size", "on_the_loop"), [(1000, True), (100_000, False)])
def test_only_little_at_once_is_written_on_the_loop(path: Path, size: int, *, on_the_loop: bool) -> None:
    async def add_text(tx: Tx) -> None:
        raw = sa.table("texts", sa.column("t"))
        await tx.execute(sa.text("CREATE TABLE texts (t TEXT)"))
        await tx.execute(sa.insert(raw), {"t": WatchedText("x" * size)})
        await tx.execute(sa.insert(raw), [{"t": WatchedText("x" * (size // 2))} for _ in range(2)])

    WatchedText.threads.clear()
    on(path, lambda db: db.write(add_text))
    assert (WatchedText.threads == {threading.get_ident()}) is on_the_loop
    assert (threading.get_ident() not in WatchedText.threads) is not on_the_loop


@pytest.mark.parametrize(("rows", "on_the_loop"), [(100, True), (1000, False)])
def test_only_few_rows_at_once_are_written_on_the_loop(path: Path, rows: int, *, on_the_loop: bool) -> None:
    threads: set[int] = set()

    async def add_watched(tx: Tx) -> None:
        raw = sa.table("numbers", sa.column("n"))
        await tx.execute(sa.insert(raw), [{"n": Watched(n, threads)} for n in range(rows)])

    on(path, lambda db: db.write(add_watched))
    assert (threads == {threading.get_ident()}) is on_the_loop
    assert len(stored(path)) == rows


def test_a_unit_that_fails_leaves_nothing_and_the_next_one_starts_afresh(path: Path) -> None:
    async def add_and_fail(tx: Tx) -> None:
        await add(tx, 1)
        await add(tx, 1)

    async def fail_then_add(db: Database) -> None:
        with pytest.raises(sqlite3.IntegrityError):
            await db.write(add_and_fail)
        await db.write(add, 2)

    on(path, fail_then_add)
    assert stored(path) == [2]


def test_what_a_statement_gives_back_arrives(path: Path) -> None:
    async def add_and_look(tx: Tx) -> tuple[list[Any], list[Any], int]:
        pairs = await tx.all(sa.insert(numbers).returning(numbers.c.n), [{"n": 7}, {"n": 8}])
        changed = await tx.execute_and_count(sa.update(numbers).where(numbers.c.n == 8).values(n=9))
        return [row.n for row in pairs], [row.n for row in await tx.all(sa.select(numbers))], changed

    assert on(path, lambda db: db.write(add_and_look)) == ([7, 8], [7, 9], 1)


texts = sa.table("texts", sa.column("id", sa.Integer), sa.column("said", sa.Text))


def files_with(path: Path, word: str) -> list[str]:
    """Name the files of a database whose bytes contain a word."""
    return sorted(path.name for path in path.parent.iterdir() if word.encode() in path.read_bytes())


async def erase(tx: Tx, *ids: int) -> None:
    tx.erases = True
    await tx.execute(sa.delete(texts).where(texts.c.id.in_(ids)))


def test_what_is_erased_is_in_no_byte_of_the_files(path: Path) -> None:
    """Neither in the log, nor in the free space of the pages that it was on, nor in pages that became free."""
    word = "a phone number"

    async def job(db: Database) -> None:
        async def write(tx: Tx) -> None:
            await tx.execute(sa.text("CREATE TABLE texts (id INTEGER PRIMARY KEY, said TEXT)"))
            for number in range(400):
                await tx.execute(sa.insert(texts), {"id": number, "said": f"{word} {number} {'x' * 300}"})

        await db.write(write)
        assert files_with(path, word)
        await db.write(erase, *range(400))
        assert files_with(path, word) == []

    on(path, job)


def test_what_somebody_still_reads_is_removed_from_the_log_afterwards(path: Path) -> None:
    word = "a phone number"

    async def job(db: Database) -> None:
        async def write(tx: Tx) -> None:
            await tx.execute(sa.text("CREATE TABLE texts (id INTEGER PRIMARY KEY, said TEXT)"))
            await tx.execute(sa.insert(texts), {"id": 1, "said": word})

        await db.write(write)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            assert reader.execute("SELECT said FROM texts").fetchall() == [(word,)]
            await db.write(erase, 1)
            assert files_with(path, word)
        await db.write(erase, 1)
        assert files_with(path, word) == []

    on(path, job)
