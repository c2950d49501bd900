"""Forms with brackets in their names: `items[0][price]=x`, `expand[]=customer` and `metadata[key]=value`."""

import re
from collections.abc import Iterable
from typing import Any

_NAME_PATTERN = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_BRACKET_PATTERN = re.compile(r"\[([^\[\]]*)\]")
_MAX_DEPTH = 10


def parse_nested_form(
    pairs: Iterable[tuple[str, str]], map_names: frozenset[str] = frozenset({"metadata"})
) -> dict[str, Any]:
    """Build the object that a form describes. An empty value is None: a form can say "unset" in no other way.

    Numbers in brackets make a list, except below the names in `map_names`, whose keys are the caller's own.
    """
    result: dict[str, Any] = {}
    for name, value in pairs:
        whole = _NAME_PATTERN.fullmatch(name)
        parts = [whole[1], *_BRACKET_PATTERN.findall(whole[2])] if whole else [name]
        _set_nested(result, parts[:_MAX_DEPTH], value or None)
    return {name: value if name in map_names else _convert_to_lists(value, map_names) for name, value in result.items()}


def format_bracket_path(dotted_path: str) -> str:
    """Write the place of a value in brackets: `items[0].price` becomes `items[0][price]`."""
    head, *rest = dotted_path.replace("[", ".[").split(".")
    return head + "".join(part if part.startswith("[") else f"[{part}]" for part in rest)


def _set_nested(target: dict[str, Any], parts: list[str], value: str | None) -> None:
    *above, last = parts
    for part in above:
        inner = target.setdefault(part or str(len(target)), {})
        if not isinstance(inner, dict):
            inner = target[part] = {}
        target = inner
    target[last or str(len(target))] = value


def _convert_to_lists(value: Any, map_names: frozenset[str]) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {key: item if key in map_names else _convert_to_lists(item, map_names) for key, item in value.items()}
    if inner and all(key.isdecimal() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner
