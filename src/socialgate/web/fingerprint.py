"""What distinguishes requests with the same `Idempotency-Key`: the hash of the body.

A JSON body is small and read at once. A file is hashed while it is passed to the handler, so that it is never held in
memory. For a multipart form the fields are hashed, not the bytes: a client creates a new boundary each time it sends
the form.
"""

from hashlib import sha256
from typing import Any

from litestar import Request
from litestar.types import HTTPReceiveMessage, Receive, Scope
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from socialgate.web.route import RouteSpec

_MULTIPART_TYPE = "multipart/form-data"
# More than any handler accepts: forms that a handler would read must be distinguished here too.
_MAX_PARTS = 1000
_MAX_HEADER_BYTES = 64 * 1024


class RequestFingerprint:
    """`digest` is None until the whole body was seen. The handler reads through `receive`."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.digest: bytes | None = None

    @classmethod
    async def create(cls, scope: Scope, receive: Receive, spec: RouteSpec | None) -> "RequestFingerprint":
        if spec is None or not spec.takes_json:
            return StreamingFingerprint(scope, receive)
        fingerprint, hashed, query = cls(receive), sha256(), scope["query_string"]
        if query:
            _hash_strings(hashed, query)
        hashed.update(await Request[Any, Any, Any](scope, receive=receive).body())
        fingerprint.digest = hashed.digest()
        return fingerprint

    async def read_rest(self, scope: Scope) -> bytes:
        """Read the rest of the body, within the limits of the route, and keep nothing."""
        if self.digest is None:
            async for _ in Request[Any, Any, Any](scope, receive=self.receive).stream():
                pass
        assert self.digest is not None, "the body was read to its end"
        return self.digest


class StreamingFingerprint(RequestFingerprint):
    """Hashes a body while the handler reads it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(self._receive_and_hash)
        self._source = receive
        headers = dict(scope["headers"])
        kind, options = parse_options_header(headers.get(b"content-type", b"").decode("latin-1"))
        self._hash = sha256()
        _hash_strings(self._hash, scope["query_string"], kind.lower().encode())
        boundary = options.get("boundary", "") if kind.lower() == _MULTIPART_TYPE else ""
        self._form = _FormHash(boundary) if boundary and "\n" not in boundary else None

    async def _receive_and_hash(self) -> HTTPReceiveMessage:
        message: Any = await self._source()
        if message["type"] == "http.request" and self.digest is None:
            chunk = message.get("body", b"")
            if self._form is None:
                self._hash.update(chunk)
            else:
                self._form.update(chunk)
            if not message.get("more_body", False):
                if self._form is not None:
                    self._hash.update(self._form.digest())
                self.digest = self._hash.digest()
        passed: HTTPReceiveMessage = message
        return passed


class _FormHash:
    """Hashes the content of a form: the name, file name, type and bytes of each part, in order."""

    def __init__(self, boundary: str) -> None:
        self._parser = PushMultipartParser(boundary, max_segment_count=_MAX_PARTS, max_header_size=_MAX_HEADER_BYTES)
        self._hash = sha256()
        self._part = sha256()
        self._readable = True

    def update(self, chunk: bytes) -> None:
        # An empty chunk means the end to the parser.
        if chunk and self._readable:
            self._parse(chunk)

    def digest(self) -> bytes:
        if self._readable:
            self._parse(b"")
        return self._hash.digest()

    def _parse(self, chunk: bytes) -> None:
        try:
            for event in self._parser.parse(chunk):
                self._add_event(event)
        except MultipartError:
            # The handler rejects it. Whatever it is, it does not match a form that was accepted before.
            self._readable = False
            self._hash.update(b"unreadable")

    def _add_event(self, event: Any) -> None:
        if isinstance(event, MultipartSegment):
            self._part = sha256()
            payload = (event.name, event.filename, event.content_type)
            _hash_strings(self._hash, *((word or "").encode("utf-8", "surrogatepass") for word in payload))
        elif event is None:
            self._hash.update(self._part.digest())
        else:
            self._part.update(event)


def _hash_strings(target: Any, *words: bytes) -> None:
    """Hash strings so that no two lists of them have the same hash."""
    for word in words:
        target.update(len(word).to_bytes(8, "big") + word)
