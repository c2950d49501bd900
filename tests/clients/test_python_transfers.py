"""What the Python client moves: events as bytes, files over lines that break, and the headers of deliveries."""

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.core.events import PostFailed
from socialgate.core.outbox import emit_event, events
from socialgate.delivery.signing import HookSigner
from socialgate_client import AsyncSocialgate, ChecksumMismatch, Socialgate, SocialgateError, UploadInterrupted
from socialgate_client import _uploads as uploads
from socialgate_client._call import Call, Work, read_retry_after
from socialgate_client._streams import StreamFrame, _FrameParser
from support.cutting_proxy import CuttingProxy
from support.database import rows
from support.hooks import SECRET
from support.service import OwnerFixture

MIB = 1024 * 1024
# Each of these ends a line in Unicode, and none in the stream.
ENDS_OF_LINES = "post_\u2028\u2029\x85\x0b\x0c"


@pytest.fixture
def client(owner: OwnerFixture) -> Iterator[Socialgate]:
    with Socialgate(base_url=owner.running.address, api_key=owner.key_value()) as client:
        yield client


def make_file(folder: Path, size: int) -> Path:
    path = folder / "large.bin"
    path.write_bytes(hashlib.shake_128(b"large").digest(size))
    return path


def test_events_arrive_as_the_bytes_that_hooks_receive(owner: OwnerFixture, client: Socialgate) -> None:
    start = client.events.list().first_page().next_cursor
    failed = PostFailed(post_id=ENDS_OF_LINES, status="failed", round=1, targets=[], metadata=None)
    created = [owner.running.write(emit_event, owner.id, owner.profile_id, failed) for _ in range(2)]
    stored = {row.id: row.body for row in rows(owner.running, sa.select(events))}
    opened: list[None] = []
    seen: list[StreamFrame] = []
    for frame in client.events.frames(after=start, on_open=lambda: opened.append(None)):
        if frame.body:
            seen.append(frame)
        if len(seen) == len(created):
            break
    assert [frame.event_id for frame in seen] == created
    assert [frame.body for frame in seen] == [stored[event_id] for event_id in created]
    assert {frame.name for frame in seen} == {"post.failed"}
    assert len(opened) == 1

    async def follow() -> dict[str, Any]:
        async with AsyncSocialgate(base_url=owner.running.address, api_key=owner.key_value()) as other:
            async for event in other.events.stream(after=seen[0].cursor):
                assert event.cursor == seen[1].cursor
                return event.to_dict()
        raise AssertionError("the stream ended")

    assert asyncio.run(follow())["data"]["postId"] == ENDS_OF_LINES


def test_frames_are_found_however_the_stream_is_cut() -> None:
    stream = b'id: a\n\n: alive\nid: b\r\nevent: e\r\ndata: {"x": " y"}\r\n\r\nevent: f\ndata:1\ndata: 2\n\nid: c\n'
    expected = [StreamFrame("", b"", "a"), StreamFrame("e", b'{"x": " y"}', "b"), StreamFrame("f", b"1\n2", None)]
    for size in range(1, len(stream) + 1):
        parser = _FrameParser()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [frame for piece in pieces for frame in parser.parse(piece)] == expected
    # What is no event has no id, and a position of another form is one.
    assert [frame.event_id for frame in expected] == ["", "b", ""]


@pytest.mark.parametrize("secret", [SECRET, "a secret of my own", "whsec_not base64"])
def test_deliveries_are_signed_as_the_service_does(secret: str) -> None:
    names: dict[str, Any] = {"event": "post.failed", "event_id": "evt_1", "delivery_id": "dlv_1"}
    with Socialgate(base_url="http://127.0.0.1:1", api_key="k") as client:
        headers = client.webhooks.sign("{}", secret, **names, sent_at=1_800_000_000)
        assert headers == HookSigner([secret]).build_headers(**names, timestamp=1_800_000_000, body=b"{}")
        client.webhooks.verify(b"{}", client.webhooks.sign(b"{}", secret, **names), secret)


def test_an_upload_that_was_interrupted_is_continued_by_its_id(owner: OwnerFixture, tmp_path: Path) -> None:
    file, key = make_file(tmp_path, 3 * MIB), owner.key_value()
    started: list[str] = []
    failures: list[SocialgateError] = []
    with CuttingProxy(owner.running.address) as line:
        line.cut_after(MIB + MIB // 2)
        with Socialgate(base_url=line.url, api_key=key) as client, pytest.raises(UploadInterrupted) as caught:
            client.media.upload(file, chunk_bytes=MIB, on_start=started.append, on_retry=failures.append, patience=0)
    assert started == [caught.value.upload_id]
    assert failures == []

    async def go_on() -> Any:
        seen: list[int] = []
        async with AsyncSocialgate(base_url=owner.running.address, api_key=key) as other:
            media = await other.media.upload(
                file, chunk_bytes=MIB, resume=started[0], on_progress=lambda received, _: seen.append(received)
            )
        return media, seen

    media, seen = asyncio.run(go_on())
    assert media.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert seen[0] >= MIB
    assert (seen[-1], seen == sorted(seen)) == (3 * MIB, True)


def test_each_failure_that_may_pass_is_told(owner: OwnerFixture, tmp_path: Path) -> None:
    file = make_file(tmp_path, 3 * MIB)
    failures: list[SocialgateError] = []
    with CuttingProxy(owner.running.address) as line:
        line.cut_after(MIB + MIB // 2)
        with Socialgate(base_url=line.url, api_key=owner.key_value(), max_retries=0) as client:
            media = client.media.upload(file, chunk_bytes=MIB, on_start=lambda _: None, on_retry=failures.append)
        assert line.cuts == 1
    assert media.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert failures


def test_other_bytes_than_those_of_the_file_are_noticed(
    owner: OwnerFixture, client: Socialgate, tmp_path: Path
) -> None:
    created = owner.session.post("/uploads", headers={"Upload-Length": "10"})
    upload_id = created.headers["location"].rpartition("/")[2]
    headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    assert owner.session.patch(f"/uploads/{upload_id}", content=b"other", headers=headers).status_code == 204
    with pytest.raises(ChecksumMismatch) as caught:
        client.media.upload(make_file(tmp_path, 10), resume=upload_id)
    assert client.media.delete(caught.value.media.id).deleted
    assert client.media.upload(make_file(tmp_path, 10)).size == 10


def test_chunks_adapt_to_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chunk takes as long as a script says, and each response comes from the test: nothing is sent."""
    now = [0.0]
    monkeypatch.setattr("socialgate_client._uploads.time", SimpleNamespace(monotonic=lambda: now[0]))
    file = make_file(tmp_path, 29 * MIB)
    options = uploads.UploadOptions(
        profile_id=None,
        file_name=None,
        on_progress=None,
        on_start=lambda _: None,
        on_retry=None,
        resume=None,
        chunk_bytes=None,
        patience=60,
    )
    durations = iter([0.1, 0.1, 0.1, 1.0, 4.0, 4.0, 1.0])
    sizes: list[int] = []
    flow = uploads.upload_file(file, options)
    step = next(flow)
    while len(sizes) < 7:
        answer: Any = None
        if isinstance(step, Work):
            answer = step.run()
        elif isinstance(step, Call):
            answer = httpx.Response(204, headers={"location": "/uploads/upl_1"})
            if step.method == "PATCH":
                sizes.append(len(step.content or b""))
                now[0] += next(durations)
        step = flow.send(answer)
    flow.close()
    assert [size / MIB for size in sizes] == [1, 2, 4, 8, 8, 4, 2]


@pytest.mark.parametrize(("text", "seconds"), [("7", 7.0), ("", None), ("\ufffd", None), ("soon", None)])
def test_a_time_to_wait_that_cannot_be_read_is_ignored(text: str, seconds: float | None) -> None:
    assert read_retry_after({"retry-after": text}) == seconds


@pytest.mark.parametrize(
    ("url", "key", "line"),
    [
        ("http://a:b", "k", "is not a URL: "),
        ("https://", "k", "It contains no host."),
        ("http://a", "hidden\n", "The API key contains characters that no key has"),
    ],
)
def test_what_cannot_be_sent_is_refused_at_once(url: str, key: str, line: str) -> None:
    with pytest.raises(SocialgateError) as caught:
        Socialgate(base_url=url, api_key=key)
    assert line in str(caught.value)
    assert "hidden" not in str(caught.value)
