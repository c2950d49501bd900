"""Fields of the forms that n8n shows, in the words that its linter asks for."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from clients.generate.api import (
    SHORT_FORMS,
    Api,
    Choice,
    Field,
    Object,
    Parameter,
    Scalar,
    Schema,
    name_in,
    without_null,
)
from clients.generate.words import snake

_WIDTH = 120
# A text that can be longer than this gets several lines.
_LONG_TEXT = 1000
# Ids that people choose from a list: the method of the node that loads it.
_LOADED: Final[Mapping[str, tuple[str, str]]] = {
    "accountId": ("Account Name or ID", "getAccounts"),
    "adAccountId": ("Ad Account Name or ID", "getAdAccounts"),
    "profileId": ("Profile Name or ID", "getProfiles"),
}
# What n8n says everywhere about how many rows a list has.
LIMIT: Final[Mapping[str, Any]] = {
    "type": "number",
    "typeOptions": {"minValue": 1},
    "default": 50,
    "description": "Max number of results to return",
}
_CHOOSE = (
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'
)
# Words with a spelling of their own.
_SPELLINGS: Final[Mapping[str, str]] = {"id": "ID", "ids": "IDs", "url": "URL", "json": "JSON", "ai": "AI"}
# Resources whose names would say too little, or the same twice.
_RESOURCES: Final[Mapping[str, str]] = {
    "ads": "Advertising",
    "ads.ad_sets": "Ad Set",
    "ads.ads": "Ad",
    "usage": "Usage",
    "ai": "AI Generation",
}
_ABBREVIATION = re.compile(r"(?<![\w/{.])(id|ids|url|urls|json)(?![\w}/])", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form: what n8n shows, and how its value is sent."""

    name: str
    required: bool
    # Whether it is shown at once, and not only when somebody adds it.
    top: bool
    shown: dict[str, Any]
    sent: dict[str, Any]


def build_field(item: Field | Parameter, place: str, api: Api) -> FormField:
    """Build the field of a form for a field of a body or a parameter."""
    shown, form = _control(item.name, item.schema, api)
    about = _describe(item.description, shown)
    return FormField(
        name=item.name,
        required=item.required,
        top=item.required,
        shown={"displayName": title(item.name), "name": item.name, **shown, **about},
        sent={"in": place, **form},
    )


def _control(name: str, schema: Schema, api: Api) -> tuple[dict[str, Any], dict[str, Any]]:
    """Choose the input for a value, and how the value is converted."""
    inner, _ = without_null(schema)
    kind = api.types.get(str(name_in(inner)))
    if isinstance(kind, Scalar):
        return _control(name, kind.schema, api)
    values = kind.values if isinstance(kind, Choice) else inner.get("enum")
    if values:
        return _choice("options", values), {}
    match inner.get("type") if kind is None else "object":
        case "array":
            return _array(inner["items"], api)
        case "string":
            return _text(name, inner)
        case "boolean" | "integer" | "number" as scalar:
            return _scalar(name, scalar, inner), {}
        case _:
            return {"type": "json", "default": "{}"}, {"as": "json"}


def _scalar(name: str, kind: str, schema: Schema) -> dict[str, Any]:
    if kind == "boolean":
        return {"type": "boolean", "default": False}
    if name == "limit":
        return dict(LIMIT)
    return {"type": "number", "default": schema.get("default") or 0}


def _text(name: str, schema: Schema) -> tuple[dict[str, Any], dict[str, Any]]:
    if name in _LOADED:
        label, method = _LOADED[name]
        loaded = {"loadOptionsMethod": method}
        return {"displayName": label, "type": "options", "typeOptions": loaded, "default": ""}, {}
    if schema.get("format") == "date-time":
        return {"type": "dateTime", "default": ""}, {"as": "time"}
    options: dict[str, Any] = {}
    if name.endswith("Token"):
        options = {"typeOptions": {"password": True}}
    elif schema.get("maxLength", 0) >= _LONG_TEXT and not name.lower().endswith("url"):
        options = {"typeOptions": {"rows": 4}}
    return {"type": "string", **options, "default": ""}, {}


def _array(items: Schema, api: Api) -> tuple[dict[str, Any], dict[str, Any]]:
    kind = api.types.get(str(name_in(items)))
    if kind is not None and kind.name in SHORT_FORMS and isinstance(kind, Object):
        return _rows(kind, api)
    values = kind.values if isinstance(kind, Choice) else items.get("enum")
    if values:
        return _choice("multiOptions", values), {}
    if kind is None and items.get("type") in {"string", "integer", "number"}:
        return {"type": "string", "default": "", "placeholder": "e.g. first, second"}, {"as": "list"}
    return {"type": "json", "default": "[]"}, {"as": "json"}


def _rows(kind: Object, api: Api) -> tuple[dict[str, Any], dict[str, Any]]:
    """Show a list of objects as rows with the fields of one."""
    fields = [build_field(field, "body", api) for field in kind.fields if field.name != "media"]
    rows = {
        "displayName": "Row",
        "name": "rows",
        "values": sorted((field.shown for field in fields), key=by_name),
    }
    shown = {
        "type": "fixedCollection",
        "typeOptions": {"multipleValues": True},
        "placeholder": "Add Row",
        "default": {},
        "options": [rows],
    }
    conversions = {field.name: field.sent["as"] for field in fields if "as" in field.sent}
    return shown, {"as": "rows", "rows": conversions}


def _choice(kind: str, values: Any) -> dict[str, Any]:
    options = sorted(({"name": title(str(value)), "value": value} for value in values), key=by_name)
    return {"type": kind, "options": options, "default": options[0]["value"] if kind == "options" else []}


def _describe(description: str, shown: Mapping[str, Any]) -> dict[str, str]:
    if "loadOptionsMethod" in shown.get("typeOptions", {}):
        return {"description": _CHOOSE}
    if "description" in shown:
        return {}
    text = polish(description)
    if shown["type"] == "boolean":
        text = polish(_say_whether(text))
    return {"description": text} if text else {}


def _say_whether(text: str) -> str:
    """Begin a description as n8n wants it for a switch."""
    first = text.split(" ", maxsplit=1)[0].rstrip(":")
    if first == "Whether":
        return text
    if first in {"True", "False"}:
        return f"Whether it applies. {text}"
    verb = "get " if first == "Only" else ""
    return f"Whether to {verb}{text[:1].lower()}{text[1:]}"


def by_name(item: Mapping[str, Any]) -> str:
    """Sort as n8n does: without regard to case."""
    return str(item.get("displayName") or item["name"]).lower()


def title(name: str) -> str:
    """Return a name as a label: `scheduledFor` becomes "Scheduled For"."""
    words = snake(name).strip("_").split("_")
    return " ".join(_SPELLINGS.get(word, word[:1].upper() + word[1:]) for word in words)


def singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def title_of_resource(name: str, *, plural: bool = False) -> str:
    """Return the name of a resource as a label: `queue.slots` becomes "Queue Slot"."""
    label = _RESOURCES.get(name) or title("_".join(singular(part) for part in name.split(".")))
    return f"{label}s" if plural and name.endswith("s") else label


def polish(text: str) -> str:
    """Write a description as n8n does: one sentence has no period at its end, several have."""
    flat = " ".join(text.split()).replace("`", "").replace("<", "&lt;").replace(">", "&gt;")
    flat = _ABBREVIATION.sub(lambda match: _upper(match[0]), flat)
    flat = flat[:1].upper() + flat[1:]
    sentences = flat.removesuffix(".")
    return f"{sentences}." if ". " in sentences else sentences


def _upper(word: str) -> str:
    return f"{word[:-1].upper()}s" if word.lower() in {"ids", "urls"} else word.upper()


def literal(value: Any, depth: int = 0) -> str:
    """Write a value as TypeScript, on one line if it fits."""
    flat = _flat(value)
    if len(flat) + 2 * depth + 20 <= _WIDTH:
        return flat
    indent = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{indent}{_key(key)}: {literal(part, depth + 1)}," for key, part in value.items()]
        return "\n".join(["{", *parts, "  " * depth + "}"])
    if isinstance(value, list):
        return "\n".join(["[", *(f"{indent}{literal(part, depth + 1)}," for part in value), "  " * depth + "]"])
    return flat


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)}: {_flat(part)}' for key, part in value.items())} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_flat(part) for part in value)}]"
    return msgspec.json.encode(value).decode()


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else f'"{name}"'
