"""The page of files: sending one, seeing those that are there, and how far those have come that are on their way."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html import unescape
from io import BytesIO
from urllib.parse import urlsplit

import httpx
import pytest
import sqlalchemy as sa
from PIL import Image

from console.browser import OWN, Browser, location, signed_in
from socialgate.areas.media.store import uploads
from socialgate.console import formatting
from socialgate.core.db import Tx
from support.factories import account_on
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

PAGE = "/console/media"
PROGRESS = "/console/media/progress"
MEBIBYTE = 1024 * 1024
BOUNDARY = "frontier"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
_BAR = re.compile(r'<progress(?: max="(\d+)" value="(\d+)")? aria-label="([^"]+)"')


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (64, 48), "teal").save(bytes_io, "PNG")
    return bytes_io.getvalue()


def send(browser: Browser, body: bytes, name: str = "loaf.png", **fields: str) -> httpx.Response:
    return browser.client.post(PAGE, data=fields, files={"file": (name, body)}, headers=OWN)


class AccountCredentials:
    """A form that is being sent, of which so far only a part was."""

    def __init__(self, connection: socket.socket, rest: bytes) -> None:
        self._connection = connection
        self._rest = rest

    def send_rest(self) -> str:
        """Send what is missing, and give the first line of the answer."""
        self._connection.sendall(self._rest)
        return self._connection.recv(1000).decode().partition("\r\n")[0]


@contextmanager
def held(owner: OwnerFixture, name: str, body: bytes, first: int) -> Iterator[AccountCredentials]:
    """Send a form as a browser does, up to a place in the middle of its file."""
    begin = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    form = begin + body + f"\r\n--{BOUNDARY}--\r\n".encode()
    address = urlsplit(owner.running.address)
    lines = {
        "Host": address.netloc,
        "Cookie": f"sg_session={owner.session_token}",
        "Content-Type": FORM,
        "Content-Length": str(len(form)),
        **OWN,
    }
    head = "".join(f"{key}: {value}\r\n" for key, value in lines.items())
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=60) as connection:
        connection.sendall(f"POST {PAGE} HTTP/1.1\r\n{head}\r\n".encode() + form[: len(begin) + first])
        yield AccountCredentials(connection, form[len(begin) + first :])


def bars(browser: Browser) -> dict[str, float | None]:
    """Read how much of each file has come, as a share; None where its size is not known."""
    answer = browser.get(PROGRESS)
    assert answer.status_code == 200
    return {name: int(came) / int(size) if size else None for size, came, name in _BAR.findall(answer.text)}


async def _upload_ids(tx: Tx, owner_id: str) -> list[str]:
    return [row.id for row in await tx.all(sa.select(uploads.c.id).where(uploads.c.owner_id == owner_id))]


def begin_pieces(owner: OwnerFixture, size: int, came: bytes) -> str:
    """Begin an upload in pieces, and send some of it."""
    headers = {"Upload-Length": str(size), "Upload-Metadata": "filename ZmlsbS5tcDQ="}
    path = str(owner.session.post("/uploads", headers=headers).headers["location"])
    headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    assert owner.session.patch(path, content=came, headers=headers).status_code == 204
    return path


def test_a_file_is_sent_and_shown(browser: Browser) -> None:
    assert "No files yet" in browser.get(PAGE).text
    body = picture()
    assert location(send(browser, body)) == "/console/media"
    text = browser.get("/console/media").text
    assert "The file was uploaded." in text
    assert "loaf.png" in text
    assert f"image/png · {len(body)}\u00a0bytes · 64&nbsp;\u00d7&nbsp;48" in text
    assert "unused, will be deleted" in text
    (shown,) = re.findall(r'<img class="picture" src="([^"]+)"', text)
    assert shown.startswith("/media/med_")
    assert browser.get(unescape(shown)).content == body
    assert f'href="{shown}" title="loaf.png">loaf.png</a>' in text


def test_what_cannot_be_shown_small_has_no_picture(browser: Browser) -> None:
    assert location(send(browser, b"text", "notes.txt"))
    text = browser.get(PAGE).text
    assert "notes.txt" in text
    assert "<img" not in text


def test_the_profile_is_chosen_where_there_are_several(owner: OwnerFixture, browser: Browser) -> None:
    assert 'name="profileId"' not in browser.get(PAGE).text
    bakery = owner.new_profile("Bakery")
    assert f'<option value="{bakery}">Bakery</option>' in browser.get(PAGE).text
    assert location(send(browser, b"text", "a.txt", profileId=bakery))
    assert location(send(browser, b"text", "b.txt", profileId=""))
    text = browser.get(PAGE).text
    assert text.count(" · <bdi>Bakery</bdi></p>") == 1
    strange = send(browser, b"text", "c.txt", profileId="prf_1")
    assert strange.status_code == 404
    assert "There is no profile with this id." in strange.text


@pytest.mark.parametrize(
    ("body", "kind", "status", "sentence"),
    [
        (f"--{BOUNDARY}--\r\n".encode(), FORM, 422, "The form has no file."),
        (b"nonsense", FORM, 400, "The form cannot be parsed"),
        (b"file=x", "application/x-www-form-urlencoded", 400, "Send it as multipart/form-data."),
    ],
)
def test_a_form_that_no_browser_sends_is_refused(
    lasting_owner: OwnerFixture, body: bytes, kind: str, status: int, sentence: str
) -> None:
    answer = signed_in(lasting_owner).client.post(PAGE, content=body, headers={**OWN, "Content-Type": kind})
    assert answer.status_code == status
    assert sentence in answer.text


def test_what_is_wrong_with_a_file_is_said_on_the_page(browser: Browser) -> None:
    empty = send(browser, b"")
    assert (empty.status_code, "The file is empty." in empty.text) == (422, True)
    damaged = send(browser, b"\x89PNG\r\n\x1a\nnot a picture")
    assert damaged.status_code == 422
    assert 'role="alert"' in damaged.text
    assert "No files yet" in browser.get(PAGE).text
    assert "No uploads in progress." in browser.get(PROGRESS).text


def test_long_lists_lead_on(browser: Browser) -> None:
    for number in range(25):
        assert location(send(browser, b"text", f"number {number}.txt"))
    first = browser.get(PAGE).text
    (link,) = re.findall(r'href="(/console/media\?cursor=[^"#]+)', first)
    assert "number 24.txt" in first
    assert "number 0.txt" not in first
    assert "number 0.txt" in browser.get(link).text


def test_how_far_a_file_has_come_is_seen_while_it_is_being_sent(owner: OwnerFixture, browser: Browser) -> None:
    body = b"x" * (12 * MEBIBYTE)
    with held(owner, "film.bin", body, len(body) // 2) as form:
        eventually(lambda: bars(browser).get("film.bin", 0) == pytest.approx(0.5, abs=0.01))
        answer = browser.get(PROGRESS)
        assert "49 % · 6.0\u00a0MiB of 12.0\u00a0MiB" in answer.text
        assert answer.headers["refresh"] == "1; url=/console/media/progress"
        assert "film.bin" not in browser.get(PAGE).text
        assert form.send_rest() == "HTTP/1.1 303 See Other"
    assert bars(browser) == {}
    assert " · 12.0\u00a0MiB</p>" in browser.get(PAGE).text


def test_a_form_that_is_broken_off_is_no_longer_under_way(owner: OwnerFixture, browser: Browser) -> None:
    with held(owner, "film.bin", b"x" * MEBIBYTE, MEBIBYTE // 2):
        eventually(lambda: "film.bin" in bars(browser))
    eventually(lambda: bars(browser) == {})


def test_an_upload_of_the_api_is_seen_also_where_its_size_is_not_known(owner: OwnerFixture, browser: Browser) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"x" * MEBIBYTE
        eventually(lambda: "1.0\u00a0MiB</span>" in browser.get(PROGRESS).text)
        assert bars(browser) == {"sound.bin": None}
        yield b"x"

    assert owner.session.post("/upload", content=chunks(), params={"fileName": "sound.bin"}).status_code == 201
    assert bars(browser) == {}


def test_an_upload_in_pieces_is_seen_until_it_is_complete(
    owner: OwnerFixture, other_owner: OwnerFixture, browser: Browser
) -> None:
    path = begin_pieces(owner, 100, b"x" * 41)
    assert bars(browser) == {"film.mp4": 0.41}
    assert bars(signed_in(other_owner)) == {}
    headers = {"Upload-Offset": "41", "Content-Type": "application/offset+octet-stream"}
    assert owner.session.patch(path, content=b"x" * 59, headers=headers).status_code == 204
    assert bars(browser) == {}


def test_what_comes_whole_cannot_be_gone_on_with(owner: OwnerFixture, browser: Browser) -> None:
    with held(owner, "film.bin", b"x" * MEBIBYTE, MEBIBYTE // 2):
        eventually(lambda: "film.bin" in bars(browser))
        (upload_id,) = owner.running.read(_upload_ids, owner.id)
        assert owner.session.head(f"/uploads/{upload_id}").status_code == 404


def test_pieces_that_make_no_file_are_not_waited_for(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        owner = running.new_owner()
        body = b"\x89PNG\r\n\x1a\nnot a picture"
        path = begin_pieces(owner, len(body), body[:8])
        headers = {"Upload-Offset": "8", "Content-Type": "application/offset+octet-stream"}
        assert owner.session.patch(path, content=body[8:], headers=headers).status_code == 422
        assert "No uploads in progress" in signed_in(owner).get(PROGRESS).text


def test_what_stopped_says_since_when_and_how_it_goes_on(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        owner = running.new_owner()
        browser = signed_in(owner)
        path = begin_pieces(owner, 100, b"x" * 41)
        with held(owner, "film.bin", b"x" * MEBIBYTE, MEBIBYTE // 2):
            eventually(lambda: len(bars(browser)) == 2)
            running.clock.offset = timedelta(minutes=2)
            answer = browser.get(PROGRESS)
            assert answer.text.count("Last data received") == 2
            assert f"--resume {path.rpartition('/')[2]}</code>" in answer.text
            assert answer.headers["refresh"] == "3; url=/console/media/progress?idle=1"
            # A whole one whose process died is not waited for; pieces are, for a day.
            running.clock.offset = timedelta(hours=2)
            assert list(bars(browser)) == ["film.mp4"]
        running.clock.offset = timedelta(days=2)
        assert bars(browser) == {}


def test_the_frame_looks_for_what_begins_but_not_for_ever(lasting_owner: OwnerFixture) -> None:
    browser = signed_in(lasting_owner)
    assert browser.get(PROGRESS).headers["refresh"] == "3; url=/console/media/progress?idle=1"
    assert browser.get(f"{PROGRESS}?idle=199").headers["refresh"].endswith("?idle=200")
    last = browser.get(f"{PROGRESS}?idle=200")
    assert "refresh" not in last.headers
    assert "no longer refreshes" in last.text
    assert browser.get(f"{PROGRESS}?idle=201").status_code == 422


def test_the_frame_alone_may_be_framed_and_shows_its_failures_itself(
    service: RunningService, lasting_owner: OwnerFixture
) -> None:
    browser = signed_in(lasting_owner)
    holder, frame = (browser.get(path).headers["content-security-policy"] for path in (PAGE, PROGRESS))
    assert ("frame-src 'self'" in holder, "frame-ancestors 'none'" in holder) == (True, True)
    assert ("frame-src 'none'" in frame, "frame-ancestors 'self'" in frame) == (True, True)
    trouble = browser.get(f"{PROGRESS}?idle=many")
    assert trouble.headers["refresh"] == "3; url=/console/media/progress"
    signed_out = Browser(service).get(PROGRESS)
    assert (signed_out.status_code, "You are signed out." in signed_out.text) == (401, True)
    for answer in (trouble, signed_out):
        assert answer.headers["content-security-policy"] == frame


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (5 * 1024**3, "5.0 GiB"),
        (2048 * 1024**3, "2.0 TiB"),
        (5000 * 1024**4, "5,000.0 TiB"),
    ],
)
def test_sizes_are_told_as_people_do(number: int, message: str) -> None:
    assert formatting.bytes_in_words(number).replace("\u00a0", " ") == message


@pytest.mark.both_engines
def test_a_file_says_in_which_posts_it_was_used(owner: OwnerFixture, browser: Browser) -> None:
    """One post has it for all targets, another one only for one of them. A third one has another file."""
    for name in ("loaf.png", "roll.png"):
        send(browser, picture(), name)
    roll, loaf = (item["id"] for item in owner.session.get("/media").json()["data"])
    account = account_on(owner, "threads")
    posts = [
        {"content": "Our <b>loaf</b>", "media": [{"mediaId": loaf}], "targets": [{"accountId": account}]},
        {"content": "Again", "targets": [{"accountId": account, "media": [{"mediaId": loaf}]}]},
        {"content": "A roll", "media": [{"mediaId": roll}], "targets": [{"accountId": account}]},
    ]
    items = [
        owner.session.post("/posts", json={"profileId": owner.profile_id, "draft": True, **post}).json()["id"]
        for post in posts
    ]
    rows = browser.get(PAGE).text.split("<li ")
    (shown,) = [row for row in rows if loaf in row]
    assert re.findall(r'/posts/(post_\w+)"[^>]*>[^<]*</a> \(draft\)', shown) == [items[1], items[0]]
    assert "Our &lt;b&gt;loaf&lt;/b&gt;" in shown
    (other,) = [row for row in rows if roll in row]
    assert re.findall(r'/posts/(post_\w+)"', other) == [items[2]]


def test_a_file_shows_what_was_made_of_it(owner: OwnerFixture, browser: Browser) -> None:
    """What was changed for which platform, with the reasons."""
    out = BytesIO()
    Image.new("RGB", (64, 48), "teal").save(out, "BMP")
    send(browser, out.getvalue(), "loaf.bmp")
    (item,) = owner.session.get("/media").json()["data"]
    post = {
        "profileId": owner.profile_id,
        "content": "Our loaf",
        "media": [{"mediaId": item["id"]}],
        "targets": [{"accountId": account_on(owner, "threads")}],
        "scheduledFor": (datetime.now(UTC) + timedelta(days=2)).isoformat(),
    }
    assert owner.session.post("/posts", json=post).is_success
    eventually(lambda: owner.session.get("/media").json()["data"][0]["renditions"])
    shown = browser.get(PAGE).text
    assert "Made for Threads: image/jpeg" in shown
    assert "<li>image/bmp → image/jpeg. Threads accepts image/jpeg, image/png.</li>" in shown
    result = re.search(r'href="([^"]+)">Open the result</a>', shown)
    assert result is not None
    assert browser.get(unescape(result[1])).headers["Content-Type"] == "image/jpeg"
