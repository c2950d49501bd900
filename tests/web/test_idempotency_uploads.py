"""`Idempotency-Key` on files, which are hashed on their way in and never held."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.areas.media import store
from socialgate.core.db import Tx
from socialgate.web.fingerprint import StreamingFingerprint
from socialgate.web.idempotency import idempotency_keys
from support.database import rows
from support.problems import problem_of
from support.service import OwnerFixture
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

REPLAYED = "idempotent-replayed"
FILE, OTHER_FILE = b"the first file", b"another file.."
FORM = {"file": ("loaf.txt", FILE, "text/plain")}
GIBIBYTE = 1024**3


def send(owner: OwnerFixture, body: bytes = FILE, key: str = "k", **params: str) -> httpx.Response:
    headers = {"Idempotency-Key": key, "Content-Type": "application/octet-stream"}
    return owner.session.post("/upload", content=body, params=params, headers=headers)


def send_form(owner: OwnerFixture, files: Any = None, **fields: str) -> httpx.Response:
    """Send a form. The client makes up a boundary for each."""
    return owner.session.post("/upload", data=fields, files=files or FORM, headers={"Idempotency-Key": "k"})


def form_of(boundary: str, files: Any) -> bytes:
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return httpx.Request("POST", "http://x", files=files, headers=headers).read()


def made(owner: OwnerFixture) -> int:
    async def count(tx: Tx) -> int:
        return len(await tx.all(store.media.select().where(store.media.c.owner_id == owner.id)))

    return int(owner.running.read(count))


def files_of(owner: OwnerFixture) -> int:
    folder = owner.running.settings.data_dir / "media" / owner.id
    return sum(path.is_file() for path in folder.rglob("*"))


def claims_of(owner: OwnerFixture) -> list[Any]:
    return rows(owner.running, idempotency_keys.select().where(idempotency_keys.c.owner_id == owner.id))


@contextmanager
def half_sent(owner: OwnerFixture, length: int, body: bytes) -> Iterator[socket.socket]:
    """Announce a body, send a part of it, and keep the connection open for as long as the context lasts."""
    address = urlsplit(owner.running.address)
    head = (
        f"POST /upload HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {owner.session_token}\r\n"
        f"Idempotency-Key: k\r\nContent-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        yield connection


def status_of(connection: socket.socket) -> int:
    answer = b""
    while b"\r\n" not in answer:
        answer += connection.recv(4096)
    return int(answer.split()[1])


def test_the_same_file_again_is_answered_as_the_first_time(owner: OwnerFixture) -> None:
    first, again = send(owner), send(owner)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert (first.headers.get(REPLAYED), again.headers.get(REPLAYED)) == (None, "true")
    assert (made(owner), files_of(owner)) == (1, 1)


def test_another_file_of_the_same_size_under_the_same_key_is_refused(owner: OwnerFixture) -> None:
    assert len(FILE) == len(OTHER_FILE)
    assert send(owner).status_code == 201
    problem_of(send(owner, OTHER_FILE), 422, "idempotency_key_reused")
    assert (made(owner), files_of(owner)) == (1, 1)


@pytest.mark.one_engine
def test_a_large_file_that_differs_in_its_last_byte_is_another_file(owner: OwnerFixture) -> None:
    body = bytes(4 * 1024 * 1024)
    assert send(owner, body).status_code == 201
    problem_of(send(owner, body[:-1] + b"x"), 422, "idempotency_key_reused")
    assert send(owner, body).headers[REPLAYED] == "true"


def test_other_parameters_under_the_same_key_are_refused(owner: OwnerFixture) -> None:
    assert send(owner, fileName="a.txt").status_code == 201
    problem_of(send(owner, fileName="b.txt"), 422, "idempotency_key_reused")


@pytest.mark.one_engine
def test_a_form_is_the_same_with_another_boundary(owner: OwnerFixture) -> None:
    first, again = send_form(owner, note="x"), send_form(owner, note="x")
    boundaries = {answer.request.headers["content-type"] for answer in (first, again)}
    assert len(boundaries) == 2
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers[REPLAYED] == "true"
    assert made(owner) == 1


@pytest.mark.parametrize(
    ("files", "fields"),
    [
        ({"file": ("loaf.txt", OTHER_FILE, "text/plain")}, {"note": "x"}),
        ({"file": ("bread.txt", FILE, "text/plain")}, {"note": "x"}),
        ({"file": ("loaf.txt", FILE, "text/csv")}, {"note": "x"}),
        (FORM, {"note": "y"}),
        (FORM, {"mark": "x"}),
        (FORM, {}),
    ],
    ids=["bytes", "file name", "type", "value of a field", "name of a field", "a field less"],
)
@pytest.mark.one_engine
def test_a_form_that_says_something_else_is_another_form(
    owner: OwnerFixture, files: Any, fields: dict[str, str]
) -> None:
    assert send_form(owner, note="x").status_code == 201
    problem_of(send_form(owner, files, **fields), 422, "idempotency_key_reused")
    assert made(owner) == 1


@pytest.mark.one_engine
def test_a_form_that_cannot_be_read_is_no_repetition(owner: OwnerFixture) -> None:
    assert send_form(owner).status_code == 201
    cut = form_of("xyz", [("file", FORM["file"])])[:-10]
    headers = {"Idempotency-Key": "k", "Content-Type": "multipart/form-data; boundary=xyz"}
    broken = owner.session.post("/upload", content=cut, headers=headers)
    problem_of(broken, 422, "idempotency_key_reused")


def test_a_file_that_is_still_coming_is_409_and_nothing_of_the_second_is_waited_for(owner: OwnerFixture) -> None:
    with half_sent(owner, len(FILE), FILE[:3]) as first:
        eventually(lambda: claims_of(owner))
        with half_sent(owner, GIBIBYTE, b"some") as second:
            assert status_of(second) == 409
        first.sendall(FILE[3:])
        assert status_of(first) == 201
    assert send(owner).headers[REPLAYED] == "true"
    assert made(owner) == 1


def test_a_connection_that_breaks_leaves_the_key_free(owner: OwnerFixture) -> None:
    with half_sent(owner, len(FILE), FILE[:3]):
        eventually(lambda: claims_of(owner))
    eventually(lambda: not claims_of(owner))
    answer = send(owner, OTHER_FILE)
    assert answer.status_code == 201
    assert REPLAYED not in answer.headers


def test_a_refusal_before_the_file_was_read_is_not_kept(owner: OwnerFixture) -> None:
    problem_of(send(owner, profileId="prf_01h455vb4pex5vsknk084sn02q"), 404, "not_found")
    assert send(owner, OTHER_FILE, profileId=owner.profile_id).status_code == 201


@pytest.mark.one_engine
def test_a_refusal_of_the_file_itself_is_kept(owner: OwnerFixture) -> None:
    broken = b"\x89PNG\r\n\x1a\n and then no picture"
    first, again = send(owner, broken), send(owner, broken)
    problem_of(again, 422, "unreadable_media")
    assert first.content == again.content
    assert again.headers[REPLAYED] == "true"
    problem_of(send(owner), 422, "idempotency_key_reused")
    assert made(owner) == 0


def digest_of(content_type: str, chunks: list[bytes]) -> bytes | None:
    """Hash a body that comes in these chunks."""
    coming = iter([{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks])
    end = {"type": "http.request", "body": b"", "more_body": False}

    async def receive() -> Any:
        return next(coming, end)

    async def run() -> bytes | None:
        scope: Any = {"headers": [(b"content-type", content_type.encode())], "query_string": b""}
        fingerprint = StreamingFingerprint(scope, receive)
        for _ in range(len(chunks) + 1):
            assert fingerprint.digest is None
            await fingerprint.receive()
        return fingerprint.digest

    return asyncio.run(run())


@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data(), files=st.lists(st.tuples(st.text(max_size=5), st.binary(max_size=40)), min_size=1, max_size=3))
def test_neither_the_boundary_nor_the_chunks_change_the_hash_of_a_form(
    data: st.DataObject, files: list[tuple[str, bytes]]
) -> None:
    seen = set()
    for _ in range(2):
        boundary = data.draw(st.text("abc", min_size=20, max_size=30))
        fields = [("file", (name, content)) for name, content in files]
        request = httpx.Request(
            "POST", "http://x", files=fields, headers={"content-type": f"multipart/form-data; boundary={boundary}"}
        )
        whole = request.read()
        cuts = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1), max_size=6)))
        chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
        seen.add(digest_of(f"multipart/form-data; boundary={boundary}", chunks))
    assert len(seen) == 1
