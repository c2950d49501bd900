"""The tables of options on the pages of docs/platforms, written from the manifests.

A table stands between two comments. What people write around them stays as it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import KindManifest, PlatformManifest

PLATFORM_PAGES_DIR = Path("docs/platforms")
_BEGIN_MARKER = "<!-- Options, generated from the code by `make reference`. -->"
_END_MARKER = "<!-- End of the options. -->"
_BLOCK_PATTERN = re.compile(rf"{re.escape(_BEGIN_MARKER)}\n.*?{re.escape(_END_MARKER)}\n", flags=re.DOTALL)
_TYPE_PHRASES = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
}
_TABLE_HEADER = ("| Option | Value | What it does |", "| --- | --- | --- |")


def option_pages(folder: Path = PLATFORM_PAGES_DIR) -> dict[str, str]:
    """Return every page of a platform with its current tables."""
    return {
        f"{platform}.md": _build_page(folder / f"{platform}.md", manifest) for platform, manifest in MANIFESTS.items()
    }


def _build_page(path: Path, manifest: PlatformManifest) -> str:
    text = path.read_text(encoding="utf-8")
    tables = "\n".join(_build_tables(manifest))
    block = f"{_BEGIN_MARKER}\n\n{tables}\n{_END_MARKER}\n" if tables else ""
    if _BLOCK_PATTERN.search(text):
        return _BLOCK_PATTERN.sub(lambda _: block, text)
    return f"{text.rstrip()}\n\n{block}" if block else text


def _build_tables(manifest: PlatformManifest) -> Iterator[str]:
    for kind in manifest.kinds:
        for title, schema in _list_option_schemas(kind):
            if rows := list(_build_table_rows(schema)):
                yield from (f"### {title}", "", *_TABLE_HEADER, *rows, "")


def _list_option_schemas(kind: KindManifest) -> Sequence[tuple[str, Mapping[str, Any]]]:
    return [
        (f"Options of posts, `{kind.kind}`", kind.options),
        (f"Options of messages, `{kind.kind}`", kind.message_options),
    ]


def _build_table_rows(schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    required = set(schema.get("required", ()))
    for name, rule in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        option = _describe_option(rule, is_required=name in required)
        yield f"| `{path}` | {_escape_cell(_describe_value(rule))} | {_escape_cell(option)} |"
        inner = rule
        while inner.get("type") == "array" and "items" in inner:
            inner, path = inner["items"], f"{path}[]"
        yield from _build_table_rows(inner, f"{path}.")


def _describe_value(rule: Mapping[str, Any]) -> str:
    if "enum" in rule:
        return ", ".join(f"`{value}`" for value in rule["enum"])
    kinds = rule.get("type", "object")
    words = " or ".join(_TYPE_PHRASES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    return ", ".join([words, *_describe_bounds(rule)])


def _describe_bounds(rule: Mapping[str, Any]) -> Iterator[str]:
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
        yield f"{least} to {_format_character_count(most)}" if least else f"up to {_format_character_count(most)}"
    elif least:
        yield f"at least {_format_character_count(least)}"
    if "maxItems" in rule:
        yield f"at most {rule['maxItems']}"


def _format_character_count(number: int) -> str:
    return f"{number} character{'' if number == 1 else 's'}"


def _describe_option(rule: Mapping[str, Any], *, is_required: bool) -> str:
    default = f"Default: `{json.dumps(rule['default']).strip(chr(34))}`." if "default" in rule else ""
    return " ".join(filter(None, ["Required." if is_required else "", rule.get("description", ""), default]))


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
