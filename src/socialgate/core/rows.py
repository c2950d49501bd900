"""Rows as typed structs: one frozen struct per table, made by the store, so that nothing further out knows columns."""

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Any, TypeVar, get_type_hints

import msgspec
import sqlalchemy as sa

T = TypeVar("T", bound=msgspec.Struct)


def reader(shape: type[T], table: sa.Table) -> Callable[[Sequence[Any]], T]:
    """Give what turns a row of `sa.select(table)` into the struct.

    The struct names the table's columns in the table's order, which is checked here, when the module is imported: a
    row is then read by position, which takes a tenth of the time of reading it by name.
    """
    fields, columns = shape.__struct_fields__, tuple(table.c.keys())
    assert fields == columns, f"{shape.__name__} has {fields}, {table.name} has {columns}"
    hints = get_type_hints(shape)
    words = [(place, kind) for place, name in enumerate(fields) if (kind := _enum_of(hints[name])) is not None]
    if not words:
        return lambda row: shape(*row)

    def read(row: Sequence[Any]) -> T:
        values = list(row)
        for place, kind in words:
            if values[place] is not None:
                values[place] = kind(values[place])
        return shape(*values)

    return read


def beside_key(row: msgspec.Struct, key: Collection[str] = ("owner_id", "id")) -> dict[str, Any]:
    """Give what an UPDATE of a whole row writes: every column but those that it is found by."""
    return {name: getattr(row, name) for name in row.__struct_fields__ if name not in key}


def _enum_of(hint: Any) -> type[Enum] | None:
    """Find the enum in `Status` or `Status | None`."""
    for kind in (hint, *getattr(hint, "__args__", ())):
        if isinstance(kind, type) and issubclass(kind, Enum):
            return kind
    return None
