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

_MAX_CACHED_STATEMENTS = 1000
# PostgreSQL's names for a double and a decimal. SQLAlchemy does not convert a number without knowing which it is.
_DOUBLE = 701
_DECIMAL = 1700
_EQUALITY_OPERATORS = frozenset({operators.eq, operators.in_op})

Values = Mapping[str, Any]
ReadRow = Callable[[Sequence[Any]], Any]


class QueryConnection(Protocol):
    """Runs queries."""

    async def fetch(self, text: str, values: Sequence[Any]) -> Sequence[Any]:
        """Run it and return all rows."""


class StatementConnection(QueryConnection, Protocol):
    """Runs statements in the transaction that it belongs to."""

    async def fetch_many(self, text: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
        """Run it once for each set of values, and return all rows together."""

    async def run(self, text: str, values: Sequence[Any], *, by_key: bool = False) -> int:
        """Run it and return how many rows it changed. `by_key`: an UPDATE that names the keys of its rows."""

    async def run_many(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run it once for each set of values."""


def _get_result_processor(kind: Any, dialect: Dialect) -> Any:
    number = _DOUBLE if isinstance(kind, sa.Float) else _DECIMAL if isinstance(kind, sa.Numeric) else None
    return kind._cached_result_processor(dialect, number)  # noqa: SLF001 - no other way leads to it


def _is_by_key(statement: Any) -> bool:
    """Whether an UPDATE selects its rows by primary key, so that it cannot change more rows than it has values."""
    if not isinstance(statement, sa.Update) or statement.whereclause is None:
        return False
    where = statement.whereclause
    parts = where.clauses if isinstance(where, sa.BooleanClauseList) and where.operator is operators.and_ else [where]
    named = {
        part.left for part in parts if isinstance(part, sa.BinaryExpression) and part.operator in _EQUALITY_OPERATORS
    }
    return set(statement.table.primary_key) <= named


def _build_row_factory(names: Sequence[str]) -> Any:
    kind: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc] # noqa: PYI024 - known only now
    return kind._make


class CompiledStatement:
    """All statements that differ only in their values: their text, and how to read their rows."""

    def __init__(self, compiled: Any, dialect: Dialect) -> None:
        self._compiled = compiled
        self.by_key = _is_by_key(compiled.statement)
        columns = compiled._result_columns  # noqa: SLF001 - nowhere else are the types of the columns
        names = [column.keyname for column in columns]
        # SQLAlchemy does not know the columns of textual statements.
        self._row: Any = _build_row_factory(names) if names else tuple
        readers = [_get_result_processor(column.type, dialect) for column in columns]
        self._readers = [(place, read) for place, read in enumerate(readers) if read is not None]

    def bind(self, key: Any, params: Values | None) -> tuple[str, list[Any]]:
        """Return the text and the values, in the order in which the text uses them."""
        compiled = self._compiled
        extracted = None if key is None else key.bindparams
        values = compiled.construct_params(params, extracted_parameters=extracted, escape_names=False)
        text, order, writers = compiled.string, compiled.positiontup, compiled._bind_processors  # noqa: SLF001 - as above
        if compiled.post_compile_params:
            # A list of values becomes one parameter for each value.
            expanded = compiled.construct_expanded_state(values, escape_names=False)
            text, order, writers = expanded.statement, expanded.positiontup, {**writers, **expanded.processors}
            values = expanded.parameters
        return text, [writers[name](values[name]) if name in writers else values[name] for name in order or ()]

    def convert_rows(self, itemses: Sequence[Sequence[Any]], read: ReadRow | None = None) -> list[Any]:
        """Convert the values of all rows, then each row by `read`; without it, into a tuple with names."""
        read = read or self._row
        if not (itemses and self._readers):
            return list(map(read, itemses))
        columns = list(zip(*itemses, strict=True))
        for place, convert in self._readers:
            columns[place] = tuple(map(convert, columns[place]))
        return list(map(read, zip(*columns, strict=True)))


class StatementRunner:
    """Runs SQLAlchemy statements over any link."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._compiled_by_key: dict[Any, CompiledStatement] = {}

    async def fetch(
        self, reader: QueryConnection, statement: Any, values: Values | None, read: ReadRow | None = None
    ) -> list[Any]:
        form, key = self._get_compiled(statement, values or {}, many=False)
        return form.convert_rows(await reader.fetch(*form.bind(key, values)), read)

    async def run(self, link: StatementConnection, statement: Any, values: Values | None) -> int:
        form, key = self._get_compiled(statement, values or {}, many=False)
        return await link.run(*form.bind(key, values), by_key=form.by_key)

    async def run_many(self, link: StatementConnection, statement: Any, values: Sequence[Values]) -> None:
        if values:
            _, text, rows = self._bind_all(statement, values)
            await link.run_many(text, rows)

    async def fetch_many(self, link: StatementConnection, statement: Any, values: Sequence[Values]) -> list[Any]:
        if not values:
            return []
        form, text, rows = self._bind_all(statement, values)
        return form.convert_rows(await link.fetch_many(text, rows))

    def _bind_all(self, statement: Any, values: Sequence[Values]) -> tuple[CompiledStatement, str, list[list[Any]]]:
        form, key = self._get_compiled(statement, values[0], many=True)
        filled = [form.bind(key, row) for row in values]
        [text] = {text for text, _ in filled}
        return form, text, [row for _, row in filled]

    def _get_compiled(self, statement: Any, values: Values, *, many: bool) -> tuple[CompiledStatement, Any]:
        """Find the form of a statement; which columns it writes also depends on the names of the values."""
        names = sorted(values)
        key = statement._generate_cache_key()  # noqa: SLF001 - SQLAlchemy keeps its own texts by it
        known = None if key is None else (key.key, *names, many)
        form = self._compiled_by_key.get(known)
        if form is None:
            compiled = statement.compile(dialect=self.dialect, cache_key=key, column_keys=names, for_executemany=many)
            form = CompiledStatement(compiled, self.dialect)
            if known is not None:
                self._cache_compiled(known, form)
        return form, key

    def _cache_compiled(self, known: Any, form: CompiledStatement) -> None:
        if len(self._compiled_by_key) >= _MAX_CACHED_STATEMENTS:
            self._compiled_by_key.clear()
        self._compiled_by_key[known] = form
