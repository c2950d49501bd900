"""The arguments that tools read themselves. Those that they pass on are checked by the API.

A model can send any JSON, and some clients send every argument as text.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.mcp.api import ToolError
from socialgate.mcp.results import encode

_MAX_SHOWN_LENGTH = 60
_TEXTS = ("action", "confirm", "what", "id", "part", "cursor", "guide", "operation", "query")
_INTEGERS = ("again", "seconds", "limit")
_OBJECTS = ("filters", "arguments")


def read_arguments(arguments: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Return the arguments, those with these names in the type that they have."""
    read = dict(arguments)
    for name in names & read.keys():
        value = read[name]
        if value is None:
            del read[name]
        elif name in _INTEGERS:
            read[name] = read_integer(name, value)
        elif name in _OBJECTS:
            read[name] = _read_object(name, value)
        elif name in _TEXTS and not isinstance(value, str):
            raise _build_error(name, "a string", value)
    return read


def read_integer(name: str, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _MAX_SHOWN_LENGTH:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _build_error(name, "a whole number", value)
    return value


def _read_object(name: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            raise _build_error(name, "an object", value) from None
    if not isinstance(value, dict):
        raise _build_error(name, "an object", value)
    return value


def _build_error(name: str, expected: str, value: Any) -> ToolError:
    return ToolError("invalid", f"`{name}` must be {expected}, not {encode(value)[:_MAX_SHOWN_LENGTH]}.")
