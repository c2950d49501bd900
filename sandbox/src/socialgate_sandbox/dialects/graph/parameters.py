"""Parameters as callers write them: strings, JSON in strings, or real JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_parameter_error
from socialgate_sandbox.kit import Call, UnreadableInputError


def parse_words(raw_value: Any) -> list[str]:
    """Read a list of words: `a,b`, a JSON list as a string, or a real one."""
    value = parse_json_text(raw_value)
    if isinstance(value, list):
        return [str(word) for word in value]
    return [word.strip() for word in str(value or "").split(",") if word.strip()]


def parse_json_text(raw_value: Any) -> Any:
    """Read JSON that was sent as a string."""
    if not isinstance(raw_value, str) or raw_value[:1] not in {"[", "{"}:
        return raw_value
    try:
        return msgspec.json.decode(raw_value)
    except msgspec.DecodeError as error:
        raise UnreadableInputError(f"Malformed JSON: {error}") from error


def get_flag(call: Call, name: str, *, default: bool = False) -> bool:
    value = call.params.get(name)
    return default if value is None else str(value).lower() in {"true", "1"}


def get_text(call: Call, name: str) -> str:
    return str(call.params.get(name) or "")


def validate_choice(name: str, raw_value: str, known: Sequence[str]) -> str:
    """Check a value that the caller chose. The first one is the default."""
    if raw_value and raw_value not in known:
        raise build_parameter_error(f"Param {name} must be one of {{{', '.join(word.upper() for word in known)}}}")
    return raw_value or known[0]


def parse_time(raw_value: Any) -> datetime | None:
    """Read a time, in seconds or as ISO 8601; None if it is neither."""
    try:
        if str(raw_value).isdecimal():
            return datetime.fromtimestamp(int(raw_value), UTC)
        time = datetime.fromisoformat(str(raw_value))
    except (ValueError, OverflowError):
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
