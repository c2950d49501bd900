"""Compresses large texts for clients that accept it: the documentation, and long lists.

Not compressed: small responses, because that takes longer than it saves; streams and files; responses with an ETag,
which would name two different texts; and responses to a session cookie. A browser sends the cookie with requests that
another site makes, and could learn secrets in a response from its compressed size (the BREACH attack).
"""

import asyncio
import gzip
import re
from typing import Any

from litestar.types import Message, Send

from socialgate.web.route import RouteAccess, get_route_spec

MIN_COMPRESSED_BYTES = 16 * 1024
# Larger ones are compressed in a thread: this many take about a millisecond.
_MAX_EVENT_LOOP_BYTES = 64 * 1024
_COMPRESSIBLE_MEDIA_TYPES = (b"application/json", b"text/plain", b"text/html", b"text/csv")
_FAST, _SMALL = 1, 9
_MAX_CACHED_BODIES = 64
_ZERO_QUALITY_PATTERN = re.compile(r"q\s*=\s*0(\.0*)?")
_VARY_HEADER = (b"vary", b"Accept-Encoding")


class ResponseCompressor:
    """Wraps what sends a response. The compressed documentation is kept, because it never changes."""

    def __init__(self) -> None:
        self._kept: dict[bytes, bytes] = {}

    def wrap_send(self, scope: Any, send: Send) -> Send:
        stored: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal stored
            if message["type"] == "http.response.start" and _is_text(message["headers"]):
                # The size comes with the body.
                stored = message
                return
            if stored is not None:
                start, stored = stored, None
                if _is_large(message) and _is_safe_to_compress(scope):
                    message = await self._compress_message(scope, start, message)
                await send(start)
            await send(message)

        return send_compressed

    async def _compress_message(self, scope: Any, start: Any, message: Any) -> Message:
        start["headers"] = [*start["headers"], _VARY_HEADER]
        if not accepts_gzip(scope["headers"]):
            return message  # type: ignore[no-any-return] # as it came
        body = await self._compress_body(message["body"], is_public=_is_public_route(scope))
        others = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        start["headers"] = [*others, (b"content-encoding", b"gzip"), (b"content-length", str(len(body)).encode())]
        return {"type": "http.response.body", "body": body, "more_body": False}

    async def _compress_body(self, body: bytes, *, is_public: bool) -> bytes:
        if not is_public:
            return await _gzip_body(body, _FAST)
        data = self._kept.get(body)
        if data is None:
            data = await _gzip_body(body, _SMALL)
            if len(self._kept) >= _MAX_CACHED_BODIES:
                self._kept.clear()
            self._kept[body] = data
        return data


async def _gzip_body(body: bytes, level: int) -> bytes:
    if len(body) <= _MAX_EVENT_LOOP_BYTES and level == _FAST:
        return gzip.compress(body, level, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, level, mtime=0)


def _is_text(headers: Any) -> bool:
    is_text = False
    for name, value in headers:
        match name.lower():
            case b"content-type":
                is_text = value.startswith(_COMPRESSIBLE_MEDIA_TYPES)
            case b"content-encoding" | b"etag":
                return False
    return is_text


def _is_large(message: Any) -> bool:
    return len(message.get("body", b"")) >= MIN_COMPRESSED_BYTES and not message.get("more_body", False)


def _is_safe_to_compress(scope: Any) -> bool:
    return _is_public_route(scope) or any(name == b"authorization" for name, _ in scope["headers"])


def _is_public_route(scope: Any) -> bool:
    handler = scope.get("route_handler")
    spec = None if handler is None else get_route_spec(handler)
    return spec is not None and spec.access is RouteAccess.PUBLIC


def accepts_gzip(headers: Any) -> bool:
    """Return whether a client accepts compressed responses."""
    for name, value in headers:
        if name == b"accept-encoding":
            for part in value.decode("latin-1").lower().split(","):
                coding, _, weight = part.partition(";")
                if coding.strip() == "gzip":
                    return _ZERO_QUALITY_PATTERN.fullmatch(weight.strip()) is None
    return False
