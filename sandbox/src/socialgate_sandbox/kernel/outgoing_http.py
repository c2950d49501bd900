"""Outgoing requests of the sandbox. It reaches this machine and the product, never the internet."""

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec
from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import PyreqwestError
from pyreqwest.response import Response

# Applies between two chunks of a response: a video of several GiB takes longer than that in total.
_TIMEOUT = timedelta(seconds=20)
_MAX_RETAINED = 8 << 20
_MAX_OF_AN_ANSWER = 1 << 20


class FetchedResponse(msgspec.Struct, frozen=True):
    """A response. Status 0 means that there was none; `body` then says why.

    `body` holds the first 8 MiB at most; `size` and `sha256` are those of the whole response. A response longer than
    the caller accepts is not read to its end: its `size` then exceeds that limit, and it has no checksum.
    """

    status: int
    content_type: str
    body: bytes
    size: int
    sha256: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether `body` is the whole response."""
        return bool(self.sha256) and len(self.body) == self.size


class OutgoingHttpClient:
    def __init__(self, gateway_url: str) -> None:
        self._gateway_host = urlsplit(gateway_url).hostname
        self._client: Client | None = None

    def may_reach(self, url: str) -> bool:
        try:
            host = urlsplit(url).hostname
            return host in {"localhost", self._gateway_host} or ip_address(host or "").is_loopback
        except ValueError:
            return False

    async def get(self, url: str, max_bytes: int) -> FetchedResponse:
        return await self._send("GET", url, None, {}, max_bytes)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> FetchedResponse:
        return await self._send("POST", url, body, headers, _MAX_OF_AN_ANSWER)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _send(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], max_bytes: int
    ) -> FetchedResponse:
        try:
            request = self._get_client().request(method, url).headers(dict(headers))
            if body is not None:
                request = request.body_bytes(body)
            async with request.build_streamed() as response:
                return await _read_response(response, max_bytes)
        except (PyreqwestError, ValueError) as error:
            return FetchedResponse(0, "", str(error).encode(), 0)

    def _get_client(self) -> Client:
        if self._client is None:
            # A redirect could lead off this machine, and a kept-alive connection may be closing.
            idle = timedelta(seconds=1)
            builder = (
                ClientBuilder()
                .connect_timeout(_TIMEOUT)
                .read_timeout(_TIMEOUT)
                .no_proxy()
                .follow_redirects(enable=False)
            )
            self._client = builder.pool_idle_timeout(idle).build()
        return self._client


async def _read_response(response: Response, max_bytes: int) -> FetchedResponse:
    kept, size, digest = bytearray(), 0, sha256()
    while size <= max_bytes and (piece := await response.body_reader.read_chunk()) is not None:
        content = piece.to_bytes()
        size += len(content)
        digest.update(content)
        kept += content[: _MAX_RETAINED - len(kept)]
    checksum = digest.hexdigest() if size <= max_bytes else ""
    return FetchedResponse(response.status, response.headers.get("content-type", ""), bytes(kept), size, checksum)
