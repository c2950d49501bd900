"""The descriptions of fields, from the sources.

A field is described by the string below it, which other tools for documentation read too:

    class Profile(View):
        timezone: str
        '''IANA name such as `America/Lima`.'''

A field whose type is limited by a `Meta`, or shared by many structs (`core/fields.py`), can have its description there.
The string below the field takes precedence.
"""

import re
import sys
from collections.abc import Mapping
from functools import cache
from inspect import getsource
from typing import Any, get_origin

import msgspec

# Not a syntax tree: parsing all schemas into trees takes as long as generating the whole document. `ruff format`
# guarantees the indentation.
_CLASS_PATTERN = re.compile(r"^class (?P<name>\w+)(?P<body>.*?)(?=^[\w@]|\Z)", re.MULTILINE | re.DOTALL)
_FIELD_OR_DOCSTRING_PATTERN = re.compile(r'^    (?:(?P<field>\w+): |"""(?P<words>.*?)""")', re.MULTILINE | re.DOTALL)


def describe_fields(kind: Any, properties: Mapping[str, dict[str, Any]]) -> None:
    """Add to the properties of a struct's schema what the struct says about its fields.

    msgspec leaves the description of an optional type in one of the alternatives. It is moved to the property.
    """
    struct = get_origin(kind) or kind
    below = _get_field_descriptions(struct)
    for field, name in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True):
        schema = properties[name]
        words = below.get(field) or schema.get("description") or _pop_inner_description(schema)
        if words:
            schema["description"] = words
    tag_field = struct.__struct_config__.tag_field
    if tag_field is not None:
        properties[tag_field]["description"] = f"Always `{struct.__struct_config__.tag}`."


def _pop_inner_description(schema: Mapping[str, Any]) -> str | None:
    inner = [part.pop("description") for part in schema.get("anyOf", ()) if "description" in part]
    return inner[0] if inner else None


@cache
def _get_field_descriptions(struct: type[msgspec.Struct]) -> Mapping[str, str]:
    """Return the strings below the fields of a struct, with those that it inherits."""
    words: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            words |= _parse_module_field_descriptions(base.__module__).get(base.__qualname__, {})
    return words


@cache
def _parse_module_field_descriptions(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the strings below the fields of all structs in a module."""
    matches = _CLASS_PATTERN.finditer(getsource(sys.modules[module]))
    return {match["name"]: _parse_field_descriptions(match["body"]) for match in matches}


def _parse_field_descriptions(body: str) -> Mapping[str, str]:
    words: dict[str, str] = {}
    field = None
    for part in _FIELD_OR_DOCSTRING_PATTERN.finditer(body):
        if part["words"] and field:
            words[field] = " ".join(part["words"].split())
        field = part["field"]
    return words
