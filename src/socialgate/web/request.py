"""Parsing requests: strict JSON into the route's own type, and strict queries."""

import asyncio
import json
import re
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from socialgate.core.errors import (
    Fault,
    InvalidRequest,
    MalformedJson,
    MalformedRequest,
    UnsupportedMediaType,
)
from socialgate.web.field_errors import build_body_error, build_query_error, list_query_errors
from socialgate.web.route import get_route_spec
from socialgate.web.schemas import QueryParameters
from socialgate.web.similar import format_allowed_values, suggest_name

MAX_JSON_BYTES = 1024 * 1024
# Larger bodies are decoded in a thread. Thousands of tiny objects take the longest: 15 ms for this many bytes.
_MAX_BYTES_ON_LOOP = 32 * 1024
# Many clients send an empty object if there is nothing to send.
_EMPTY_BODIES = frozenset({b"", b"{}"})

# PostgreSQL cannot store a zero character in a text, so it is rejected early on both engines.
_NUL_ESCAPE_PATTERN = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
# No request needs more. What is nested as deeply as the parser can follow could be stored, but not be read again from
# somewhere deeper in the program.
_MAX_JSON_DEPTH = 64
# Also one that never ends: it would be searched again from each of its quotation marks.
_JSON_STRING_PATTERN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_DEPTH_STEPS = bytes.maketrans(b"[{]}", b"\2\2\0\0")
_NON_BRACKET_BYTES = bytes(set(range(256)) - set(b"[{]}"))


class StrictRequest(Request[Any, Any, Any]):
    """Decodes the body into the type of the handler's `data`. The framework alone would accept "3" for 3, any content
    type and duplicate keys, and return 500 for text that is not UTF-8.
    """

    async def body(self) -> bytes:
        data = await super().body()
        field = self.route_handler.parsed_data_field
        # The framework would not decode it, and then complain about a field called "data" that no caller knows.
        if not data and field is not None and field.is_required:
            raise MalformedJson("The body is empty. Send a JSON object.")
        return data

    async def json(self) -> Any:
        field = self.route_handler.parsed_data_field
        assert field is not None, "only handlers with `data` read JSON"
        body = await self.body()
        self._require_json_type()
        if len(body) <= _MAX_BYTES_ON_LOOP:
            return decode_body(body, field.annotation)
        return await asyncio.to_thread(decode_body, body, field.annotation)

    def _require_json_type(self) -> None:
        kind = self.content_type[0]
        if kind != "application/json":
            raise UnsupportedMediaType(
                f"The content type of the body is {kind or 'missing'}. Send the header Content-Type: application/json."
            )


async def reject_unexpected_body(request: Request[Any, Any, Any]) -> None:
    """Reject a body on a route that has none, because its sender expects it to have an effect."""
    spec = get_route_spec(request.route_handler)
    if spec is None or not spec.takes_json or spec.access.is_page:
        return
    has_none = request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers
    if has_none or request.route_handler.parsed_data_field is not None:
        return
    if b"".join((await request.body()).split()) not in _EMPTY_BODIES:
        names = [] if spec.query is None else [f"`?{name}=`" for name in _query_fields(spec.query)]
        parameters = f" Its parameters are in the URL: {', '.join(names)}." if names else ""
        raise InvalidRequest.for_field(
            "", "invalid", f"This route has no body. Send the request without one.{parameters}"
        )


def decode_body(body: bytes, kind: Any) -> Any:
    require_max_json_depth(body)
    try:
        json.loads(body.decode("utf-8"), object_pairs_hook=reject_duplicate_keys)
    except UnicodeDecodeError as error:
        raise MalformedJson(f"The body is not valid UTF-8 (byte {error.start}).") from error
    except json.JSONDecodeError as error:
        raise MalformedJson(f"The body is not valid JSON: {error}.") from error
    except ValueError as error:
        # Python limits the digits that it converts, because long numbers take quadratic time.
        raise InvalidRequest.for_field(
            "", "out_of_range", "A number has too many digits. Send a shorter one."
        ) from error
    require_no_zero_characters(body)
    try:
        return _get_decoder(kind).decode(body)
    except msgspec.ValidationError as error:
        raise build_body_error(error, kind, json.loads(body)) from error
    except msgspec.DecodeError as error:
        raise MalformedJson(f"The body is not valid JSON: {error}.") from error


def require_max_json_depth(body: bytes) -> None:
    if body.count(b"[") + body.count(b"{") <= _MAX_JSON_DEPTH:
        return
    steps = _JSON_STRING_PATTERN.sub(b"", body).translate(_DEPTH_STEPS, _NON_BRACKET_BYTES)
    if max(accumulate(step - 1 for step in steps), default=0) > _MAX_JSON_DEPTH:
        raise MalformedJson(f"The body is nested too deeply. It can have at most {_MAX_JSON_DEPTH} levels.")


def require_no_zero_characters(body: bytes) -> None:
    if _NUL_ESCAPE_PATTERN.search(body):
        raise InvalidRequest.for_field("", "invalid", "A text contains the character U+0000. Remove it.")


@cache
def _get_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise MalformedJson(f"The key `{name}` occurs twice in one object. Keep one of them.")
        seen.add(name)


def parse_query(
    query_string: bytes, kind: type[QueryParameters] | None, *, ignores_unknown: bool = False
) -> QueryParameters | None:
    """Read the query into its type. An unknown parameter is rejected, because it may be a typo.

    Pages ignore it: links to them get parameters from mail programs, campaigns and payment providers.
    """
    if kind is None and (ignores_unknown or not query_string):
        return None
    fields = {} if kind is None else _query_fields(kind)
    pairs = [(name, value) for name, value in _parse_pairs(query_string) if name in fields or not ignores_unknown]
    values: dict[str, Any] = {}
    faults: dict[str, Fault] = {}
    for name, value in pairs:
        if name not in fields:
            faults[name] = Fault(f"?{name}", "unknown_parameter", _describe_unknown_parameter(name, list(fields)))
        elif fields[name]:
            values.setdefault(name, []).append(value)
        elif name in values:
            faults[name] = Fault(
                f"?{name}", "repeated_parameter", f"The parameter {name} occurs more than once. Send it once."
            )
        else:
            values[name] = value
    return _convert_query(values, kind, list(faults.values()))


def _convert_query(
    values: dict[str, Any], kind: type[QueryParameters] | None, faults: list[Fault]
) -> QueryParameters | None:
    try:
        read = None if kind is None else msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise build_query_error([*faults, *list_query_errors(error, kind, values)]) from error
    except ValueError as error:
        # Digits are read as seconds since 1970, and beyond the year 9999 the decoder gives up in its own words.
        raise InvalidRequest(f"A query parameter is out of range: {error}.") from error
    faults += _find_out_of_range_times(read)
    if faults:
        raise build_query_error(faults)
    return read


def _find_out_of_range_times(read: QueryParameters | None) -> list[Fault]:
    """Reject times in the first and last hours of the calendar that do not exist in UTC, in which they are compared."""
    faults = []
    for name, public in () if read is None else _list_time_fields(type(read)):
        value = getattr(read, name)
        try:
            _ = value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else None
        except OverflowError:
            faults.append(
                Fault(
                    f"?{public}",
                    "out_of_range",
                    "The time is out of range. Send one such as 2026-11-20T14:00:00Z.",
                )
            )
    return faults


def _parse_pairs(query_string: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError as error:
        raise MalformedRequest("The query string is not valid UTF-8, or has too many parameters.") from error
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise MalformedRequest("The query string contains the character U+0000. Remove it.")
    return pairs


@cache
def _query_fields(kind: type[QueryParameters]) -> dict[str, bool]:
    """Map each parameter's public name to whether it may be given several times."""
    hints = get_type_hints(kind)
    return {field.encode_name: _is_list(hints[field.name]) for field in msgspec.structs.fields(kind)}


@cache
def _list_time_fields(kind: type[QueryParameters]) -> tuple[tuple[str, str], ...]:
    """List the parameters that can be times, each with its public name."""
    hints = get_type_hints(kind)
    fields = msgspec.structs.fields(kind)
    return tuple((field.name, field.encode_name) for field in fields if _contains_type(hints[field.name], datetime))


def _contains_type(hint: Any, expected: type) -> bool:
    return hint is expected or any(_contains_type(part, expected) for part in get_args(hint))


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(_is_list(part) for part in get_args(kind))


def _describe_unknown_parameter(name: str, known: list[str]) -> str:
    others = format_allowed_values(known) if known else " This route has no query parameters."
    return f"There is no query parameter {name}.{suggest_name(name, known)}{others}"
