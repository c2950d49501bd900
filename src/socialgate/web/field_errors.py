"""What is wrong with a request, in plain words: where, what was expected, and what was sent.

The decoder stops at the first error, so each field of a rejected request is checked again on its own: callers get
everything that is wrong at once.

It has more than 400 lines: finding where an error is and wording it walk the same types.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.field_error_codes import FieldErrorCode
from socialgate.core.shapes import HINT_KEY
from socialgate.web.patterns import PATTERN_PHRASES, PIN_PHRASE, VISIBLE_TEXT_PHRASE
from socialgate.web.similar import MAX_LISTED_VALUES, end_sentence, format_allowed_values, suggest_name

# A list of a hundred thousand wrong values must not become as many errors.
MAX_FIELD_ERRORS = 50

_UNSET: Any = object()
_ERROR_PATH_PATTERN = re.compile(r" - at `(key in )?\$(?P<path>[^`]*)`$")
_PATH_STEP_PATTERN = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN_FIELD_PATTERN = re.compile(r"Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING_FIELD_PATTERN = re.compile(r"Object missing required field `(?P<name>.*)`$", re.DOTALL)
_TYPE_ERROR_PATTERN = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`$")
_RANGE_ERROR_PATTERN = re.compile(r"Expected `(?:int|float|decimal)` (?P<sign><=|>=|<|>) (?P<limit>\S+)$")
_LENGTH_ERROR_PATTERN = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<sign><=|>=|==) (?P<limit>\d+)$")
_FORMAT_ERROR_PATTERN = re.compile(r"Expected `str` matching regex (?P<pattern>.*)$", re.DOTALL)
_OPTION_POINTER_PATTERN = re.compile(r"/(platform|adset)Options/")
_LOST_PLUS_PATTERN = re.compile(r"\dT\d.* \d\d:\d\d$")
_DESCRIPTION_BY_PATTERN_REPR = {repr(pattern): words for pattern, words in PATTERN_PHRASES.items()}
_COMPARISON_PHRASES = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly"}
_TIME_PHRASE = "a time such as 2026-11-15T09:30:00Z"
_DATE_PHRASE = "a date such as 2026-11-15"
_TYPE_PHRASES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
    # What the tag of a union is, the decoder says in the words of Python.
    "NoneType": "null",
    "list": "an array",
    "dict": "an object",
    "datetime": _TIME_PHRASE,
    "date": _DATE_PHRASE,
}
_FORMAT_PHRASES = {
    "Invalid RFC3339 encoded datetime": _TIME_PHRASE,
    "Invalid RFC3339 encoded date": _DATE_PHRASE,
    "Expected `datetime` with a timezone component": f"{_TIME_PHRASE}, with its offset",
}


def build_body_error(
    error: msgspec.ValidationError, kind: Any, input_value: Any, *, strict: bool = True
) -> InvalidRequest:
    """Turn the decoder's error into all faults of what was sent, each with a JSON pointer."""
    return build_invalid_request("", _find_all_errors(error, kind, input_value, strict=strict))


def list_query_errors(error: msgspec.ValidationError, kind: Any, input_value: Mapping[str, Any]) -> list[Fault]:
    result = (
        (fault.pointer.removeprefix("/"), fault) for fault in _find_all_errors(error, kind, input_value, strict=False)
    )
    return [
        Fault(f"?{name}", fault.code, fault.detail + _explain_lost_plus(input_value.get(name)))
        for name, fault in result
    ]


def _explain_lost_plus(value: Any) -> str:
    """Explain a time whose offset has lost its sign: in a query string, a plus means a space."""
    return " Write + as %2B in a URL." if isinstance(value, str) and _LOST_PLUS_PATTERN.search(value) else ""


def build_query_error(faults: Sequence[Fault]) -> InvalidRequest:
    return build_invalid_request("", faults)


def build_invalid_request(introduction: str, faults: Sequence[Fault]) -> InvalidRequest:
    """Reject a request with all faults. The sentence contains the first one: not everybody looks into `errors`."""
    return InvalidRequest(_build_summary(introduction, [fault.detail for fault in faults]), errors=list(faults))


def require_no_errors(own_errors: Iterable[Fault], platform_errors: Iterable[Fault], noun: str) -> None:
    """Reject what a platform would reject, with all faults: the platform's, if both have one for the same place."""
    faults = list({fault.pointer: fault for fault in (*own_errors, *platform_errors)}.values())
    if faults:
        # An option of the platform that is not supported is our own rule: the platform itself would accept it.
        by_us = any(fault.code == "not_supported" and _OPTION_POINTER_PATTERN.search(fault.pointer) for fault in faults)
        raise build_invalid_request("" if by_us else f"The platform would reject this {noun}", faults)


def _build_summary(introduction: str, details: list[str]) -> str:
    introduction = f"{introduction}. " if introduction else ""
    others = len(details) - 1
    more = "" if not others else f" ({others} more {'error' if others == 1 else 'errors'}, see `errors`.)"
    return f"{introduction}{details[0]}{more}"


def _find_all_errors(error: msgspec.ValidationError, kind: Any, input_value: Any, *, strict: bool) -> list[Fault]:
    faults: dict[str, Fault] = {}
    for fault in islice(
        chain(_validate_value(input_value, kind, (), strict=strict), _find_infinite_numbers(input_value, ())),
        MAX_FIELD_ERRORS,
    ):
        faults.setdefault(fault.pointer, fault)
    return list(faults.values()) or [_parse_decoder_message(str(error), kind, (), input_value)]


def _find_infinite_numbers(input_value: Any, steps: tuple[str, ...]) -> Iterator[Fault]:
    """Find numbers that JSON can express and no computer can store, such as 1e999. Open objects may have them."""
    if isinstance(input_value, float) and not math.isfinite(input_value):
        yield Fault(_build_pointer(steps), "out_of_range", f"{_format_label(steps)} is a number that is too large.")
    parts = (
        input_value.items()
        if isinstance(input_value, dict)
        else enumerate(input_value)
        if isinstance(input_value, list)
        else ()
    )
    for name, value in parts:
        yield from _find_infinite_numbers(value, (*steps, str(name)))


def _validate_value(input_value: Any, kind: Any, steps: tuple[str, ...], *, strict: bool) -> Iterator[Fault]:
    """Check a value, and if it is not valid, each of its parts."""
    try:
        msgspec.convert(input_value, kind, strict=strict)
    except msgspec.ValidationError as error:
        inner = False
        for fault in _validate_parts(input_value, kind, steps, strict=strict):
            inner = True
            yield fault
        if not inner:
            yield _parse_decoder_message(str(error), kind, steps, input_value)


def _validate_parts(input_value: Any, kind: Any, steps: tuple[str, ...], *, strict: bool) -> Iterator[Fault]:
    if isinstance(input_value, dict) and (value := _value_type(kind)) is not None:
        for name, element in input_value.items():
            yield from _validate_value(element, value, (*steps, name), strict=strict)
    elif isinstance(input_value, dict):
        yield from _validate_object(input_value, kind, steps, strict=strict)
    elif isinstance(input_value, list) and (item := _item_type(kind)) is not None:
        for place, element in enumerate(input_value):
            yield from _validate_value(element, item, (*steps, str(place)), strict=strict)


def _validate_object(
    input_value: dict[str, Any], kind: Any, steps: tuple[str, ...], *, strict: bool
) -> Iterator[Fault]:
    shape = _find_struct_type(kind, input_value)
    if shape is None:
        return
    hints = _get_type_hints(shape.cls)
    fields = {field.encode_name: field for field in shape.fields}
    for name, value in input_value.items():
        if name in fields:
            yield from _validate_value(value, hints[fields[name].name], (*steps, name), strict=strict)
        elif shape.forbid_unknown_fields and name != shape.tag_field:
            yield _build_unknown_field_error(name, list(fields), steps)
    for name, field in fields.items():
        if field.required and name not in input_value:
            yield _build_required_error(name, steps, _list_allowed_values_at(hints[field.name], ()))


def _find_struct_type(kind: Any, input_value: Mapping[str, Any]) -> inspect.StructType | None:
    """Find the struct that an object should be. Several are distinguished by their tags."""
    shapes = [part for part in _flatten_union(_get_type_info(kind)) if isinstance(part, inspect.StructType)]
    if len(shapes) == 1:
        return shapes[0]
    tagged = [shape for shape in shapes if shape.tag_field and input_value.get(shape.tag_field) == shape.tag]
    return tagged[0] if tagged else None


def _item_type(kind: Any) -> Any:
    """Find the type of the items of a list, through annotations and unions. None if there is no such type."""
    if get_origin(kind) in {list, tuple, set, frozenset, Sequence}:
        return get_args(kind)[0]
    return next((item for part in get_args(kind) if (item := _item_type(part)) is not None), None)


def _value_type(kind: Any) -> Any:
    """Find the type of the values of a mapping, through annotations and unions."""
    if get_origin(kind) in {dict, Mapping}:
        return get_args(kind)[1]
    return next((value for part in get_args(kind) if (value := _value_type(part)) is not None), None)


def _build_unknown_field_error(name: str, known: list[str], steps: tuple[str, ...]) -> Fault:
    hint = suggest_name(name, known) + format_allowed_values(known) or " Remove it or correct its name."
    return Fault(_build_pointer((*steps, name)), "unknown_field", f"There is no field {name}.{hint}")


def _build_required_error(name: str, steps: tuple[str, ...], allowed: Sequence[str] = ()) -> Fault:
    choices = f" Use one of: {', '.join(allowed)}." if 0 < len(allowed) <= MAX_LISTED_VALUES else ""
    return Fault(_build_pointer((*steps, name)), "required", f"{name} is required.{choices}")


def _parse_decoder_message(message: str, kind: Any, outer_steps: tuple[str, ...], input_value: Any) -> Fault:
    at = _ERROR_PATH_PATTERN.search(message)
    text = message[: at.start()] if at else message
    inner = (
        tuple(cast("str", step["name"] or step["index"]) for step in _PATH_STEP_PATTERN.finditer(at["path"]))
        if at
        else ()
    )
    steps = (*outer_steps, *inner)
    if match := _UNKNOWN_FIELD_PATTERN.match(text):
        return _build_unknown_field_error(match["name"], _list_field_names_at(kind, inner), steps)
    if match := _MISSING_FIELD_PATTERN.match(text):
        return _build_required_error(match["name"], steps)
    code, rule = _describe_rule(text, _value_at(input_value, inner), _list_allowed_values_at(kind, inner))
    hint = _get_hint(_get_type_info(kind)) if not inner else ""
    return Fault(_build_pointer(steps), code, end_sentence(f"{_format_label(steps)} {rule}", hint) if rule else text)


def _get_hint(kind: inspect.Type) -> str:
    """Return the sentence that a field adds to its errors: `Meta(extra={HINT: "…"})`."""
    match kind:
        case inspect.Metadata(extra=extra) if extra and HINT_KEY in extra:
            return f" {extra[HINT_KEY]}"
        case inspect.UnionType(types=types):
            return next(filter(None, map(_get_hint, types)), "")
        case _:
            return ""


def _describe_rule(text: str, value: Any, allowed: list[str]) -> tuple[FieldErrorCode, str | None]:
    """Say in words what the decoder expected, and what it got."""
    if match := _TYPE_ERROR_PATTERN.match(text):
        if allowed and match["wanted"] in {"str", "str | null"}:
            return "wrong_type", f"must be {_join_choices(allowed)}{_describe_actual_value(value)}"
        input_value = _quote_value(value) if isinstance(value, str) else _describe_types(match["given"])
        return "wrong_type", f"must be {_describe_types(match['wanted'])}, not {input_value}"
    if match := _RANGE_ERROR_PATTERN.match(text):
        # A number in a query is sent as text, but shown as a number.
        input_value = f", not {value[:20]}" if isinstance(value, str) else _describe_actual_value(value)
        return "invalid", f"must be {_COMPARISON_PHRASES[match['sign']]} {match['limit']}{input_value}"
    if text.startswith("Invalid value") and allowed:
        return "unknown_type", _describe_allowed_values(allowed, value)
    if match := _LENGTH_ERROR_PATTERN.match(text):
        return "invalid", _describe_length(match, value)
    return "invalid", _describe_format(text, value, allowed)


def _describe_length(match: re.Match[str], value: Any) -> str:
    if value in ("", []):
        return "is empty"
    unit = ("character" if match["kind"] == "str" else "item") + ("" if match["limit"] == "1" else "s")
    length = f", not {len(value)}" if isinstance(value, str | list) else ""
    return f"must have {_COMPARISON_PHRASES[match['sign']]} {match['limit']} {unit}{length}"


def _describe_format(text: str, value: Any, allowed: list[str]) -> str | None:
    if match := _FORMAT_ERROR_PATTERN.match(text):
        expected = _DESCRIPTION_BY_PATTERN_REPR.get(match["pattern"])
        if expected is None:
            return "has the wrong format. See the API reference"
        if expected == VISIBLE_TEXT_PHRASE:
            return "must not be blank"
        # A PIN is a secret, even a wrong one.
        return f"must be {expected}" if expected == PIN_PHRASE else f"must be {expected}{_describe_actual_value(value)}"
    if text.startswith("Invalid enum value") and allowed:
        return _describe_allowed_values(allowed, value)
    if text.endswith("out of range"):
        return "is out of range"
    return f"must be {_FORMAT_PHRASES[text]}" if text in _FORMAT_PHRASES else None


def _join_choices(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _describe_allowed_values(allowed: list[str], value: Any) -> str:
    guess = suggest_name(value, allowed) if isinstance(value, str) else ""
    if len(allowed) > MAX_LISTED_VALUES and guess:
        return f"must not be {_quote_value(value)}.{guess}"
    words = f"must be {_join_choices(allowed)}{_describe_actual_value(value)}"
    return f"{words}.{guess}" if guess else words


def _describe_actual_value(value: Any) -> str:
    return f", not {_quote_value(value)}" if isinstance(value, str | int | float) else ""


def _quote_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:56]}…"  # noqa: PLR2004 - long enough to be recognized


def _value_at(input_value: Any, steps: tuple[str, ...]) -> Any:
    value = input_value
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _UNSET
    return value


def _format_label(steps: tuple[str, ...]) -> str:
    """Name a value as people do: `limit`, `media[0]`, or the body as a whole."""
    label = ""
    for step in reversed(steps):
        if not (step.isdigit() or step == "..."):
            return step + label
        label = f"[{step}]{label}"
    return f"Item {label}" if label else "The body"


def _describe_types(types: str) -> str:
    return " or ".join(_TYPE_PHRASES.get(value.strip(), value.strip()) for value in types.split("|"))


def _build_pointer(steps: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


@cache
def _get_type_hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def _get_type_info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _list_field_names_at(kind: Any, steps: tuple[str, ...]) -> list[str]:
    return [
        field.encode_name
        for part in _list_types_at(kind, steps)
        if isinstance(part, inspect.StructType)
        for field in part.fields
    ]


def _list_allowed_values_at(kind: Any, steps: tuple[str, ...]) -> list[str]:
    words = _list_tags_at(kind, steps[:-1], steps[-1]) if steps else []
    for part in _list_types_at(kind, steps):
        if isinstance(part, inspect.LiteralType):
            words += [str(value) for value in part.values]
        elif isinstance(part, inspect.EnumType):
            words += [str(cl.value) for cl in part.cls]
    declared = [str(value) for value in _literals_of(kind)]
    # The description of a type sorts literals, but weekdays have an order of their own.
    return declared if sorted(declared) == sorted(words) else words


def _literals_of(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from _literals_of(part)


def _list_tags_at(kind: Any, steps: tuple[str, ...], name: str) -> list[str]:
    """List what the field that tells the structs of a union apart can be, if it has this name."""
    shapes = [part for part in _list_types_at(kind, steps) if isinstance(part, inspect.StructType)]
    return [str(shape.tag) for shape in shapes if shape.tag_field == name]


def _list_types_at(kind: Any, steps: tuple[str, ...]) -> list[inspect.Type]:
    """Find which types the value at a path may have."""
    parts = _flatten_union(_get_type_info(kind))
    for step in steps:
        parts = [further for part in parts for further in _flatten_union(_get_child_type(part, step))]
    return parts


def _flatten_union(kind: inspect.Type | None) -> list[inspect.Type]:
    match kind:
        case None:
            return []
        case inspect.Metadata():
            return _flatten_union(kind.type)
        case inspect.UnionType():
            return [part for type_ in kind.types for part in _flatten_union(type_)]
        case _:
            return [kind]


def _get_child_type(kind: inspect.Type, step: str) -> inspect.Type | None:
    match kind:
        case inspect.StructType():
            return next((field.type for field in kind.fields if field.encode_name == step), None)
        case inspect.ListType() | inspect.SetType() | inspect.VarTupleType():
            return kind.item_type
        case inspect.DictType():
            return kind.value_type
        case _:
            return None
