"""The query of a call as a typed struct, checked one by one: a vendor says in its own words what is wrong with one."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.inspect import ListType, LiteralType, type_info
from msgspec.structs import FieldInfo, fields

from socialgate.sandbox.call import Call, Refused

S = TypeVar("S", bound=msgspec.Struct)


class Wrong(NamedTuple):
    """A parameter that cannot be used: `given` is None if it is missing, and `allowed` are the values of a choice."""

    name: str
    given: str | None
    allowed: tuple[str, ...] = ()


def read_query(call: Call, kind: type[S], refuse: Callable[[Wrong], Refused]) -> S:
    """Read the parameters that a struct declares. A list may be repeated, and separated by commas."""
    return kind(**dict(_values(call, fields(kind), refuse)))


def _values(
    call: Call, declared: tuple[FieldInfo, ...], refuse: Callable[[Wrong], Refused]
) -> Iterator[tuple[str, Any]]:
    for field in declared:
        name, info = field.encode_name, type_info(field.type)
        given: Any = listed(call, name) if isinstance(info, ListType) else call.query.get(name)
        if field.required and not given:
            raise refuse(Wrong(name, None))
        if name in call.query:
            try:
                yield field.name, msgspec.convert(given, field.type, strict=False)
            except msgspec.ValidationError:
                allowed = info.values if isinstance(info, LiteralType) else ()
                raise refuse(Wrong(name, call.query[name], tuple(map(str, allowed)))) from None


def listed(call: Call, name: str) -> list[str]:
    """Read a parameter that may be repeated and may contain several values separated by commas."""
    return [value.strip() for given in call.query.getlist(name) for value in given.split(",") if value.strip()]
