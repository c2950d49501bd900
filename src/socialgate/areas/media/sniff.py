"""The type of a file, detected from its first bytes. What a client says is ignored."""

from typing import Literal

import msgspec

MediaType = Literal["image", "video", "audio", "document"]

# As many bytes as the longest signature needs.
HEAD_BYTES = 64
_FIRST_PRINTABLE_BYTE = ord(" ")
_EBML_SIGNATURE = b"\x1aE\xdf\xa3"


class DetectedType(msgspec.Struct, frozen=True):
    type: MediaType
    mime_type: str


_FILE_SIGNATURES: tuple[tuple[bytes, MediaType, str], ...] = (
    (b"\xff\xd8\xff", "image", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (b"GIF87a", "image", "image/gif"),
    (b"GIF89a", "image", "image/gif"),
    (b"BM", "image", "image/bmp"),
    (b"II*\x00", "image", "image/tiff"),
    (b"MM\x00*", "image", "image/tiff"),
    (b"FLV\x01", "video", "video/x-flv"),
    (b"\x00\x00\x01\xba", "video", "video/mpeg"),
    (b"0&\xb2u\x8ef\xcf\x11\xa6\xd9", "video", "video/x-ms-wmv"),
    (b"ID3", "audio", "audio/mpeg"),
    (b"\xff\xfb", "audio", "audio/mpeg"),
    (b"\xff\xf3", "audio", "audio/mpeg"),
    # With a checksum, and MPEG 2.5 for low sample rates.
    (b"\xff\xfa", "audio", "audio/mpeg"),
    (b"\xff\xf2", "audio", "audio/mpeg"),
    (b"\xff\xe3", "audio", "audio/mpeg"),
    (b"\xff\xf1", "audio", "audio/aac"),
    (b"\xff\xf9", "audio", "audio/aac"),
    (b"OggS", "audio", "audio/ogg"),
    (b"fLaC", "audio", "audio/flac"),
    (b"#!AMR", "audio", "audio/amr"),
    (b"%PDF-", "document", "application/pdf"),
    (b"PK\x03\x04", "document", "application/zip"),
)

_RIFF_TYPES: dict[bytes, tuple[MediaType, str]] = {
    b"WEBP": ("image", "image/webp"),
    b"WAVE": ("audio", "audio/wav"),
    b"AVI ": ("video", "video/x-msvideo"),
}

# The brand of an MPEG-4 file says what it is for.
_MP4_BRAND_TYPES: dict[bytes, tuple[MediaType, str]] = {
    b"qt  ": ("video", "video/quicktime"),
    b"M4A ": ("audio", "audio/mp4"),
    b"M4B ": ("audio", "audio/mp4"),
    b"heic": ("image", "image/heic"),
    b"heix": ("image", "image/heic"),
    b"mif1": ("image", "image/heif"),
    b"avif": ("image", "image/avif"),
}
# What a QuickTime file may begin with that does not say what it is: those of the first ten years.
_QUICKTIME_ATOMS = (b"moov", b"mdat")
_SMALL_QUICKTIME_ATOMS = (b"wide", b"free", b"skip", b"pnot")
# Of the releases of 3GPP, of which each has a brand, such as `3gp4`, and of those of 3GPP2.
_3GP_BRANDS = (b"3gp", b"3g2")

# Office files are zip archives, and their first bytes do not say which: here the name decides.
_OFFICE_MIME_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def detect_type(head: bytes, file_name: str) -> DetectedType:
    boxed = _detect_boxed_type(head)
    if boxed is not None:
        return DetectedType(*boxed)
    if head[:4] == b"RIFF" and head[8:12] in _RIFF_TYPES:
        return DetectedType(*_RIFF_TYPES[head[8:12]])
    if head.startswith(_EBML_SIGNATURE):
        # WebM is the subset of Matroska that browsers play, and says so in its header.
        return DetectedType("video", "video/x-matroska" if b"matroska" in head else "video/webm")
    for prefix, kind, mime_type in _FILE_SIGNATURES:
        if head.startswith(prefix):
            return DetectedType(kind, _detect_office_type(mime_type, file_name))
    return DetectedType("document", "text/plain" if _is_text(head) else "application/octet-stream")


def _detect_boxed_type(head: bytes) -> tuple[MediaType, str] | None:
    """Detect a file that consists of boxes, by the name or the brand of the first one."""
    name = head[4:8]
    if name == b"ftyp" and head[8:11] in _3GP_BRANDS:
        return "video", "video/3gpp"
    if name == b"ftyp":
        return _MP4_BRAND_TYPES.get(head[8:12], ("video", "video/mp4"))
    # The size of a small box begins with a zero, and a text with these letters does not.
    if name in _QUICKTIME_ATOMS or (name in _SMALL_QUICKTIME_ATOMS and not head[0]):
        return "video", "video/quicktime"
    return None


def _detect_office_type(mime_type: str, file_name: str) -> str:
    if mime_type != "application/zip":
        return mime_type
    return _OFFICE_MIME_TYPES.get(file_name.rpartition(".")[2].lower(), mime_type)


def _is_text(head: bytes) -> bool:
    """Text has no control characters except line breaks. A truncated character at the end does not count."""
    if any(byte < _FIRST_PRINTABLE_BYTE and byte not in b"\t\n\r\f" for byte in head):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return bool(head) and error.start >= len(head) - 3
    return bool(head)
