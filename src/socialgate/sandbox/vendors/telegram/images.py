"""The size of a picture, read from its first bytes."""

import struct
from pathlib import Path

_HEAD = 1 << 18
_PNG = b"\x89PNG\r\n\x1a\n"
# The marks in a JPEG that begin a frame, which tells its size.
_FRAMES = {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}


def size_of(path: Path) -> tuple[int, int] | None:
    """Give width and height of a PNG, GIF, JPEG or WebP, None if it is none of them."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    try:
        if head.startswith(_PNG):
            return struct.unpack(">II", head[16:24])
        if head[:6] in {b"GIF87a", b"GIF89a"}:
            return struct.unpack("<HH", head[6:10])
        if head.startswith(b"\xff\xd8"):
            return _jpeg(head)
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return _webp(head)
    except (struct.error, IndexError):
        return None
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    place = 2
    while head[place] == 0xFF:  # noqa: PLR2004 - every mark begins so
        length = struct.unpack(">H", head[place + 2 : place + 4])[0]
        if head[place + 1] in _FRAMES:
            height, width = struct.unpack(">HH", head[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF
