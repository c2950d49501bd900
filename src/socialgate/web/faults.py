"""What is wrong with a request, in plain words: where, what was expected, and what was sent.

The decoder stops at the first error, so each field of a rejected request is checked again on its own: callers get
everything that is wrong at once.
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

from socialgate.core.errors import Fault, Invalid
from socialgate.core.fault_codes import FaultCode
from socialgate.core.shapes import HINT
from socialgate.web.patterns import PATTERNS, PIN, VISIBLE
from socialgate.web.similar import MAX_LISTED, listed, meant, sentence

# A list of a hundred thousand wrong values must not become as many errors.
MOST_FAULTS = 50

_UNSET: Any = object()
_AT = re.compile(r" - at `(key in )?\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`$", re.DOTALL)
_TYPE = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`$")
_NUMBER = re.compile(r"Expected `(?:int|float|decimal)` (?P<sign><=|>=|<|>) (?P<limit>\S+)$")
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<sign><=|>=|==) (?P<limit>\d+)$")
_PATTERN = re.compile(r"Expected `str` matching regex (?P<pattern>.*)$", re.DOTALL)
_OPTION = re.compile(r"/(platform|adset)Options/")
_LOST_PLUS = re.compile(r"\dT\d.* \d\d:\d\d$")
_BY_SHOWN = {repr(pattern): words for pattern, words in PATTERNS.items()}
_SIGNS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly"}
_TIME = "a time such as 2026-11-15T09:30:00Z"
_DATE = "a date such as 2026-11-15"
_WORDS = {
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
    "datetime": _TIME,
    "date": _DATE,
}
_FORMATS = {
    "Invalid RFC3339 encoded datetime": _TIME,
    "Invalid RFC3339 encoded date": _DATE,
    "Expected `datetime` with a timezone component": f"{_TIME}, with its offset",
}


def invalid_body(error: msgspec.ValidationError, kind: Any, sent: Any, *, strict: bool = True) -> Invalid:
    """Turn the decoder's error into all faults of what was sent, each with a JSON pointer."""
    return refused("", _all_of(error, kind, sent, strict=strict))


def invalid_query(error: msgspec.ValidationError, kind: Any, sent: Mapping[str, Any]) -> list[Fault]:
    found = ((one.pointer.removeprefix("/"), one) for one in _all_of(error, kind, sent, strict=False))
    return [Fault(f"?{name}", one.code, one.detail + _lost_plus(sent.get(name))) for name, one in found]


def _lost_plus(value: Any) -> str:
    """Explain a time whose offset has lost its sign: in a query string, a plus means a space."""
    return " Write + as %2B in a URL." if isinstance(value, str) and _LOST_PLUS.search(value) else ""


def refused_query(faults: Sequence[Fault]) -> Invalid:
    return refused("", faults)


def refused(opening: str, faults: Sequence[Fault]) -> Invalid:
    """Reject a request with all faults. The sentence contains the first one: not everybody looks into `errors`."""
    return Invalid(_summary(opening, [fault.detail for fault in faults]), errors=list(faults))


def require_accepted(ours: Iterable[Fault], theirs: Iterable[Fault], what: str) -> None:
    """Reject what a platform would reject, with all faults: the platform's, if both have one for the same place."""
    faults = list({fault.pointer: fault for fault in (*ours, *theirs)}.values())
    if faults:
        # An option of the platform that is not supported is our own rule: the platform itself would accept it.
        by_us = any(fault.code == "not_supported" and _OPTION.search(fault.pointer) for fault in faults)
        raise refused("" if by_us else f"The platform would reject this {what}", faults)


def _summary(opening: str, details: list[str]) -> str:
    opening = f"{opening}. " if opening else ""
    others = len(details) - 1
    more = "" if not others else f" ({others} more {'error' if others == 1 else 'errors'}, see `errors`.)"
    return f"{opening}{details[0]}{more}"


def _all_of(error: msgspec.ValidationError, kind: Any, sent: Any, *, strict: bool) -> list[Fault]:
    found: dict[str, Fault] = {}
    for one in islice(chain(_collect(sent, kind, (), strict=strict), _endless(sent, ())), MOST_FAULTS):
        found.setdefault(one.pointer, one)
    return list(found.values()) or [_fault_of(str(error), kind, (), sent)]


def _endless(sent: Any, steps: tuple[str, ...]) -> Iterator[Fault]:
    """Find numbers that JSON can express and no computer can store, such as 1e999. Open objects may have them."""
    if isinstance(sent, float) and not math.isfinite(sent):
        yield Fault(_pointer(steps), "out_of_range", f"{_label(steps)} is a number that is too large.")
    parts = sent.items() if isinstance(sent, dict) else enumerate(sent) if isinstance(sent, list) else ()
    for name, value in parts:
        yield from _endless(value, (*steps, str(name)))


def _collect(sent: Any, kind: Any, steps: tuple[str, ...], *, strict: bool) -> Iterator[Fault]:
    """Check a value, and if it is not valid, each of its parts."""
    try:
        msgspec.convert(sent, kind, strict=strict)
    except msgspec.ValidationError as error:
        inner = False
        for fault in _inner_faults(sent, kind, steps, strict=strict):
            inner = True
            yield fault
        if not inner:
            yield _fault_of(str(error), kind, steps, sent)


def _inner_faults(sent: Any, kind: Any, steps: tuple[str, ...], *, strict: bool) -> Iterator[Fault]:
    if isinstance(sent, dict) and (value := _value_type(kind)) is not None:
        for name, one in sent.items():
            yield from _collect(one, value, (*steps, name), strict=strict)
    elif isinstance(sent, dict):
        yield from _faults_of_object(sent, kind, steps, strict=strict)
    elif isinstance(sent, list) and (item := _item_type(kind)) is not None:
        for place, one in enumerate(sent):
            yield from _collect(one, item, (*steps, str(place)), strict=strict)


def _faults_of_object(sent: dict[str, Any], kind: Any, steps: tuple[str, ...], *, strict: bool) -> Iterator[Fault]:
    shape = _shape_of(kind, sent)
    if shape is None:
        return
    hints = _hints_of(shape.cls)
    fields = {field.encode_name: field for field in shape.fields}
    for name, value in sent.items():
        if name in fields:
            yield from _collect(value, hints[fields[name].name], (*steps, name), strict=strict)
        elif shape.forbid_unknown_fields and name != shape.tag_field:
            yield _unknown(name, list(fields), steps)
    for name, field in fields.items():
        if field.required and name not in sent:
            yield _required(name, steps, _allowed_at(hints[field.name], ()))


def _shape_of(kind: Any, sent: Mapping[str, Any]) -> inspect.StructType | None:
    """Find the struct that an object should be. Several are distinguished by their tags."""
    shapes = [part for part in _alternatives(_described(kind)) if isinstance(part, inspect.StructType)]
    if len(shapes) == 1:
        return shapes[0]
    tagged = [shape for shape in shapes if shape.tag_field and sent.get(shape.tag_field) == shape.tag]
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


def _unknown(name: str, known: list[str], steps: tuple[str, ...]) -> Fault:
    hint = meant(name, known) + listed(known) or " Remove it or correct its name."
    return Fault(_pointer((*steps, name)), "unknown_field", f"There is no field {name}.{hint}")


def _required(name: str, steps: tuple[str, ...], allowed: Sequence[str] = ()) -> Fault:
    choices = f" Use one of: {', '.join(allowed)}." if 0 < len(allowed) <= MAX_LISTED else ""
    return Fault(_pointer((*steps, name)), "required", f"{name} is required.{choices}")


def _fault_of(message: str, kind: Any, outer: tuple[str, ...], sent: Any) -> Fault:
    at = _AT.search(message)
    text = message[: at.start()] if at else message
    inner = tuple(cast("str", step["name"] or step["index"]) for step in _STEP.finditer(at["path"])) if at else ()
    steps = (*outer, *inner)
    if found := _UNKNOWN.match(text):
        return _unknown(found["name"], _names_at(kind, inner), steps)
    if found := _MISSING.match(text):
        return _required(found["name"], steps)
    code, rule = _rule_of(text, _value_at(sent, inner), _allowed_at(kind, inner))
    hint = _hint_of(_described(kind)) if not inner else ""
    return Fault(_pointer(steps), code, sentence(f"{_label(steps)} {rule}", hint) if rule else text)


def _hint_of(kind: inspect.Type) -> str:
    """Return the sentence that a field adds to its errors: `Meta(extra={HINT: "…"})`."""
    match kind:
        case inspect.Metadata(extra=extra) if extra and HINT in extra:
            return f" {extra[HINT]}"
        case inspect.UnionType(types=types):
            return next(filter(None, map(_hint_of, types)), "")
        case _:
            return ""


def _rule_of(text: str, value: Any, allowed: list[str]) -> tuple[FaultCode, str | None]:
    """Say in words what the decoder expected, and what it got."""
    if found := _TYPE.match(text):
        if allowed and found["wanted"] in {"str", "str | null"}:
            return "wrong_type", f"must be {_one_of(allowed)}{_not(value)}"
        given = _shown(value) if isinstance(value, str) else _in_words(found["given"])
        return "wrong_type", f"must be {_in_words(found['wanted'])}, not {given}"
    if found := _NUMBER.match(text):
        # A number in a query is sent as text, but shown as a number.
        given = f", not {value[:20]}" if isinstance(value, str) else _not(value)
        return "invalid", f"must be {_SIGNS[found['sign']]} {found['limit']}{given}"
    if text.startswith("Invalid value") and allowed:
        return "unknown_type", _must_be(allowed, value)
    if found := _LENGTH.match(text):
        return "invalid", _length_of(found, value)
    return "invalid", _format_of(text, value, allowed)


def _length_of(found: re.Match[str], value: Any) -> str:
    if value in ("", []):
        return "is empty"
    unit = ("character" if found["kind"] == "str" else "item") + ("" if found["limit"] == "1" else "s")
    length = f", not {len(value)}" if isinstance(value, str | list) else ""
    return f"must have {_SIGNS[found['sign']]} {found['limit']} {unit}{length}"


def _format_of(text: str, value: Any, allowed: list[str]) -> str | None:
    if found := _PATTERN.match(text):
        wanted = _BY_SHOWN.get(found["pattern"])
        if wanted is None:
            return "has the wrong format. See the API reference"
        if wanted == VISIBLE:
            return "must not be blank"
        # A PIN is a secret, even a wrong one.
        return f"must be {wanted}" if wanted == PIN else f"must be {wanted}{_not(value)}"
    if text.startswith("Invalid enum value") and allowed:
        return _must_be(allowed, value)
    if text.endswith("out of range"):
        return "is out of range"
    return f"must be {_FORMATS[text]}" if text in _FORMATS else None


def _one_of(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _must_be(allowed: list[str], value: Any) -> str:
    guess = meant(value, allowed) if isinstance(value, str) else ""
    if len(allowed) > MAX_LISTED and guess:
        return f"must not be {_shown(value)}.{guess}"
    words = f"must be {_one_of(allowed)}{_not(value)}"
    return f"{words}.{guess}" if guess else words


def _not(value: Any) -> str:
    return f", not {_shown(value)}" if isinstance(value, str | int | float) else ""


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:56]}…"  # noqa: PLR2004 - long enough to be recognized


def _value_at(sent: Any, steps: tuple[str, ...]) -> Any:
    value = sent
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _UNSET
    return value


def _label(steps: tuple[str, ...]) -> str:
    """Name a value as people do: `limit`, `media[0]`, or the body as a whole."""
    label = ""
    for step in reversed(steps):
        if not (step.isdigit() or step == "..."):
            return step + label
        label = f"[{step}]{label}"
    return f"Item {label}" if label else "The body"


def _in_words(types: str) -> str:
    return " or ".join(_WORDS.get(one.strip(), one.strip()) for one in types.split("|"))


def _pointer(steps: tuple[str, ...]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


@cache
def _hints_of(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def _described(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _names_at(kind: Any, steps: tuple[str, ...]) -> list[str]:
    return [
        field.encode_name
        for part in _parts_at(kind, steps)
        if isinstance(part, inspect.StructType)
        for field in part.fields
    ]


def _allowed_at(kind: Any, steps: tuple[str, ...]) -> list[str]:
    words = _tags_at(kind, steps[:-1], steps[-1]) if steps else []
    for part in _parts_at(kind, steps):
        if isinstance(part, inspect.LiteralType):
            words += [str(value) for value in part.values]
        elif isinstance(part, inspect.EnumType):
            words += [str(one.value) for one in part.cls]
    declared = [str(value) for value in _literals_of(kind)]
    # The description of a type sorts literals, but weekdays have an order of their own.
    return declared if sorted(declared) == sorted(words) else words


def _literals_of(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from _literals_of(part)


def _tags_at(kind: Any, steps: tuple[str, ...], name: str) -> list[str]:
    """List what the field that tells the structs of a union apart can be, if it has this name."""
    shapes = [part for part in _parts_at(kind, steps) if isinstance(part, inspect.StructType)]
    return [str(shape.tag) for shape in shapes if shape.tag_field == name]


def _parts_at(kind: Any, steps: tuple[str, ...]) -> list[inspect.Type]:
    """Find which types the value at a path may have."""
    parts = _alternatives(_described(kind))
    for step in steps:
        parts = [further for part in parts for further in _alternatives(_inside(part, step))]
    return parts


def _alternatives(kind: inspect.Type | None) -> list[inspect.Type]:
    match kind:
        case None:
            return []
        case inspect.Metadata():
            return _alternatives(kind.type)
        case inspect.UnionType():
            return [part for one in kind.types for part in _alternatives(one)]
        case _:
            return [kind]


def _inside(kind: inspect.Type, step: str) -> inspect.Type | None:
    match kind:
        case inspect.StructType():
            return next((field.type for field in kind.fields if field.encode_name == step), None)
        case inspect.ListType() | inspect.SetType() | inspect.VarTupleType():
            return kind.item_type
        case inspect.DictType():
            return kind.value_type
        case _:
            return None
