"""Requests with files in them."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


class FilePart(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a request, in the chunks in which it was read. `name` is that of its field."""

    name: str
    file_name: str
    mime_type: str
    byte_chunks: Sequence[bytes]


def encode_multipart(parameters: Mapping[str, Any], files: Sequence[FilePart]) -> dict[str, Any]:
    """Encode parameters and files as multipart/form-data, as the part of a call; what is not text becomes JSON."""
    boundary = secrets.token_hex(16)
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="'
    parts: list[bytes] = []
    for name, value in parameters.items():
        text = value.encode() if isinstance(value, str) else msgspec.json.encode(value)
        parts += [f'{part}{name}"\r\n\r\n'.encode(), text, b"\r\n"]
    for file in files:
        # A customer's name stays inside its quotes, as in browsers.
        name = file.file_name.replace("\r", "").replace("\n", "").replace('"', "%22")
        head = f'{part}{file.name}"; filename="{name}"\r\nContent-Type: {file.mime_type}\r\n\r\n'
        parts += [head.encode(), *file.byte_chunks, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return {"headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"}, "body": b"".join(parts)}
