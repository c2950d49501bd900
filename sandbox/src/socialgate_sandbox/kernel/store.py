"""The state of the sandbox, in one SQLite file that survives a restart.

Plain `sqlite3` on the thread of the event loop: an operation takes microseconds, so nothing is gained by waiting for it
elsewhere, and a function without `await` has exclusive access to the state while it runs.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

# Increase it when the tables change. The things in them are checked by `upgrade.py`.
_SCHEMA = 6
# Earlier versions counted other changes too; their tables are the same.
_SAME_TABLES = frozenset({4, 5, _SCHEMA})
_NEW_FILE = 0
_TABLES = """
CREATE TABLE IF NOT EXISTS things (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, vendor TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    parent TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (vendor, kind, id));
CREATE INDEX IF NOT EXISTS things_by_parent ON things (vendor, kind, parent, seq);
CREATE TABLE IF NOT EXISTS counters (
    vendor TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (vendor, name)) WITHOUT ROWID;
"""
_EVERYTHING = -1


class Thing(msgspec.Struct, kw_only=True):
    """Base class of everything stored. `id` is unique per class and vendor; `parent` is what the thing belongs to.

    To change one, set its fields and `put` it again. Give every field that is added later a default. A class whose
    required fields follow optional ones is declared as `class Page(Thing, kw_only=True)`.

    The name of the class is stored. A class that is renamed keeps the stored one: `stored_as: ClassVar[str] = "Page"`.
    """

    stored_as: ClassVar[str] = ""

    id: str
    parent: str = ""


T = TypeVar("T", bound=Thing)


def kind_of(thing: type[Thing]) -> str:
    """Return the name by which things of a class are stored. A subclass does not inherit it."""
    return str(vars(thing).get("stored_as") or thing.__name__)


class StaleState(Exception):
    """A stored thing does not have the form that the code expects."""


class Database:
    """The file. Everything except the kernel only sees a `Store` of it.

    `replaced` is where a file with other tables was moved to, if there was one.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.replaced: Path | None = None
        self._depth = 0
        self._db = _connect(path)
        if self.run("PRAGMA user_version")[0][0] not in _SAME_TABLES | {_NEW_FILE}:
            self._db.close()
            self.replaced = path.rename(free_name(path))
            self._db = _connect(path)
        self._db.executescript(f"{_TABLES} PRAGMA user_version = {_SCHEMA};")

    def run(self, statement: str, *values: Any) -> list[Any]:
        return self._db.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Must not contain an `await`; a nested transaction is part of the outer one."""
        if self._depth:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        self._depth = 1
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        finally:
            self._depth = 0

    def clear(self) -> None:
        """Delete everything."""
        self.run("DELETE FROM things")
        self.run("DELETE FROM counters")

    def store(self, vendor: str) -> "Store":
        return Store(self, vendor)

    def close(self) -> None:
        self._db.close()


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=5)
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
        database.execute(f"PRAGMA {pragma}")
    return database


def free_name(path: Path) -> Path:
    """Return a name for a file that is kept, with the time, that is not in use yet."""
    stem = f"{path.stem}-kept-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (path.with_name(f"{stem}{suffix}.db") for suffix in ("", *(f"-{number}" for number in range(2, 1000))))
    return next(name for name in names if not name.exists())


class Store:
    """The things of one vendor, by class. Lists are in the order in which their things were first put."""

    def __init__(self, database: Database, vendor: str) -> None:
        self._database = database
        self._vendor = vendor
        self.transaction = database.transaction

    def beside(self, vendor: str) -> "Store":
        """Return what another vendor has stored, to read it: two APIs of one company share some things."""
        return Store(self._database, vendor)

    def put(self, thing: T) -> T:
        """Insert a thing, or replace the one with its id. A replaced thing keeps its position in lists."""
        self._database.run(
            "INSERT INTO things (vendor, kind, id, parent, body) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (vendor, kind, id) DO UPDATE SET parent = excluded.parent, body = excluded.body",
            *(self._vendor, kind_of(type(thing)), thing.id, thing.parent, msgspec.json.encode(thing)),
        )
        return thing

    def get(self, kind: type[T], key: str) -> T | None:
        rows = self._database.run(
            "SELECT body FROM things WHERE vendor = ? AND kind = ? AND id = ?", self._vendor, kind_of(kind), key
        )
        return _decode(kind, rows[0][0]) if rows else None

    def get_all(self, kind: type[T], keys: Iterable[str]) -> list[T]:
        """Return those things with these ids that exist, in this order."""
        return [found for key in keys if (found := self.get(kind, key)) is not None]

    def find(
        self,
        kind: type[T],
        *,
        parent: str | None = None,
        newest_first: bool = False,
        limit: int = _EVERYTHING,
        after: str | None = None,
    ) -> list[T]:
        """List things, optionally of one parent. `after` is the id of the last thing on the previous page."""
        where, values = self._where(kind, parent)
        if after is not None:
            where += " AND seq < " if newest_first else " AND seq > "
            where += "(SELECT seq FROM things WHERE vendor = ? AND kind = ? AND id = ?)"
            values += [self._vendor, kind_of(kind), after]
        order = "DESC" if newest_first else "ASC"
        statement = f"SELECT body FROM things WHERE {where} ORDER BY seq {order} LIMIT ?"  # noqa: S608 - our own words
        return [_decode(kind, body) for (body,) in self._database.run(statement, *values, limit)]

    def count(self, kind: type[T], *, parent: str | None = None) -> int:
        where, values = self._where(kind, parent)
        statement = f"SELECT count(*) FROM things WHERE {where}"  # noqa: S608 - our own words
        return int(self._database.run(statement, *values)[0][0])

    def delete(self, kind: type[Thing], key: str) -> bool:
        """Delete it. Returns False if it did not exist."""
        gone = self._database.run(
            "DELETE FROM things WHERE vendor = ? AND kind = ? AND id = ? RETURNING 1", self._vendor, kind_of(kind), key
        )
        return bool(gone)

    def clear(self, kind: type[Thing], *, parent: str | None = None) -> int:
        """Delete all things of a class, or those of one parent."""
        where, values = self._where(kind, parent)
        return len(self._database.run(f"DELETE FROM things WHERE {where} RETURNING 1", *values))  # noqa: S608 - ours

    def count_up(self, name: str, start: int = 1) -> int:
        """Return the next number of a series that never repeats, such as the message ids of one chat."""
        rows = self._database.run(
            "INSERT INTO counters (vendor, name, value) VALUES (?, ?, ?) "
            "ON CONFLICT (vendor, name) DO UPDATE SET value = value + 1 RETURNING value",
            *(self._vendor, name, start),
        )
        return int(rows[0][0])

    def _where(self, kind: type[Thing], parent: str | None) -> tuple[str, list[str]]:
        if parent is None:
            return "vendor = ? AND kind = ?", [self._vendor, kind_of(kind)]
        return "vendor = ? AND kind = ? AND parent = ?", [self._vendor, kind_of(kind), parent]


def _decode(kind: type[T], body: bytes) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise StaleState(
            f"A stored {kind.__name__} has an outdated form ({error}). POST /_control/reset empties the sandbox."
        ) from error
