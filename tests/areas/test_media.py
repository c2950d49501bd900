"""Files: taken in whole or in pieces, known by their bytes, fetched by their address, gone when nothing uses them."""

import hashlib
import socket
import struct
import zlib
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image

from socialgate.areas.media import store
from socialgate.areas.media.purging import MediaPurge
from socialgate.areas.media.signing import MediaUrlSigner
from support.conversions import film as encode_film
from support.problems import fault_of, problem_of
from support.publishing import Files
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

MEBIBYTE = 1024 * 1024
PIECE = "application/offset+octet-stream"


def picture(form: str = "PNG", orientation: int = 1) -> bytes:
    bytes_io, exif = BytesIO(), Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", (64, 48), "teal").save(bytes_io, form, exif=exif)
    return bytes_io.getvalue()


def film(seconds: float = 1) -> bytes:
    files = Files("")
    return files.stored[files.video(seconds).id][0]


def noise(size: int) -> bytes:
    return hashlib.shake_128(b"noise").digest(size)


def uploaded(owner: OwnerFixture, body: bytes, **params: str) -> dict[str, Any]:
    answer = owner.session.post("/upload", content=body, params=params)
    assert answer.status_code == 201, answer.text
    item: dict[str, Any] = answer.json()
    return item


def stored(owner: OwnerFixture) -> list[Path]:
    """List the files that lie in the storage for an owner, those that are not complete as well."""
    return [path for path in (owner.running.settings.data_dir / "media" / owner.id).rglob("*") if path.is_file()]


@contextmanager
def half_sent(
    owner: OwnerFixture, method: str, path: str, length: int, body: bytes, **headers: str
) -> Iterator[socket.socket]:
    """Announce a body, send some of it, and keep the connection open for as long as the context lasts."""
    address = urlsplit(owner.running.address)
    lines = {"Host": address.netloc, "Authorization": f"Bearer {owner.session_token}", **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in {**lines, "Content-Length": str(length)}.items())
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=60) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        yield connection


def as_body(owner: OwnerFixture, body: bytes, kind: str) -> httpx.Response:
    headers = {"Content-Type": kind}
    return owner.session.post("/upload", content=body, params={"fileName": "clip.mp4"}, headers=headers)


def as_form(owner: OwnerFixture, body: bytes, kind: str) -> httpx.Response:
    return owner.session.post("/upload", data={"note": "first"}, files={"file": ("clip.mp4", body, kind)})


@pytest.mark.parametrize("send", [as_body, as_form])
def test_a_file_is_known_by_its_bytes_and_not_by_what_is_said_of_it(
    send: Callable[[OwnerFixture, bytes, str], httpx.Response], owner: OwnerFixture
) -> None:
    body = picture()
    answer = send(owner, body, "video/mp4")
    assert answer.status_code == 201, answer.text
    item = answer.json()
    assert (item["type"], item["mimeType"], item["codec"]) == ("image", "image/png", "PNG")
    assert (item["width"], item["height"], item["duration"]) == (64, 48, None)
    assert (item["size"], item["sha256"]) == (len(body), hashlib.sha256(body).hexdigest())
    assert item["fileName"] == "clip.mp4"
    assert httpx.get(item["url"]).content == body


@pytest.mark.parametrize(("orientation", "size"), [(1, (64, 48)), (6, (48, 64)), (8, (48, 64)), (3, (64, 48))])
def test_the_size_of_a_picture_is_that_which_people_see(
    orientation: int, size: tuple[int, int], owner: OwnerFixture
) -> None:
    for form in ("JPEG", "PNG", "WEBP", "TIFF"):
        item = uploaded(owner, picture(form, orientation))
        assert (item["width"], item["height"]) == size, form


def png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """Make the head of a PNG picture with these chunks, and none of its points."""
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = [(b"IHDR", head), *chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )


def test_a_picture_is_not_unpacked_to_be_looked_at(owner: OwnerFixture) -> None:
    # Its points cannot be unpacked at all.
    item = uploaded(owner, png(9999, 10_000, (b"IDAT", b"no points"), (b"IEND", b"")))
    assert (item["width"], item["height"]) == (9999, 10_000)


@pytest.mark.parametrize("size", [(10_001, 10_000), (13_000, 13_000), (60_000, 60_000)])
def test_a_picture_that_unpacks_to_too_much_is_refused(size: tuple[int, int], owner: OwnerFixture) -> None:
    refused = owner.session.post("/upload", content=png(*size, (b"IDAT", b""), (b"IEND", b"")))
    assert "Make it smaller" in problem_of(refused, 422, "unreadable_media")["detail"]
    assert stored(owner) == []


def test_the_length_and_codec_of_a_film_are_read(owner: OwnerFixture) -> None:
    item = uploaded(owner, film())
    assert (item["type"], item["mimeType"], item["codec"]) == ("video", "video/mp4", "h264")
    assert (item["width"], item["height"]) == (720, 1280)
    assert item["duration"] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid"),
        (b"\x89PNG\r\n\x1a\n" + b"not a picture", "unreadable_media"),
        (picture("JPEG")[:40], "unreadable_media"),
        (picture("PNG")[:-12], "unreadable_media"),
        (b"\x00\x00\x00\x18ftypmp42" + b"not a film", "unreadable_media"),
        (encode_film("mp4", "-movflags", "+faststart")[:-500], "unreadable_media"),
    ],
    ids=["empty", "damaged picture", "cut picture", "cut PNG", "damaged film", "cut film"],
)
def test_what_cannot_be_read_is_refused_and_not_kept(body: bytes, code: str, owner: OwnerFixture) -> None:
    problem_of(owner.session.post("/upload", content=body), 422, code)
    assert stored(owner) == []


def test_a_form_may_name_the_profile_before_the_file(owner: OwnerFixture) -> None:
    other = owner.new_profile()
    files = {"file": ("a.txt", b"text")}
    response = owner.session.post("/upload", data={"profileId": other}, files=files)
    assert response.json()["profileId"] == other
    assert (
        owner.session.post("/upload", data={"profileId": "prf_none"}, files=files).status_code == httpx.codes.NOT_FOUND
    )
    twice = owner.session.post(
        "/upload", params={"profileId": owner.profile_id}, data={"profileId": other}, files=files
    )
    assert fault_of(twice) == ("/profileId", "contradiction")
    limited = owner.limited_key(other)
    refused = limited.post("/upload", data={"profileId": owner.profile_id}, files=files)
    assert refused.status_code == httpx.codes.FORBIDDEN


def test_a_form_must_have_the_file(owner: OwnerFixture) -> None:
    assert fault_of(owner.session.post("/upload", files={"other": ("a.txt", b"text")})) == ("/file", "required")
    broken = owner.session.post("/upload", content=b"no form", headers={"Content-Type": "multipart/form-data"})
    problem_of(broken, 400)
    unended = {"Content-Type": "multipart/form-data; boundary=x"}
    problem_of(owner.session.post("/upload", content=b"--x\r\nnonsense", headers=unended), 400)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"--x\r\nnonsense", "cannot be parsed: Unexpected end"),
        (
            b'--x\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n',
            "cannot be parsed: Segment header failed to decode.",
        ),
        (b"--x\r\nA: " + b"a" * 5000, "more than 4096 bytes"),
        (b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n" * 11, "more than 10 parts"),
    ],
    ids=["unended", "no text", "long head", "many parts"],
)
def test_a_form_that_cannot_be_read_is_told_in_words(body: bytes, words: str, owner: OwnerFixture) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    detail = problem_of(owner.session.post("/upload", content=body, headers=headers), 400)["detail"]
    assert words in detail
    assert "Error(" not in detail


def test_a_form_has_one_file(owner: OwnerFixture) -> None:
    files = [("file", ("a.jpg", b"a")), ("file", ("b.jpg", b"b"))]
    assert fault_of(owner.session.post("/upload", files=files)) == ("/file", "duplicate")


def test_a_file_that_is_announced_as_too_large_is_refused_before_it_comes(owner: OwnerFixture) -> None:
    too_large = 5 * 1024**3 + 1
    with half_sent(owner, "POST", "/upload", too_large, b"") as connection:
        assert connection.recv(20).startswith(b"HTTP/1.1 413 ")
    begun = owner.session.post("/uploads", headers={"Upload-Length": str(too_large)})
    problem_of(begun, 413, "body_too_large")


def test_a_client_that_leaves_early_leaves_nothing(owner: OwnerFixture) -> None:
    body = noise(12 * MEBIBYTE)
    with half_sent(owner, "POST", "/upload", 2 * len(body), body):
        eventually(lambda: stored(owner))
    eventually(lambda: not stored(owner))


@pytest.mark.parametrize(
    ("range_header", "status", "start", "end"),
    [
        (None, 200, 0, 1000),
        ("bytes=0-9", 206, 0, 10),
        ("bytes=990-", 206, 990, 1000),
        ("bytes=-10", 206, 990, 1000),
        ("bytes=900-5000", 206, 900, 1000),
        ("bytes=-5000", 200, 0, 1000),
        ("pages=1-2", 200, 0, 1000),
        ("bytes=0-1,5-6", 200, 0, 1000),
        ("bytes=" + "9" * 5000 + "-", 200, 0, 1000),
    ],
)
def test_a_file_is_fetched_whole_or_in_part(
    range_header: str | None, status: int, start: int, end: int, owner: OwnerFixture
) -> None:
    body = noise(1000)
    answer = httpx.get(uploaded(owner, body)["url"], headers={"Range": range_header} if range_header else {})
    assert (answer.status_code, answer.content) == (status, body[start:end])
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers.get("content-range") == (f"bytes {start}-{end - 1}/1000" if status == 206 else None)


@pytest.mark.parametrize("range_header", ["bytes=1000-", "bytes=5000-6000", "bytes=-0"])
def test_a_part_that_the_file_does_not_have_is_416(range_header: str, owner: OwnerFixture) -> None:
    answer = httpx.get(uploaded(owner, noise(1000))["url"], headers={"Range": range_header})
    assert (answer.status_code, answer.content) == (416, b"")
    assert answer.headers["content-range"] == "bytes */1000"


def test_the_head_of_a_file_is_that_of_its_answer(owner: OwnerFixture) -> None:
    url = uploaded(owner, picture())["url"]
    head, whole = httpx.head(url), httpx.get(url)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "accept-ranges", "content-security-policy"):
        assert head.headers[name] == whole.headers[name]
    assert whole.headers["content-type"] == "image/png"


def test_only_the_signed_address_opens_a_file(owner: OwnerFixture) -> None:
    item = uploaded(owner, b"text")
    urls = MediaUrlSigner(owner.running.service.keyring, owner.running.url)
    now = datetime.now(UTC)
    opening = urls.build_url(item["id"], now + timedelta(minutes=1))
    assert httpx.get(opening).content == b"text"
    ended = urls.build_url(item["id"], now - timedelta(seconds=1))
    longer = opening.replace("until=", "until=1")
    foreign = opening.replace(item["id"], uploaded(owner, b"other")["id"])
    unknown = urls.build_url("med_01h455vb4pex5vsknk084sn02q", now + timedelta(minutes=1))
    strange = opening.partition("&")[0] + "&signature=%C3%A9"
    for closed in (ended, longer, foreign, unknown, strange):
        for method in ("GET", "HEAD"):
            assert httpx.request(method, closed).status_code == 404, closed


def test_a_file_belongs_to_the_profile_of_a_limited_key(owner: OwnerFixture) -> None:
    second = owner.new_profile()
    item = owner.limited_key(second).post("/upload", content=b"text").json()
    assert item["profileId"] == second
    several = owner.limited_key(owner.profile_id, second).post("/upload", content=b"text")
    assert fault_of(several) == ("?profileId", "required")
    outside = owner.limited_key(second).post("/upload", content=b"text", params={"profileId": owner.profile_id})
    problem_of(outside, 403, "out_of_scope")
    assert uploaded(owner, b"text")["profileId"] is None


def begun(owner: OwnerFixture, size: int) -> str:
    headers = {"Upload-Length": str(size), "Upload-Metadata": "kind,filename bG9hZi5qcGc=", "Tus-Resumable": "1.0.0"}
    answer = owner.session.post("/uploads", headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


def sent(owner: OwnerFixture, path: str, offset: int, body: bytes) -> httpx.Response:
    return owner.session.patch(path, content=body, headers={"Upload-Offset": str(offset), "Content-Type": PIECE})


def offset_of(owner: OwnerFixture, path: str) -> int:
    answer = owner.session.head(path)
    assert answer.status_code == 200
    return int(answer.headers["upload-offset"])


def test_an_upload_goes_on_where_its_connection_broke(owner: OwnerFixture) -> None:
    body = noise(20 * MEBIBYTE)
    path = begun(owner, len(body))
    headers = {"Upload-Offset": "0", "Content-Type": PIECE}
    with half_sent(owner, "PATCH", path, len(body), body[: 12 * MEBIBYTE], **headers):
        eventually(lambda: offset_of(owner, path))

    def goes_on() -> bool:
        # What came last may be written only now: whoever is told "wrong offset" asks again, as every client does.
        offset = offset_of(owner, path)
        return sent(owner, path, offset, body[offset:]).status_code == 204

    eventually(goes_on)
    state = owner.session.get(path).json()
    assert (state["received"], state["size"]) == (len(body), len(body))
    assert state["media"]["sha256"] == hashlib.sha256(body).hexdigest()
    assert state["media"]["fileName"] == "loaf.jpg"
    assert httpx.get(state["media"]["url"]).content == body
    assert [path.stat().st_size for path in stored(owner)] == [len(body)]


def test_a_piece_must_begin_where_the_last_one_ended(owner: OwnerFixture) -> None:
    path = begun(owner, 10)
    assert sent(owner, path, 0, b"12345").headers["upload-offset"] == "5"
    for offset in (0, 4, 6):
        problem_of(sent(owner, path, offset, b"67890"), 409, "wrong_offset")
    problem_of(sent(owner, path, 5, b"678901"), 413, "body_too_large")
    assert offset_of(owner, path) == 5
    assert owner.session.get(path).json()["media"] is None
    assert sent(owner, path, 5, b"67890").headers["upload-offset"] == "10"
    assert httpx.get(owner.session.get(path).json()["media"]["url"]).content == b"1234567890"


def test_an_upload_that_is_given_up_leaves_nothing(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    path = begun(owner, 10)
    assert sent(owner, path, 0, b"12345").status_code == 204
    problem_of(other_owner.session.delete(path), 404, "not_found")
    assert len(stored(owner)) == 1
    assert owner.session.delete(path).status_code == 200
    assert stored(owner) == []
    assert owner.session.head(path).status_code == 404


def test_an_upload_that_makes_no_file_is_refused_once_and_leaves_nothing(owner: OwnerFixture) -> None:
    body = b"\x89PNG\r\n\x1a\nnot a picture"
    path = begun(owner, len(body))
    assert sent(owner, path, 0, body[:10]).status_code == 204
    problem_of(sent(owner, path, 10, body[10:]), 422, "unreadable_media")
    assert stored(owner) == []
    problem_of(owner.session.get(path), 404, "not_found")
    problem_of(sent(owner, path, len(body), b""), 404, "not_found")


def test_giving_up_an_upload_removes_what_was_joined_of_it(owner: OwnerFixture) -> None:
    path = begun(owner, 10)
    assert sent(owner, path, 0, b"12345").status_code == 204
    upload = owner.running.read(store.find_upload, owner.id, path.rpartition("/")[2])
    # A process that died over the joining leaves the file without a row.
    (stored(owner)[0].parents[1] / upload.media_id).write_bytes(b"12345")
    assert owner.session.delete(path).status_code == 200
    assert stored(owner) == []


def test_giving_up_an_upload_that_is_complete_leaves_its_file(owner: OwnerFixture) -> None:
    path = begun(owner, 5)
    assert sent(owner, path, 0, b"12345").status_code == 204
    item = owner.session.get(path).json()["media"]
    assert owner.session.delete(path).status_code == 200
    assert httpx.get(item["url"]).content == b"12345"


@pytest.mark.parametrize("length", ["", "-1", "0", "1e3", "٣", "9" * 30])
def test_the_length_of_an_upload_is_a_number(length: str, owner: OwnerFixture) -> None:
    answer = owner.session.post("/uploads", headers={b"Upload-Length": length.encode()})
    assert fault_of(answer)[0] == "Upload-Length"


def purge_of(running: RunningService) -> Callable[[], Coroutine[Any, Any, int]]:
    return running.service.container.get(MediaPurge).purge


def test_what_nothing_uses_expires_and_what_something_uses_stays(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        owner = running.new_owner()
        unused, used = uploaded(owner, b"unused"), uploaded(owner, b"used")
        draft = {"profileId": owner.profile_id, "media": [{"mediaId": used["id"]}], "draft": True}
        assert owner.session.post("/posts", json=draft).status_code == 201
        path = begun(owner, 10)
        assert sent(owner, path, 0, b"12345").status_code == 204
        purge = purge_of(running)

        assert running.run(purge()) == 0
        running.clock.offset = timedelta(days=7, minutes=1)
        assert running.run(purge()) == 2
        assert running.run(purge()) == 0
        assert [path.name for path in stored(owner)] == [used["id"]]
        assert httpx.get(unused["url"]).status_code == 404


def test_files_are_listed_to_those_who_may_see_them(owner: OwnerFixture) -> None:
    inside = owner.new_profile("inside")
    mine, general = uploaded(owner, picture(), profileId=inside), uploaded(owner, film())
    listed = owner.session.get("/media").json()["data"]
    assert [item["id"] for item in listed] == [general["id"], mine["id"]]
    assert listed[1] == mine
    only = owner.session.get("/media", params={"type": "image"}).json()["data"]
    assert [item["id"] for item in only] == [mine["id"]]
    limited = owner.limited_key(inside)
    assert [item["id"] for item in limited.get("/media").json()["data"]] == [mine["id"]]
    problem_of(limited.delete(f"/media/{general['id']}"), 404, "not_found")


def test_a_file_is_deleted_with_its_address_unless_a_post_uses_it(owner: OwnerFixture) -> None:
    item = uploaded(owner, picture())
    draft = {"profileId": owner.profile_id, "content": "x", "targets": [], "draft": True}
    post = owner.session.post("/posts", json={**draft, "media": [{"mediaId": item["id"]}]})
    assert post.status_code == 201, post.text
    problem_of(owner.session.delete(f"/media/{item['id']}"), 409, "media_in_use")
    assert owner.session.delete(f"/posts/{post.json()['id']}").status_code == 200
    assert owner.session.delete(f"/media/{item['id']}").json() == {"id": item["id"], "deleted": True}
    assert owner.session.get("/media").json()["data"] == []
    assert owner.session.get(item["url"]).status_code == 404
    problem_of(owner.session.delete(f"/media/{item['id']}"), 404, "not_found")
