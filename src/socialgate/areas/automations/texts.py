"""Placeholders in the texts of actions: `{{contact.name}}` and whatever else the trigger provides. Pure."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
# What people write is filled in up to this length: no platform accepts a longer message.
_LONGEST = 10_000


def unknown(value: Any, known: Collection[str], pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find placeholders that the trigger does not provide, each with the position of its text."""
    match value:
        case str():
            yield from ((pointer, name) for name in _PLACEHOLDER.findall(value) if name not in known)
        case list():
            for place, part in enumerate(value):
                yield from unknown(part, known, f"{pointer}/{place}")
        case dict():
            for name, part in value.items():
                yield from unknown(part, known, f"{pointer}/{name}")


def count(value: Any) -> int:
    """Count the placeholders of an action."""
    match value:
        case str():
            return len(_PLACEHOLDER.findall(value))
        case list():
            return sum(map(count, value))
        case dict():
            return sum(map(count, value.values()))
        case _:
            return 0


def filled(value: Any, fields: Mapping[str, Any]) -> Any:
    """Fill in the texts of an action. Unknown values become empty; text from people is not filled in again."""
    match value:
        case str():
            return _PLACEHOLDER.sub(lambda found: _text(fields.get(found[1])), value)
        case list():
            return [filled(part, fields) for part in value]
        case dict():
            return {name: filled(part, fields) for name, part in value.items()}
        case msgspec.Struct():
            parts = msgspec.structs.asdict(value)
            return msgspec.structs.replace(value, **{name: filled(part, fields) for name, part in parts.items()})
        case _:
            return value


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:_LONGEST]
