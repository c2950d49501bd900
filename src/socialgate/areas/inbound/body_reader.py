"""Reading the bodies of webhooks. Anyone can send one, and only its last byte shows whether it is signed."""

from typing import Any

from litestar import Request

from socialgate.core.errors import RateLimited

# What almost all webhooks fit into is always read. Larger ones share a limited amount of memory until they are read.
_SMALL_BODY_BYTES = 64 * 1024
_MAX_BUFFERED_BYTES = 64 * 1024 * 1024
_RETRY_SECONDS = 5


class WebhookBodyReader:
    def __init__(self) -> None:
        self._buffered_bytes = 0

    async def read(self, request: Request[Any, Any, Any]) -> bytes:
        body, number = bytearray(), 0
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > _SMALL_BODY_BYTES:
                    self._buffered_bytes += len(chunk)
                    number += len(chunk)
                if number and self._buffered_bytes > _MAX_BUFFERED_BYTES:
                    raise RateLimited(
                        "Too many large webhooks are being received. Send it again a little later.",
                        retry_after=_RETRY_SECONDS,
                    )
        finally:
            self._buffered_bytes -= number
        return bytes(body)
