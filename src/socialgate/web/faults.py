"""What the decoder refuses, said to people: where it is, what was expected there, and what may be meant instead."""

import re
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import inspect

from socialgate.core.errors import Fault, Invalid
from socialgate.core.fault_codes import FaultCode

_AT = re.compile(r" - at `(key in )?\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`$", re.DOTALL)
_TYPE = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`$")
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "datetime": "a time, as 2026-11-15T09:30:00Z",
    "date": "a date, as 2026-11-15",
}


def invalid_body(error: msgspec.ValidationError, kind: Any) -> Invalid:
    """Turn the decoder's sentence into a fault with a JSON pointer."""
    pointer, code, detail = _fault_of(str(error), kind)
    where = f" at {pointer}" if pointer else ""
    return Invalid(f"The body is not valid{where}: {detail}", errors=[Fault(pointer, code, detail)])


def invalid_query(error: msgspec.ValidationError, kind: Any) -> Invalid:
    pointer, code, detail = _fault_of(str(error), kind)
    name = "?" + pointer.removeprefix("/")
    return Invalid(f"The query parameter {name[1:]} is not valid: {detail}", errors=[Fault(name, code, detail)])


def meant(name: str, known: list[str]) -> str:
    """Suggest what a misspelt name may be."""
    close = get_close_matches(name, known, n=1)
    return f" Did you mean `{close[0]}`?" if close else ""


class _Found(NamedTuple):
    pointer: str
    code: FaultCode
    detail: str


def _fault_of(message: str, kind: Any) -> _Found:
    at = _AT.search(message)
    text = message[: at.start()] if at else message
    steps = [cast("str", step["name"] or step["index"]) for step in _STEP.finditer(at["path"])] if at else []
    code: FaultCode = "invalid"
    if found := _UNKNOWN.match(text):
        known = _names_at(kind, steps)
        hint = meant(found["name"], known) or " Remove it or correct its name."
        code, text = "unknown_field", f"There is no field `{found['name']}` here.{hint}"
        steps.append(found["name"])
    elif found := _MISSING.match(text):
        code, text = "required", f"The field `{found['name']}` is required."
        steps.append(found["name"])
    elif found := _TYPE.match(text):
        code, text = "wrong_type", f"This must be {_in_words(found['wanted'])}, and is {_in_words(found['given'])}."
    elif text.startswith("Invalid enum value") and (allowed := _allowed_at(kind, steps)):
        text = f"{text}. It is one of: {', '.join(allowed)}."
    return _Found("".join("/" + _escape(step) for step in steps), code, text)


def _in_words(types: str) -> str:
    return " or ".join(_WORDS.get(one.strip(), one.strip()) for one in types.split("|"))


def _escape(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


@cache
def _described(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _names_at(kind: Any, steps: list[str]) -> list[str]:
    return [
        field.encode_name
        for part in _parts_at(kind, steps)
        if isinstance(part, inspect.StructType)
        for field in part.fields
    ]


def _allowed_at(kind: Any, steps: list[str]) -> list[str]:
    words: list[str] = []
    for part in _parts_at(kind, steps):
        if isinstance(part, inspect.LiteralType):
            words += [str(value) for value in part.values]
        elif isinstance(part, inspect.EnumType):
            words += [str(one.value) for one in part.cls]
    return words


def _parts_at(kind: Any, steps: list[str]) -> list[inspect.Type]:
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
