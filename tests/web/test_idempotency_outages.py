"""A request that was cut off because the database went away can be repeated at once, and happens once."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from socialgate.areas.media import store
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.web.idempotency import IDEMPOTENCY_KEY_LEASE, idempotency_keys
from support.connections import connect_accounts
from support.database import rows
from support.deployment import start_stoppable_postgres
from support.lost_commit import CommitLosingProxy
from support.operation_area import PLATFORM, SHOUTING
from support.postgres import new_database
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

REPLAYED = "idempotent-replayed"
FILE = b"a file that comes in two parts"
# Far below the lease of a claim, and enough for a service to find its database again.
SOON_SECONDS = IDEMPOTENCY_KEY_LEASE.total_seconds() / 3


class Outage:
    """Takes the database away and gives it back."""

    def __init__(self, running: RunningService, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self.running = running
        self.begin = begin
        self.end = end


@contextmanager
def on_sqlite(folder: Path, **options: Any) -> Iterator[Outage]:
    """The file can be read but not written, as when a disk is remounted after an error."""
    with running_service(folder, **options) as running:
        yield Outage(running, lambda: running.run(protect(running, "ON")), lambda: running.run(protect(running, "OFF")))


async def protect(running: RunningService, word: str) -> None:
    db: Any = running.service.db
    async with db.take_writer_turn():
        db._driver._writer._connection.execute(f"PRAGMA query_only = {word}")


@contextmanager
def on_postgres(folder: Path, **options: Any) -> Iterator[Outage]:
    """The server is shot and started again."""
    with start_stoppable_postgres() as server, running_service(folder, server.url, **options) as running:
        yield Outage(running, lambda: server.stop("immediate"), server.start)


OUTAGES = {"sqlite": on_sqlite, "postgres": on_postgres}


def files_of(owner: OwnerFixture) -> list[Any]:
    return rows(owner.running, store.media.select().where(store.media.c.owner_id == owner.id))


def claims_of(owner: OwnerFixture) -> list[Any]:
    return rows(owner.running, idempotency_keys.select().where(idempotency_keys.c.owner_id == owner.id))


def upload(owner: OwnerFixture, body: Any = FILE) -> httpx.Response:
    headers = {"Idempotency-Key": "k", "Content-Type": "application/octet-stream"}
    return owner.session.post("/upload", content=body, headers=headers)


def first_answer(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask until the database is back and the process has released its claim, which it does in the background."""
    return eventually(lambda: answer if (answer := ask()).status_code not in {409, 503} else None, seconds=SOON_SECONDS)


def test_a_request_that_the_database_left_can_be_repeated_at_once(engine: str, tmp_path: Path) -> None:
    with OUTAGES[engine](tmp_path) as outage:
        owner = outage.running.new_owner()

        def in_two_parts() -> Iterator[bytes]:
            yield FILE[:5]
            eventually(lambda: claims_of(owner))
            outage.begin()
            yield FILE[5:]

        problem_of(upload(owner, in_two_parts()), 503)
        outage.end()
        answer = first_answer(lambda: upload(owner))
        assert answer.status_code == 201, answer.text
        assert REPLAYED not in answer.headers
        assert upload(owner).headers[REPLAYED] == "true"
        assert [row.id for row in files_of(owner)] == [answer.json()["id"]]


def test_claims_are_released_for_other_nodes_too(engine: str, tmp_path: Path) -> None:
    with OUTAGES[engine](tmp_path) as outage:
        owner = outage.running.new_owner()

        def in_two_parts() -> Iterator[bytes]:
            yield FILE[:5]
            eventually(lambda: claims_of(owner))
            outage.begin()
            yield FILE[5:]

        problem_of(upload(owner, in_two_parts()), 503)
        outage.end()
        # Nobody repeats the request here: the row goes by itself.
        eventually(lambda: has_no_claims(owner), seconds=SOON_SECONDS)


@pytest.mark.parametrize("refused", [False, True], ids=["made", "refused"])
def test_a_call_whose_outcome_could_not_be_written_is_answered_once_the_database_is_back(
    engine: str, tmp_path: Path, *, refused: bool
) -> None:
    with OUTAGES[engine](tmp_path, areas=[SHOUTING]) as outage:
        owner, word, gate = outage.running.new_owner(), uuid4().hex, asyncio.Event()
        with Sandbox(outage.running) as sandbox:
            (account_id,) = connect_accounts(sandbox, owner, "threads")
        PLATFORM.waits[word] = gate
        if refused:
            PLATFORM.before[word] = PlatformRejectedError("No.", platform="threads")

        def shout() -> httpx.Response:
            path = f"/test/accounts/{account_id}/shout"
            return owner.session.post(path, json={"word": word}, headers={"Idempotency-Key": "k"})

        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(shout)
            eventually(lambda: PLATFORM.begun[word])
            outage.begin()
            outage.running.run(_open(gate))
            problem_of(first.result(), 503)
        outage.end()
        # What was refused is not in the way of the next attempt; what was made is not made again.
        assert first_answer(shout).json() == {"id": f"id of {word}", "word": word}
        assert PLATFORM.heard[word] == 1


async def _open(gate: asyncio.Event) -> None:
    gate.set()


def has_no_claims(owner: OwnerFixture) -> bool:
    try:
        return not claims_of(owner)
    except Exception:  # noqa: BLE001 - the database may not be back yet
        return False


@pytest.fixture
def line(postgres_url: str) -> Iterator[CommitLosingProxy]:
    with CommitLosingProxy(new_database(postgres_url)) as line:
        yield line


@pytest.mark.parametrize(("number", "replayed"), [(1, None), (2, "true")], ids=["claim", "effect"])
def test_a_commit_whose_answer_was_lost_is_neither_repeated_nor_in_the_way(
    line: CommitLosingProxy, tmp_path: Path, number: int, replayed: str | None
) -> None:
    with running_service(tmp_path, line.url) as running:
        owner = running.new_owner()
        key = "a-key-that-is-seen-on-the-line"

        def create() -> httpx.Response:
            return owner.session.post("/profiles", json={"name": "Bakery"}, headers={"Idempotency-Key": key})

        line.lose(key.encode(), number)
        problem_of(create(), 503, "unavailable")
        assert line.lost == 1
        answer = first_answer(create)
        assert answer.status_code == 201, answer.text
        assert answer.headers.get(REPLAYED) == replayed
        assert create().content == answer.content
        named = [row["id"] for row in owner.session.get("/profiles").json()["data"] if row["name"] == "Bakery"]
        assert named == [answer.json()["id"]]
