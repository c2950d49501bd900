"""A body of two parts: the metadata of a file, and the file."""

from typing import Any

import msgspec
from multipart import parse_options_header

from socialgate_sandbox.kit import Call, CallRefusedError, Upload
from socialgate_sandbox.vendors.google.errors import build_api_error

_PART_COUNT = 2


def parse_multipart_related(call: Call) -> tuple[dict[str, Any], Upload, str]:
    """Return the JSON, the file, and the type of the file. Such bodies are small: larger uploads use a session."""
    kind, options = parse_options_header(call.headers.get("content-type", ""))
    boundary = options.get("boundary", "")
    if kind != "multipart/related" or not boundary:
        raise CallRefusedError(build_api_error(400, "badContent", "Multipart content is missing."))
    pieces = call.body.split(f"--{boundary}".encode())[1:-1]
    if len(pieces) != _PART_COUNT:
        raise CallRefusedError(build_api_error(400, "badContent", "Multipart content must have exactly two parts."))
    (_type, about), (content_type, content) = (_split_part(piece) for piece in pieces)
    try:
        resource = msgspec.json.decode(about) if about.strip() else {}
    except msgspec.DecodeError as error:
        raise CallRefusedError(build_api_error(400, "parseError", "Parse Error")) from error
    path = call.context.files.create_path()
    path.write_bytes(content)
    return resource, Upload("", content_type, path, len(content)), content_type


def _split_part(raw_part: bytes) -> tuple[str, bytes]:
    """Split headers from content. Google's own clients end lines without a carriage return."""
    end = b"\r\n" if raw_part.startswith(b"\r\n") else b"\n"
    head, _, content = raw_part.removeprefix(end).partition(end * 2)
    types = [line.partition(b":")[2].strip() for line in head.split(end) if line.lower().startswith(b"content-type:")]
    return (types[0].decode("ascii", "replace") if types else ""), content.removesuffix(end)
