"""Placeholders in the texts of actions: `{{contact.name}}` and whatever else the trigger provides. Pure.

`{{contact.name|there}}` has a fallback for a value that is unknown or empty.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

# Without `\s*` around the name, and without giving anything back: otherwise a text of spaces takes minutes.
_PLACEHOLDER_PATTERN = re.compile(r"\{\{([^{}]*+)\}\}")
# How much the placeholders of an action can add: longer than any message, and far less than thousands of long values.
_MAX_ADDED_LENGTH = 65_536
# How much of a text an error quotes.
_QUOTE_LENGTH = 40


def find_unknown_placeholders(value: Any, known: Collection[str], pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find placeholders that the trigger does not provide, each once with the position of its text."""
    match value:
        case str():
            names = dict.fromkeys(_parse_placeholder(result)[0] for result in _PLACEHOLDER_PATTERN.findall(value))
            yield from ((pointer, name) for name in names if name not in known)
        case list():
            for place, part in enumerate(value):
                yield from find_unknown_placeholders(part, known, f"{pointer}/{place}")
        case dict():
            for name, part in value.items():
                yield from find_unknown_placeholders(part, known, f"{pointer}/{name}")


def find_unclosed_placeholders(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Find texts with `{{` that does not begin a placeholder, with their positions and the start of what is there."""
    match value:
        case str():
            # A placeholder is replaced by a space: what is on either side of it must not look like another one.
            rest = _PLACEHOLDER_PATTERN.sub(" ", value)
            at = rest.find("{{")
            if at >= 0:
                yield pointer, rest[at : at + _QUOTE_LENGTH]
        case list():
            for place, part in enumerate(value):
                yield from find_unclosed_placeholders(part, f"{pointer}/{place}")
        case dict():
            for name, part in value.items():
                yield from find_unclosed_placeholders(part, f"{pointer}/{name}")


def _parse_placeholder(placeholder: str) -> tuple[str, str]:
    """Return the name and the fallback of a placeholder."""
    name, _, fallback = placeholder.partition("|")
    return name.strip(), fallback.strip()


def fill_placeholders(value: Any, fields: Mapping[str, Any]) -> Any:
    """Fill in the texts of an action. Unknown values become their fallback, or empty. Text from people is not filled in
    again.
    """
    return _PlaceholderFiller(fields).fill(value)


class _PlaceholderFiller:
    """Fills in one action, and stops when its placeholders have added too much."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields
        self._length_left = _MAX_ADDED_LENGTH

    def fill(self, value: Any) -> Any:
        match value:
            case str():
                return _PLACEHOLDER_PATTERN.sub(self._replace_placeholder, value)
            case list():
                return [self.fill(part) for part in value]
            case dict():
                return {name: self.fill(part) for name, part in value.items()}
            case msgspec.Struct():
                parts = msgspec.structs.asdict(value)
                return msgspec.structs.replace(value, **{name: self.fill(part) for name, part in parts.items()})
            case _:
                return value

    def _replace_placeholder(self, match: re.Match[str]) -> str:
        name, fallback = _parse_placeholder(match[1])
        value = self._fields.get(name)
        added = (fallback if value is None or value == "" else str(value))[: self._length_left]
        self._length_left -= len(added)
        return added
