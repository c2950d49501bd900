"""The options of a post, as JSON Schema: what a post can say beyond its text and media."""

from typing import Any

Schema = dict[str, Any]

# Formats are for people, and patterns are what is checked.
MOMENT = {
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
}
URL = {"format": "uri", "pattern": "^https?://[^ ]+$"}


def options(properties: Schema, **rest: Any) -> Schema:
    """Describe an object that has nothing but these."""
    return {"type": "object", "additionalProperties": False, "properties": properties, **rest}


def flag(description: str, *, default: bool = False) -> Schema:
    return {"type": "boolean", "default": default, "description": description}


def choice(description: str, *words: str, **rest: Any) -> Schema:
    return {"enum": list(words), "description": description, **rest}


def text(description: str, **rest: Any) -> Schema:
    return {"type": "string", "description": description, **rest}


def number(description: str, least: int = 0, most: int | None = None, **rest: Any) -> Schema:
    limits = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {"type": "integer", **limits, "description": description, **rest}
