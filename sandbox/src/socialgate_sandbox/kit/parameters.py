"""The query of a call as a typed struct, one parameter at a time: each vendor says in its own words what is wrong."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec.inspect import ListType, type_info
from msgspec.structs import FieldInfo, fields

from socialgate_sandbox.kernel.call import Call, Refused

S = TypeVar("S", bound=msgspec.Struct)
Refuse: TypeAlias = Callable[[str, str | None], Refused]
"""Returns the refusal of a parameter by its name and value. The value is None if the parameter is missing."""


def read_query(call: Call, kind: type[S], refuse: Refuse) -> S:
    """Read the parameters that a struct declares. A list may be repeated, and separated by commas."""
    return kind(**dict(_values(call, fields(kind), refuse)))


def _values(call: Call, declared: tuple[FieldInfo, ...], refuse: Refuse) -> Iterator[tuple[str, Any]]:
    for field in declared:
        name, several = field.encode_name, isinstance(type_info(field.type), ListType)
        given: Any = listed(call, name) if several else call.query.get(name)
        if field.required and not given:
            raise refuse(name, None)
        if name in call.query:
            try:
                yield field.name, msgspec.convert(given, field.type, strict=False)
            except msgspec.ValidationError:
                raise refuse(name, call.query[name]) from None


def listed(call: Call, name: str) -> list[str]:
    """Read a parameter that may be repeated and may contain several values separated by commas."""
    return [value.strip() for given in call.query.getlist(name) for value in given.split(",") if value.strip()]
