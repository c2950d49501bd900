"""Receiving a file as a stream: hashed, counted and inspected on its way to the storage, never held in memory."""

from collections.abc import AsyncIterator
from hashlib import sha256

import msgspec

from socialgate.areas.media.sniff import HEAD_BYTES, DetectedType, detect_type
from socialgate.core.errors import InvalidRequest, ServiceError

_MAX_DIGITS = 15


class ReceivedFile(msgspec.Struct, frozen=True, kw_only=True):
    size: int
    sha256: str
    sniffed: DetectedType


class HashingStream:
    """A stream of chunks. Its size and hash are known once it has ended."""

    def __init__(self, chunks: AsyncIterator[bytes], file_name: str) -> None:
        self._chunks = chunks
        self._file_name = file_name
        self._hash = sha256()
        self._head = b""
        self.size = 0
        # Set from outside during the stream, which then ends with this error.
        self.error: ServiceError | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            if not chunk:
                continue
            if self.error is not None:
                raise self.error
            self._hash.update(chunk)
            self.size += len(chunk)
            if len(self._head) < HEAD_BYTES:
                self._head = (self._head + chunk)[:HEAD_BYTES]
            yield chunk

    def finish(self) -> ReceivedFile:
        if not self.size:
            raise InvalidRequest("The file is empty. Send it as the body, or as the `file` field of a form.")
        return ReceivedFile(
            size=self.size, sha256=self._hash.hexdigest(), sniffed=detect_type(self._head, self._file_name)
        )


def parse_content_length(content_length: str | None) -> int:
    """Return the announced size of a body, 0 if there is none. A form is hardly larger than its file."""
    known = content_length and content_length.isascii() and content_length.isdigit()
    return int(content_length or 0) if known and len(content_length or "") <= _MAX_DIGITS else 0
