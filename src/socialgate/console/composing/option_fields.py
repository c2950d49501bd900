"""Fields for the options of a kind of account, made from the JSON Schema of its manifest, and what they contain."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.console.formatting import words

_MAX_LABEL_LENGTH = 34
_ARTICLE = re.compile(r"^(The|Whether) ")
_SEE_API = re.compile(r" See `[^`]*` in GET /\S+$")
_YES_NO = (("true", "Yes"), ("false", "No"))

Control = Literal["choice", "text", "long", "lines", "number", "time", "json"]


class OptionField(msgspec.Struct, frozen=True, kw_only=True):
    """One option of an account. `path` is where its value is in the options, such as `event.title`."""

    path: str
    label: str
    hint: str
    control: Control
    is_required: bool
    choices: Sequence[tuple[str, str]] = ()
    max_length: int | None = None
    # What the schema says about the value, to read what was filled in.
    schema: Mapping[str, Any]


def list_option_fields(schema: Mapping[str, Any]) -> list[OptionField]:
    """List the fields for all options, those that are required first."""
    fields = list(_iterate_fields(schema, "", _list_required(schema)))
    return sorted(fields, key=lambda field: not field.is_required)


def read_options(fields: Sequence[OptionField], values: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that were filled in, by the names of the API. What cannot be read is left to validation."""
    options: dict[str, Any] = {}
    for field in fields:
        text = values.get(field.path, "").strip()
        if not text:
            continue
        *above, name = field.path.split(".")
        inside = options
        for part in above:
            inside = inside.setdefault(part, {})
        inside[name] = _read_value(field, text)
    return options


def write_options(fields: Sequence[OptionField], options: Mapping[str, Any]) -> dict[str, str]:
    """Return what the fields show for options that are stored."""
    shown = {field.path: _find_value(options, field.path) for field in fields}
    return {field.path: _write_value(field, shown[field.path]) for field in fields if shown[field.path] is not None}


def describe_options(schema: Mapping[str, Any], options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name stored options and their values as the fields do, for a page that shows them."""
    fields = list_option_fields(schema)
    written = write_options(fields, options)
    return [(field.label, _say_value(field, written[field.path])) for field in fields if field.path in written]


def shorten_fault(detail: str) -> str:
    """Leave out where programs find the schema: people see its fields."""
    return _SEE_API.sub("", detail)


def _iterate_fields(schema: Mapping[str, Any], prefix: str, required: Sequence[str]) -> Iterator[OptionField]:
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        if inner.get("type") == "object" and inner.get("properties"):
            yield from _iterate_fields(inner, f"{path}.", ())
            continue
        label, hint = _split_description(name, inner.get("description", ""))
        if prefix:
            label = f"{words(prefix.rstrip('.').split('.')[-1])}: {label[:1].lower()}{label[1:]}"
        yield OptionField(
            path=path,
            label=label,
            hint=hint,
            control=_choose_control(inner),
            is_required=name in required,
            choices=_list_choices(inner),
            max_length=inner.get("maxLength"),
            schema=inner,
        )


def _list_required(schema: Mapping[str, Any]) -> Sequence[str]:
    """List what is required always, or unless something unusual is chosen."""
    return [*schema.get("required", ()), *schema.get("else", {}).get("required", ())]


def _split_description(name: str, description: str) -> tuple[str, str]:
    """Return a label, and the rest as a hint. The description begins with what a person would call the option."""
    plain = description.replace("`", "")
    match = re.match(r"^([^.:;,]+)[.:;,]\s*(.*)$", plain)
    first, rest = (match[1], match[2]) if match else (plain, "")
    label = _ARTICLE.sub("", first)
    if not label or len(label) > _MAX_LABEL_LENGTH or label.endswith(" only"):
        return words(name), plain
    return label[:1].upper() + label[1:], rest[:1].upper() + rest[1:]


def _choose_control(schema: Mapping[str, Any]) -> Control:
    kind = schema.get("type")
    if "enum" in schema or kind == "boolean":
        return "choice"
    if kind in ("integer", "number"):
        return "number"
    if kind == "array":
        return "lines" if schema.get("items", {}).get("type") == "string" else "json"
    if kind != "string":
        return "json"
    return "long" if schema.get("maxLength", 0) > 500 else "text"  # noqa: PLR2004 - more than fits on a line


def _list_choices(schema: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    values = (
        list(_YES_NO)
        if schema.get("type") == "boolean"
        else [(value, _name(value)) for value in schema.get("enum", ())]
    )
    if not values:
        return ()
    default = schema.get("default")
    text = str(default).lower() if isinstance(default, bool) else default
    named = next((name for value, name in values if value == text), None)
    return [("", "Choose…" if named is None else f"{named} (default)"), *(pair for pair in values if pair[0] != text)]


def _say_value(field: OptionField, text: str) -> str:
    if field.schema.get("type") == "boolean":
        return dict(_YES_NO).get(text, text)
    return _name(text) if field.control == "choice" else text


def _name(value: str) -> str:
    return words(value.lower() if value.isupper() else value)


def _read_value(field: OptionField, text: str) -> Any:
    if field.control == "lines":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if field.control == "choice" and field.schema.get("type") != "boolean":
        return text
    if field.control in ("choice", "number", "json"):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text
    return text


def _write_value(field: OptionField, value: Any) -> str:
    if field.control == "lines" and isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def _find_value(options: Mapping[str, Any], path: str) -> Any:
    value: Any = options
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value
