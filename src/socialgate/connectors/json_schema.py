"""The options of a post, as JSON Schema: everything beyond its text and media."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

# Formats are for people, and patterns are what is checked.
DATE_TIME_RULES = {
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
}
URL_RULES = {"format": "uri", "pattern": "^https?://[^ ]+$"}


def object_schema(properties: Schema, **rest: Any) -> Schema:
    """Describe an object that has only these properties."""
    return {"type": "object", "additionalProperties": False, "properties": properties, **rest}


def nested_object_schema(description: str = "", /, *required: str, **properties: Schema) -> Schema:
    """Describe an object by the names of its properties, for options within options."""
    needed = {"required": list(required)} if required else {}
    return object_schema(properties, **needed, **({"description": description} if description else {}))


def boolean_schema(description: str, *, default: bool | None = False) -> Schema:
    """None stands for the vendor's default."""
    known = {} if default is None else {"default": default}
    return {"type": "boolean", **known, "description": description}


def enum_schema(description: str, *words: str, **rest: Any) -> Schema:
    return {"enum": list(words), "description": description, **rest}


def string_schema(description: str, **rest: Any) -> Schema:
    return {"type": "string", "description": description, **rest}


def nonempty_string_schema(description: str, **rest: Any) -> Schema:
    """A text that is not empty."""
    return string_schema(description, minLength=1, **rest)


def numeric_id_schema(description: str) -> Schema:
    """An id of the platform."""
    return string_schema(description, pattern="^[0-9]+$")


def url_schema(description: str) -> Schema:
    return string_schema(description, format="uri")


def array_schema(description: str, items: Mapping[str, Any], **rest: Any) -> Schema:
    return {"type": "array", "items": items, **rest, "description": description}


def integer_schema(description: str, min_value: int = 0, most: int | None = None, **rest: Any) -> Schema:
    limits = {"minimum": min_value} if most is None else {"minimum": min_value, "maximum": most}
    return {"type": "integer", **limits, "description": description, **rest}
