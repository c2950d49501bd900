"""Files that are made to cost whoever looks at them: their sender is refused, and nobody else notices."""

import asyncio
import os
import signal
import struct
import threading
import wave
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import httpx
import psutil
import pytest
from obstore.store import LocalStore
from PIL import Image

from socialgate.areas.media.image_inspector import ImageInspector
from socialgate.core.errors import Unavailable
from socialgate.core.storage import Storage
from support.problems import problem_of
from support.service import PASSWORD, OwnerFixture, RunningService, running_service
from support.waiting import eventually

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("bombs")) as own:
        yield own


@pytest.fixture
def hostile(running: RunningService) -> OwnerFixture:
    return running.new_owner()


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (64, 48), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


def jpeg_of_segments(count: int, length: int) -> bytes:
    """A picture whose Exif data come in many segments, which the library copies together again for each of them."""
    segment = b"\xff\xe1" + struct.pack(">H", length) + b"Exif\0\0" + bytes(length - 8)
    plain = picture()
    return plain[:2] + segment * count + plain[2:]


def webp_of(size: int) -> bytes:
    """A picture that the library reads whole to find its size."""
    extended = b"VP8X" + struct.pack("<I", 10) + bytes(10)
    rest = b"JUNK" + struct.pack("<I", size) + bytes(size)
    return b"RIFF" + struct.pack("<I", 4 + len(extended) + len(rest)) + b"WEBP" + extended + rest


def sound_called(title: bytes) -> bytes:
    """A second of silence with a title."""
    bytes_io = BytesIO()
    with wave.open(bytes_io, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(16_000))
    plain = bytes_io.getvalue()
    title += bytes(len(title) % 2)
    name = b"INFOINAM" + struct.pack("<I", len(title)) + title
    parts = plain[12:36] + b"LIST" + struct.pack("<I", len(name)) + name + plain[36:]
    return b"RIFF" + struct.pack("<I", 4 + len(parts)) + b"WAVE" + parts


def helpers() -> list[psutil.Process]:
    """List the processes that look at pictures."""
    processes = []
    for process in psutil.Process().children(recursive=True):
        try:
            if any(part.endswith("image_size.py") for part in process.cmdline()):
                processes.append(process)
        except psutil.NoSuchProcess:
            continue
    return processes


@contextmanager
def upload_by(owner: OwnerFixture, body: bytes) -> Iterator["Future[httpx.Response]"]:
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(owner.session.post, "/upload", content=body)


def stored(owner: OwnerFixture) -> list[Path]:
    return [path for path in (owner.running.settings.data_dir / "media" / owner.id).rglob("*") if path.is_file()]


def test_a_picture_of_many_segments_is_given_up_and_leaves_nothing(hostile: OwnerFixture) -> None:
    refused = hostile.session.post("/upload", content=jpeg_of_segments(20_000, 1800))
    assert "could not be read as an image within 2 s" in problem_of(refused, 422, "unreadable_media")["detail"]
    assert stored(hostile) == []
    # The next one is looked at as if nothing had been.
    assert hostile.session.post("/upload", content=picture()).status_code == 201


def test_nobody_else_waits_while_a_picture_is_looked_at(running: RunningService, hostile: OwnerFixture) -> None:
    other = running.new_owner()
    assert hostile.session.post("/upload", content=picture()).status_code == 201
    (helper,) = eventually(helpers)
    # It stands still with the picture of one owner, for as long as this takes.
    os.kill(helper.pid, signal.SIGSTOP)
    with upload_by(hostile, picture()) as stuck:
        try:
            eventually(lambda: len(stored(hostile)) == 2)
            assert other.session.post("/upload", content=picture()).status_code == 201
            login = {"email": other.email, "password": PASSWORD}
            assert running.client().post("/auth/login", json=login).status_code == 200
            assert other.session.get("/profiles").status_code == 200
            # A second one of the same owner waits for the first, and for nobody else.
            assert len(helpers()) == 2
            assert not stuck.done()
        finally:
            os.kill(helper.pid, signal.SIGCONT)
        assert stuck.result(60).status_code == 201


def test_a_helper_that_is_killed_is_replaced(hostile: OwnerFixture) -> None:
    assert hostile.session.post("/upload", content=picture()).status_code == 201
    for helper in helpers():
        helper.kill()
    assert hostile.session.post("/upload", content=picture()).status_code == 201


def test_a_machine_without_memory_is_not_the_fault_of_a_picture(tmp_path: Path) -> None:
    """The system kills the helper while it reads a picture."""

    class Deadly(Storage):
        async def read(self, key: str, start: int, length: int) -> AsyncIterator[bytes]:
            (helper,) = helpers()
            helper.kill()
            async for chunk in super().read(key, start, length):
                yield chunk

    data = picture()
    (tmp_path / "picture").write_bytes(data)

    async def inspect() -> None:
        inspector = ImageInspector(Deadly(LocalStore(tmp_path), tmp_path))
        try:
            await inspector.inspect("own_1", "picture", len(data), "image/jpeg")
        finally:
            await inspector.close()

    eventually(lambda: not helpers())
    with pytest.raises(Unavailable, match="too little memory"):
        asyncio.run(inspect())


def test_a_picture_is_read_only_up_to_a_bound(hostile: OwnerFixture) -> None:
    refused = hostile.session.post("/upload", content=webp_of(65 * MIB))
    assert "More than 64 MiB" in problem_of(refused, 422, "unreadable_media")["detail"]


def test_remarks_in_a_file_are_read_only_up_to_a_bound(hostile: OwnerFixture) -> None:
    assert hostile.session.post("/upload", content=sound_called(b"Rain")).json()["duration"] == pytest.approx(
        1, abs=0.1
    )
    refused = hostile.session.post("/upload", content=sound_called(b"a\n" * MIB))
    assert "too much metadata" in problem_of(refused, 422, "unreadable_media")["detail"]


def test_remarks_are_not_taken_for_what_is_said_of_the_file(hostile: OwnerFixture) -> None:
    title = b"\n  Duration: 09:00:00.00\n  Stream #0:0: Video: h264, 720x1280"
    taken = hostile.session.post("/upload", content=sound_called(title)).json()
    assert taken["duration"] == pytest.approx(1, abs=0.1)
    assert (taken["codec"], taken["width"]) == ("pcm_s16le", None)


def test_passwords_do_not_wait_for_the_shared_threads(running: RunningService) -> None:
    over = threading.Event()
    waiting: list[asyncio.Future[bool]] = []

    async def occupy() -> None:
        waiting.extend(asyncio.get_running_loop().run_in_executor(None, over.wait, 60) for _ in range(64))

    running.run(occupy())
    try:
        owner = running.new_owner()
        login = {"email": owner.email, "password": PASSWORD}
        assert running.client().post("/auth/login", json=login).status_code == 200
    finally:
        over.set()
