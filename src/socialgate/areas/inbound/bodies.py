"""Reading the bodies of webhooks. Anyone can send one, and only its last byte shows whether it is signed."""

from typing import Any

from litestar import Request

from socialgate.core.errors import RateLimited

# What almost all webhooks fit into is always read. Larger ones share a limited amount of memory until they are read.
_ALWAYS = 64 * 1024
_MOST_TOGETHER = 64 * 1024 * 1024
_RETRY_SECONDS = 5


class Bodies:
    def __init__(self) -> None:
        self._held = 0

    async def read(self, request: Request[Any, Any, Any]) -> bytes:
        body, held = bytearray(), 0
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > _ALWAYS:
                    self._held += len(chunk)
                    held += len(chunk)
                if held and self._held > _MOST_TOGETHER:
                    raise RateLimited(
                        "Too many large webhooks are being received. Send it again a little later.",
                        retry_after=_RETRY_SECONDS,
                    )
        finally:
            self._held -= held
        return bytes(body)
