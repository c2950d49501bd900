"""Large texts are compressed for those who accept it; small ones, streams, files and what a cookie opened are not."""

import gzip
import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.web.compression import MIN_COMPRESSED_BYTES, _accepts_gzip
from support.service import OwnerFixture, RunningService

DOCUMENTS = ("/openapi.json", "/llms-full.txt", "/docs")


def raw(client: httpx.Client, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Ask without letting the client decode what comes."""
    with client.stream("GET", path, headers={"Accept-Encoding": "gzip", **headers}) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.fixture(scope="module")
def rich(service: RunningService) -> OwnerFixture:
    """An owner whose list of profiles is long."""
    owner = service.new_owner()
    for number in range(120):
        owner.new_profile(f"{number} {'x' * 90}")
    return owner


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_documentation_is_compressed(service: RunningService, path: str) -> None:
    answer, body = raw(service.client(), path)
    assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
    assert int(answer.headers["content-length"]) == len(body)
    assert "Accept-Encoding" in answer.headers["vary"]
    plain, text = raw(service.client(), path, **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == answer.headers["vary"]
    assert gzip.decompress(body) == text
    assert len(body) < len(text) / 4
    # Kept, so that it is the same for everybody.
    assert raw(service.client(), path)[1] == body


def test_a_long_list_is_compressed_for_a_key(rich: OwnerFixture) -> None:
    answer, body = raw(rich.key(), "/profiles?limit=100")
    assert answer.headers["content-encoding"] == "gzip"
    listed = json.loads(gzip.decompress(body))
    assert len(listed["data"]) == 100
    assert listed == rich.session.get("/profiles?limit=100", headers={"Accept-Encoding": "identity"}).json()


def test_what_a_cookie_opens_is_not_compressed(rich: OwnerFixture) -> None:
    client = rich.running.client(cookies={"sg_session": rich.session_token})
    answer, body = raw(client, "/profiles?limit=100")
    assert answer.status_code == 200
    assert len(body) > MIN_COMPRESSED_BYTES
    assert "content-encoding" not in answer.headers


def test_what_is_small_is_not_compressed(owner: OwnerFixture) -> None:
    for path in ("/profiles", "/health"):
        answer, _ = raw(owner.session, path)
        assert not {"content-encoding", "vary"} & answer.headers.keys()


def test_files_are_not_compressed(owner: OwnerFixture) -> None:
    item = owner.session.post("/upload", content=b"a,b\n" * 20_000).json()
    answer, body = raw(owner.session, item["url"])
    assert answer.status_code == 200
    assert len(body) == 80_000
    assert "content-encoding" not in answer.headers


def test_a_stream_begins_at_once(owner: OwnerFixture) -> None:
    with owner.session.stream("GET", "/events/stream", headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.status_code == 200
        assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("deflate, GZIP;q=0.5, br", True),
        ("gzip;q=1.000", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("deflate, br", False),
        ("", False),
        ("x-gzip-not", False),
    ],
)
def test_who_accepts_it(header: str, accepted: bool) -> None:
    assert _accepts_gzip([(b"accept-encoding", header.encode())]) is accepted


@given(st.binary())
def test_any_header_is_read(header: bytes) -> None:
    assert _accepts_gzip([(b"host", b"x"), (b"accept-encoding", header)]) in {True, False}
