"""The outermost layer: a request id, one log line and the counters for every request, including failed ones.

Headers that inner layers put into `scope["state"]["headers"]` are added to every response.
"""

import re
import time
from typing import Any

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.web.compression import ResponseCompressor

# An id from outside ends up in logs and responses: only plain characters, and not too many.
_REQUEST_ID_PATTERN = re.compile(rb"[A-Za-z0-9._\-]{1,128}")

log = structlog.get_logger("socialgate.request")


class RequestContextMiddleware:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._compression = ResponseCompressor()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope["headers"])
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                added = scope["state"].get("headers", ())
                message["headers"] = [*message["headers"], *added, (b"x-request-id", request_id.encode())]
            await send(message)

        with self._metrics.in_flight.track_inprogress():
            try:
                is_read = scope["method"] == "GET"
                sent = self._compression.wrap_send(scope, send_with_id) if is_read else send_with_id
                await self._app(scope, receive, sent)
            finally:
                self._log_and_measure(scope, status, time.perf_counter() - started)

    def _log_and_measure(self, scope: Any, status: int, seconds: float) -> None:
        route = scope.get("path_template") or "(none)"
        self._metrics.requests.labels(scope["method"], route, str(status)).inc()
        self._metrics.request_seconds.labels(route).observe(seconds)
        log.info(
            "request",
            method=scope["method"],
            route=route,
            status=status,
            milliseconds=round(seconds * 1000, 2),
            **_build_caller_fields(scope["state"].get("caller")),
        )


def _build_caller_fields(caller: Caller | None) -> dict[str, str]:
    """Say who made a request: the owner, and the API key or the session. Their ids are no secrets."""
    if caller is None:
        return {}
    return {"owner_id": caller.owner_id, "session_id" if caller.is_session else "key_id": caller.credential_id}


def _request_id(headers: Any) -> str:
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID_PATTERN.fullmatch(value):
            return str(value.decode())
    return new_id("req")
