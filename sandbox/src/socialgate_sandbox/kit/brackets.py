"""Forms with brackets in their names: `items[0][price]=x`, `expand[]=customer` and `metadata[key]=value`."""

import re
from collections.abc import Iterable
from typing import Any

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
_DEEPEST = 10


def nested(pairs: Iterable[tuple[str, str]], maps: frozenset[str] = frozenset({"metadata"})) -> dict[str, Any]:
    """Build the object that a form describes. An empty value is None: a form can say "unset" in no other way.

    Numbers in brackets make a list, except below the names in `maps`, whose keys are the caller's own.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        whole = _NAME.fullmatch(name)
        parts = [whole[1], *_PART.findall(whole[2])] if whole else [name]
        _put(found, parts[:_DEEPEST], value or None)
    return {name: value if name in maps else _lists(value, maps) for name, value in found.items()}


def path_of(place: str) -> str:
    """Write the place of a value in brackets: `items[0].price` becomes `items[0][price]`."""
    head, *rest = place.replace("[", ".[").split(".")
    return head + "".join(part if part.startswith("[") else f"[{part}]" for part in rest)


def _put(into: dict[str, Any], parts: list[str], value: str | None) -> None:
    *above, last = parts
    for part in above:
        inner = into.setdefault(part or str(len(into)), {})
        if not isinstance(inner, dict):
            inner = into[part] = {}
        into = inner
    into[last or str(len(into))] = value


def _lists(value: Any, maps: frozenset[str]) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {key: one if key in maps else _lists(one, maps) for key, one in value.items()}
    if inner and all(key.isdecimal() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner
