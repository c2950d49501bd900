"""How large a file has to be, by what it says in its first bytes, in containers that do. Programs that read such a file
stop where it ends, and take what is there for all of it.
"""

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.core.storage import Storage

ENDS_TOO_EARLY = "The file ends too early: a part of it is missing. Upload all of it."
_HEAD_BYTES = 256
# Some programs count a header or a padding byte too many.
_TOLERATED_BYTES = 1024
_EBML, _SEGMENT = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"
_RIFF_HEADER_BYTES = 8
# What is written as a stream has a size near the largest, because it is not known yet.
_MAX_RIFF_BYTES = 0x7FF00000


async def require_announced_size(storage: Storage, key: str, size: int) -> None:
    """Raise an UnreadableFileError if the file has fewer bytes than it says itself."""
    head = b"".join([chunk async for chunk in storage.read(key, 0, min(_HEAD_BYTES, size))])
    announced = read_announced_size(head)
    if announced is not None and announced > size + _TOLERATED_BYTES:
        raise UnreadableFileError(ENDS_TOO_EARLY)


def read_announced_size(head: bytes) -> int | None:
    """Read how many bytes a file has, of its first ones. None if it does not say that."""
    if head.startswith(b"RIFF") and len(head) >= _RIFF_HEADER_BYTES:
        size = int.from_bytes(head[4:8], "little")
        return size + _RIFF_HEADER_BYTES if size < _MAX_RIFF_BYTES else None
    if head.startswith(_EBML):
        length, start = _read_element_size(head, len(_EBML))
        if length is not None and head.startswith(_SEGMENT, start + length):
            length, start = _read_element_size(head, start + length + len(_SEGMENT))
            return None if length is None else start + length
    return None


def _read_element_size(head: bytes, at: int) -> tuple[int | None, int]:
    """Read the size of an element of Matroska, and return it with where its data starts. The number of leading zeros
    says how many bytes it has; if all of the other bits are ones, it is unknown.
    """
    first = head[at] if at < len(head) else 0
    count = 9 - first.bit_length()
    if not first or at + count > len(head):
        return None, at
    bits = 7 * count
    value = int.from_bytes(head[at : at + count], "big") & ((1 << bits) - 1)
    return None if value == (1 << bits) - 1 else value, at + count
