"""The language of the `fields` parameter: `id,picture.type(large),posts.limit(2){id,message}`."""

import re
from collections.abc import Mapping

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.kit import CallRefusedError

_NAME = re.compile(r"\s*([A-Za-z_0-9]+)\s*")
_ARGUMENT = re.compile(r"\s*\.([A-Za-z_]+)\(([^()]*)\)\s*")


class RequestedField(msgspec.Struct, frozen=True):
    name: str
    args: Mapping[str, str] = {}
    fields: tuple["RequestedField", ...] = ()

    def __str__(self) -> str:
        args = "".join(f".{name}({value})" for name, value in self.args.items())
        return f"{self.name}{args}{{{','.join(map(str, self.fields))}}}" if self.fields else f"{self.name}{args}"


def parse_fields(text: str) -> tuple[RequestedField, ...]:
    requested_fields, end = _parse_field_list(text, 0)
    if end != len(text):
        raise _build_syntax_error(text, end)
    return requested_fields


def _parse_field_list(text: str, start: int) -> tuple[tuple[RequestedField, ...], int]:
    requested_fields: list[RequestedField] = []
    while True:
        field, start = _parse_field(text, start)
        requested_fields.append(field)
        if text[start : start + 1] != ",":
            return tuple(requested_fields), start
        start += 1


def _parse_field(text: str, start: int) -> tuple[RequestedField, int]:
    name = _NAME.match(text, start)
    if name is None:
        raise _build_syntax_error(text, start)
    end = name.end()
    args: dict[str, str] = {}
    inner: tuple[RequestedField, ...] = ()
    while argument := _ARGUMENT.match(text, end):
        args[argument[1]] = argument[2].strip()
        end = argument.end()
    if text[end : end + 1] == "{":
        inner, end = _parse_field_list(text, end + 1)
        if text[end : end + 1] != "}":
            raise _build_syntax_error(text, end)
        end += 1
    return RequestedField(name[1], args, inner), end


def _build_syntax_error(text: str, position: int) -> CallRefusedError:
    result = f'"{text[position]}"' if position < len(text) else "end of string"
    return CallRefusedError(
        build_error_response(
            f'Syntax error "Unexpected {result} at character {position}: {text}"', 2500, kind="OAuthException"
        )
    )
