"""Lists: newest first, with keyset pagination. A cursor names the last row seen, so inserts never shift a page.

A page ends at its number of rows, or earlier at about 4 MiB: clients follow the cursor and never count. If callers
decide how large a row is, the database adds up the sizes in the statement that reads the page (`FittingList`), so that
only rows that are sent are loaded. Rows of other lists have columns of limited length, so that even 200 of them are
smaller.
"""

import operator
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from hashlib import blake2b
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, TypeVar

import sqlalchemy as sa
from msgspec import Meta
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.util import ClauseAdapter

from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest
from socialgate.core.ids import is_id
from socialgate.core.rows import RowReader
from socialgate.web.schemas import Page, QueryParameters, ResponseModel

DEFAULT_PAGE_LIMIT = 50
MAX_PAGE_LIMIT = 200
MAX_PAGE_BYTES = 4 * 1024 * 1024
_LIST_HASH_BYTES = 6
# How many characters of an id say when it was created, and make it unique.
_ID_SUFFIX_LENGTH = 26
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_WRONG_CURSOR_MESSAGE = "The cursor does not belong to this list. Start again without it."

V = TypeVar("V", bound=ResponseModel)
R = TypeVar("R", bound=Any)
S = TypeVar("S")


class ListQuery(QueryParameters, frozen=True, kw_only=True):
    """The two parameters that every list has."""

    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE_LIMIT, description="Maximum number of rows per page.")] = (
        DEFAULT_PAGE_LIMIT
    )
    cursor: Annotated[str, Meta(max_length=200, description="`nextCursor` of the previous page. Opaque.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": DEFAULT_PAGE_LIMIT}


def add_cursor(
    statement: sa.Select[Any], column: sa.ColumnElement[str], query: ListQuery, prefix: str
) -> sa.Select[Any]:
    """Continue a list of ids after its cursor, and fetch one more row to see whether another page follows."""
    if query.cursor is not None:
        statement = statement.where(column < _decode_cursor(query.cursor, prefix))
    return statement.order_by(column.desc()).limit(query.limit + 1)


def get_creation_key(row_id: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """Return what follows the prefix of an id: ids with different prefixes are in order of creation by it."""
    return sa.func.substr(row_id, sa.func.length(row_id) - _ID_SUFFIX_LENGTH + 1, type_=sa.String)


class PreparedList:
    """A list whose statement is built once and filled with values: building it costs as much as running it."""

    def __init__(self, statement: sa.Select[Any], column: sa.ColumnElement[str], *prefixes: str) -> None:
        ordered = statement.order_by(column.desc()).limit(sa.bindparam("rows", type_=sa.Integer))
        self._first = ordered
        self._next = ordered.where(column < sa.bindparam("after"))
        self._prefixes = prefixes

    async def fetch_rows(self, tx: Tx, query: ListQuery, read: Callable[[Sequence[Any]], R], **values: Any) -> list[R]:
        """Fetch one more row than a page has, like `add_cursor`."""
        values["rows"] = query.limit + 1
        if query.cursor is None:
            return await tx.all_as(self._first, read, values)
        return await tx.all_as(self._next, read, {**values, "after": _decode_cursor(query.cursor, *self._prefixes)})


class FittingList:
    """A list whose rows may be large: those that fit on a page are chosen and read by one statement, built once.

    `filters` are conditions that a request may have, by name. Each combination of them has a statement of its own.
    """

    def __init__(
        self,
        table: sa.Table,
        size: sa.ColumnElement[int],
        order: Sequence[sa.UnaryExpression[Any] | sa.Column[Any]],
        *conditions: sa.ColumnElement[bool],
        filters: Mapping[str, sa.ColumnElement[bool]],
    ) -> None:
        self._table = table
        self._size = size
        self._order = order
        self._conditions = conditions
        self._filters = filters
        self._statements: dict[frozenset[str], sa.Select[Any]] = {}

    async def fetch_page(
        self,
        tx: Tx,
        read: RowReader[R],
        query: ListQuery,
        prefixes: Iterable[str],
        required: Mapping[str, Any],
        optional: Mapping[str, Any],
        filters: Iterable[str] = (),
    ) -> tuple[list[R], bool]:
        """Return the rows of a page by id, and whether more follow.

        What is optional is a value for the filter of the same name, and None leaves the filter out. The cursor belongs
        to the filter `after`. `filters` are those without a value.
        """
        values = {name: value for name, value in optional.items() if value is not None}
        if query.cursor is not None:
            values["after"] = _decode_cursor(query.cursor, *prefixes)
        chosen = {*values, *filters}
        return await self.fetch(tx, read, chosen, {**required, **values}, limit=query.limit, most=query.limit + 1)

    async def fetch(
        self,
        tx: Tx,
        read: RowReader[R],
        filters: Iterable[str],
        values: Mapping[str, Any],
        *,
        limit: int,
        most: int,
    ) -> tuple[list[R], bool]:
        """Return at most `limit` rows that fit on one page, and whether more follow.

        `most` is how many rows are looked at: one more than the limit, or the limit itself if it does not matter
        whether a full page is the last one.
        """
        chosen = frozenset(filters)
        statement = self._statements.get(chosen)
        if statement is None:
            statement = self._statements[chosen] = self._build(chosen)
        rows = await tx.all_as(statement, tuple, {**values, "rows": limit, "most": most})
        if not rows:
            return [], False
        *columns, row_counts = zip(*rows, strict=True)
        return read.read_columns(columns), row_counts[0] > len(rows)

    def _build(self, filters: frozenset[str]) -> sa.Select[Any]:
        """Number the rows and add up their sizes, then read those that fit, and at least the first."""
        table, key = self._table, self._table.primary_key.columns
        ordering = [column.element if isinstance(column, sa.UnaryExpression) else column for column in self._order]
        # An expression is made of columns of the key.
        columns = {column.key: column for column in (*key, *ordering) if isinstance(column, sa.Column)}
        sized = (
            sa.select(*columns.values(), self._size.label("size"))
            .where(*self._conditions, *(self._filters[name] for name in sorted(filters)))
            .order_by(*self._order)
            .limit(sa.bindparam("most", type_=sa.Integer))
            .subquery("sized")
        )
        order = [ClauseAdapter(sized).traverse(column) for column in self._order]
        numbered = sa.select(
            *(sized.c[column.key] for column in key),
            sa.func.row_number().over(order_by=order).label("number"),
            sa.func.sum(sized.c.size).over(order_by=order, rows=(None, 0)).label("bytes"),
            sa.func.count().over().label("found"),
        ).subquery("numbered")
        fits = sa.or_(numbered.c.number == 1, numbered.c.bytes <= MAX_PAGE_BYTES)
        return (
            sa.select(*table.c, numbered.c.found)
            .select_from(numbered.join(table, sa.and_(*(column == numbered.c[column.key] for column in key))))
            .where(numbered.c.number <= sa.bindparam("rows", type_=sa.Integer), fits)
            .order_by(numbered.c.number)
        )


def take_rows_fitting_page(sized: Iterable[S], get_size: Callable[[S], int] = attrgetter("size")) -> Iterator[S]:
    """Return the rows that fit on one page, and at least the first."""
    left = MAX_PAGE_BYTES
    for place, item in enumerate(sized):
        left -= get_size(item)
        if left < 0 and place:
            return
        yield item


class _ResponseSize(FunctionElement[int]):
    """How many bytes a column takes in a response. Text is measured as JSON, where a character can become six."""

    type = sa.Integer()
    name = "response_size"
    inherit_cache = True


@compiles(_ResponseSize, "postgresql")
def _compile_octet_length(element: _ResponseSize, compiler: Any, **options: Any) -> str:
    [column] = element.clauses
    text = compiler.process(column, **options)
    if isinstance(column.type, sa.LargeBinary):
        return f"coalesce(octet_length({text}), 0)"
    as_json = text if isinstance(column.type, sa.JSON) else f"to_json({text})"
    return f"coalesce(octet_length(CAST({as_json} AS TEXT)), 0)"


@compiles(_ResponseSize, "sqlite")
def _compile_length(element: _ResponseSize, compiler: Any, **options: Any) -> str:
    [column] = element.clauses
    text = compiler.process(column, **options)
    if isinstance(column.type, sa.LargeBinary):
        return f"coalesce(length({text}), 0)"
    as_json = text if isinstance(column.type, sa.JSON) else f"json_quote({text})"
    return f"coalesce(length(CAST({as_json} AS BLOB)), 0)"


def build_response_size(*columns: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """Return how many bytes columns take in a response."""
    return reduce(operator.add, map(_ResponseSize, columns))


def build_page_from_rows(rows: Sequence[R], query: ListQuery, show: Callable[[R], V]) -> Page[V]:
    shown = rows[: query.limit]
    more = len(rows) > query.limit
    return Page(data=[show(row) for row in shown], next_cursor=_encode_cursor(shown[-1].id) if more else None)


def build_page(rows: Sequence[R], show: Callable[[R], V], *, more: bool) -> Page[V]:
    return Page(data=[show(row) for row in rows], next_cursor=_encode_cursor(rows[-1].id) if more else None)


def _encode_cursor(last_id: str) -> str:
    return urlsafe_b64encode(last_id.encode()).decode().rstrip("=")


def _decode_cursor(cursor: str, *prefixes: str) -> str:
    try:
        last_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except ValueError:
        last_id = ""
    if not any(is_id(prefix, last_id) for prefix in prefixes):
        raise InvalidRequest.for_field("?cursor", "invalid_cursor", _WRONG_CURSOR_MESSAGE)
    return last_id


def wrap_platform_cursor(cursor: str | None, *cursor_scope: str) -> str | None:
    """Turn a platform's cursor into one of ours, for the list named by `cursor_scope`."""
    if cursor is None:
        return None
    return urlsafe_b64encode(_hash_list_name(cursor_scope) + cursor.encode()).decode().rstrip("=")


def unwrap_platform_cursor(cursor: str | None, *cursor_scope: str, name: str = "cursor") -> str | None:
    """Return the platform's own cursor. A cursor of another list would return something else, or nothing.

    `name` is the query parameter it came in.
    """
    if cursor is None:
        return None
    try:
        data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        if data[:_LIST_HASH_BYTES] == _hash_list_name(cursor_scope):
            return data[_LIST_HASH_BYTES:].decode()
    except ValueError:
        pass
    raise InvalidRequest.for_field(f"?{name}", "invalid_cursor", _WRONG_CURSOR_MESSAGE.replace("cursor", name))


def parse_row_cursor(cursor: str | None, *, first: int, max_digits: int) -> int:
    """Return the number of the row after which a list of numbered rows continues, of which `first` is the first.

    Callers may have made the cursor up.
    """
    if cursor is None:
        return first - 1
    if not (cursor.isascii() and cursor.isdecimal()) or len(cursor) > max_digits:
        raise InvalidRequest.for_field(
            "?cursor", "invalid_cursor", "The cursor is for another list. Start again without it."
        )
    return int(cursor)


class TimePosition(NamedTuple):
    """Where a list by time continues: after this row, by time and then by id."""

    at: datetime
    id: str


def encode_time_cursor(place: TimePosition, *cursor_scope: str) -> str:
    """Create the cursor of a list by time, for the list named by `cursor_scope`."""
    result = wrap_platform_cursor(f"{(place.at - _EPOCH) // _MICROSECOND} {place.id}", *cursor_scope)
    assert result is not None, "it was made of something"
    return result


def decode_time_cursor(cursor: str | None, prefix: str, *cursor_scope: str) -> TimePosition | None:
    """Read the cursor of a list by time. Whatever it contains, callers may have made it up."""
    result = unwrap_platform_cursor(cursor, *cursor_scope)
    if result is None:
        return None
    moment, _, row_id = result.partition(" ")
    try:
        place = TimePosition(_EPOCH + int(moment) * _MICROSECOND, row_id)
    except (ValueError, OverflowError):
        place = None
    if place is None or not is_id(prefix, row_id):
        raise InvalidRequest.for_field("?cursor", "invalid_cursor", _WRONG_CURSOR_MESSAGE)
    return place


def _hash_list_name(cursor_scope: tuple[str, ...]) -> bytes:
    return blake2b("\0".join(cursor_scope).encode(), digest_size=_LIST_HASH_BYTES).digest()
