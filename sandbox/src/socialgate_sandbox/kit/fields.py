"""The fields of an object that callers create and change, as a table.

    _FIELDS = {
        "name": Field(required=True, most=512),
        "budget": Field(float),
        "objective": Field(required=True, allowed_values=("REACH", "TRAFFIC"), is_immutable=True),
        "locations": Field(list[str]),
    }
    values, faults = parse_fields(params, _FIELDS)

What a caller sends beyond the table is ignored. `faults` say what is wrong with the rest, by the name of the field.
"""

from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

import msgspec


class Field(NamedTuple):
    """`allowed_values` are the only values, `most` is the greatest number of characters or items.

    A field with `is_immutable` cannot be changed once the object exists.
    """

    kind: Any = str
    required: bool = False
    allowed_values: Collection[str] = ()
    most: int = 0
    is_immutable: bool = False


class FieldError(NamedTuple):
    field: str
    message: str


def parse_fields(
    values_by_name: Mapping[str, Any], fields: Mapping[str, Field], *, is_update: bool = False
) -> tuple[dict[str, Any], list[FieldError]]:
    """Return the known values, and what is wrong. An update may leave out anything, and fixed fields are skipped."""
    values: dict[str, Any] = {}
    faults: list[FieldError] = []
    for name, field in fields.items():
        value = values_by_name.get(name)
        if value is None:
            if field.required and not is_update:
                faults.append(FieldError(name, "Missing data for required field."))
        elif not (is_update and field.is_immutable):
            wrong = list(_validate_value(value, field))
            faults += [FieldError(name, message) for message in wrong]
            if not wrong:
                values[name] = msgspec.convert(value, field.kind, strict=False)
    return values, faults


def _validate_value(value: Any, field: Field) -> Iterator[str]:
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
    if field.allowed_values and not set(read if isinstance(read, list) else [read]) <= set(field.allowed_values):
        yield f"Must be one of: {', '.join(field.allowed_values)}."
