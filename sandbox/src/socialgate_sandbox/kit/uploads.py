"""Uploads in several calls: how much has arrived, and which bytes a call sends."""

import re
from shutil import copyfileobj
from typing import NamedTuple

from socialgate_sandbox.kit import Call, Thing, Upload, World

_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class Transfer(Thing, kw_only=True):
    """Bytes that arrive in chunks. `size` is the announced number of bytes, None as long as it is unknown."""

    size: int | None = None
    received: int = 0
    file: str = ""

    @property
    def is_complete(self) -> bool:
        return self.received == self.size

    def add(self, world: World, chunk: Upload, known: int = 0) -> None:
        """Append a chunk and store the progress. The `known` first bytes of the chunk have already arrived."""
        self.file = self.file or world.files.save(b"")
        with world.files.path(self.file).open("r+b") as whole, chunk.path.open("rb") as piece:
            # A call that was rolled back may have left more bytes than are counted.
            whole.seek(self.received)
            whole.truncate()
            piece.seek(known)
            copyfileobj(piece, whole, 1 << 20)
            self.received = whole.tell()
        world.store.put(self)

    def discard(self, world: World) -> None:
        """Delete the upload with the bytes that have arrived."""
        world.store.delete(type(self), self.id)
        if self.file:
            world.files.path(self.file).unlink(missing_ok=True)


class Span(NamedTuple):
    """The place of a chunk in its file. Without a length, the sender only asks how much has arrived.

    `total` is None if the sender does not know it yet.
    """

    first: int
    length: int
    total: int | None

    @property
    def end(self) -> int:
        return self.first + self.length


def content_range(call: Call, default: str = "") -> Span | None:
    """Read which bytes a call sends; None if the header is malformed."""
    found = _RANGE.fullmatch(call.headers.get("content-range", default))
    if found is None:
        return None
    first, total = int(found[1] or 0), None if found[3] == "*" else int(found[3])
    return Span(first, int(found[2]) + 1 - first if found[2] else 0, total)
