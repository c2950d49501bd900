"""Requests of the sandbox to others. It reaches this machine and the product, never the world outside."""

from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec
from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import PyreqwestError

_DEADLINE = timedelta(seconds=20)
_MOST_KEPT = 1 << 20


class Fetched(msgspec.Struct, frozen=True):
    """An answer. Status 0 means that there was none, and `body` then says why. At most 1 MiB of the body is kept."""

    status: int
    content_type: str
    body: bytes
    size: int


class Web:
    def __init__(self, gateway_url: str) -> None:
        self._gateway = urlsplit(gateway_url).hostname
        self._client: Client | None = None

    def reaches(self, url: str) -> bool:
        try:
            host = urlsplit(url).hostname
            return host in {"localhost", self._gateway} or ip_address(host or "").is_loopback
        except ValueError:
            return False

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Fetched:
        return await self._send("GET", url, None, headers or {})

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        return await self._send("POST", url, body, headers)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _send(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Fetched:
        try:
            request = self._open().request(method, url).headers(dict(headers))
            if body is not None:
                request = request.body_bytes(body)
            async with request.build_streamed() as response:
                kept, size = b"", 0
                while (piece := await response.body_reader.read_chunk()) is not None:
                    size += len(piece)
                    kept += piece.to_bytes()[: _MOST_KEPT - len(kept)]
                return Fetched(response.status, response.headers.get("content-type", ""), kept, size)
        except (PyreqwestError, ValueError) as error:
            return Fetched(0, "", str(error).encode(), 0)

    def _open(self) -> Client:
        if self._client is None:
            # A redirect could lead out of this machine, and a kept connection may just be closing.
            idle = timedelta(seconds=1)
            builder = ClientBuilder().timeout(_DEADLINE).no_proxy().follow_redirects(enable=False)
            self._client = builder.pool_idle_timeout(idle).build()
        return self._client
