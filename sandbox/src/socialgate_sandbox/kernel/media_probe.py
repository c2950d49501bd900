"""Type, pixel size and duration of a media file, read from its bytes. Platforms do not trust what callers declare."""

from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from struct import error as struct_error
from struct import unpack
from typing import BinaryIO

import msgspec

_HEAD_BYTES = 1 << 18
# The boxes that describe a video are small; anything that claims to be larger is not one of them.
_MAX_INDEX = 16 << 20
_TYPES_BY_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"\x1aE\xdf\xa3": "video/webm",
    b"\x30\x26\xb2\x75": "video/x-ms-wmv",
    b"FLV\x01": "video/x-flv",
    b"\0\0\1\xba": "video/mpeg",
    b"OggS": "audio/ogg",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf1": "audio/aac",
    b"fLaC": "audio/flac",
    b"%PDF": "application/pdf",
    b"PK\x03\x04": "application/zip",
}
_TYPES_BY_RIFF_FORMAT = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_TYPES_BY_MP4_BRAND = {b"qt  ": "video/quicktime", b"M4A ": "audio/mp4", b"heic": "image/heic", b"avif": "image/avif"}
UNKNOWN_CONTENT_TYPE = "application/octet-stream"
# The JPEG markers that start a frame, which contains the dimensions.
_JPEG_FRAME_MARKERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_SIZE_IS_LONG, _SIZE_TO_END = 1, 0


class MediaInfo(msgspec.Struct, frozen=True):
    """Unknown values are 0."""

    content_type: str
    width: int = 0
    height: int = 0
    seconds: float = 0.0


def probe_media(source: Path | bytes) -> MediaInfo:
    with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        kind = _detect_content_type(head)
        width = height = 0
        seconds = 0.0
        with suppress(struct_error, IndexError):
            if kind in {"video/mp4", "video/quicktime", "audio/mp4"}:
                width, height, seconds = _read_mp4(file)
            else:
                width, height = _read_image_size(kind, head)
    return MediaInfo(kind, width, height, seconds)


def _detect_content_type(head: bytes) -> str:
    if head[4:8] == b"ftyp":
        return _TYPES_BY_MP4_BRAND.get(head[8:12], "video/mp4")
    if head.startswith(b"RIFF"):
        return _TYPES_BY_RIFF_FORMAT.get(head[8:12], UNKNOWN_CONTENT_TYPE)
    return next((kind for magic, kind in _TYPES_BY_MAGIC.items() if head.startswith(magic)), UNKNOWN_CONTENT_TYPE)


def _read_image_size(kind: str, head: bytes) -> tuple[int, int]:
    if kind == "image/png":
        return unpack(">II", head[16:24])
    if kind == "image/gif":
        return unpack("<HH", head[6:10])
    if kind == "image/jpeg":
        return _read_jpeg_size(head)
    return _read_webp_size(head) if kind == "image/webp" else (0, 0)


def _read_jpeg_size(head: bytes) -> tuple[int, int]:
    """Skip from marker to marker up to the one that starts a frame."""
    place = 2
    while head[place] == 0xFF:  # noqa: PLR2004 - every mark begins so
        if head[place + 1] in _JPEG_FRAME_MARKERS:
            height, width = unpack(">HH", head[place + 5 : place + 9])
            return width, height
        place += 2 + int.from_bytes(head[place + 2 : place + 4])
    return 0, 0


def _read_webp_size(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
    width, height = unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _read_mp4(file: BinaryIO) -> tuple[int, int, float]:
    """Read the index of an MP4, which may be at the end of the file."""
    end = file.seek(0, 2)
    movie = next((box for name, box in _iterate_boxes(file, 0, end) if name == b"moov"), None)
    if movie is None or movie[1] - movie[0] > _MAX_INDEX:
        return 0, 0, 0.0
    width, height, seconds = 0, 0, 0.0
    for name, (start, stop) in _iterate_boxes(file, *movie):
        if name == b"mvhd":
            seconds = _parse_duration(_read_bytes_at(file, start, 32))
        elif name == b"trak" and not width:
            header = next((box for inner, box in _iterate_boxes(file, start, stop) if inner == b"tkhd"), (start, start))
            width, height = _parse_track_size(_read_bytes_at(file, header[0], header[1] - header[0]))
    return width, height, seconds


def _iterate_boxes(file: BinaryIO, start: int, end: int) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Yield the name of each box and where its content starts and ends."""
    while start + 8 <= end:
        size, name = unpack(">I4s", _read_bytes_at(file, start, 8))
        begin = start + 8
        if size == _SIZE_IS_LONG:
            size, begin = int.from_bytes(_read_bytes_at(file, begin, 8)), start + 16
        elif size == _SIZE_TO_END:
            size = end - start
        if size < begin - start or start + size > end:
            return
        yield name, (begin, start + size)
        start += size


def _read_bytes_at(file: BinaryIO, start: int, count: int) -> bytes:
    file.seek(start)
    return file.read(count)


def _parse_duration(header: bytes) -> float:
    """Divide the duration by its unit; version 1 has wider integers."""
    scale, length = unpack(">IQ", header[20:32]) if header[0] else unpack(">II", header[12:20])
    return length / scale if scale else 0.0


def _parse_track_size(header: bytes) -> tuple[int, int]:
    """Read the last two numbers of a track header, which are fixed-point pixels."""
    width, height = unpack(">II", header[-8:])
    return width >> 16, height >> 16
