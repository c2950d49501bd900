"""The tables of options on the pages of docs/platforms, written from the manifests.

A table stands between two comments. What people write around them stays as it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import KindManifest, Manifest

FOLDER = Path("docs/platforms")
_BEGIN = "<!-- Options, generated from the code by `make reference`. -->"
_END = "<!-- End of the options. -->"
_BLOCK = re.compile(rf"{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n", flags=re.DOTALL)
_TYPES = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false", "array": "list"}
_HEADER = ("| Option | Value | What it does |", "| --- | --- | --- |")


def option_pages(folder: Path = FOLDER) -> dict[str, str]:
    """Return every page of a platform with its current tables."""
    return {f"{platform}.md": _page(folder / f"{platform}.md", manifest) for platform, manifest in MANIFESTS.items()}


def _page(path: Path, manifest: Manifest) -> str:
    text = path.read_text(encoding="utf-8")
    tables = "\n".join(_tables(manifest))
    block = f"{_BEGIN}\n\n{tables}\n{_END}\n" if tables else ""
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text)
    return f"{text.rstrip()}\n\n{block}" if block else text


def _tables(manifest: Manifest) -> Iterator[str]:
    for kind in manifest.kinds:
        for title, schema in _schemas(kind):
            if rows := list(_rows(schema)):
                yield from (f"### {title}", "", *_HEADER, *rows, "")


def _schemas(kind: KindManifest) -> Sequence[tuple[str, Mapping[str, Any]]]:
    return [
        (f"Options of posts, `{kind.kind}`", kind.options),
        (f"Options of messages, `{kind.kind}`", kind.message_options),
    ]


def _rows(schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    required = set(schema.get("required", ()))
    for name, rule in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield f"| `{path}` | {_cell(_value(rule))} | {_cell(_meaning(rule, is_required=name in required))} |"
        inner = rule
        while inner.get("type") == "array" and "items" in inner:
            inner, path = inner["items"], f"{path}[]"
        yield from _rows(inner, f"{path}.")


def _value(rule: Mapping[str, Any]) -> str:
    if "enum" in rule:
        return ", ".join(f"`{value}`" for value in rule["enum"])
    kinds = rule.get("type", "object")
    words = " or ".join(_TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    return ", ".join([words, *_bounds(rule)])


def _bounds(rule: Mapping[str, Any]) -> Iterator[str]:
    if rule.get("format") == "uri":
        yield "a URL"
    if rule.get("format") == "date-time":
        yield "a time such as `2026-11-15T09:30:00Z`"
    if "maximum" in rule:
        yield f"{rule.get('minimum', 0)} to {rule['maximum']}"
    elif "minimum" in rule:
        yield f"at least {rule['minimum']}"
    least, most = rule.get("minLength", 0), rule.get("maxLength")
    if most is not None:
        yield f"{least} to {_characters(most)}" if least else f"up to {_characters(most)}"
    elif least:
        yield f"at least {_characters(least)}"
    if "maxItems" in rule:
        yield f"at most {rule['maxItems']}"


def _characters(number: int) -> str:
    return f"{number} character{'' if number == 1 else 's'}"


def _meaning(rule: Mapping[str, Any], *, is_required: bool) -> str:
    default = f"Default: `{json.dumps(rule['default']).strip(chr(34))}`." if "default" in rule else ""
    return " ".join(filter(None, ["Required." if is_required else "", rule.get("description", ""), default]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
