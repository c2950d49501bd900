"""Type, pixel size and duration of a media file, read from its bytes. Platforms do not trust what callers declare."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from struct import error as struct_error
from struct import unpack

import msgspec

from socialgate_sandbox.kernel.mp4_boxes import Mp4Info, read_mp4

_HEAD_BYTES = 1 << 18
_EBML = b"\x1aE\xdf\xa3"
_MAX_EBML_HEADER_BYTES = 64
_3GP_BRANDS = {b"3gp", b"3g2"}
_TYPES_BY_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    _EBML: "video/webm",
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


class MediaInfo(Mp4Info, frozen=True, kw_only=True):
    """A file of any type. An image has a width and a height, and nothing else of an MP4."""

    content_type: str


def probe_media(source: Path | bytes) -> MediaInfo:
    with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        kind = _detect_content_type(head)
        with suppress(struct_error, IndexError):
            if kind in {"video/mp4", "video/quicktime", "audio/mp4"}:
                return MediaInfo(content_type=kind, **msgspec.structs.asdict(read_mp4(file)))
            width, height = _read_image_size(kind, head)
            return MediaInfo(content_type=kind, width=width, height=height)
    return MediaInfo(content_type=kind)


def _detect_content_type(head: bytes) -> str:
    if head[4:8] == b"ftyp" and head[8:11] in _3GP_BRANDS:
        return "video/3gpp"
    if head[4:8] == b"ftyp":
        return _TYPES_BY_MP4_BRAND.get(head[8:12], "video/mp4")
    if head.startswith(b"RIFF"):
        return _TYPES_BY_RIFF_FORMAT.get(head[8:12], UNKNOWN_CONTENT_TYPE)
    if head.startswith(_EBML) and b"matroska" in head[:_MAX_EBML_HEADER_BYTES]:
        return "video/x-matroska"
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
