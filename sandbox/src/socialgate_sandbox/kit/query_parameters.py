"""The query of a call as a typed struct, one parameter at a time: each vendor says in its own words what is wrong."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec.inspect import ListType, type_info
from msgspec.structs import FieldInfo, fields

from socialgate_sandbox.kernel.call import Call, CallRefusedError

S = TypeVar("S", bound=msgspec.Struct)
ParameterErrorBuilder: TypeAlias = Callable[[str, str | None], CallRefusedError]
"""Returns the refusal of a parameter by its name and value. The value is None if the parameter is missing."""


def parse_query(call: Call, type_: type[S], build_error: ParameterErrorBuilder) -> S:
    """Read the parameters that a struct declares. A list may be repeated, and separated by commas."""
    return type_(**dict(_parse_values(call, fields(type_), build_error)))


def _parse_values(
    call: Call, fields_info: tuple[FieldInfo, ...], build_error: ParameterErrorBuilder
) -> Iterator[tuple[str, Any]]:
    for field in fields_info:
        name, several = field.encode_name, isinstance(type_info(field.type), ListType)
        value: Any = read_list_parameter(call, name) if several else call.query.get(name)
        if field.required and not value:
            raise build_error(name, None)
        if name in call.query:
            try:
                yield field.name, msgspec.convert(value, field.type, strict=False)
            except msgspec.ValidationError:
                raise build_error(name, call.query[name]) from None


def read_list_parameter(call: Call, name: str) -> list[str]:
    """Read a parameter that may be repeated and may contain several values separated by commas."""
    return [
        value.strip() for input_value in call.query.getlist(name) for value in input_value.split(",") if value.strip()
    ]
