"""The language of the `fields` parameter: `id,picture.type(large),posts.limit(2){id,message}`."""

import re
from collections.abc import Mapping

import msgspec

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.kit import Refused

_NAME = re.compile(r"\s*([A-Za-z_0-9]+)\s*")
_ARGUMENT = re.compile(r"\s*\.([A-Za-z_]+)\(([^()]*)\)\s*")


class Field(msgspec.Struct, frozen=True):
    name: str
    args: Mapping[str, str] = {}
    fields: tuple["Field", ...] = ()

    def __str__(self) -> str:
        args = "".join(f".{name}({value})" for name, value in self.args.items())
        return f"{self.name}{args}{{{','.join(map(str, self.fields))}}}" if self.fields else f"{self.name}{args}"


def parse(given: str) -> tuple[Field, ...]:
    found, end = _fields(given, 0)
    if end != len(given):
        raise _syntax(given, end)
    return found


def _fields(given: str, start: int) -> tuple[tuple[Field, ...], int]:
    found: list[Field] = []
    while True:
        field, start = _field(given, start)
        found.append(field)
        if given[start : start + 1] != ",":
            return tuple(found), start
        start += 1


def _field(given: str, start: int) -> tuple[Field, int]:
    name = _NAME.match(given, start)
    if name is None:
        raise _syntax(given, start)
    end = name.end()
    args: dict[str, str] = {}
    inner: tuple[Field, ...] = ()
    while argument := _ARGUMENT.match(given, end):
        args[argument[1]] = argument[2].strip()
        end = argument.end()
    if given[end : end + 1] == "{":
        inner, end = _fields(given, end + 1)
        if given[end : end + 1] != "}":
            raise _syntax(given, end)
        end += 1
    return Field(name[1], args, inner), end


def _syntax(given: str, position: int) -> Refused:
    found = f'"{given[position]}"' if position < len(given) else "end of string"
    return Refused(
        failure(f'Syntax error "Unexpected {found} at character {position}: {given}"', 2500, kind="OAuthException")
    )
