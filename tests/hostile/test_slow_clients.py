"""Clients that are slow on purpose lose their connection, and those that are slow for a reason of ours keep it."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import psutil
import uvicorn

from hostile.conftest import QUICK, Door
from socialgate.web.connections import ConnectionRegistry
from socialgate.web.http_protocol import build_protocol_class
from socialgate.web.problems import ProblemRenderer
from support.raw import RawConnection
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

MANY = 100
# More than any buffer on the way.
LONG = 20_000_000
HALF_HEAD = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Half"
HALF_BODY = b'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"'
CHUNKS = b"POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
# What is sent of a request, and the address that is told in the answer.
WAITING = {b"": "", b"\r\n": "/", HALF_HEAD: "/health", HALF_BODY: "/auth/login"}
DRIPPING = {
    HALF_HEAD: b"a",
    b"\r\n": b"\r\n",
    HALF_BODY: b"a",
    CHUNKS: b"1\r\na\r\n",
    CHUNKS + b"5;": b"a",
    CHUNKS + b"0\r\nX: ": b"a",
}
# Answered at once, with most of its body still to come.
NOWHERE = b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n"


def test_many_who_leave_us_waiting_are_all_let_go(quick: RunningService) -> None:
    process = psutil.Process()
    quick.transport.close()
    eventually(lambda: _open_connections(quick) == 0)
    before = process.num_fds()
    with ExitStack() as stack:
        raws = {
            sent: [stack.enter_context(RawConnection(quick.settings.port)) for _ in range(MANY)] for sent in WAITING
        }
        for sent, some in raws.items():
            for raw in some:
                raw.send(sent)
        for sent, path in WAITING.items():
            if sent:
                raws[sent][0].answer().problem(408, "request_timeout", path)
        for raw in (raw for some in raws.values() for raw in some):
            eventually(raw.is_closed)
            assert raw not in raws[b""] or raw._read == b""
        eventually(lambda: _open_connections(quick) == 0)
    # The service itself opens some files of its own as it goes.
    eventually(lambda: process.num_fds() < before + MANY // 2)


def test_one_byte_at_a_time_is_too_slow(quick: RunningService) -> None:
    with ExitStack() as stack:
        raws = {first: stack.enter_context(RawConnection(quick.settings.port)).send(first) for first in DRIPPING}
        eventually(lambda: not [raw for first, raw in raws.items() if not _dripped(raw, DRIPPING[first])])
        assert [first for first, raw in raws.items() if b"HTTP/1.1 408" not in raw._read] == []


def test_a_body_that_was_answered_early_must_come_all_the_same(quick: RunningService) -> None:
    with RawConnection(quick.settings.port) as raw:
        assert raw.send(NOWHERE + b"a").answer().status == 404
        _drip_until_closed(raw, b"a")
        # A second answer would be taken for that to the next request.
        assert raw._read == b""


def test_a_connection_that_is_not_used_again_is_closed(quick: RunningService) -> None:
    """Also where the end of a body came after the answer."""
    with RawConnection(quick.settings.port) as plain, RawConnection(quick.settings.port) as late:
        assert plain.send(HEALTH).answer().status == 200
        assert late.send(NOWHERE).answer().status == 404
        late.send(b"a" * 50_000)
        eventually(plain.is_closed)
        eventually(late.is_closed)
        assert plain._read == late._read == b""


def test_the_next_request_must_come_in_time_too(quick: RunningService) -> None:
    with RawConnection(quick.settings.port) as raw:
        assert raw.send(HEALTH).answer().status == 200
        raw.send(HALF_HEAD).answer().problem(408, "request_timeout", "/health")
        eventually(raw.is_closed)


def test_an_answer_must_be_read(quick: RunningService) -> None:
    """It asks for much, and takes nothing of it: what the kernel takes for it is not taken by it."""
    with RawConnection(quick.settings.port, receive_buffer=4096) as raw:
        raw.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 90)
        assert raw.socket.recv(12) == b"HTTP/1.1 200"
        eventually(lambda: raw.flood(b"\r\n", 2) == 0)


def test_an_answer_may_be_read_slowly(quick: RunningService) -> None:
    """A quarter of what is asked at least, and far less than the kernel needs to ask for more."""
    requests = 60
    with RawConnection(quick.settings.port, receive_buffer=4096) as raw:
        raw.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * requests)
        until = time.monotonic() + 3 * QUICK.stalled_seconds
        while time.monotonic() < until:
            raw._read += raw.socket.recv(2048)
            raw.socket.settimeout(30)
            Event().wait(0.02)
        assert [raw.answer().status for _ in range(requests)] == [200] * requests


def test_a_stream_that_has_nothing_to_say_stays_open(quick: RunningService, quick_owner: OwnerFixture) -> None:
    head = f"GET /events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {quick_owner.session_token}\r\n\r\n"
    with RawConnection(quick.settings.port) as raw, RawConnection(quick.settings.port) as other:
        raw.send(head.encode())
        assert raw.socket.recv(12) == b"HTTP/1.1 200"
        # Longer than any limit: a connection of the same age, idle, is closed meanwhile.
        other.send(HEALTH).answer()
        eventually(other.is_closed)
        assert not raw.is_closed()
        assert quick_owner.session.post("/profiles", json={"name": "Seen"}).status_code == 201
        assert not raw.is_closed()


def test_a_stream_ends_with_its_connection_though_more_was_asked_on_it(
    quick: RunningService, quick_owner: OwnerFixture
) -> None:
    """So much more, in fact, that the connection is closed. The stream must not wait for its next heartbeat."""
    head = f"GET /events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {quick_owner.session_token}\r\n\r\n"
    eventually(lambda: _in_flight(quick) == 0)
    with RawConnection(quick.settings.port) as raw:
        raw.send(head.encode())
        assert raw.socket.recv(12) == b"HTTP/1.1 200"
        assert _in_flight(quick) == 1
        raw.send(HEALTH * 150)
        eventually(lambda: _in_flight(quick) == 0, seconds=10)


def test_nobody_pays_for_a_pause_of_ours(quick: RunningService) -> None:
    """The loop stands still for longer than a head may take. For those who came meanwhile the time begins after it."""
    with ExitStack() as stack:
        old = stack.enter_context(RawConnection(quick.settings.port))
        assert old.send(HEALTH).answer().status == 200
        old.send(HALF_HEAD)
        with _standing_still(quick):
            new = stack.enter_context(RawConnection(quick.settings.port)).send(HALF_HEAD)
            old.send(b": 1\r\n\r\n")
            Event().wait(2 * QUICK.head_seconds)
        assert old.answer().status == 200
        quick.run(asyncio.sleep(2 * QUICK.tick_seconds))
        assert new.send(b": 1\r\n\r\n").answer().status == 200


def test_a_body_may_wait_for_an_application_that_does_not_read() -> None:
    """A little of it has come, or more than is kept, or the client was not asked to go on."""
    with _slow_reader() as reader, ExitStack() as stack:
        little, much, polite = (stack.enter_context(RawConnection(reader.port)) for _ in range(3))
        little.send(_long_head("little"), b"\r\n", b"a")
        much.send(_long_head("much"), b"\r\n")
        sending = [_sending(much, LONG)]
        polite.send(_long_head("polite"), b"Expect: 100-continue\r\n\r\n")
        reader.let_wait()
        # One after the other: who is asked to go on must do so in time, and not only after others have sent all.
        reader.release("polite")
        assert polite.answer().status == 100
        polite.send(b"a" * LONG)
        # These go on before the application does.
        sending.append(_sending(little, LONG - 1))
        reader.release("little")
        reader.release("much")
        for thread in sending:
            thread.join(60)
        assert [raw.answer().body for raw in (little, much, polite)] == [str(LONG).encode()] * 3


def test_the_sandbox_has_the_same_limits(quick_door: Door) -> None:
    with quick_door.knock() as silent, quick_door.knock() as head, quick_door.knock() as body:
        head.send(HALF_HEAD)
        body.send(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1")
        for raw in (silent, head, body):
            eventually(raw.is_closed)


def _drip_until_closed(raw: RawConnection, piece: bytes) -> None:
    eventually(lambda: _dripped(raw, piece))


def _dripped(raw: RawConnection, piece: bytes) -> bool:
    """Send a little more, and tell whether the connection is closed."""
    try:
        raw.send(piece)
    except OSError:
        raw.is_closed()
        return True
    return raw.is_closed()


def _open_connections(running: RunningService) -> int:
    return int(running.service.metrics.registry.get_sample_value("socialgate_connections") or 0)


def _in_flight(running: RunningService) -> int:
    return int(running.service.metrics.registry.get_sample_value("socialgate_http_requests_in_flight") or 0)


def _long_head(name: str) -> bytes:
    return f"POST /{name} HTTP/1.1\r\nHost: x\r\nContent-Length: {LONG}\r\n".encode()


def _sending(raw: RawConnection, size: int) -> Thread:
    thread = Thread(target=raw.send, args=(b"a" * size,), daemon=True)
    thread.start()
    return thread


class _SlowReader:
    """An application that reads the body of a request when it is told to, and then counts it."""

    def __init__(self, connections: ConnectionRegistry, port: int) -> None:
        self.port = port
        self._connections = connections
        self._arrived: set[str] = set()
        self._released: set[str] = set()

    def let_wait(self) -> None:
        """Let all three wait for longer than a body may take, by the clock of the server."""
        eventually(lambda: len(self._arrived) == 3)
        until = self._connections.now + 3 * QUICK.body_seconds
        eventually(lambda: self._connections.now > until)

    def release(self, name: str) -> None:
        self._released.add(f"/{name}")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        self._arrived.add(scope["path"])
        while scope["path"] not in self._released:  # noqa: ASYNC110 - it is another thread that ends it
            await asyncio.sleep(0.01)
        size, more = 0, True
        while more:
            message = await receive()
            size, more = size + len(message["body"]), message["more_body"]
        length = [(b"content-length", str(len(str(size))).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": length})
        await send({"type": "http.response.body", "body": str(size).encode()})


@contextmanager
def _slow_reader() -> Iterator[_SlowReader]:
    connections = ConnectionRegistry(QUICK)
    with socket.create_server(("127.0.0.1", 0)) as port:
        application = _SlowReader(connections, port.getsockname()[1])
        protocol = build_protocol_class(connections, ProblemRenderer(""))
        server = uvicorn.Server(uvicorn.Config(application, http=protocol, lifespan="off", log_config=None))
        thread = Thread(target=server.run, kwargs={"sockets": [port]}, daemon=True)
        thread.start()
        eventually(lambda: server.started)
        try:
            yield application
        finally:
            server.should_exit = True
            thread.join(60)


@contextmanager
def _standing_still(running: RunningService) -> Iterator[None]:
    stands, goes_on = Event(), Event()

    async def stand() -> None:
        stands.set()
        goes_on.wait(60)

    standing = asyncio.run_coroutine_threadsafe(stand(), running._loop)
    assert stands.wait(60)
    try:
        yield
    finally:
        goes_on.set()
        standing.result(60)
