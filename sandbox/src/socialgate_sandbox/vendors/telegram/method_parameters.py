"""The arguments of a method. The server converts every encoding to strings first, so `"5"` and `5` are the same."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.telegram.errors import build_bad_request


def get_text(call: Call, name: str) -> str:
    value = call.params.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def get_number(call: Call, name: str, default: int = 0, min_value: int = -(1 << 62), max_value: int = 1 << 62) -> int:
    """Read a number and clamp it to its range, as the server does silently."""
    value = get_text(call, name)
    if not value:
        return default
    try:
        return min(max(int(value), min_value), max_value)
    except ValueError:
        return min(max(0, min_value), max_value)


def get_flag(call: Call, name: str) -> bool:
    return get_text(call, name).strip().lower() in {"true", "yes", "1"}


def get_json_value(call: Call, name: str, noun: str) -> Any:
    """Read an object or array: JSON in a string unless the whole body was JSON. None if it is missing."""
    value = call.params.get(name)
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise build_bad_request(f"can't parse {noun} JSON object") from error


def to_integer(value: Any) -> int:
    """Read a number inside an object. Anything else is 0, which names nothing."""
    try:
        return int(msgspec.convert(value, int, strict=False))
    except msgspec.ValidationError:
        return 0
