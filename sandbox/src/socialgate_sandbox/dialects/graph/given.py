"""Parameters as callers write them: strings, JSON in strings, or real JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import wrong
from socialgate_sandbox.kit import Call, Unreadable


def words(given: Any) -> list[str]:
    """Read a list of words: `a,b`, a JSON list as a string, or a real one."""
    value = parsed(given)
    if isinstance(value, list):
        return [str(word) for word in value]
    return [word.strip() for word in str(value or "").split(",") if word.strip()]


def parsed(given: Any) -> Any:
    """Read JSON that was sent as a string."""
    if not isinstance(given, str) or given[:1] not in {"[", "{"}:
        return given
    try:
        return msgspec.json.decode(given)
    except msgspec.DecodeError as error:
        raise Unreadable(f"Malformed JSON: {error}") from error


def flag(call: Call, name: str, *, default: bool = False) -> bool:
    value = call.params.get(name)
    return default if value is None else str(value).lower() in {"true", "1"}


def text(call: Call, name: str) -> str:
    return str(call.params.get(name) or "")


def one_of(name: str, given: str, known: Sequence[str]) -> str:
    """Check a value that the caller chose. The first one is the default."""
    if given and given not in known:
        raise wrong(f"Param {name} must be one of {{{', '.join(word.upper() for word in known)}}}")
    return given or known[0]


def moment(given: Any) -> datetime | None:
    """Read a time, in seconds or as ISO 8601; None if it is neither."""
    try:
        if str(given).isdecimal():
            return datetime.fromtimestamp(int(given), UTC)
        found = datetime.fromisoformat(str(given))
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
