"""Statements for the drivers: SQLAlchemy compiles the text, the driver runs it, and rows become named tuples.

Running a statement and wrapping its rows took SQLAlchemy longer than the database needed to execute it. Here it only
compiles the text, once for all statements that differ only in their values.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.sql import operators

_MOST_FORMS = 1000
# PostgreSQL's names for a double and a decimal. SQLAlchemy does not convert a number without knowing which it is.
_DOUBLE = 701
_DECIMAL = 1700
_NAMING = frozenset({operators.eq, operators.in_op})

Values = Mapping[str, Any]
ReadRow = Callable[[Sequence[Any]], Any]


class Reader(Protocol):
    """Runs queries."""

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        """Run it and return all rows."""


class Link(Reader, Protocol):
    """Runs statements in the transaction that it belongs to."""

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        """Run it once for each set of values, and return all rows together."""

    async def run(self, text: str, values: Sequence[Any], *, by_key: bool = False) -> int:
        """Run it and return how many rows it changed. `by_key`: an UPDATE that names the keys of its rows."""

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run it once for each set of values."""


def _reader(kind: Any, dialect: Dialect) -> Any:
    number = _DOUBLE if isinstance(kind, sa.Float) else _DECIMAL if isinstance(kind, sa.Numeric) else None
    return kind._cached_result_processor(dialect, number)  # noqa: SLF001 - no other way leads to it


def _is_by_key(statement: Any) -> bool:
    """Whether an UPDATE selects its rows by primary key, so that it cannot change more rows than it has values."""
    if not isinstance(statement, sa.Update) or statement.whereclause is None:
        return False
    where = statement.whereclause
    parts = where.clauses if isinstance(where, sa.BooleanClauseList) and where.operator is operators.and_ else [where]
    named = {one.left for one in parts if isinstance(one, sa.BinaryExpression) and one.operator in _NAMING}
    return set(statement.table.primary_key) <= named


def _row_of(names: Sequence[str]) -> Any:
    kind: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc] # noqa: PYI024 - known only now
    return kind._make


class Form:
    """All statements that differ only in their values: their text, and how to read their rows."""

    def __init__(self, compiled: Any, dialect: Dialect) -> None:
        self._compiled = compiled
        self.by_key = _is_by_key(compiled.statement)
        columns = compiled._result_columns  # noqa: SLF001 - nowhere else are the types of the columns
        names = [column.keyname for column in columns]
        # SQLAlchemy does not know the columns of textual statements.
        self._row: Any = _row_of(names) if names else tuple
        readers = [_reader(column.type, dialect) for column in columns]
        self._readers = [(place, read) for place, read in enumerate(readers) if read is not None]

    def fill(self, key: Any, given: Values | None) -> tuple[str, list[Any]]:
        """Return the text and the values, in the order in which the text uses them."""
        compiled = self._compiled
        extracted = None if key is None else key.bindparams
        values = compiled.construct_params(given, extracted_parameters=extracted, escape_names=False)
        text, order, writers = compiled.string, compiled.positiontup, compiled._bind_processors  # noqa: SLF001 - as above
        if compiled.post_compile_params:
            # A list of values becomes one parameter for each value.
            expanded = compiled.construct_expanded_state(values, escape_names=False)
            text, order, writers = expanded.statement, expanded.positiontup, {**writers, **expanded.processors}
            values = expanded.parameters
        return text, [writers[name](values[name]) if name in writers else values[name] for name in order or ()]

    def rows(self, found: Sequence[Sequence[Any]], read: ReadRow | None = None) -> list[Any]:
        """Convert the values of all rows, then each row by `read`; without it, into a tuple with names."""
        read = read or self._row
        if not (found and self._readers):
            return list(map(read, found))
        columns = list(zip(*found, strict=True))
        for place, convert in self._readers:
            columns[place] = tuple(map(convert, columns[place]))
        return list(map(read, zip(*columns, strict=True)))


class Statements:
    """Runs SQLAlchemy statements over any link."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._forms: dict[Any, Form] = {}

    async def fetch(
        self, reader: Reader, statement: Any, values: Values | None, read: ReadRow | None = None
    ) -> list[Any]:
        form, key = self._form(statement, values or {}, many=False)
        return form.rows(await reader.fetch(*form.fill(key, values)), read)

    async def run(self, link: Link, statement: Any, values: Values | None) -> int:
        form, key = self._form(statement, values or {}, many=False)
        return await link.run(*form.fill(key, values), by_key=form.by_key)

    async def run_many(self, link: Link, statement: Any, values: Sequence[Values]) -> None:
        if values:
            _, text, rows = self._fill_all(statement, values)
            await link.run_many(text, rows)

    async def fetch_many(self, link: Link, statement: Any, values: Sequence[Values]) -> list[Any]:
        if not values:
            return []
        form, text, rows = self._fill_all(statement, values)
        return form.rows(await link.fetch_many(text, rows))

    def _fill_all(self, statement: Any, values: Sequence[Values]) -> tuple[Form, str, list[list[Any]]]:
        form, key = self._form(statement, values[0], many=True)
        filled = [form.fill(key, row) for row in values]
        [text] = {text for text, _ in filled}
        return form, text, [row for _, row in filled]

    def _form(self, statement: Any, values: Values, *, many: bool) -> tuple[Form, Any]:
        """Find the form of a statement; which columns it writes also depends on the names of the values."""
        names = sorted(values)
        key = statement._generate_cache_key()  # noqa: SLF001 - SQLAlchemy keeps its own texts by it
        known = None if key is None else (key.key, *names, many)
        form = self._forms.get(known)
        if form is None:
            compiled = statement.compile(dialect=self.dialect, cache_key=key, column_keys=names, for_executemany=many)
            form = Form(compiled, self.dialect)
            if known is not None:
                self._keep(known, form)
        return form, key

    def _keep(self, known: Any, form: Form) -> None:
        if len(self._forms) >= _MOST_FORMS:
            self._forms.clear()
        self._forms[known] = form
