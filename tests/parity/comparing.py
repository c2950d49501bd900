"""What is different between two requests: one of an SDK, and one of ours for the same operation.

Compared are the method, the host, the path, the query, the headers, the content type, whether there is a length, how
the body is encoded, and each of its fields with its JSON type and value. A difference is a sentence that begins with
where it is: `query access_token: only the SDK`, `field budget: SDK 5 (number), ours '5' (string)`.
"""

import re
from collections.abc import Iterator, Mapping
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from parity.recording import Recorded

# What says who calls and what they can read, and never what is asked for.
IGNORED_HEADERS = frozenset({
    "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection", "cookie",
    # Compared by themselves, together with the body.
    "content-type", "content-length", "transfer-encoding",
    # What SDKs report about themselves.
    "x-goog-api-client", "x-stripe-client-user-agent", "x-stripe-client-telemetry", "sdk-version", "sdk-language",
    "business-sdk",
})  # fmt: skip
_IGNORED_PREFIX = "x-stainless-"
_JSON, _FORM, _FILES = "application/json", "application/x-www-form-urlencoded", "multipart/form-data"
# How Telegram's parameters refer to a file of the same request.
_REFERENCE = "attach://"
_MAX_VALUE_LENGTH = 60
_MISSING = object()
_NESTED = re.compile(r"[.{(].*$")


def differences(sdk: Recorded, ours: Recorded) -> list[str]:
    return [*_differences(sdk, ours)]


def _differences(sdk: Recorded, ours: Recorded) -> Iterator[str]:
    yield from _unequal("method", sdk.method, ours.method)
    yield from _unequal("host", sdk.host, ours.host)
    yield from _path(unquote(sdk.path), unquote(ours.path))
    yield from _of_names("query", _query(sdk), _query(ours))
    yield from _of_names("header", _headers(sdk), _headers(ours))
    yield from _unequal(f"length of a {ours.method}", _length(sdk), _length(ours))
    encodings = encoding(sdk), encoding(ours)
    yield from _unequal("encoding", *encodings)
    if _is_named(encodings[0]) and _is_named(encodings[1]):
        mixed = (encodings[0] == _JSON) != (encodings[1] == _JSON)
        yield from _of_names("field", _fields(sdk, as_form=mixed), _fields(ours, as_form=mixed))
    elif encodings[0] == encodings[1]:
        yield from _unequal("body", sdk.body, ours.body)


def _path(sdk: str, ours: str) -> Iterator[str]:
    if sdk.rstrip("/") != ours.rstrip("/"):
        yield from _unequal("path", sdk, ours)
    elif sdk != ours:
        yield f"path: {'the SDK ends' if sdk.endswith('/') else 'we end'} it with a slash"


def encoding(request: Recorded) -> str:
    """Return the content type without its parameters; `none` if there is neither a type nor a body."""
    kind = (request.header("content-type") or "").partition(";")[0].strip().lower()
    return kind or ("unnamed" if request.body else "none")


def _is_named(kind: str) -> bool:
    return kind in {_JSON, _FORM, _FILES}


def _length(request: Recorded) -> str:
    """Say how the end of the body is known. A wrong number would have left the server waiting."""
    if request.header("transfer-encoding"):
        return "chunked"
    length = request.header("content-length")
    return "none" if length is None else "zero" if length == "0" else "known"


def _query(request: Recorded) -> Mapping[str, Any]:
    result = _gathered(parse_qsl(request.query, keep_blank_values=True))
    return {name: _opened(value) for name, value in result.items()}


def _headers(request: Recorded) -> Mapping[str, Any]:
    kept = [
        (name, value)
        for name, value in request.headers
        if name not in IGNORED_HEADERS and not name.startswith(_IGNORED_PREFIX)
    ]
    return _gathered(kept)


def _fields(request: Recorded, *, as_form: bool) -> Mapping[str, Any]:
    """Read the fields of a body. Forms have no types: JSON that is compared with one is written as a form would be."""
    kind = encoding(request)
    if kind == _JSON:
        whole = msgspec.json.decode(request.body or b"{}")
        result = whole if isinstance(whole, dict) else {"": whole}
        return {name: _as_text(value) for name, value in result.items()} if as_form else result
    if kind == _FILES:
        return _with_files(_gathered([*_parts(request)]))
    input_value = parse_qsl(request.body.decode(), keep_blank_values=True)
    return {name: _opened(value) for name, value in _gathered(input_value).items()}


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str | list | dict) else msgspec.json.encode(value).decode()


def _with_files(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Number the files that other fields refer to: each side chooses their names by itself."""
    attached = [
        name for name, value in parts.items() if isinstance(value, dict) and f"{_REFERENCE}{name}" in str(parts)
    ]
    numbered = {name: f"file {number}" for number, name in enumerate(attached)}

    def renamed(value: Any) -> Any:
        for name, number in numbered.items() if isinstance(value, str) else ():
            value = value.replace(f"{_REFERENCE}{name}", f"{_REFERENCE}{number}")
        return _opened(value)

    return {numbered.get(name, name): renamed(value) for name, value in parts.items()}


def _gathered(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Join what has the same name several times. The fields that are asked for are a set, in any order."""
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name == "fields":
            result[name] = _asked(value)
        else:
            result[name] = [*_listed(result[name]), value] if name in result else value
    return result


def _asked(value: str) -> dict[str, Any]:
    if value.startswith("["):
        return {"as": "a JSON array", "names": sorted(msgspec.json.decode(value))}
    return {"as": "a text", "names": sorted(set(names(value)))}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def names(fields: str) -> list[str]:
    """Return which fields are asked for, without what is asked for of each."""
    return [_NESTED.sub("", value) for value in _split(fields)]


def _split(fields: str) -> list[str]:
    """Split at the commas that are not inside of braces."""
    result, depth = [""], 0
    for character in fields:
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            result.append("")
        else:
            result[-1] += character
    return result


def _opened(value: Any) -> Any:
    """Read an object or a list that is written as JSON inside of a form."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value


def _parts(request: Recorded) -> Iterator[tuple[str, Any]]:
    """Read the parts of a form with files: texts by name, and of a file its name, type and bytes."""
    boundary = _parameter("content-type", request.header("content-type") or "", "boundary").encode()
    for part in request.body.split(b"--" + boundary)[1:-1]:
        head, _, body = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        headers = {name.lower(): value for name, value in lines.items()}
        disposition, content = headers["content-disposition"], body.removesuffix(b"\r\n")
        name = _parameter("content-disposition", disposition, "name")
        if "filename" not in disposition:
            yield name, content.decode()
        else:
            file_name = _parameter("content-disposition", disposition, "filename")
            kind = headers.get("content-type", "none")
            yield name, {"file name": file_name, "type": kind, "bytes": len(content)}


def _parameter(header: str, value: str, name: str) -> str:
    message = Message()
    message[header] = value
    result = message.get_param(name, "", header)
    return result if isinstance(result, str) else result[2]


def _of_names(label: str, sdk: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*sdk, *ours}):
        yield from _tree(f"{label} {name}", sdk.get(name, _MISSING), ours.get(name, _MISSING))


def _tree(label: str, sdk: Any, ours: Any) -> Iterator[str]:
    if isinstance(sdk, dict) and isinstance(ours, dict):
        for name in sorted({*sdk, *ours}):
            yield from _tree(f"{label}.{name}", sdk.get(name, _MISSING), ours.get(name, _MISSING))
    elif isinstance(sdk, list) and isinstance(ours, list) and len(sdk) == len(ours):
        for number, (item, other) in enumerate(zip(sdk, ours, strict=True)):
            yield from _tree(f"{label}[{number}]", item, other)
    elif ours is _MISSING:
        yield f"{label}: only the SDK"
    elif sdk is _MISSING:
        yield f"{label}: only ours"
    elif (_type(sdk), sdk) != (_type(ours), ours):
        yield f"{label}: SDK {_shown(sdk)}, ours {_shown(ours)}"


def _unequal(label: str, sdk: Any, ours: Any) -> Iterator[str]:
    if sdk != ours:
        yield f"{label}: SDK {_cut(str(sdk))}, ours {_cut(str(ours))}"


def _type(value: Any) -> str:
    names = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null", list: "array"}
    return names.get(type(value), "object")


def _shown(value: Any) -> str:
    return f"{_cut(repr(value))} ({_type(value)})"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"
