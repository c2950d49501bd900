"""Writers of SQLite that wait for their turn share a commit, and each of them is told what became of its own unit."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.core import shared_commits
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.errors import StorageFull
from socialgate.core.sqlite import SqliteConnection

numbers = sa.table("numbers", sa.column("n", sa.Integer))
WRITERS = 20


class Refused(Exception):
    """A unit has changed its mind."""


@pytest.fixture(name="path")
def path_of_database(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
    return path


@pytest.fixture(autouse=True)
def patient_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine a transaction would end before the next unit could join it."""
    monkeypatch.setattr(shared_commits, "_MAX_SHARED_SECONDS", 60)


@pytest.fixture(name="commits")
def commits_of_run(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers the commits of a test."""
    numbered: list[int] = []
    commit = SqliteConnection.commit

    async def counted(connection: SqliteConnection) -> None:
        await commit(connection)
        numbered.append(len(numbered))

    monkeypatch.setattr(SqliteConnection, "commit", counted)
    return numbered


def write_all(path: Path, *units: Any) -> list[Any]:
    """Run units at the same time and give the result or the error of each."""

    async def run() -> list[Any]:
        db = Database(sqlite_url(path), SystemClock())
        try:
            async with db.take_writer_turn():
                results = asyncio.gather(*map(db.write, units), return_exceptions=True)
                await asyncio.sleep(0)
            return await results
        finally:
            await db.close()

    return asyncio.run(run())


def adds(number: int, *, refuses: bool = False) -> Any:
    async def add(tx: Tx) -> int:
        await tx.execute(sa.insert(numbers), {"n": number})
        if refuses:
            raise Refused
        return number

    return add


def stored(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


def test_those_who_wait_share_commits(path: Path, commits: list[int]) -> None:
    assert write_all(path, *map(adds, range(WRITERS))) == list(range(WRITERS))
    assert stored(path) == list(range(WRITERS))
    assert len(commits) == 1


@pytest.mark.parametrize("refused", [0, 1, WRITERS - 1])
def test_a_unit_that_fails_undoes_only_itself(path: Path, refused: int) -> None:
    results = write_all(path, *(adds(number, refuses=number == refused) for number in range(WRITERS)))
    assert isinstance(results.pop(refused), Refused)
    assert results == stored(path) == [number for number in range(WRITERS) if number != refused]


def test_nobody_is_told_of_success_before_the_commit(path: Path) -> None:
    async def run() -> None:
        db = Database(sqlite_url(path), SystemClock())

        async def write(number: int) -> bool:
            await db.write(adds(number))
            return number in stored(path)

        assert all(await asyncio.gather(*map(write, range(WRITERS))))
        await db.close()

    asyncio.run(run())


def test_a_commit_that_fails_fails_for_all_and_for_what_they_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: SqliteConnection) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(SqliteConnection, "commit", fail)
    # The first begins a transaction that the others share, and the second fails because of what is not stored then.
    results = write_all(path, adds(1), adds(1), adds(2))
    assert [type(result) for result in results] == [StorageFull] * 3
    assert stored(path) == []


def test_a_transaction_that_sqlite_ends_by_itself_is_lost_for_all_of_its_units(path: Path) -> None:
    async def end_everything(tx: Tx) -> None:
        await tx.execute(sa.text("INSERT OR ROLLBACK INTO numbers SELECT 1 UNION ALL SELECT 1"))

    first, second = write_all(path, adds(1), end_everything)
    assert isinstance(first, sqlite3.IntegrityError)
    assert isinstance(second, sqlite3.IntegrityError)
    assert stored(path) == []


def test_another_connection_has_its_turn_between_transactions(path: Path) -> None:
    async def run() -> None:
        db = Database(sqlite_url(path), SystemClock())

        async def use_another_connection() -> None:
            async with db.take_writer_turn():
                with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
                    other.execute("BEGIN IMMEDIATE")
                    other.execute("INSERT INTO numbers VALUES (0)")
                    other.execute("COMMIT")

        before, after = map(adds, range(1, WRITERS)), map(adds, range(WRITERS, 2 * WRITERS))
        await asyncio.gather(*map(db.write, before), use_another_connection(), *map(db.write, after))
        await db.close()

    asyncio.run(run())
    assert stored(path) == list(range(2 * WRITERS))


def test_who_stops_waiting_holds_up_nobody(path: Path) -> None:
    async def run() -> None:
        db = Database(sqlite_url(path), SystemClock())

        async def wait_for_turn() -> None:
            async with db.take_writer_turn():
                raise AssertionError("unreachable")

        async with db.take_writer_turn():
            waiting = asyncio.create_task(wait_for_turn())
            writing = asyncio.create_task(db.write(adds(1)))
            await asyncio.sleep(0)
            waiting.cancel()
        await writing
        await db.close()

    asyncio.run(run())
    assert stored(path) == [1]
