"""The arguments of a method. The server converts every encoding to strings first, so `"5"` and `5` are the same."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.telegram.errors import bad_request


def text_of(call: Call, name: str) -> str:
    value = call.params.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def number_of(call: Call, name: str, default: int = 0, least: int = -(1 << 62), most: int = 1 << 62) -> int:
    """Read a number and clamp it to its range, as the server does silently."""
    given = text_of(call, name)
    if not given:
        return default
    try:
        return min(max(int(given), least), most)
    except ValueError:
        return min(max(0, least), most)


def flag_of(call: Call, name: str) -> bool:
    return text_of(call, name).strip().lower() in {"true", "yes", "1"}


def value_of(call: Call, name: str, what: str) -> Any:
    """Read an object or array: JSON in a string unless the whole body was JSON. None if it is missing."""
    value = call.params.get(name)
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError) as error:
        raise bad_request(f"can't parse {what} JSON object") from error


def whole(value: Any) -> int:
    """Read a number inside an object. Anything else is 0, which names nothing."""
    try:
        return int(msgspec.convert(value, int, strict=False))
    except msgspec.ValidationError:
        return 0
