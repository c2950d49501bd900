"""Uvicorn's protocol with limits: on the head, on the time for each part of a request, and on pipelining.

There is no timer per request. Each connection records whose turn it is and since when, and `Connections` checks all of
them about once a second.
"""

import asyncio
import fcntl
import struct
import termios
from typing import Any, ClassVar, Literal

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from socialgate.core.errors import MalformedRequest, ServiceError
from socialgate.web.connections import Connections, with_limits
from socialgate.web.problems import ProblemRenderer
from socialgate.web.refusals import HeadTooLarge, RequestTimeout, raw_answer

# What is being read: the head or the body of a request, nothing (the next one has not started), nothing any more (the
# last response was sent), or what follows a request that would have changed the protocol.
Phase = Literal["head", "body", "between", "parting", "upgraded"]

# A colon, a space and the end of the line; two spaces, the version and the end of the request line.
_AROUND_HEADER = 4
_AROUND_TARGET = 12
_LONGEST_SHOWN_PATH = 1024
# Headers that determine how the request itself is parsed.
_TELLING = frozenset({b"host", b"content-length", b"transfer-encoding", b"expect"})


class _Refused(Exception):
    """Stops the parser. It has no message itself."""


class GuardedProtocol(HttpToolsProtocol):
    guard: ClassVar[Connections]
    render: ClassVar[ProblemRenderer]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.limits = self.guard.limits
        self.app_state = with_limits(self.app_state, self.limits)
        self._most_bytes, self._most_headers = self.limits.head_bytes, self.limits.headers
        self.network: str | None = None
        self.url = b""
        self._phase: Phase = "head"
        self._since = self.guard.now
        self._failure: ServiceError | None = None
        self._running: RequestResponseCycle | None = None
        self._recognized = False
        self._head_bytes = 0
        self._body_bytes = 0
        self._hosts = 0
        self._body_announced = False
        self._encoded = False
        # Bytes since the parser last reached the end of a head, a part of a body, or the end of a message: including
        # those that it buffers, such as half a header, and those that it discards.
        self._fruitless = 0
        # Since when a response has not been read, and how much of it there was to send then.
        self._stalled: tuple[float, int] | None = None

    # What `Connections` asks.

    @property
    def authenticated(self) -> bool:
        return self._running is not None and self._running.scope.get("auth") is not None

    @property
    def owner(self) -> str | None:
        caller: Any = None if self._running is None else self._running.scope.get("auth")
        return None if caller is None else str(caller.owner_id)

    @property
    def waits_for_client(self) -> bool:
        return self.flow.write_paused or self._phase in {"body", "parting"} or not self._answering

    @property
    def _answering(self) -> bool:
        return self._running is not None and not self._running.response_complete

    def abort(self) -> None:
        self.transport.abort()

    def look(self, now: float) -> None:
        if self.flow.write_paused or self.transport.is_closing():
            self._look_at_answer(now)
        elif self._phase == "head":
            self._look_at_head(now)
        elif self._phase == "body":
            self._look_at_body(now)
        elif self._phase == "between":
            self._look_at_pause(now)
        elif self._phase == "parting" and now - self._since > self.limits.parting_seconds:
            self.transport.abort()

    def _look_at_head(self, now: float) -> None:
        if self._answering or self.flow.read_paused:
            self._since = now
        elif now - self._since > self.limits.head_seconds + self.limits.tick_seconds:
            if self._fruitless:
                self._refuse(RequestTimeout("The request head was not received in time. Send the request again."))
            else:
                # A connection that was opened in advance. Its client has requested nothing.
                self.guard.note_refusal("silent")
                self.transport.close()

    def _look_at_pause(self, now: float) -> None:
        if not self._answering and now - self._since > self.limits.idle_seconds + self.limits.tick_seconds:
            self.transport.close()

    def _look_at_body(self, now: float) -> None:
        cycle = self.cycle
        ours = not cycle.response_complete and (cycle.body or cycle.waiting_for_100_continue)
        if ours or self.flow.read_paused:
            # The application has not read what is there, or the client was not asked to continue.
            self._begin_to_measure(now)
        elif now - self._since > self.limits.body_seconds + self.limits.tick_seconds:
            if self._body_bytes < self.limits.bytes_per_second * self.limits.body_seconds:
                self._refuse(RequestTimeout("The request body was received too slowly. Send the request again."))
            else:
                self._begin_to_measure(now)

    def _begin_to_measure(self, now: float) -> None:
        self._since = now
        self._body_bytes = 0

    def _look_at_answer(self, now: float) -> None:
        left = self._left_to_send()
        if self._stalled is None:
            self._stalled = (now, left)
            return
        since, before = self._stalled
        if now - since > self.limits.stalled_seconds + self.limits.tick_seconds:
            if before - left < self.limits.bytes_per_second * self.limits.stalled_seconds:
                self.guard.note_refusal("answer_not_read")
                self.transport.abort()
            else:
                self._stalled = (now, left)

    def _left_to_send(self) -> int:
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
        self._since = self.guard.now
        refusal = self.guard.admit(self, self.client[0] if self.client else "")
        if refusal is not None:
            self._refuse(refusal)

    def connection_lost(self, exc: Exception | None) -> None:
        self.guard.forget(self)
        self.pipeline.clear()
        if self._running is not None and self._answering:
            # Uvicorn notifies the newest request, so the one being answered would never learn of it.
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        self._stalled = None
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        self._fruitless += len(data)
        if self._phase == "between":
            self._phase, self._since = "head", self.guard.now
        elif self._phase == "parting":
            if self._fruitless > self.limits.parting_bytes:
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
            self._refuse(self._failure or _not_http(error))
        else:
            if self._fruitless > self.limits.head_bytes:
                self._refuse(self._head_too_large())

    def _refuse(self, failure: ServiceError) -> None:
        """Respond with an error, if it cannot be mistaken for the response to another request, and close."""
        self.guard.note_refusal(failure.code)
        if self._phase == "body":
            may_answer = self._answering and self._running is self.cycle and not self.cycle.response_started
        else:
            may_answer = not self._answering
        if not may_answer or self.transport.is_closing():
            self.transport.abort()
            return
        if self._answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(raw_answer(self.render, failure, self._path(), self.server_state.default_headers))
        if self not in self.guard:
            self.transport.close()
            return
        self._phase, self._since, self._fruitless = "parting", self.guard.now, 0
        self.flow.resume_reading()
        # TLS cannot half-close a connection, and while it closes completely it keeps reading.
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _path(self) -> str:
        path = self.url.partition(b"?")[0]
        return path.decode("latin-1") if path.startswith(b"/") and len(path) <= _LONGEST_SHOWN_PATH else "/"

    def _fail(self, failure: ServiceError) -> None:
        """Stop the parser from within."""
        self._failure = failure
        raise _Refused

    def _head_too_large(self) -> HeadTooLarge:
        return HeadTooLarge(
            f"The request line and headers may have at most {self.limits.head_bytes} bytes and {self.limits.headers} "
            "headers. Send long values in the body."
        )

    # Parser callbacks. Every call counts: they run for each request, or for each of its headers.

    def on_message_begin(self) -> None:
        if self._phase == "between":
            self._since = self.guard.now
        self._phase = "head"
        self._head_bytes = _AROUND_TARGET
        self._hosts = 0
        self._body_announced = self._encoded = False
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self.url += url
        self._head_bytes += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_bytes += len(name) + len(value) + _AROUND_HEADER
        if self._head_bytes > self._most_bytes or len(self.headers) >= self._most_headers:
            self._fail(self._head_too_large())
        if self._phase == "body":
            # A trailer. Among the headers it could be mistaken for one that a proxy has checked.
            return
        name = name.lower()
        self.headers.append((name, value))
        if name in _TELLING:
            self._note_header(name, value)

    def _note_header(self, name: bytes, value: bytes) -> None:
        if name == b"host":
            self._hosts += 1
        elif name == b"content-length":
            self._body_announced = value != b"0"
        elif name == b"transfer-encoding":
            self._body_announced = self._encoded = True
            if value.lower() != b"chunked":
                self._fail(MalformedRequest("The only supported Transfer-Encoding is chunked."))
        elif value.lower() == b"100-continue":
            self.expect_100_continue = True

    def on_headers_complete(self) -> None:
        self._fruitless = 0
        upgrades = self.parser.should_upgrade()
        self._check_head(upgrades=upgrades)
        super().on_headers_complete()
        if upgrades:
            self.cycle.keep_alive = False
        self._phase = "body"
        self._head_bytes = self._body_bytes = 0
        self._since = self.guard.now

    def _check_head(self, *, upgrades: bool) -> None:
        """Reject what exceeds the limits, and what a proxy in front of us might parse differently. The parser itself
        rejects a duplicate Content-Length, one next to Transfer-Encoding, folded headers, and lines that end in a bare
        LF.
        """
        if self._head_bytes > self._most_bytes:
            self._fail(self._head_too_large())
        if len(self.pipeline) >= self.limits.pipelined:
            self._fail(MalformedRequest("Too many pipelined requests. Wait for responses before you send more."))
        version = self.parser.get_http_version()
        if version != "1.1" and (version != "1.0" or self._encoded):
            self._fail(MalformedRequest("Speak HTTP/1.1."))
        if self._hosts != 1 and (self._hosts or version == "1.1"):
            self._fail(MalformedRequest("Send the Host header exactly once."))
        if upgrades and self._body_announced:
            # The parser would treat the body as data after the protocol change.
            self._fail(MalformedRequest("Send the request without Upgrade: it has a body, and we only speak HTTP/1.1."))

    def on_body(self, body: bytes) -> None:
        self._fruitless = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._fruitless = 0
        self._phase = "between"
        self._since = self.guard.now
        super().on_message_complete()

    # What the application does.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """Do the same as uvicorn, but without its timer for each request: `look` closes idle connections."""
        if not self._recognized and self.authenticated:
            self._recognized = True
            self.guard.recognize(self)
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self._since = self.guard.now
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())


def _not_http(error: httptools.HttpParserError) -> MalformedRequest:
    if isinstance(error, httptools.HttpParserCallbackError):
        return MalformedRequest(
            "The URL in the request line cannot be parsed. Percent-encode special characters in it."
        )
    return MalformedRequest(f"The request is not valid HTTP: {error}.")


def guarded(connections: Connections, render: ProblemRenderer) -> type[HttpToolsProtocol]:
    """Create the protocol of a server with these connections."""
    return type("GuardedProtocol", (GuardedProtocol,), {"guard": connections, "render": render})
