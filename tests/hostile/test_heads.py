"""The head of a request: what is too long or too much is refused before any of it is kept or believed."""

import os

import pytest

from hostile.conftest import Door
from support.memory import MIB, monitor_memory
from support.raw import RawConnection
from support.service import OwnerFixture, RunningService

END = b"\r\n"
LIMIT = 64 * 1024


def test_a_head_within_the_limits_is_read(client: Door) -> None:
    with client.knock() as raw:
        assert raw.send(client.head("X: " + "a" * 60_000), END).answer().status == client.status
        # With the host there are a hundred.
        assert raw.send(client.head(*(f"X-{number}: 1" for number in range(99))), END).answer().status == client.status


@pytest.mark.parametrize(
    "lines",
    [["X: " + "a" * LIMIT], [f"X-{number}: 1" for number in range(100)], [f"X: {'a' * 3000}" for _ in range(30)]],
    ids=["one long value", "101 headers", "many long values"],
)
def test_a_head_beyond_them_is_refused(client: Door, lines: list[str]) -> None:
    with client.knock() as raw:
        raw.send(client.head(*lines), END).answer().problem(431, "head_too_large", client.path)
        assert raw.socket.recv(1) == b""


def test_a_request_line_beyond_them_is_refused(client: Door) -> None:
    with client.knock() as raw:
        answer = raw.send(client.head(path="/" + "a" * LIMIT), END).answer()
        answer.problem(431, "head_too_large", "/")


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        (b"GET / HTTP/1.1\r\nX: ", b"a" * LIMIT),
        (b"GET /", b"a" * LIMIT),
        (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * 10_000),
        (b"", b"\r\n" * 32_768),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;", b"a" * LIMIT),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"a" * LIMIT),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 10_000),
    ],
    ids=["value", "target", "headers", "empty lines", "chunk extension", "trailer", "trailers"],
)
def test_what_never_ends_is_cut_off_and_costs_no_memory(client: Door, before: bytes, piece: bytes) -> None:
    with monitor_memory(os.getpid()) as (process,):
        at_first = process.peak
        with client.knock() as raw:
            sent = raw.send(before).flood(piece, 200 * MIB)
        # Most of it is what the sockets hold on the way.
        assert sent < 32 * MIB
        assert process.peak - at_first < 24


def test_a_long_head_that_follows_another_request_is_refused(guarded: RunningService) -> None:
    request = b"GET /health HTTP/1.1\r\nHost: x\r\n"
    with RawConnection(guarded.settings.port) as raw:
        raw.send(request + END + request + b"X: " + b"a" * LIMIT)
        assert raw.answer().status == 200
        raw.send(b"a" * LIMIT + END + END).answer().problem(431, "head_too_large", "/health")


def test_a_failure_is_never_taken_for_the_answer_to_another_request(
    quick: RunningService, quick_owner: OwnerFixture
) -> None:
    """The first request is still being answered: the second, which is broken, can only end the connection."""
    stream = f"GET /events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {quick_owner.session_token}\r\n\r\n"
    with RawConnection(quick.settings.port) as raw:
        raw.send(stream.encode())
        raw.socket.recv(12)
        raw.send(b"nonsense\r\n\r\n")
        rest = b""
        try:
            while more := raw.socket.recv(65536):
                rest += more
        except ConnectionResetError:
            pass
        assert b"400" not in rest


def test_requests_sent_ahead_are_limited(guarded: RunningService) -> None:
    with RawConnection(guarded.settings.port) as raw:
        raw.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        assert [raw.answer().status for _ in range(50)] == [200] * 50
    with RawConnection(guarded.settings.port) as raw:
        raw.flood(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 2000, 70_000)
        with pytest.raises(ConnectionResetError):
            [raw.answer() for _ in range(2000)]


def test_a_trailer_is_no_header(guarded: RunningService, guarded_owner: OwnerFixture) -> None:
    """The second request waits for the first, so that its trailer is there before anybody has read its headers."""
    trailer = f"Authorization: Bearer {guarded_owner.session_token}"
    request = (
        b"GET /auth/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + trailer.encode() + END + END
    )
    with RawConnection(guarded.settings.port) as raw:
        raw.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" + request)
        assert [raw.answer().status for _ in range(2)] == [200, 401]


CHUNKED = b"Transfer-Encoding: chunked\r\n"
HEAD = b"POST /auth/login HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    "request_bytes",
    [
        HEAD + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        HEAD + b"Content-Length: 5, 5\r\n\r\nhello",
        HEAD + b"Content-Length: +5\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: gzip\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        HEAD.replace(b"1.1", b"1.0") + CHUNKED + b"\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\n0x5\r\nhello\r\n0\r\n\r\n",
        HEAD + CHUNKED + b"\r\nFFFFFFFFFFFFFFFFF\r\n",
        HEAD + CHUNKED + b"\r\n5;a\nb\r\nhello\r\n0\r\n\r\n",
        HEAD + b"X: a\r\n b\r\n\r\n",
        HEAD + b"X: a\rb\r\n\r\n",
        HEAD + b"X: a\0b\r\n\r\n",
        b"GET /auth/login HTTP/1.1\nHost: x\n\n",
        b"GET /auth/login HTTP/1.1\r\n\r\n",
        b"GET /auth/login HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /auth/login HTTP/2.0\r\nHost: a\r\n\r\n",
        b"GET /auth/login\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n",
        HEAD + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
    ],
)
def test_what_a_proxy_might_read_otherwise_is_refused(guarded: RunningService, request_bytes: bytes) -> None:
    with RawConnection(guarded.settings.port) as raw:
        answer = raw.send(request_bytes + b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").answer()
        answer.problem(400, "malformed_request", path if (path := request_bytes.split()[1].decode())[0] == "/" else "/")
        assert raw.socket.recv(1) == b""


def test_nothing_is_read_after_a_request_that_would_change_the_protocol(guarded: RunningService) -> None:
    with RawConnection(guarded.settings.port) as raw:
        raw.send(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")
        raw.flood(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 1)
        assert raw.answer().status == 200
        with pytest.raises(ConnectionResetError):
            raw.answer()
