"""The fields of an object that callers create and change, as a table.

    _FIELDS = {
        "name": Field(required=True, most=512),
        "budget": Field(float),
        "objective": Field(required=True, words=("REACH", "TRAFFIC"), fixed=True),
        "locations": Field(list[str]),
    }
    values, faults = read_fields(given, _FIELDS)

What a caller sends beyond the table is ignored. `faults` say what is wrong with the rest, by the name of the field.
"""

from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

import msgspec


class Field(NamedTuple):
    """`words` are the only values, `most` is the greatest number of characters or items.

    A field that is `fixed` cannot be changed once the object exists.
    """

    kind: Any = str
    required: bool = False
    words: Collection[str] = ()
    most: int = 0
    fixed: bool = False


class Fault(NamedTuple):
    field: str
    message: str


def read_fields(
    given: Mapping[str, Any], fields: Mapping[str, Field], *, update: bool = False
) -> tuple[dict[str, Any], list[Fault]]:
    """Return the known values, and what is wrong. An update may leave out anything, and fixed fields are skipped."""
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, field in fields.items():
        value = given.get(name)
        if value is None:
            if field.required and not update:
                faults.append(Fault(name, "Missing data for required field."))
        elif not (update and field.fixed):
            wrong = list(_wrong(value, field))
            faults += [Fault(name, message) for message in wrong]
            if not wrong:
                values[name] = msgspec.convert(value, field.kind, strict=False)
    return values, faults


def _wrong(value: Any, field: Field) -> Iterator[str]:
    try:
        read = msgspec.convert(value, field.kind, strict=False)
    except msgspec.ValidationError as error:
        yield f"Not a valid value: {error}"
        return
    if isinstance(read, float) and not isfinite(read):
        yield "Not a valid number."
    elif isinstance(read, str | list) and field.required and not read:
        yield "Missing data for required field."
    elif isinstance(read, str | list) and field.most and len(read) > field.most:
        yield f"Length must be between 1 and {field.most}."
    if field.words and not set(read if isinstance(read, list) else [read]) <= set(field.words):
        yield f"Must be one of: {', '.join(field.words)}."
