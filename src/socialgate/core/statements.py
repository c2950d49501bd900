"""Statements for the drivers: SQLAlchemy compiles the text, the driver runs it, and rows become named tuples.

Running a statement and wrapping its rows took SQLAlchemy longer than the database needed to execute it. Here it only
compiles the text, once for all statements that differ only in their values.

Building a statement also takes longer than running it. One that requests need is therefore built once, with named
parameters: what it is bound to is then found by the object itself, without looking at its expressions again. A list of
values is one parameter too (`is_one_of`), so that the text is the same for every length.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.functions import FunctionElement

from socialgate.core.rows import RowReader

# The service has about 1,200. What is built with lists of any length may not add to them forever.
_MAX_CACHED_STATEMENTS = 4000
# PostgreSQL's names for a double and a decimal. SQLAlchemy does not convert a number without knowing which it is.
_DOUBLE_OID = 701
_DECIMAL_OID = 1700
_EQUALITY_OPERATORS = frozenset({operators.eq, operators.in_op})
_LIKE_ESCAPE_CHARACTER = "/"

Values = Mapping[str, Any]
_NO_VALUES: Values = MappingProxyType({})
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


class _TextList(sa.TypeDecorator[Sequence[str]]):
    """A list of texts as one parameter: an array, or JSON for SQLite, which has no arrays."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(ARRAY(sa.Text) if dialect.name == "postgresql" else sa.Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        items = sorted(value) if isinstance(value, set | frozenset) else list(value)
        return items if dialect.name == "postgresql" else msgspec.json.encode(items).decode()


class _IsOneOf(FunctionElement[bool]):
    type = sa.Boolean()
    name = "is_one_of"
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:
        """Stay as it is: SQLAlchemy would compare it with 1 on SQLite, which then uses no index."""
        del against
        return self


@compiles(_IsOneOf, "postgresql")
def _compile_any(element: _IsOneOf, compiler: Any, **options: Any) -> str:
    column, values = element.clauses
    return f"({compiler.process(column, **options)} = ANY ({compiler.process(values, **options)}))"


@compiles(_IsOneOf, "sqlite")
def _compile_json_each(element: _IsOneOf, compiler: Any, **options: Any) -> str:
    column, values = element.clauses
    listed = f"(SELECT value FROM json_each({compiler.process(values, **options)}))"  # noqa: S608 - made of our own words
    return f"({compiler.process(column, **options)} IN {listed})"


def is_one_of(column: sa.ColumnElement[str], name: str) -> sa.ColumnElement[bool]:
    """Match a column of text with a list, which is given as the parameter `name`."""
    return _IsOneOf(column, sa.bindparam(name, type_=_TextList))


class FilteredSelect:
    """A SELECT with conditions that not every run has, by name. Each combination of them is built once."""

    def __init__(self, statement: sa.Select[Any], filters: Mapping[str, sa.ColumnElement[bool]]) -> None:
        self._statement = statement
        self._filters = filters
        self._built: dict[frozenset[str], sa.Select[Any]] = {}

    def get(self, filters: Iterable[str]) -> sa.Select[Any]:
        chosen = frozenset(filters)
        if chosen not in self._built:
            self._built[chosen] = self._statement.where(*(self._filters[name] for name in sorted(chosen)))
        return self._built[chosen]


class _LikePattern(sa.TypeDecorator[str]):
    """A text to search for, in which no character has a special meaning."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        del dialect
        escaped = str(value).replace(_LIKE_ESCAPE_CHARACTER, _LIKE_ESCAPE_CHARACTER * 2)
        return escaped.replace("%", f"{_LIKE_ESCAPE_CHARACTER}%").replace("_", f"{_LIKE_ESCAPE_CHARACTER}_")


def contains_text(column: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[bool]:
    """Match a column that contains the text that is given as the parameter `name`, in any case."""
    return column.icontains(sa.bindparam(name, type_=_LikePattern), escape=_LIKE_ESCAPE_CHARACTER)


def _decode_json(value: Any) -> Any:
    # SQLite stores a document that is only a number as a number.
    return msgspec.json.decode(value) if isinstance(value, str) else value


def _get_result_processor(kind: Any, dialect: Dialect) -> Any:
    if isinstance(kind, sa.JSON) and dialect.name == "sqlite":
        # What SQLAlchemy returns does the same in three calls.
        return _decode_json
    number = _DOUBLE_OID if isinstance(kind, sa.Float) else _DECIMAL_OID if isinstance(kind, sa.Numeric) else None
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

    def bind_parameters(self, key: Any, params: Values | None) -> tuple[str, list[Any]]:
        """Return the text and the values, in the order in which the text uses them."""
        text, order, writers, values = self._expand(key, params)
        return text, [writers[name](values[name]) if name in writers else values[name] for name in order or ()]

    def prepare(self, key: Any, params: Values) -> "PreparedStatement | None":
        """Return the text with the values that never change; None if the length of a list changes the text."""
        if any(param.key in params for param in self._compiled.post_compile_params):
            return None
        text, order, writers, values = self._expand(key, params)
        constants, places = [], []
        for place, name in enumerate(order or ()):
            writer = writers.get(name)
            is_given = name in params
            constants.append(None if is_given else writer(values[name]) if writer else values[name])
            if is_given:
                places.append(_ParameterSlot(place, name, writer))
        return PreparedStatement(self, text, constants, places)

    def _expand(self, key: Any, params: Values | None) -> tuple[str, Any, Any, Any]:
        """Return the text, the order of its parameters, their converters and their values."""
        compiled = self._compiled
        extracted = None if key is None else key.bindparams
        values = compiled.construct_params(params, extracted_parameters=extracted, escape_names=False)
        if not compiled.post_compile_params:
            return compiled.string, compiled.positiontup, compiled._bind_processors, values  # noqa: SLF001 - as above
        # A list of values becomes one parameter for each value.
        expanded = compiled.construct_expanded_state(values, escape_names=False)
        writers = {**compiled._bind_processors, **expanded.processors}  # noqa: SLF001 - as above
        return expanded.statement, expanded.positiontup, writers, expanded.parameters

    def convert_rows(self, itemses: Sequence[Sequence[Any]], read: ReadRow | None = None) -> list[Any]:
        """Convert the values of all rows, then each row by `read`; without it, into a tuple with names."""
        read = read or self._row
        if not itemses or not (self._readers or isinstance(read, RowReader)):
            return list(map(read, itemses))
        columns: list[Any] = list(zip(*itemses, strict=True))
        for place, convert in self._readers:
            # Most values of some columns are missing, and a call for each of them takes longer than this.
            columns[place] = [None if value is None else convert(value) for value in columns[place]]
        if isinstance(read, RowReader):
            return read.read_columns(columns)
        return list(map(read, zip(*columns, strict=True)))


class _ParameterSlot(NamedTuple):
    """Where the text of a statement needs a value that is given with each run."""

    place: int
    name: str
    writer: Callable[[Any], Any] | None


class PreparedStatement:
    """One statement that is run again and again: only the values with a name are left to be bound."""

    __slots__ = ("_constants", "_places", "compiled", "text")

    def __init__(
        self, compiled: CompiledStatement, text: str, constants: Sequence[Any], places: Sequence[_ParameterSlot]
    ) -> None:
        self.compiled = compiled
        self.text = text
        self._constants = list(constants)
        self._places = places

    def bind(self, values: Values) -> list[Any]:
        bound = self._constants.copy()
        for place, name, writer in self._places:
            value = values[name]
            bound[place] = value if writer is None else writer(value)
        return bound


class StatementRunner:
    """Runs SQLAlchemy statements over any link."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._compiled_by_key: dict[Any, CompiledStatement] = {}
        # Forgotten with the statement. One that is built for a single run is in here only as long as that takes.
        self._prepared: WeakKeyDictionary[Any, dict[Any, PreparedStatement | None]] = WeakKeyDictionary()

    async def fetch(
        self, reader: QueryConnection, statement: Any, values: Values | None, read: ReadRow | None = None
    ) -> list[Any]:
        form, text, bound = self._bind(statement, values or _NO_VALUES)
        return form.convert_rows(await reader.fetch(text, bound), read)

    async def run(self, link: StatementConnection, statement: Any, values: Values | None) -> int:
        form, text, bound = self._bind(statement, values or _NO_VALUES)
        return await link.run(text, bound, by_key=form.by_key)

    async def run_many(self, link: StatementConnection, statement: Any, values: Sequence[Values]) -> None:
        if not values:
            return
        form, text, rows = self._bind_all(statement, values)
        if len(rows) == 1:
            await link.run(text, rows[0], by_key=form.by_key)
        else:
            await link.run_many(text, rows)

    async def fetch_many(self, link: StatementConnection, statement: Any, values: Sequence[Values]) -> list[Any]:
        if not values:
            return []
        form, text, rows = self._bind_all(statement, values)
        return form.convert_rows(await link.fetch_many(text, rows))

    def _bind(self, statement: Any, values: Values) -> tuple[CompiledStatement, str, list[Any]]:
        prepared = self._prepare(statement, values, many=False)
        if prepared is not None:
            return prepared.compiled, prepared.text, prepared.bind(values)
        form, key = self._get_compiled(statement, values, many=False)
        return form, *form.bind_parameters(key, values)

    def _bind_all(self, statement: Any, values: Sequence[Values]) -> tuple[CompiledStatement, str, list[list[Any]]]:
        prepared = self._prepare(statement, values[0], many=True)
        if prepared is not None:
            return prepared.compiled, prepared.text, [prepared.bind(row) for row in values]
        form, key = self._get_compiled(statement, values[0], many=True)
        filled = [form.bind_parameters(key, row) for row in values]
        [text] = {text for text, _ in filled}
        return form, text, [row for _, row in filled]

    def _prepare(self, statement: Any, values: Values, *, many: bool) -> PreparedStatement | None:
        """Find what was prepared for this very statement with values of these names."""
        by_names = self._prepared.get(statement)
        if by_names is None:
            by_names = self._prepared[statement] = {}
        names = (many, *values)
        if names not in by_names:
            form, key = self._get_compiled(statement, values, many=many)
            by_names[names] = form.prepare(key, values)
        return by_names[names]

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
