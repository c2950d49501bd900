"""The database away, locked, or its disk full: a clear refusal meanwhile, and afterwards everything goes on."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.errors import StorageFull
from socialgate.core.outbox import events
from support import producer
from support.deployment import Deployment, start_deployment, start_stoppable_postgres
from support.hooks import add_hook, emit
from support.processes import DEADLINE_SECONDS, Process
from support.receiver import Receiver
from support.service import OwnerFixture, running_service
from support.soak import LONG
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

DISK_BYTES = 16 * 1024 * 1024
HOOKS = 3
# Deliveries of each hook that wait or are in flight when the database goes away.
WAITING = 250
# How many of them may at most be sent without being recorded.
AT_MOST_UNRECORDED = 200


class Api:
    """A user of the API, who notes what it was told to be stored and what was refused."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        registered = client.post(
            "/auth/register", json={"email": f"{uuid4().hex}@example.com", "password": "long enough"}
        )
        assert registered.status_code == 201, registered.text
        client.headers["Authorization"] = f"Bearer {registered.json()['token']}"
        self._stored = {profile["name"] for profile in self._client.get("/profiles").json()["data"]}

    def write(self) -> httpx.Response:
        """Make a profile. What is not refused must be there afterwards."""
        name = uuid4().hex
        answer = self._client.post("/profiles", json={"name": name})
        if answer.status_code == 201:
            self._stored.add(name)
        else:
            require_refusal(answer)
        return answer

    def read(self) -> httpx.Response:
        return self._client.get("/profiles")

    def health(self) -> dict[str, Any]:
        answer = self._client.get("/health")
        assert answer.status_code == 200, "reading still works, so the process serves"
        result: dict[str, Any] = answer.json()
        return result

    def check(self) -> None:
        """Compare what is there with what was answered: nothing refused was stored, nothing stored was lost."""
        listed = self._client.get("/profiles", params={"limit": 200}).json()
        assert listed["nextCursor"] is None
        assert {profile["name"] for profile in listed["data"]} == self._stored


@contextmanager
def api_of(process: Process) -> Iterator[Api]:
    with httpx.Client(base_url=process.address, timeout=2 * DEADLINE_SECONDS) as client:
        yield Api(client)


def require_refusal(answer: httpx.Response, code: str | None = None) -> None:
    assert answer.status_code == 503, f"{answer.status_code} {answer.text}"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["code"] in ({"unavailable", "storage_full"} if code is None else {code})


@contextmanager
def in_flight(deployment: Deployment) -> Iterator[list[producer.Source]]:
    """Have deliveries with the customers and many more behind them when the block begins.

    The block lets the answers come in when it has taken the database away, and makes more events when it is back.
    """
    owner = deployment.new_owner()
    for _ in range(HOOKS):
        deployment.add_hook(owner)
    deployment.make_events(owner.sources, range(20))
    deployment.wait_until_delivered()
    deployment.inbox.hold()
    deployment.make_events(owner.sources, range(20, 24))
    eventually(lambda: len(deployment.inbox.receipts) == HOOKS * 24, "deliveries in flight")
    deployment.make_events(owner.sources, range(24, 20 + WAITING))
    yield owner.sources
    deployment.wait_until_delivered()
    figures = deployment.check()
    assert figures.events > 20 + WAITING
    assert figures.duplicates == 0


@pytest.mark.parametrize(
    ("mode", "seconds"), [("fast", 8), *(pytest.param(mode, 30, marks=LONG) for mode in ("fast", "immediate"))]
)
def test_postgresql_is_away_for_longer_than_a_lease(
    tmp_path: Path, mode: Literal["fast", "immediate"], seconds: int
) -> None:
    with (
        start_stoppable_postgres() as postgres,
        start_deployment(tmp_path, postgres.url, hook_lease_seconds=5) as deployment,
    ):
        service, worker = deployment.start("serve"), deployment.start("work")
        service.wait_until_ready()
        with api_of(service) as api, in_flight(deployment) as sources, deployment.producing(sources, batch=5) as maker:
            assert api.write().status_code == 201
            postgres.stop(mode)
            deployment.inbox.let_go()
            maker.make(50)
            back_at = time.monotonic() + seconds
            while time.monotonic() < back_at:
                require_refusal(api.read(), "unavailable")
                require_refusal(api.write(), "unavailable")
                time.sleep(0.1)
            postgres.start()
            eventually(lambda: api.read().is_success, "the API's recovery")
            assert api.write().status_code == 201
            maker.finish()
            api.check()
        for process in (service, worker):
            assert process.stop() == 0
            process.require_no_errors()


def test_a_worker_can_be_stopped_while_the_database_is_away(tmp_path: Path) -> None:
    with (
        start_stoppable_postgres() as postgres,
        start_deployment(tmp_path, postgres.url, hook_lease_seconds=1) as deployment,
    ):
        owner = deployment.new_owner()
        deployment.add_hook(owner)
        worker = deployment.start("work")
        worker.wait_until_ready()
        deployment.inbox.hold()
        deployment.make_events(owner.sources, range(4))
        eventually(lambda: len(deployment.inbox.receipts) == 4, "deliveries in flight")
        postgres.stop()
        deployment.inbox.let_go()
        eventually(lambda: worker.attempts() == {"succeeded": 4}, "results that cannot be written")
        assert worker.stop() == 0
        worker.require_no_errors()
        postgres.start()
        deployment.start("work")
        deployment.wait_until_delivered()
        # What could not be written had to be sent again.
        assert deployment.check().duplicates == 4


@pytest.mark.parametrize("seconds", [pytest.param(0, id="short"), pytest.param(60, id="long", marks=LONG)])
def test_another_process_locks_the_embedded_database(tmp_path: Path, seconds: int) -> None:
    with start_deployment(tmp_path, hook_lease_seconds=1) as deployment:
        service = deployment.start("serve")
        service.wait_until_ready()
        with api_of(service) as api, in_flight(deployment) as sources:
            with locked(tmp_path / "data" / "socialgate.db"):
                deployment.inbox.let_go()
                assert api.read().status_code == 200
                # The first answer comes when waiting for the lock has taken too long.
                freed_at = time.monotonic() + seconds
                require_refusal(api.write(), "unavailable")
                while time.monotonic() < freed_at:
                    require_refusal(api.write(), "unavailable")
            eventually(lambda: api.write().is_success, "the API's recovery")
            deployment.make_events(sources, range(20 + WAITING, 30 + WAITING))
            api.check()
        assert service.stop() == 0
        service.require_no_errors()


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Let a process of its own hold the lock that writers need."""
    script = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
        "connection.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
        "connection.close()\n"
    )
    command = [sys.executable, "-c", script, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        try:
            yield
        finally:
            process.communicate(timeout=DEADLINE_SECONDS)


def test_the_disk_under_the_embedded_database_is_full(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk") as disk,
        start_deployment(tmp_path, data_dir=disk / "data", hook_lease_seconds=1) as deployment,
    ):
        service = deployment.start("serve")
        service.wait_until_ready()
        with api_of(service) as api, in_flight(deployment) as sources:
            with filled(disk):
                deployment.inbox.let_go()
                refuse_everything(deployment, api, sources)
                # The results of what was delivered cannot be written, for several leases.
                time.sleep(3)
                assert deployment.pending() == HOOKS * WAITING
                assert len(deployment.inbox.receipts) <= HOOKS * (20 + AT_MOST_UNRECORDED)
                assert api.read().status_code == 200
                checks = api.health()["checks"]
                assert "disk of the database is full" in checks["database"]["detail"]
                assert "disk of the media files" in checks["storage"]["detail"]
                refuse_everything(deployment, api, sources)
            eventually(lambda: api.write().is_success, "the API's recovery")
            deployment.make_events(sources, range(20 + WAITING, 30 + WAITING))
            api.check()
        assert service.stop() == 0
        service.require_no_errors()


def test_a_database_that_may_not_grow(tmp_path: Path) -> None:
    """The same without a disk of one's own, for what the API and those who make events are told."""

    async def limit(tx: Tx, most_pages: int) -> None:
        await tx.execute(sa.text(f"PRAGMA max_page_count = {most_pages}"))

    with (
        Receiver(tmp_path) as receiver,
        running_service(tmp_path / "data", hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as running,
    ):
        owner = running.new_owner()
        add_hook(owner, receiver.url())
        running.write(limit, 1)
        accepted = emit_until_full(owner)
        eventually(lambda: owner.session.post("/profiles", json={"name": "P" * 100}).status_code != 201, "a refusal")
        require_refusal(owner.session.post("/profiles", json={"name": "P" * 100}), "storage_full")
        receiver.wait_for_count(accepted)
        running.write(limit, 1 << 30)
        assert owner.session.post("/profiles", json={"name": "Room again"}).status_code == 201
        emit(owner, accepted)
        got = receiver.wait_for_count(accepted + 1)
        numbers = sorted(int(json.loads(received_request.body)["data"]["fields"]["number"]) for received_request in got)
        assert numbers == list(range(accepted + 1))


def emit_until_full(owner: OwnerFixture) -> int:
    """Return how many were accepted."""
    for number in count():
        try:
            emit(owner, number)
        except StorageFull:
            return number
    raise AssertionError("unreachable")


def refuse_everything(deployment: Deployment, api: Api, sources: list[producer.Source]) -> None:
    """Try to write until the disk has no room for it, and once more."""
    eventually(lambda: api.write().status_code == 503, "a refusal")
    require_refusal(api.write(), "storage_full")
    before = len(deployment.read(sa.select(events.c.id)))
    with pytest.raises(StorageFull):
        deployment.make_events(sources, range(1000, 2000), batch=1000)
    assert len(deployment.read(sa.select(events.c.id))) == before


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Mount a disk of few megabytes, where this user may do that."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a disk; the test with a limited database covers part of it")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave no room on the disk. The log of the database is emptied first: it would be room in disguise."""
    with closing(sqlite3.connect(disk / "data" / "socialgate.db", timeout=60)) as connection:
        eventually(lambda: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "an empty log")
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    yield
    filler.unlink()
