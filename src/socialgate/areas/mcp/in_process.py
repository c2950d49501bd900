"""Requests to the routes of the same process, which pass everything that a request from outside passes."""

import asyncio
from typing import Any
from urllib.parse import unquote, urlencode

import msgspec
from litestar.types import ASGIApp, Message, Scope

from socialgate.mcp.api import ApiRequest, ApiResponse


class InProcessClient:
    """Sends requests on behalf of another one, with its credential and under its request id."""

    def __init__(self, app: ASGIApp, outer: Scope, authorization: str, request_id: str) -> None:
        self._app = app
        self._outer = outer
        self._headers = [
            (b"host", b"localhost"),
            (b"authorization", authorization.encode()),
            (b"x-request-id", request_id.encode()),
        ]

    async def send(self, request: ApiRequest) -> ApiResponse:
        # A task has variables of its own: for whom it works, and what its log lines contain.
        return await asyncio.create_task(self._send(request))

    async def _send(self, request: ApiRequest) -> ApiResponse:
        body = b"" if request.body is None else msgspec.json.encode(request.body)
        response = _Response(body)
        scope: Any = self._build_scope(request, body)
        await self._app(scope, response.receive, response.send)
        return ApiResponse(status=response.status, headers=response.headers, content=b"".join(response.chunks))

    def _build_scope(self, request: ApiRequest, body: bytes) -> dict[str, Any]:
        headers = [*self._headers, (b"content-length", str(len(body)).encode())]
        if request.body is not None:
            headers.append((b"content-type", b"application/json"))
        if request.idempotency_key is not None:
            headers.append((b"idempotency-key", request.idempotency_key.encode()))
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": unquote(request.path),
            "raw_path": request.path.encode(),
            "query_string": urlencode(request.query).encode(),
            "root_path": "",
            "headers": headers,
            "client": self._outer.get("client"),
            "server": self._outer.get("server"),
            "state": {},
        }


class _Response:
    """What comes back, and the body that goes in."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self.status = 0
        self.headers: dict[str, str] = {}
        self.chunks: list[bytes] = []

    async def receive(self) -> Any:
        if self._body is None:
            # The other side never hangs up: it waits in the same process.
            return await asyncio.get_running_loop().create_future()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        elif message["type"] == "http.response.body":
            self.chunks.append(message["body"])
