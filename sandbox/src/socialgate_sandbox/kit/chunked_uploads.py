"""Uploads in several calls: how much has arrived, and which bytes a call sends."""

import re
from shutil import copyfileobj
from typing import NamedTuple

from socialgate_sandbox.kit import Call, StoredObject, Upload, VendorContext

_CONTENT_RANGE_PATTERN = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class Transfer(StoredObject, kw_only=True):
    """Bytes that arrive in chunks. `size` is the announced number of bytes, None as long as it is unknown."""

    size: int | None = None
    received: int = 0
    file: str = ""

    @property
    def is_complete(self) -> bool:
        return self.received == self.size

    def append_chunk(self, context: VendorContext, chunk: Upload, received_bytes: int = 0) -> None:
        """Append a chunk and store the progress. The first `received_bytes` bytes of the chunk have already arrived."""
        self.file = self.file or context.files.store_bytes(b"")
        with context.files.path(self.file).open("r+b") as whole, chunk.path.open("rb") as piece:
            # A call that was rolled back may have left more bytes than are counted.
            whole.seek(self.received)
            whole.truncate()
            piece.seek(received_bytes)
            copyfileobj(piece, whole, 1 << 20)
            self.received = whole.tell()
        context.store.put(self)

    def delete(self, context: VendorContext) -> None:
        """Delete the upload with the bytes that have arrived."""
        context.store.delete(type(self), self.id)
        if self.file:
            context.files.path(self.file).unlink(missing_ok=True)


class ByteRange(NamedTuple):
    """The place of a chunk in its file. Without a length, the sender only asks how much has arrived.

    `total` is None if the sender does not know it yet.
    """

    first: int
    length: int
    total: int | None

    @property
    def end(self) -> int:
        return self.first + self.length


def parse_content_range(call: Call, default: str = "") -> ByteRange | None:
    """Read which bytes a call sends; None if the header is malformed."""
    match = _CONTENT_RANGE_PATTERN.fullmatch(call.headers.get("content-range", default))
    if match is None:
        return None
    first, total = int(match[1] or 0), None if match[3] == "*" else int(match[3])
    return ByteRange(first, int(match[2]) + 1 - first if match[2] else 0, total)
