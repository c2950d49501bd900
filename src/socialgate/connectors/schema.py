"""The options of a post, as JSON Schema: everything beyond its text and media."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

# Formats are for people, and patterns are what is checked.
MOMENT = {
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
}
URL = {"format": "uri", "pattern": "^https?://[^ ]+$"}


def options(properties: Schema, **rest: Any) -> Schema:
    """Describe an object that has only these properties."""
    return {"type": "object", "additionalProperties": False, "properties": properties, **rest}


def record(description: str = "", /, *required: str, **properties: Schema) -> Schema:
    """Describe an object by the names of its properties, for options within options."""
    needed = {"required": list(required)} if required else {}
    return options(properties, **needed, **({"description": description} if description else {}))


def flag(description: str, *, default: bool | None = False) -> Schema:
    """None stands for the vendor's default."""
    known = {} if default is None else {"default": default}
    return {"type": "boolean", **known, "description": description}


def choice(description: str, *words: str, **rest: Any) -> Schema:
    return {"enum": list(words), "description": description, **rest}


def text(description: str, **rest: Any) -> Schema:
    return {"type": "string", "description": description, **rest}


def word(description: str, **rest: Any) -> Schema:
    """A text that is not empty."""
    return text(description, minLength=1, **rest)


def digits(description: str) -> Schema:
    """An id of the platform."""
    return text(description, pattern="^[0-9]+$")


def link(description: str) -> Schema:
    return text(description, format="uri")


def many(description: str, items: Mapping[str, Any], **rest: Any) -> Schema:
    return {"type": "array", "items": items, **rest, "description": description}


def number(description: str, least: int = 0, most: int | None = None, **rest: Any) -> Schema:
    limits = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {"type": "integer", **limits, "description": description, **rest}
