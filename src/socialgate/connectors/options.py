"""The options of posts in manifests, as JSON Schema: what each of them takes, and what it is for."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def record(description: str = "", /, *required: str, **properties: Schema) -> Schema:
    """An object with these properties and no others."""
    told = {"description": description} if description else {}
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "additionalProperties": False, **needed, "properties": properties, **told}


def text(description: str, **rules: Any) -> Schema:
    return {"type": "string", **rules, "description": description}


def word(description: str, **rules: Any) -> Schema:
    """A text that is not empty."""
    return text(description, minLength=1, **rules)


def digits(description: str) -> Schema:
    """An id of the platform."""
    return text(description, pattern="^[0-9]+$")


def link(description: str) -> Schema:
    return text(description, format="uri")


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def number(description: str, kind: str = "integer", **rules: Any) -> Schema:
    return {"type": kind, **rules, "description": description}


def choice(description: str, *values: str, **rules: Any) -> Schema:
    return {"enum": list(values), **rules, "description": description}


def many(description: str, items: Mapping[str, Any], **rules: Any) -> Schema:
    return {"type": "array", "items": items, **rules, "description": description}
