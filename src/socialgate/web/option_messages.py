"""What is wrong with options, in plain words: what was expected, and what was sent. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from socialgate.web.similar import MAX_LISTED_VALUES, suggest_name

_MAX_VALUE_LENGTH = 60
_MAX_MESSAGE_LENGTH = 300
_TYPE_PHRASES: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_FORMAT_PHRASES: Final = {"date-time": "a time such as 2026-11-15T09:30:00Z", "uri": "a URL"}
_REQUIRED_PATTERN = re.compile(r"'(?P<name>[^']*)' is a required property$")


def build_option_error_message(error: Any, known: Mapping[str, Any]) -> str:
    """Describe an error of the JSON Schema validator. `known` are the options: conditions only name them."""
    if error.validator == "required":
        return _truncate_text(_explain_required(error, known), _MAX_MESSAGE_LENGTH)
    words = _MESSAGE_BUILDERS.get(error.validator)
    sentence = words(error) if words else f"{_format_label(error)} is not valid: {error.message}"
    return _truncate_text(sentence, _MAX_MESSAGE_LENGTH)


def _format_label(error: Any) -> str:
    """Name a value as people do: `privacyLevel`, `tags[0]`, or the options as a whole."""
    label = ""
    for step in reversed(list(error.absolute_path)):
        if isinstance(step, str):
            return step + label
        label = f"[{step}]{label}"
    return "options"


def _explain_required(error: Any, known: Mapping[str, Any]) -> str:
    match = _REQUIRED_PATTERN.match(error.message)
    if match is None:
        return str(error.message)
    rule = error.schema.get("properties", {}).get(match["name"]) or known.get(match["name"], {})
    values = [_quote_value(value) for value in rule.get("enum", ())]
    return f"{match['name']} is required" + (
        f": use {_join_choices(values)}" if 0 < len(values) <= MAX_LISTED_VALUES else ""
    )


def _explain_choice(error: Any) -> str:
    known = [str(value) for value in error.validator_value]
    guess = suggest_name(error.instance, known) if isinstance(error.instance, str) else ""
    values = _join_choices([_quote_value(value) for value in error.validator_value])
    rule = f"{_format_label(error)} must be {values}, not {_quote_value(error.instance)}"
    return f"{rule}.{guess}" if guess else rule


def _join_choices(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"


def _explain_type(error: Any) -> str:
    items = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    return (
        f"{_format_label(error)} must be {' or '.join(_TYPE_PHRASES[item] for item in items)}, not "
        f"{_quote_value(error.instance)}"
    )


def _explain_format(error: Any) -> str:
    known = _FORMAT_PHRASES.get(error.schema.get("format"))
    rule = f"must be {known}" if known else f"must match the pattern {error.schema.get('pattern')}"
    return f"{_format_label(error)} {rule}, not {_quote_value(error.instance)}"


def _build_limit_explainer(words: str) -> Callable[[Any], str]:
    return lambda error: f"{_format_label(error)} must be {words} {error.validator_value}, not {error.instance}"


def _build_length_explainer(words: str, unit: str) -> Callable[[Any], str]:
    def sentence(error: Any) -> str:
        if not error.instance:
            return f"{_format_label(error)} is empty"
        most = error.validator_value
        units = unit if most == 1 else f"{unit}s"
        return f"{_format_label(error)} must have {words} {most} {units}, not {len(error.instance)}"

    return sentence


_MESSAGE_BUILDERS: Final[dict[str, Callable[[Any], str]]] = {
    "enum": _explain_choice,
    "type": _explain_type,
    "pattern": _explain_format,
    "format": _explain_format,
    "minimum": _build_limit_explainer("at least"),
    "maximum": _build_limit_explainer("at most"),
    "minLength": _build_length_explainer("at least", "character"),
    "maxLength": _build_length_explainer("at most", "character"),
    "minItems": _build_length_explainer("at least", "item"),
    "maxItems": _build_length_explainer("at most", "item"),
    "uniqueItems": lambda error: f"{_format_label(error)} must not contain the same value twice",
}


def _quote_value(value: Any) -> str:
    return _truncate_text(json.dumps(value, ensure_ascii=False), _MAX_VALUE_LENGTH)


def _truncate_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."
