"""Event streams and uploads that stay open: an owner gets some of them, and never those of everybody else."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, islice

import pytest

from socialgate.areas.hooks.event_feed import MAX_STREAMS_PER_CREDENTIAL, MAX_STREAMS_PER_OWNER
from socialgate.web.upload_limiter import MAX_UPLOADS_PER_OWNER
from support.raw import RawConnection
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

# With this many connections there are eight streams and four uploads.
FEW = 16
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
FORM = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
# Each announces more than it will send, and has the service say when it wants to read it.
UPLOADS = {
    "plain": ("POST /upload", "Content-Type: application/octet-stream"),
    "form": ("POST /upload", "Content-Type: multipart/form-data; boundary=b"),
    "chunk": ("PATCH {chunked}", "Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0"),
    "with a key": ("POST /upload", "Content-Type: application/octet-stream\r\nIdempotency-Key: {number}"),
}
OTHERS = {"products": ("POST /commerce/products/batch?catalogId=1", "Content-Type: text/csv")}
SIZE = 5000


class Sender:
    """Begins uploads of an owner, with two credentials in turn."""

    def __init__(self, owner: OwnerFixture, stack: ExitStack) -> None:
        self.port = owner.running.settings.port
        self._keys = [owner.session_token, owner.key_value()]
        self._stack = stack
        self._number = 0
        begun = owner.session.post("/uploads", headers={"Upload-Length": str(SIZE)})
        self._chunked = begun.headers["location"]

    def begin(self, kind: str = "plain", size: int = SIZE) -> RawConnection:
        self._number += 1
        line, headers = {**UPLOADS, **OTHERS}[kind]
        line = line.format(chunked=self._chunked)
        headers = headers.format(number=self._number)
        key = self._keys[self._number % 2]
        head = f"{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{headers}\r\n"
        raw = self._stack.enter_context(RawConnection(self.port))
        return raw.send(f"{head}Content-Length: {size}\r\nExpect: 100-continue\r\n\r\n".encode())

    def begun(self, kind: str = "plain", size: int = SIZE) -> RawConnection:
        """Begin one, and wait until the service reads it."""
        raw = self.begin(kind, size)
        assert raw.answer().status == 100
        return raw.send(FORM if kind == "form" else b"a")

    def fill(self) -> list[RawConnection]:
        """Begin as many as an owner may have, of all kinds."""
        return [self.begun(kind) for kind in islice(cycle(UPLOADS), MAX_UPLOADS_PER_OWNER)]

    def room(self) -> int:
        """Count how many more are let in, and break them off."""
        with ExitStack() as stack:
            for number in range(MAX_UPLOADS_PER_OWNER + 1):
                if stack.enter_context(self.begin()).answer().status != 100:
                    return number
        raise AssertionError("there is no limit")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), sandbox=False, connections=FEW) as running:
        running.transport.close()
        yield running


def test_an_owner_with_many_keys_has_fifty_streams_and_others_have_theirs(
    guarded: RunningService, stack: ExitStack
) -> None:
    owner, other = guarded.new_owner(), guarded.new_owner()
    port = guarded.settings.port
    keys = [owner.key_value(permission="read") for _ in range(MAX_STREAMS_PER_OWNER // MAX_STREAMS_PER_CREDENTIAL + 1)]
    streams = [_stream(stack, port, key) for key in keys[:-1] for _ in range(MAX_STREAMS_PER_CREDENTIAL)]
    assert len(streams) == MAX_STREAMS_PER_OWNER
    with RawConnection(port).send(_asks_for_stream(keys[-1])) as late:
        problem = late.answer().problem(429, "too_many_streams", "/events/stream")
    assert problem["retryAfter"] > 0
    assert problem["detail"] == "This owner has 50 event streams open. Close one, or read GET /events instead."
    _stream(stack, port, other.session_token)
    streams[0].socket.close()
    eventually(lambda: _is_streamed(port, keys[-1]))


def test_all_streams_together_leave_half_of_the_connections(small: RunningService, stack: ExitStack) -> None:
    owners = [small.new_owner() for _ in range(FEW // 2 + 1)]
    port = small.settings.port
    streams = [_stream(stack, port, owner.session_token) for owner in owners[1:]]
    for _ in range(FEW):
        with RawConnection(port).send(_asks_for_stream(owners[0].session_token)) as late:
            problem = late.answer().problem(503, "too_many_connections", "/events/stream")
            assert problem["retryAfter"] > 0
            assert "GET /events instead" in problem["detail"]
        with RawConnection(port) as another:
            assert another.send(HEALTH).answer().status == 200
    streams[0].socket.close()
    eventually(lambda: _is_streamed(port, owners[0].session_token))


def test_an_owner_has_twenty_uploads_in_progress_and_others_have_theirs(
    guarded: RunningService, stack: ExitStack
) -> None:
    sender, other = Sender(guarded.new_owner(), stack), Sender(guarded.new_owner(), stack)
    raws = sender.fill()
    for kind, (line, _) in {**UPLOADS, **OTHERS}.items():
        # Without a hundred before it: nothing of the body was read.
        refused = sender.begin(kind).answer()
        path = line.split()[1].partition("?")[0].format(chunked=sender._chunked)
        problem = refused.problem(429, "too_many_uploads", path)
        assert problem["retryAfter"] > 0
        assert problem["detail"].startswith("This owner has 20 uploads in progress. Wait until one is done")
    finished = other.begun(size=2)
    assert finished.send(b"b").answer().status == 201
    with RawConnection(sender.port) as another:
        assert another.send(HEALTH).answer().status == 200
    assert raws[0].send(b"a" * (SIZE - 1)).answer().status == 201
    sender.begun()
    assert sender.begin().answer().status == 429


def test_the_page_for_uploads_shows_that_there_are_too_many(guarded: RunningService, stack: ExitStack) -> None:
    owner = guarded.new_owner()
    sender = Sender(owner, stack)
    sender.fill()
    cookie = f"Cookie: sg_session={owner.session_token}\r\nSec-Fetch-Site: same-origin"
    form = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000"
    with RawConnection(sender.port) as raw:
        raw.send(f"POST /console/media HTTP/1.1\r\nHost: x\r\n{cookie}\r\n{form}\r\n\r\n".encode())
        shown = raw.answer()
    assert shown.status == 429
    assert b"This owner has 20 uploads in progress." in shown.body


def test_uploads_that_break_off_make_room(guarded: RunningService, stack: ExitStack) -> None:
    sender = Sender(guarded.new_owner(), stack)
    for raw in sender.fill():
        raw.socket.close()
    eventually(lambda: sender.room() == MAX_UPLOADS_PER_OWNER)


def test_uploads_that_fail_make_room(guarded: RunningService, stack: ExitStack) -> None:
    sender = Sender(guarded.new_owner(), stack)
    for _ in range(MAX_UPLOADS_PER_OWNER):
        # A form that is none is an error as soon as it is read.
        raw = sender.begin("form").send(b"x" * SIZE)
        assert [raw.answer().status, raw.answer().status] == [100, 400]
    eventually(lambda: sender.room() == MAX_UPLOADS_PER_OWNER)


def test_uploads_that_are_too_slow_make_room(quick: RunningService, stack: ExitStack) -> None:
    sender = Sender(quick.new_owner(), stack)
    raws = [sender.begin() for _ in range(MAX_UPLOADS_PER_OWNER)]
    assert {(raw.answer().status, raw.answer().status) for raw in raws} == {(100, 408)}
    # How many more there is room for cannot be counted here: on a busy machine the first is too slow before the last.
    for _ in range(MAX_UPLOADS_PER_OWNER):
        eventually(lambda: sender.begin().answer().status == 100)


def test_all_uploads_together_leave_room_for_requests(small: RunningService, stack: ExitStack) -> None:
    senders = [Sender(small.new_owner(), stack) for _ in range(FEW // 4 + 1)]
    small.transport.close()
    late, *others = senders
    raws = [sender.begun() for sender in others]
    for _ in range(FEW):
        with late.begin() as refused:
            problem = refused.answer().problem(503, "too_many_connections", "/upload")
            assert problem["retryAfter"] > 0
        with RawConnection(late.port) as another:
            assert another.send(HEALTH).answer().status == 200
    raws[0].socket.close()
    eventually(lambda: late.room() == 1)


def _asks_for_stream(token: str) -> bytes:
    return f"GET /events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def _stream(stack: ExitStack, port: int, token: str) -> RawConnection:
    raw = stack.enter_context(RawConnection(port)).send(_asks_for_stream(token))
    assert raw.socket.recv(12) == b"HTTP/1.1 200"
    return raw


def _is_streamed(port: int, token: str) -> bool:
    with RawConnection(port).send(_asks_for_stream(token)) as raw:
        return raw.socket.recv(12) == b"HTTP/1.1 200"
