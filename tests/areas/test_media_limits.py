"""What the files of one owner may take: a quota, a reserve of the disk, a number of open uploads. And what is left of
uploads whose process died: it goes.
"""

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import obstore
import pytest
from obstore.store import LocalStore, MemoryStore

from socialgate.areas.media import store
from socialgate.areas.media.purging import MediaPurge
from socialgate.areas.media.quota import MAX_OPEN_UPLOADS
from socialgate.core.errors import StorageFull
from socialgate.core.storage import Storage
from support.problems import problem_of
from support.processes import Process
from support.service import OwnerFixture, RunningService, StartService, running_service
from support.waiting import eventually

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
PIECE = {"Content-Type": "application/offset+octet-stream"}
QUOTA = MIB


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service(storage_per_owner_gib=QUOTA / GIB, worker="separate") as own:
        yield own


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return running.new_owner()


def files_of(owner: OwnerFixture) -> list[Path]:
    return [path for path in (owner.running.settings.data_dir / "media" / owner.id).rglob("*") if path.is_file()]


def purge_of(running: RunningService) -> Callable[[], Coroutine[Any, Any, int]]:
    return running.service.container.get(MediaPurge).purge


def begun(client: httpx.Client, size: int) -> httpx.Response:
    return client.post("/uploads", headers={"Upload-Length": str(size)})


def chunked(size: int) -> Iterator[bytes]:
    """A body of unknown length."""
    for _ in range(size // KIB):
        yield bytes(KIB)


def test_an_owner_keeps_no_more_than_its_quota(running: RunningService, owner: OwnerFixture) -> None:
    assert owner.session.post("/upload", content=bytes(QUOTA - 10)).status_code == 201
    refused = owner.session.post("/upload", content=bytes(11))
    assert "SOCIALGATE_STORAGE_PER_OWNER_GIB" in problem_of(refused, 409, "storage_quota_reached")["detail"]
    problem_of(begun(owner.session, 11), 409, "storage_quota_reached")
    assert owner.session.post("/upload", content=bytes(10)).status_code == 201
    assert len(files_of(owner)) == 2
    # Every owner has its own.
    assert running.new_owner().session.post("/upload", content=bytes(11)).status_code == 201


def test_what_comes_without_a_length_is_held_to_the_quota_too(owner: OwnerFixture) -> None:
    assert owner.session.post("/upload", content=chunked(QUOTA // 2)).status_code == 201
    problem_of(owner.session.post("/upload", content=chunked(QUOTA)), 409, "storage_quota_reached")
    assert len(files_of(owner)) == 1
    assert owner.session.post("/upload", content=chunked(QUOTA // 2)).status_code == 201


@contextmanager
def unended(owner: OwnerFixture, size: int) -> Iterator[socket.socket]:
    """Send so much of a body without a length, and keep the connection open."""
    address = urlsplit(owner.running.address)
    head = f"Host: {address.netloc}\r\nAuthorization: Bearer {owner.session_token}\r\nTransfer-Encoding: chunked"
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=60) as connection:
        connection.sendall(f"POST /upload HTTP/1.1\r\n{head}\r\n\r\n".encode())
        connection.sendall(b"%x\r\n%b\r\n" % (size, bytes(size)))
        yield connection


def test_a_body_without_an_end_is_refused_while_it_comes(owner: OwnerFixture) -> None:
    with unended(owner, QUOTA + 1) as connection:
        assert connection.recv(20).startswith(b"HTTP/1.1 409 ")
    eventually(lambda: not files_of(owner))


def test_bodies_without_a_length_that_come_at_once_are_held_to_the_quota_together(owner: OwnerFixture) -> None:
    with unended(owner, QUOTA - 1) as first, unended(owner, QUOTA - 1) as second:
        # Both have begun before one of them is whole.
        eventually(lambda: len(owner.running.read(store.list_unfinished_uploads, owner.id, 9)) == 2)
        statuses = []
        for connection in (first, second):
            connection.sendall(b"0\r\n\r\n")
            statuses.append(connection.recv(12))
    assert sorted(statuses) == [b"HTTP/1.1 201", b"HTTP/1.1 409"]
    eventually(lambda: len(files_of(owner)) == 1)


def test_what_was_announced_counts_until_it_is_given_up(owner: OwnerFixture) -> None:
    location = begun(owner.session, QUOTA).headers["location"]
    problem_of(owner.session.post("/upload", content=b"1"), 409, "storage_quota_reached")
    assert owner.session.delete(location).status_code == 200
    assert owner.session.post("/upload", content=b"1").status_code == 201


def test_uploads_that_begin_at_once_see_each_other(owner: OwnerFixture) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: begun(owner.session, QUOTA // 2), range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 6


def test_a_key_has_only_some_uploads_open(owner: OwnerFixture) -> None:
    key = owner.key()
    opened = [begun(key, 2).headers["location"] for _ in range(MAX_OPEN_UPLOADS)]
    refused = problem_of(begun(key, 2), 429, "too_many_uploads")
    assert "DELETE /uploads/" in refused["detail"]
    # Another key has its own.
    assert begun(owner.key(), 2).status_code == 201
    # One that is complete, and one that is given up, make room.
    assert key.patch(opened[0], content=b"12", headers={**PIECE, "Upload-Offset": "0"}).status_code == 204
    assert begun(key, 2).status_code == 201
    problem_of(begun(key, 2), 429, "too_many_uploads")
    assert key.delete(opened[1]).status_code == 200
    assert begun(key, 2).status_code == 201


def test_the_reserve_of_the_disk_is_not_touched(tmp_path: Path) -> None:
    with running_service(tmp_path, storage_reserve_gib=2.0**30) as running:
        owner = running.new_owner()
        problem_of(owner.session.post("/upload", content=b"1"), 503, "storage_full")
        problem_of(begun(owner.session, 1), 503, "storage_full")
        # All else goes on.
        assert owner.session.post("/profiles", json={"name": "Another"}).status_code == 201


def test_the_reserve_is_looked_at_while_a_file_comes(tmp_path: Path) -> None:
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while taken < 2 * GIB:
            taken += MIB
            yield bytes(MIB)

    storage = Storage(LocalStore(tmp_path), tmp_path, reserve_bytes=shutil.disk_usage(tmp_path).free - 64 * MIB)
    with pytest.raises(StorageFull):
        asyncio.run(storage.write("file", endless()))
    assert 0 < taken < 2 * GIB
    assert list(tmp_path.iterdir()) == []


def test_pieces_that_no_row_names_go_with_their_upload(running: RunningService, owner: OwnerFixture) -> None:
    location = begun(owner.session, 10).headers["location"]
    headers = {**PIECE, "Upload-Offset": "0"}
    assert owner.session.patch(location, content=b"12345", headers=headers).status_code == 204
    (piece,) = files_of(owner)
    # A process that dies between two steps leaves a piece that it has not named, and one that is not whole.
    piece.with_name("pce_unnamed").write_bytes(b"67")
    piece.with_name("pce_half#1").write_bytes(b"6")
    purge = purge_of(running)
    running.run(purge())
    assert len(files_of(owner)) == 3
    running.clock.offset += timedelta(days=1, minutes=1)
    running.run(purge())
    assert files_of(owner) == []
    assert not piece.parent.exists()


def test_in_an_object_store_all_pieces_of_an_upload_go_together() -> None:
    async def once() -> AsyncIterator[bytes]:
        yield b"12345"

    async def left() -> list[str]:
        objects = MemoryStore()
        storage = Storage(objects, None)
        for key in ("own_1/upl_1/pce_1", "own_1/upl_1/pce_2", "own_1/upl_10/pce_1", "own_1/med_1"):
            await storage.write(key, once())
        await storage.delete_prefix("own_1/upl_1")
        return sorted(item["path"] for result in obstore.list(objects) for item in result)

    assert asyncio.run(left()) == ["own_1/med_1", "own_1/upl_10/pce_1"]


def test_a_file_goes_also_if_the_process_dies_before_it_removed_it(
    running: RunningService, owner: OwnerFixture
) -> None:
    item = owner.session.post("/upload", content=b"12345").json()
    running.clock.offset += timedelta(days=8)
    purge = purge_of(running)
    # As far as the purge gets before it dies: the row is gone, the file is not.
    running.run(
        running.service.db.write(store.delete_expired_media, running.read(store.find_media, owner.id, item["id"]))
    )
    assert running.read(store.find_media, owner.id, item["id"]) is None
    assert len(files_of(owner)) == 1
    running.run(purge())
    assert files_of(owner) == []


def test_what_a_killed_process_left_of_an_upload_is_purged(tmp_path: Path) -> None:
    process = Process("serve", tmp_path, {"data_dir": tmp_path / "data", "signup": "open"})
    try:
        process.wait_until_ready()
        with httpx.Client(base_url=process.address, timeout=60) as client:
            registration = {"email": "a@example.com", "password": "a long enough password"}
            opened: dict[str, Any] = client.post("/auth/register", json=registration).json()
        folder = tmp_path / "data" / "media" / opened["owner"]["id"]
        client = httpx.Client(base_url=process.address, headers={"Authorization": f"Bearer {opened['token']}"})
        with ThreadPoolExecutor(1) as pool, client:
            goes_on = True

            def slow() -> Iterator[bytes]:
                yield bytes(12 * MIB)
                eventually(lambda: not goes_on)

            sending = pool.submit(client.post, "/upload", content=slow())
            eventually(lambda: folder.exists() and any(folder.iterdir()))
            process.kill()
            goes_on = False
            with pytest.raises(httpx.TransportError):
                sending.result(60)
        assert [path.name.partition("#")[1] for path in folder.iterdir()] == ["#"]
    finally:
        process.close()
    with running_service(tmp_path / "data", worker="separate") as running:
        purge = purge_of(running)
        running.run(purge())
        assert any(folder.iterdir())
        running.clock.offset += timedelta(hours=1, minutes=1)
        running.run(purge())
        assert not any(folder.iterdir())
