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
_SCHEMA_VERSION = 6
# Earlier versions counted other changes too; their tables are the same.
_COMPATIBLE_VERSIONS = frozenset({4, 5, _SCHEMA_VERSION})
_NEW_FILE_VERSION = 0
_CREATE_TABLES_SQL = """
CREATE TABLE IF NOT EXISTS things (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, vendor TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    parent TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (vendor, kind, id));
CREATE INDEX IF NOT EXISTS things_by_parent ON things (vendor, kind, parent, seq);
CREATE TABLE IF NOT EXISTS counters (
    vendor TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (vendor, name)) WITHOUT ROWID;
"""
_NO_LIMIT = -1


class StoredObject(msgspec.Struct, kw_only=True):
    """Base class of everything stored. `id` is unique per class and vendor; `parent` is what the thing belongs to.

    To change one, set its fields and `put` it again. Give every field that is added later a default. A class whose
    required fields follow optional ones is declared as `class Page(Thing, kw_only=True)`.

    The name of the class is stored. A class that is renamed keeps the stored one: `stored_as: ClassVar[str] = "Page"`.
    """

    stored_as: ClassVar[str] = ""

    id: str
    parent: str = ""


T = TypeVar("T", bound=StoredObject)


def get_stored_name(stored_object: type[StoredObject]) -> str:
    """Return the name by which things of a class are stored. A subclass does not inherit it."""
    return str(vars(stored_object).get("stored_as") or stored_object.__name__)


class StaleStateError(Exception):
    """A stored thing does not have the form that the code expects."""


class Database:
    """The file. Everything except the kernel only sees a `Store` of it.

    `replaced` is where a file with other tables was moved to, if there was one.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.replaced_file: Path | None = None
        self._transaction_depth = 0
        self._connection = _connect(path)
        if self.execute("PRAGMA user_version")[0][0] not in _COMPATIBLE_VERSIONS | {_NEW_FILE_VERSION}:
            self._connection.close()
            self.replaced_file = path.rename(build_unused_path(path))
            self._connection = _connect(path)
        self._connection.executescript(f"{_CREATE_TABLES_SQL} PRAGMA user_version = {_SCHEMA_VERSION};")

    def execute(self, statement: str, *values: Any) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Must not contain an `await`; a nested transaction is part of the outer one."""
        if self._transaction_depth:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        self._transaction_depth = 1
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        finally:
            self._transaction_depth = 0

    def delete_all(self) -> None:
        """Delete everything."""
        self.execute("DELETE FROM things")
        self.execute("DELETE FROM counters")

    def get_store(self, vendor: str) -> "Store":
        return Store(self, vendor)

    def close(self) -> None:
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=5)
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
        database.execute(f"PRAGMA {pragma}")
    return database


def build_unused_path(path: Path) -> Path:
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

    def for_vendor(self, vendor: str) -> "Store":
        """Return what another vendor has stored, to read it: two APIs of one company share some things."""
        return Store(self._database, vendor)

    def put(self, stored_object: T) -> T:
        """Insert a thing, or replace the one with its id. A replaced thing keeps its position in lists."""
        self._database.execute(
            "INSERT INTO things (vendor, kind, id, parent, body) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (vendor, kind, id) DO UPDATE SET parent = excluded.parent, body = excluded.body",
            *(
                self._vendor,
                get_stored_name(type(stored_object)),
                stored_object.id,
                stored_object.parent,
                msgspec.json.encode(stored_object),
            ),
        )
        return stored_object

    def get(self, type_: type[T], key: str) -> T | None:
        rows = self._database.execute(
            "SELECT body FROM things WHERE vendor = ? AND kind = ? AND id = ?",
            self._vendor,
            get_stored_name(type_),
            key,
        )
        return _decode(type_, rows[0][0]) if rows else None

    def get_all(self, type_: type[T], keys: Iterable[str]) -> list[T]:
        """Return those things with these ids that exist, in this order."""
        return [item for key in keys if (item := self.get(type_, key)) is not None]

    def find(
        self,
        type_: type[T],
        *,
        parent: str | None = None,
        newest_first: bool = False,
        limit: int = _NO_LIMIT,
        after: str | None = None,
    ) -> list[T]:
        """List things, optionally of one parent. `after` is the id of the last thing on the previous page."""
        where, values = self._build_where(type_, parent)
        if after is not None:
            where += " AND seq < " if newest_first else " AND seq > "
            where += "(SELECT seq FROM things WHERE vendor = ? AND kind = ? AND id = ?)"
            values += [self._vendor, get_stored_name(type_), after]
        order = "DESC" if newest_first else "ASC"
        statement = f"SELECT body FROM things WHERE {where} ORDER BY seq {order} LIMIT ?"  # noqa: S608 - our own words
        return [_decode(type_, body) for (body,) in self._database.execute(statement, *values, limit)]

    def count(self, type_: type[T], *, parent: str | None = None) -> int:
        where, values = self._build_where(type_, parent)
        statement = f"SELECT count(*) FROM things WHERE {where}"  # noqa: S608 - our own words
        return int(self._database.execute(statement, *values)[0][0])

    def delete(self, type_: type[StoredObject], key: str) -> bool:
        """Delete it. Returns False if it did not exist."""
        gone = self._database.execute(
            "DELETE FROM things WHERE vendor = ? AND kind = ? AND id = ? RETURNING 1",
            self._vendor,
            get_stored_name(type_),
            key,
        )
        return bool(gone)

    def delete_all(self, type_: type[StoredObject], *, parent: str | None = None) -> int:
        """Delete all things of a class, or those of one parent."""
        where, values = self._build_where(type_, parent)
        return len(self._database.execute(f"DELETE FROM things WHERE {where} RETURNING 1", *values))  # noqa: S608 - ours

    def get_next_number(self, name: str, start: int = 1) -> int:
        """Return the next number of a series that never repeats, such as the message ids of one chat."""
        rows = self._database.execute(
            "INSERT INTO counters (vendor, name, value) VALUES (?, ?, ?) "
            "ON CONFLICT (vendor, name) DO UPDATE SET value = value + 1 RETURNING value",
            *(self._vendor, name, start),
        )
        return int(rows[0][0])

    def _build_where(self, type_: type[StoredObject], parent: str | None) -> tuple[str, list[str]]:
        if parent is None:
            return "vendor = ? AND kind = ?", [self._vendor, get_stored_name(type_)]
        return "vendor = ? AND kind = ? AND parent = ?", [self._vendor, get_stored_name(type_), parent]


def _decode(type_: type[T], body: bytes) -> T:
    try:
        return msgspec.json.decode(body, type=type_)
    except msgspec.ValidationError as error:
        raise StaleStateError(
            f"A stored {type_.__name__} has an outdated form ({error}). POST /_control/reset empties the sandbox."
        ) from error
