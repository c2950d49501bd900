"""Lists: newest first, with keyset pagination. A cursor names the last row seen, so inserts never shift a page.

A page ends at its number of rows, or earlier at about 4 MiB: clients follow the cursor and never count. If callers
decide how large a row is, its size is queried first, so that only rows that are sent are loaded. Rows of other lists
have columns of limited length, so that even 200 of them are smaller.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from socialgate.core.db import Tx
from socialgate.core.errors import Invalid
from socialgate.core.ids import is_id
from socialgate.web.schema import Page, Query, View

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
PAGE_BYTES = 4 * 1024 * 1024
_MARK_BYTES = 6
# How many characters of an id say when it was created, and make it unique.
_AFTER_PREFIX = 26
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FOREIGN_CURSOR = "The cursor does not belong to this list. Start again without it."

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=Any)
S = TypeVar("S")


class ListQuery(Query, frozen=True, kw_only=True):
    """The two parameters that every list has."""

    limit: Annotated[int, Meta(ge=1, le=MAX_LIMIT, description="Maximum number of rows per page.")] = DEFAULT_LIMIT
    cursor: Annotated[str, Meta(max_length=200, description="`nextCursor` of the previous page. Opaque.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": DEFAULT_LIMIT}


def after_cursor(
    statement: sa.Select[Any], column: sa.ColumnElement[str], query: ListQuery, *prefixes: str
) -> sa.Select[Any]:
    """Continue a list of ids after its cursor, and fetch one more row to see whether another page follows.

    Ids with different prefixes are in order of creation by what comes after the prefix.
    """
    mixed = len(prefixes) > 1
    key = sa.func.substr(column, sa.func.length(column) - _AFTER_PREFIX + 1) if mixed else column
    if query.cursor is not None:
        last_id = _decode(query.cursor, *prefixes)
        statement = statement.where(key < (last_id[-_AFTER_PREFIX:] if mixed else last_id))
    return statement.order_by(key.desc()).limit(query.limit + 1)


class Listing:
    """A list whose statement is built once and filled with values: building it costs as much as running it."""

    def __init__(self, statement: sa.Select[Any], column: sa.ColumnElement[str], *prefixes: str) -> None:
        ordered = statement.order_by(column.desc()).limit(sa.bindparam("rows", type_=sa.Integer))
        self._first = ordered
        self._next = ordered.where(column < sa.bindparam("after"))
        self._prefixes = prefixes

    async def rows(self, tx: Tx, query: ListQuery, read: Callable[[Sequence[Any]], R], **values: Any) -> list[R]:
        """Fetch one more row than a page has, like `after_cursor`."""
        values["rows"] = query.limit + 1
        if query.cursor is None:
            return await tx.rows(self._first, read, values)
        return await tx.rows(self._next, read, {**values, "after": _decode(query.cursor, *self._prefixes)})


class Choice(msgspec.Struct, frozen=True):
    """The rows that go on a page, before any of them is loaded."""

    ids: list[str]
    next_cursor: str | None

    def page(self, rows: Sequence[R], show: Callable[[R], V]) -> Page[V]:
        """Load the rows. A row that was deleted in the meantime is missing, and the list continues after it."""
        return Page(data=[show(row) for row in rows], next_cursor=self.next_cursor)


async def choose(
    tx: Tx,
    statement: sa.Select[Any],
    column: sa.ColumnElement[str],
    size: sa.ColumnElement[int],
    query: ListQuery,
    *prefixes: str,
) -> Choice:
    """Choose a page of a list whose rows may be large, given their sizes in bytes."""
    ids, more = await fitting_ids(tx, after_cursor(statement, column, query, *prefixes), column, size, query.limit)
    return Choice(ids, _encode(ids[-1]) if more else None)


async def fitting_ids(
    tx: Tx, ordered: sa.Select[Any], column: sa.ColumnElement[str], size: sa.ColumnElement[int], limit: int
) -> tuple[list[str], bool]:
    """Return which rows of an ordered list go on one page, by their sizes in bytes, and whether more follow."""
    sized: Any = ordered.with_only_columns(column.label("id"), size.label("size")).limit(limit + 1)
    found = await tx.all(sized)
    ids = [row.id for row in fitting(found[:limit])]
    return ids, len(ids) < len(found)


async def in_order(
    tx: Tx, statement: sa.Select[Any], column: sa.ColumnElement[str], ids: Sequence[str], read: Callable[[Any], R]
) -> list[R]:
    """Load the chosen rows of a list, in their order."""
    rows = {row.id: row for row in await tx.rows(statement.where(column.in_(ids)), read)}
    return [rows[one] for one in ids if one in rows]


def fitting(sized: Iterable[S], size_of: Callable[[S], int] = attrgetter("size")) -> Iterator[S]:
    """Return the rows that fit on one page, and at least the first."""
    left = PAGE_BYTES
    for place, one in enumerate(sized):
        left -= size_of(one)
        if left < 0 and place:
            return
        yield one


def bytes_of(tx: Tx, *columns: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """Return how many bytes columns take in a response. Text is measured as JSON, where a character can become six."""
    return sum((_bytes_of(tx, column) for column in columns[1:]), start=_bytes_of(tx, columns[0]))


def _bytes_of(tx: Tx, column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    if isinstance(column.type, sa.LargeBinary):
        measured: sa.ColumnElement[Any] = column
    elif tx.dialect == "postgresql":
        is_json = isinstance(column.type, sa.JSON)
        measured = sa.cast(column if is_json else sa.func.to_json(column), sa.Text)
    else:
        text = sa.type_coerce(column, sa.Text)
        measured = sa.cast(text if isinstance(column.type, sa.JSON) else sa.func.json_quote(text), sa.LargeBinary)
    length = sa.func.octet_length if tx.dialect == "postgresql" else sa.func.length
    return sa.func.coalesce(length(measured), 0)


def page_of(rows: Sequence[R], query: ListQuery, show: Callable[[R], V]) -> Page[V]:
    shown = rows[: query.limit]
    more = len(rows) > query.limit
    return Page(data=[show(row) for row in shown], next_cursor=_encode(shown[-1].id) if more else None)


def _encode(last_id: str) -> str:
    return urlsafe_b64encode(last_id.encode()).decode().rstrip("=")


def _decode(cursor: str, *prefixes: str) -> str:
    try:
        last_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except ValueError:
        last_id = ""
    if not any(is_id(prefix, last_id) for prefix in prefixes):
        raise Invalid.at("?cursor", "invalid_cursor", _FOREIGN_CURSOR)
    return last_id


def opaque(cursor: str | None, *of: str) -> str | None:
    """Turn a platform's cursor into one of ours, for the list named by `of`."""
    if cursor is None:
        return None
    return urlsafe_b64encode(_mark(of) + cursor.encode()).decode().rstrip("=")


def plain(cursor: str | None, *of: str, name: str = "cursor") -> str | None:
    """Return the platform's own cursor. A cursor of another list would return something else, or nothing.

    `name` is the query parameter it came in.
    """
    if cursor is None:
        return None
    try:
        given = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        if given[:_MARK_BYTES] == _mark(of):
            return given[_MARK_BYTES:].decode()
    except ValueError:
        pass
    raise Invalid.at(f"?{name}", "invalid_cursor", _FOREIGN_CURSOR.replace("cursor", name))


def parse_row_cursor(cursor: str | None, *, first: int, max_digits: int) -> int:
    """Return the number of the row after which a list of numbered rows continues, of which `first` is the first.

    Callers may have made the cursor up.
    """
    if cursor is None:
        return first - 1
    if not (cursor.isascii() and cursor.isdecimal()) or len(cursor) > max_digits:
        raise Invalid.at("?cursor", "invalid_cursor", "The cursor is for another list. Start again without it.")
    return int(cursor)


class Place(NamedTuple):
    """Where a list by time continues: after this row, by time and then by id."""

    at: datetime
    id: str


def at_place(place: Place, *of: str) -> str:
    """Create the cursor of a list by time, for the list named by `of`."""
    found = opaque(f"{(place.at - _EPOCH) // _MICROSECOND} {place.id}", *of)
    assert found is not None, "it was made of something"
    return found


def place_of(cursor: str | None, prefix: str, *of: str) -> Place | None:
    """Read the cursor of a list by time. Whatever it contains, callers may have made it up."""
    found = plain(cursor, *of)
    if found is None:
        return None
    moment, _, row_id = found.partition(" ")
    try:
        place = Place(_EPOCH + int(moment) * _MICROSECOND, row_id)
    except (ValueError, OverflowError):
        place = None
    if place is None or not is_id(prefix, row_id):
        raise Invalid.at("?cursor", "invalid_cursor", _FOREIGN_CURSOR)
    return place


def _mark(of: tuple[str, ...]) -> bytes:
    return blake2b("\0".join(of).encode(), digest_size=_MARK_BYTES).digest()
