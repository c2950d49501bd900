"""Placeholders in the texts of actions: `{{contact.name}}` and whatever else the trigger provides. Pure.

`{{contact.name|there}}` has a fallback for a value that is unknown or empty.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

# Without `\s*` around the name, and without giving anything back: otherwise a text of spaces takes minutes.
_PLACEHOLDER = re.compile(r"\{\{([^{}]*+)\}\}")
# How much the placeholders of an action can add: longer than any message, and far less than thousands of long values.
_MOST_ADDED = 65_536
# How much of a text an error quotes.
_SHOWN = 40


def unknown(value: Any, known: Collection[str], pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find placeholders that the trigger does not provide, each once with the position of its text."""
    match value:
        case str():
            names = dict.fromkeys(_parts(found)[0] for found in _PLACEHOLDER.findall(value))
            yield from ((pointer, name) for name in names if name not in known)
        case list():
            for place, part in enumerate(value):
                yield from unknown(part, known, f"{pointer}/{place}")
        case dict():
            for name, part in value.items():
                yield from unknown(part, known, f"{pointer}/{name}")


def unclosed(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find texts with `{{` that does not begin a placeholder, with their positions and the start of what is there."""
    match value:
        case str():
            # A placeholder is replaced by a space: what is on either side of it must not look like another one.
            rest = _PLACEHOLDER.sub(" ", value)
            at = rest.find("{{")
            if at >= 0:
                yield pointer, rest[at : at + _SHOWN]
        case list():
            for place, part in enumerate(value):
                yield from unclosed(part, f"{pointer}/{place}")
        case dict():
            for name, part in value.items():
                yield from unclosed(part, f"{pointer}/{name}")


def _parts(placeholder: str) -> tuple[str, str]:
    """Return the name and the fallback of a placeholder."""
    name, _, fallback = placeholder.partition("|")
    return name.strip(), fallback.strip()


def filled(value: Any, fields: Mapping[str, Any]) -> Any:
    """Fill in the texts of an action. Unknown values become their fallback, or empty. Text from people is not filled in
    again.
    """
    return _Filling(fields).of(value)


class _Filling:
    """Fills in one action, and stops when its placeholders have added too much."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields
        self._left = _MOST_ADDED

    def of(self, value: Any) -> Any:
        match value:
            case str():
                return _PLACEHOLDER.sub(self._value, value)
            case list():
                return [self.of(part) for part in value]
            case dict():
                return {name: self.of(part) for name, part in value.items()}
            case msgspec.Struct():
                parts = msgspec.structs.asdict(value)
                return msgspec.structs.replace(value, **{name: self.of(part) for name, part in parts.items()})
            case _:
                return value

    def _value(self, found: re.Match[str]) -> str:
        name, fallback = _parts(found[1])
        value = self._fields.get(name)
        added = (fallback if value is None or value == "" else str(value))[: self._left]
        self._left -= len(added)
        return added
