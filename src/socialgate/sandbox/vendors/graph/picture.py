"""Profile pictures: one plain colour each, so that a caller who downloads one gets a real image."""

import zlib
from hashlib import sha256
from struct import pack

from starlette.responses import Response

from socialgate.sandbox.kit import Call


def picture_url(call: Call, host: str, key: str, size: int) -> str:
    return f"{call.world.url}/{host}/picture/{size}/{key}.png"


def serve_picture(call: Call) -> Response:
    size = max(1, min(int(call.args["size"]) if call.args["size"].isdecimal() else 1, 1000))
    return Response(png(call.args["key"], size), media_type="image/png")


def png(key: str, size: int) -> bytes:
    row = b"\0" + sha256(key.encode()).digest()[:3] * size
    header = pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(row * size)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
