"""Where the index of an MP4 or QuickTime file is: platforms that play a file while they load it need it in front.

And whether its data is all there, which its index does not show.
"""

import struct

from socialgate.areas.media.announced_size import ENDS_TOO_EARLY
from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.core.storage import Storage

_HEADER_BYTES = 16
_EXTENDED_HEADER_BYTES = 8
# Boxes at the top of a file. A real file has a handful; one that has more says nothing.
_MAX_BOXES = 64


async def is_index_first(storage: Storage, key: str, size: int) -> bool | None:
    """Return whether the index (`moov`) comes before the data (`mdat`). None if the file has no such boxes.

    UnreadableFileError if the file ends within one of them.
    """
    position, has_index, is_first = 0, False, None
    for _ in range(_MAX_BOXES):
        if position + _EXTENDED_HEADER_BYTES > size:
            break
        length = min(_HEADER_BYTES, size - position)
        head = b"".join([chunk async for chunk in storage.read(key, position, length)])
        box_size, name = _parse_header(head, size - position)
        if name in {b"moov", b"mdat"} and position + box_size > size:
            raise UnreadableFileError(ENDS_TOO_EARLY)
        if name == b"mdat" and is_first is None:
            is_first = has_index
        has_index = has_index or name == b"moov"
        if box_size < _EXTENDED_HEADER_BYTES:
            break
        position += box_size
    return is_first if is_first is not None else True if has_index else None


def _parse_header(head: bytes, rest: int) -> tuple[int, bytes]:
    """Return the size of a box and its name. A size of 0 reaches to the end, 1 says that it follows in 64 bits."""
    size, name = struct.unpack(">I4s", head[:8])
    if size == 1 and len(head) == _HEADER_BYTES:
        (size,) = struct.unpack(">Q", head[8:])
    return rest if size == 0 else size, name
