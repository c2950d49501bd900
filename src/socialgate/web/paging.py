"""Lists: newest first, by keyset. A cursor names the last row seen, so inserts never shift a page."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import sqlalchemy as sa
from msgspec import Meta

from socialgate.core.db import Tx
from socialgate.core.errors import Invalid
from socialgate.core.ids import is_id
from socialgate.web.schema import Page, Query, View

DEFAULT_LIMIT = 50
MAX_LIMIT = 200

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=Any)


class ListQuery(Query, frozen=True, kw_only=True):
    """The two parameters that every list takes."""

    limit: Annotated[int, Meta(ge=1, le=MAX_LIMIT, description="Rows per page.")] = DEFAULT_LIMIT
    cursor: Annotated[str, Meta(max_length=200, description="`nextCursor` of the page before. Opaque.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": DEFAULT_LIMIT}


def after_cursor(
    statement: sa.Select[Any], column: sa.ColumnElement[str], query: ListQuery, *prefixes: str
) -> sa.Select[Any]:
    """Continue a list of ids behind its cursor, and fetch one row more to see whether another page follows."""
    if query.cursor is not None:
        statement = statement.where(column < _decode(query.cursor, *prefixes))
    return statement.order_by(column.desc()).limit(query.limit + 1)


class Listing:
    """A list whose statement is made once, and filled with values: to make it anew costs as much as to run it."""

    def __init__(self, statement: sa.Select[Any], column: sa.ColumnElement[str], *prefixes: str) -> None:
        ordered = statement.order_by(column.desc()).limit(sa.bindparam("rows", type_=sa.Integer))
        self._first = ordered
        self._next = ordered.where(column < sa.bindparam("after"))
        self._prefixes = prefixes

    async def rows(self, tx: Tx, query: ListQuery, **values: Any) -> list[sa.Row[Any]]:
        """Fetch one row more than a page has, as `after_cursor` does."""
        values["rows"] = query.limit + 1
        if query.cursor is None:
            return await tx.all(self._first, values)
        return await tx.all(self._next, {**values, "after": _decode(query.cursor, *self._prefixes)})


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
        raise Invalid.at("?cursor", "invalid_cursor", "The cursor is not one of this list. Begin again without it.")
    return last_id
