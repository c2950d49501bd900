"""Uvicorn's protocol with limits: on the head, on the time for each part of a request, and on pipelining.

There is no timer per request. Each connection records whose turn it is and since when, and `ConnectionRegistry` checks
all of them about once a second.
"""

import asyncio
import fcntl
import struct
import termios
from typing import Any, ClassVar, Literal

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from socialgate.core.errors import MalformedRequest, ServiceError
from socialgate.web.connection_errors import HeadTooLarge, RequestTimeout, encode_error_response
from socialgate.web.connections import ConnectionRegistry, add_limits_to_state
from socialgate.web.problems import ProblemRenderer

# What is being read: the head or the body of a request, nothing (the next one has not started), nothing any more (the
# last response was sent), or what follows a request that would have changed the protocol.
ConnectionPhase = Literal["head", "body", "between", "parting", "upgraded"]

# A colon, a space and the end of the line; two spaces, the version and the end of the request line.
_HEADER_OVERHEAD_BYTES = 4
_REQUEST_LINE_OVERHEAD_BYTES = 12
_MAX_SHOWN_PATH_LENGTH = 1024
# Headers that determine how the request itself is parsed.
_FRAMING_HEADERS = frozenset({b"host", b"content-length", b"transfer-encoding", b"expect"})


class _ParsingStopped(Exception):
    """Stops the parser. It has no message itself."""


class LimitedHttpProtocol(HttpToolsProtocol):
    connection_registry: ClassVar[ConnectionRegistry]
    render: ClassVar[ProblemRenderer]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.limits = self.connection_registry.limits
        self.app_state = add_limits_to_state(self.app_state, self.limits)
        self._max_head_bytes, self._max_headers = self.limits.max_head_bytes, self.limits.headers
        self.network: str | None = None
        self.url = b""
        self._phase: ConnectionPhase = "head"
        self._phase_started_at = self.connection_registry.now
        self._failure: ServiceError | None = None
        self._current_cycle: RequestResponseCycle | None = None
        self._marked_authenticated = False
        self._head_bytes = 0
        self._body_bytes = 0
        self._host_headers = 0
        self._body_announced = False
        self._is_chunked = False
        # Bytes since the parser last reached the end of a head, a part of a body, or the end of a message: including
        # those that it buffers, such as half a header, and those that it discards.
        self._unparsed_bytes = 0
        # Since when a response has not been read, and how much of it there was to send then.
        self._stall_start: tuple[float, int] | None = None

    # What `ConnectionRegistry` asks.

    @property
    def is_authenticated(self) -> bool:
        return self._current_cycle is not None and self._current_cycle.scope.get("auth") is not None

    @property
    def owner_id(self) -> str | None:
        caller: Any = None if self._current_cycle is None else self._current_cycle.scope.get("auth")
        return None if caller is None else str(caller.owner_id)

    @property
    def waits_for_client(self) -> bool:
        return self.flow.write_paused or self._phase in {"body", "parting"} or not self._is_responding

    @property
    def _is_responding(self) -> bool:
        return self._current_cycle is not None and not self._current_cycle.response_complete

    def abort(self) -> None:
        self.transport.abort()

    def check_timeout(self, now: float) -> None:
        if self.flow.write_paused or self.transport.is_closing():
            self._check_response_rate(now)
        elif self._phase == "head":
            self._check_head_timeout(now)
        elif self._phase == "body":
            self._check_body_rate(now)
        elif self._phase == "between":
            self._check_idle_timeout(now)
        elif self._phase == "parting" and now - self._phase_started_at > self.limits.max_drain_seconds:
            self.transport.abort()

    def _check_head_timeout(self, now: float) -> None:
        if self._is_responding or self.flow.read_paused:
            self._phase_started_at = now
        elif now - self._phase_started_at > self.limits.head_seconds + self.limits.tick_seconds:
            if self._unparsed_bytes:
                self._respond_and_close(
                    RequestTimeout("The request head was not received in time. Send the request again.")
                )
            else:
                # A connection that was opened in advance. Its client has requested nothing.
                self.connection_registry.record_refusal("silent")
                self.transport.close()

    def _check_idle_timeout(self, now: float) -> None:
        if (
            not self._is_responding
            and now - self._phase_started_at > self.limits.idle_seconds + self.limits.tick_seconds
        ):
            self.transport.close()

    def _check_body_rate(self, now: float) -> None:
        cycle = self.cycle
        ours = not cycle.response_complete and (cycle.body or cycle.waiting_for_100_continue)
        if ours or self.flow.read_paused:
            # The application has not read what is there, or the client was not asked to continue.
            self._restart_body_rate(now)
        elif now - self._phase_started_at > self.limits.body_seconds + self.limits.tick_seconds:
            if self._body_bytes < self.limits.min_bytes_per_second * self.limits.body_seconds:
                self._respond_and_close(
                    RequestTimeout("The request body was received too slowly. Send the request again.")
                )
            else:
                self._restart_body_rate(now)

    def _restart_body_rate(self, now: float) -> None:
        self._phase_started_at = now
        self._body_bytes = 0

    def _check_response_rate(self, now: float) -> None:
        left = self._count_unsent_bytes()
        if self._stall_start is None:
            self._stall_start = (now, left)
            return
        since, before = self._stall_start
        if now - since > self.limits.stalled_seconds + self.limits.tick_seconds:
            if before - left < self.limits.min_bytes_per_second * self.limits.stalled_seconds:
                self.connection_registry.record_refusal("answer_not_read")
                self.transport.abort()
            else:
                self._stall_start = (now, left)

    def _count_unsent_bytes(self) -> int:
        """Count what the client has not read. The kernel buffers megabytes and asks for more only when a third has been
        sent: a client on a slow connection would seem to be stalled.
        """
        waiting = self.transport.get_write_buffer_size()
        try:
            answer = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
        except (OSError, ValueError):
            return waiting
        return waiting + int(struct.unpack("i", answer)[0])

    # The connection.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        # A handshake has its own time limit.
        self._phase_started_at = self.connection_registry.now
        refusal = self.connection_registry.admit(self, self.client[0] if self.client else "")
        if refusal is not None:
            self._respond_and_close(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self.connection_registry.remove(self)
        self.pipeline.clear()
        if self._current_cycle is not None and self._is_responding:
            # Uvicorn notifies the newest request, so the one being answered would never learn of it.
            self._current_cycle.disconnected = True
            self._current_cycle.message_event.set()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        self._stall_start = None
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        self._unparsed_bytes += len(data)
        if self._phase == "between":
            self._phase, self._phase_started_at = "head", self.connection_registry.now
        elif self._phase == "parting":
            if self._unparsed_bytes > self.limits.max_drain_bytes:
                self.transport.abort()
            return
        elif self._phase == "upgraded":
            return
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # We only speak HTTP/1.1. What follows might be parsed differently from what the sender meant.
            self._phase = "upgraded"
        except httptools.HttpParserError as error:
            self._respond_and_close(self._failure or _to_malformed_request(error))
        else:
            if self._unparsed_bytes > self.limits.max_head_bytes:
                self._respond_and_close(self._build_head_too_large_error())

    def _respond_and_close(self, failure: ServiceError) -> None:
        """Respond with an error, if it cannot be mistaken for the response to another request, and close."""
        self.connection_registry.record_refusal(failure.code)
        if self._phase == "body":
            may_answer = self._is_responding and self._current_cycle is self.cycle and not self.cycle.response_started
        else:
            may_answer = not self._is_responding
        if not may_answer or self.transport.is_closing():
            self.transport.abort()
            return
        if self._is_responding:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(
            encode_error_response(self.render, failure, self._get_shown_path(), self.server_state.default_headers)
        )
        if self not in self.connection_registry:
            self.transport.close()
            return
        self._phase, self._phase_started_at, self._unparsed_bytes = "parting", self.connection_registry.now, 0
        self.flow.resume_reading()
        # TLS cannot half-close a connection, and while it closes completely it keeps reading.
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _get_shown_path(self) -> str:
        path = self.url.partition(b"?")[0]
        return path.decode("latin-1") if path.startswith(b"/") and len(path) <= _MAX_SHOWN_PATH_LENGTH else "/"

    def _stop_parsing(self, failure: ServiceError) -> None:
        """Stop the parser from within."""
        self._failure = failure
        raise _ParsingStopped

    def _build_head_too_large_error(self) -> HeadTooLarge:
        return HeadTooLarge(
            f"The request line and headers may have at most {self.limits.max_head_bytes} bytes and "
            f"{self.limits.headers} "
            "headers. Send long values in the body."
        )

    # Parser callbacks. Every call counts: they run for each request, or for each of its headers.

    def on_message_begin(self) -> None:
        if self._phase == "between":
            self._phase_started_at = self.connection_registry.now
        self._phase = "head"
        self._head_bytes = _REQUEST_LINE_OVERHEAD_BYTES
        self._host_headers = 0
        self._body_announced = self._is_chunked = False
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self.url += url
        self._head_bytes += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_bytes += len(name) + len(value) + _HEADER_OVERHEAD_BYTES
        if self._head_bytes > self._max_head_bytes or len(self.headers) >= self._max_headers:
            self._stop_parsing(self._build_head_too_large_error())
        if self._phase == "body":
            # A trailer. Among the headers it could be mistaken for one that a proxy has checked.
            return
        name = name.lower()
        self.headers.append((name, value))
        if name in _FRAMING_HEADERS:
            self._apply_framing_header(name, value)

    def _apply_framing_header(self, name: bytes, value: bytes) -> None:
        if name == b"host":
            self._host_headers += 1
        elif name == b"content-length":
            self._body_announced = value != b"0"
        elif name == b"transfer-encoding":
            self._body_announced = self._is_chunked = True
            if value.lower() != b"chunked":
                self._stop_parsing(MalformedRequest("The only supported Transfer-Encoding is chunked."))
        elif value.lower() == b"100-continue":
            self.expect_100_continue = True

    def on_headers_complete(self) -> None:
        self._unparsed_bytes = 0
        upgrades = self.parser.should_upgrade()
        self._check_head(upgrades=upgrades)
        super().on_headers_complete()
        if upgrades:
            self.cycle.keep_alive = False
        self._phase = "body"
        self._head_bytes = self._body_bytes = 0
        self._phase_started_at = self.connection_registry.now

    def _check_head(self, *, upgrades: bool) -> None:
        """Reject what exceeds the limits, and what a proxy in front of us might parse differently. The parser itself
        rejects a duplicate Content-Length, one next to Transfer-Encoding, folded headers, and lines that end in a bare
        LF.
        """
        if self._head_bytes > self._max_head_bytes:
            self._stop_parsing(self._build_head_too_large_error())
        if len(self.pipeline) >= self.limits.max_pipelined:
            self._stop_parsing(
                MalformedRequest("Too many pipelined requests. Wait for responses before you send more.")
            )
        version = self.parser.get_http_version()
        if version != "1.1" and (version != "1.0" or self._is_chunked):
            self._stop_parsing(MalformedRequest("Speak HTTP/1.1."))
        if self._host_headers != 1 and (self._host_headers or version == "1.1"):
            self._stop_parsing(MalformedRequest("Send the Host header exactly once."))
        if upgrades and self._body_announced:
            # The parser would treat the body as data after the protocol change.
            self._stop_parsing(
                MalformedRequest("Send the request without Upgrade: it has a body, and we only speak HTTP/1.1.")
            )

    def on_body(self, body: bytes) -> None:
        self._unparsed_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed_bytes = 0
        self._phase = "between"
        self._phase_started_at = self.connection_registry.now
        super().on_message_complete()

    # What the application does.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._current_cycle = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """Do the same as uvicorn, but without its timer for each request: `check_timeout` closes idle connections."""
        if not self._marked_authenticated and self.is_authenticated:
            self._marked_authenticated = True
            self.connection_registry.mark_authenticated(self)
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self._phase_started_at = self.connection_registry.now
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())


def _to_malformed_request(error: httptools.HttpParserError) -> MalformedRequest:
    if isinstance(error, httptools.HttpParserCallbackError):
        return MalformedRequest(
            "The URL in the request line cannot be parsed. Percent-encode special characters in it."
        )
    return MalformedRequest(f"The request is not valid HTTP: {error}.")


def build_protocol_class(connections: ConnectionRegistry, render: ProblemRenderer) -> type[HttpToolsProtocol]:
    """Create the protocol of a server with these connections."""
    return type("GuardedProtocol", (LimitedHttpProtocol,), {"connection_registry": connections, "render": render})
