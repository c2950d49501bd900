"""Reading what came in: strict JSON into the route's own type, and strict queries."""

import json
import re
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from socialgate.core.errors import (
    Fault,
    Invalid,
    MalformedJson,
    MalformedRequest,
    UnsupportedMediaType,
)
from socialgate.core.fault_codes import FaultCode
from socialgate.web.faults import invalid_body, invalid_query, meant
from socialgate.web.schema import Query

MAX_JSON_BYTES = 1024 * 1024

# PostgreSQL cannot store a zero character in a text, so it is refused at the door on both engines.
_ZERO_CHARACTER = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


class StrictRequest(Request[Any, Any, Any]):
    """Decodes the body into the type of the handler's `data`. The framework alone would accept "3" for 3,
    any content type, doubled keys, and answer 500 to text that is not UTF-8.
    """

    async def body(self) -> bytes:
        found = await super().body()
        field = self.route_handler.parsed_data_field
        # The framework would not decode it, and then miss a field called "data" that no caller knows.
        if not found and field is not None and field.is_required:
            raise MalformedJson("The body is empty. Send a JSON object.")
        return found

    async def json(self) -> Any:
        field = self.route_handler.parsed_data_field
        assert field is not None, "only handlers with `data` read JSON"
        body = await self.body()
        self._require_json_type()
        return decode_body(body, field.annotation)

    def _require_json_type(self) -> None:
        kind = self.content_type[0]
        if kind != "application/json":
            raise UnsupportedMediaType(
                f"The body came as {kind or 'no type'}. Send the header Content-Type: application/json."
            )


def decode_body(body: bytes, kind: Any) -> Any:
    try:
        json.loads(body.decode("utf-8"), object_pairs_hook=_refuse_doubled_keys)
    except UnicodeDecodeError as error:
        raise MalformedJson(f"The body is not UTF-8 (byte {error.start}).") from error
    except RecursionError as error:
        raise MalformedJson("The body is nested too deeply.") from error
    except ValueError as error:
        raise MalformedJson(f"The body is not valid JSON: {error}.") from error
    if _ZERO_CHARACTER.search(body):
        raise Invalid.at("", "invalid", "A text holds the character U+0000. Remove it.")
    try:
        return _decoder_of(kind).decode(body)
    except msgspec.ValidationError as error:
        raise invalid_body(error, kind) from error
    except msgspec.DecodeError as error:
        raise MalformedJson(f"The body is not valid JSON: {error}.") from error


@cache
def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _refuse_doubled_keys(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise MalformedJson(f"The key {name!r} stands twice in one object. Keep one of them.")
        seen.add(name)


def read_query(query_string: bytes, kind: type[Query] | None) -> Query | None:
    """Read the query into its type. A parameter that the route does not know is refused: it may be a typo."""
    if not query_string and kind is None:
        return None
    pairs = _pairs_of(query_string)
    fields = {} if kind is None else _query_fields(kind)
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in fields:
            raise _query_fault(name, "unknown_parameter", _unknown(name, list(fields)))
        if fields[name]:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise _query_fault(name, "repeated_parameter", f"The parameter {name} stands twice.")
        else:
            values[name] = value
    if kind is None:
        return None
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise invalid_query(error, kind) from error
    except ValueError as error:
        # Digits are read as seconds since 1970, and beyond the year 9999 the decoder gives up in its own words.
        raise Invalid(f"A parameter of the query is out of range: {error}.") from error


def _pairs_of(query_string: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError as error:
        raise MalformedRequest("The query string is not valid UTF-8, or has too many parameters.") from error
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise MalformedRequest("The query string holds the character U+0000. Remove it.")
    return pairs


@cache
def _query_fields(kind: type[Query]) -> dict[str, bool]:
    """Map each parameter's public name to whether it may be given several times."""
    hints = get_type_hints(kind)
    return {field.encode_name: _is_list(hints[field.name]) for field in msgspec.structs.fields(kind)}


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(_is_list(part) for part in get_args(kind))


def _unknown(name: str, known: list[str]) -> str:
    told = f"Known: {', '.join(known)}." if known else "The route takes none."
    return f"There is no parameter {name!r} here.{meant(name, known)} {told}"


def _query_fault(name: str, code: FaultCode, detail: str) -> Invalid:
    return Invalid(detail, errors=[Fault(f"?{name}", code, detail)])
