"""Results that are short enough for a conversation: without what is empty, and cut where they are too long."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.mcp.tokens import estimate_tokens
from socialgate.mcp.tools import MAX_RESULT_TOKENS

# How much of texts and lists is kept, less and less until the result is short enough.
_LEVELS = ((2_000, 100), (400, 20), (160, 6), (60, 3), (24, 1))


def encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def is_short(value: Any) -> bool:
    return estimate_tokens(encode(value)) <= MAX_RESULT_TOKENS


def shorten(value: Any) -> Any:
    """Return the value as complete as it fits. What was cut ends with `…`."""
    for characters, items in _LEVELS:
        shortened = _trim(value, characters, items)
        if is_short(shortened):
            return shortened
    return _trim(value, *_LEVELS[-1])


def shorten_rows(rows: Sequence[Any]) -> tuple[Sequence[Any], bool]:
    """Shorten the rows of a page a little, and say whether they fit then."""
    shortened = [_trim(row, *_LEVELS[2]) for row in rows]
    full = [_trim(row, *_LEVELS[1]) for row in rows]
    if is_short(full):
        return full, True
    return shortened, is_short(shortened)


def take_part(value: Any, pointer: str) -> Any:
    """Take a part of a value by its JSON pointer; None if there is no such part."""
    for name in pointer.strip("/").split("/"):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _trim(value: Any, characters: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else f"{value[:characters]}…"
    if isinstance(value, list):
        trimmed = [_trim(item, characters, items) for item in value[:items]]
        return [*trimmed, f"… {len(value) - items} more"] if len(value) > items else trimmed
    if isinstance(value, Mapping):
        return {
            name: _trim(part, characters if name not in _WHOLE else max(characters, 600), items)
            for name, part in value.items()
            if part is not None and part not in ([], {})
        }
    return value


# Cutting these would make them useless.
_WHOLE = frozenset({
    *("id", "url", "authUrl", "cursor", "nextCursor", "confirm", "detail", "fix", "next", "undo"),
    *("accountId", "postId", "conversationId", "profileId", "scheduledFor"),
})  # fmt: skip
