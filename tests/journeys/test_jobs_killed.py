"""Two workers run jobs, and are killed with SIGKILL at every step: each step is done once, and nothing gets stuck."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.core.clock import Clock
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JobRow, jobs
from socialgate.core.jobs.service import JOB_LEASE, JobService, JobTypes
from socialgate.core.settings import load_settings
from support.forking import ForkedProcess
from support.killed_jobs import PAGES, pages, run_worker
from support.postgres import new_database
from support.processes import environment, migrate
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

COUNT = 3
OWNER = new_id("own")


class FileClock:
    """A time that passes only by hand, and that the workers read too."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._now = datetime.now(UTC)
        self.advance(timedelta(0))

    def now(self) -> datetime:
        return self._now

    def advance(self, passed: timedelta) -> None:
        self._now += passed
        fresh = self.file.with_suffix(".new")
        fresh.write_text(self._now.isoformat())
        fresh.replace(self.file)


class Floor:
    """Two workers on one database, and the folder in which their jobs leave marks."""

    def __init__(self, stack: ExitStack, folder: Path, database_url: str | None) -> None:
        settings: dict[str, object] = {"data_dir": folder / "data"}
        if database_url is not None:
            settings["database_url"] = database_url
        migrate(settings)
        self.folder = folder / "marks"
        self.folder.mkdir()
        self.clock = FileClock(folder / "time")
        self._runner = stack.enter_context(asyncio.Runner())
        self._db = self._runner.run(_opened(load_settings(environment(settings)).effective_database_url, self.clock))
        stack.callback(lambda: self._runner.run(self._db.close()))
        self._jobs = JobService(JobTypes([PAGES]))
        self.write(_make_table)
        self._environment = environment(settings)
        self._workers: dict[int, ForkedProcess] = {}
        self.killed: set[int] = set()
        stack.callback(self._end)
        for _ in range(2):
            self.start()

    def start(self) -> None:
        worker = ForkedProcess(run_worker, self.clock.file, env=self._environment)
        self._workers[worker.pid] = worker

    def kill(self, pid: int) -> None:
        worker = self._workers.pop(pid)
        assert worker.poll() is None, "it ended by itself"
        worker.kill()
        worker.wait()
        self.killed.add(pid)

    def _end(self) -> None:
        for worker in self._workers.values():
            worker.kill()
            worker.wait()

    def write(self, unit: TransactionFunction[..., Any], *args: Any) -> Any:
        return self._runner.run(self._db.write(unit, *args))

    def read(self, statement: sa.Select[Any]) -> list[sa.Row[Any]]:
        async def unit(tx: Tx) -> list[sa.Row[Any]]:
            return list(await tx.all(statement))

        return list(self._runner.run(self._db.read(unit)))

    def add(self, key: str) -> str:
        async def unit(tx: Tx) -> JobRow:
            payload = {"folder": str(self.folder), "pages": COUNT}
            return await self._jobs.enqueue(tx, PAGES.name, OWNER, payload, key=key)

        return str(self.write(unit).id)

    def cancel(self, job_id: str) -> None:
        async def unit(tx: Tx) -> None:
            job = await job_store.find_job_for_update(tx, OWNER, job_id)
            assert job is not None
            await self._jobs.cancel(tx, job)

        self.write(unit)

    def row(self, job_id: str) -> sa.Row[Any]:
        (row,) = self.read(sa.select(jobs).where(jobs.c.id == job_id))
        return row

    def marks(self, job_id: str, page: int) -> list[int]:
        """Name the processes that came to a step, the latest last."""
        file = self.folder / f"{job_id}.{page}"
        return [int(line) for line in file.read_text().splitlines()] if file.exists() else []

    def at(self, job_id: str, page: int) -> int | None:
        """Name the living process that is at a step."""
        marks = self.marks(job_id, page)
        return marks[-1] if marks and marks[-1] not in self.killed else None

    def written(self) -> Counter[tuple[str, int]]:
        return Counter((row.job, row.page) for row in self.read(sa.select(pages)))

    def hold(self, page: int) -> None:
        """Have whoever comes to a step wait there."""
        (self.folder / f"hold.{page}").touch()

    def let_go(self, page: int) -> None:
        (self.folder / f"hold.{page}").unlink()

    def outlive(self, running: list[str], page: int) -> None:
        """Let the leases of the dead end, and those of the living be renewed before they would."""
        for _ in range(2):
            self.clock.advance(JOB_LEASE / 2 + timedelta(seconds=1))
            living = [value for value in running if self.at(value, page) is not None]
            eventually(partial(self._are_renewed, living))

    def _are_renewed(self, living: list[str]) -> bool:
        until = self.clock.now() + JOB_LEASE
        return all(self.row(value).claim_until == until for value in living)


async def _opened(url: str, clock: Clock) -> Database:
    return Database(url, clock, pool_size=2)


async def _make_table(tx: Tx) -> None:
    await tx.execute(sa.text(str(sa.schema.CreateTable(pages))))


@pytest.fixture
def floor(engine: str, postgres_url: str, tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        yield Floor(stack, tmp_path, new_database(postgres_url) if engine == "postgres" else None)


def begun_by_two(floor: Floor, ids: list[str], page: int) -> Callable[[], list[str] | None]:
    """Name the jobs that are at a step, once these are two."""

    def look() -> list[str] | None:
        result = [value for value in ids if floor.at(value, page) is not None]
        return result if len(result) == 2 else None

    return look


def test_a_job_survives_the_death_of_its_worker_at_every_step(floor: Floor) -> None:
    floor.hold(0)
    ids = [floor.add(key) for key in ("a", "b", "c")]
    for page in range(COUNT + 1):
        running = eventually(begun_by_two(floor, ids, page))
        before = {value: [len(floor.marks(value, earlier)) for earlier in range(page)] for value in running}
        victim = floor.at(running[0], page)
        assert victim is not None
        floor.kill(victim)
        floor.outlive(running, page)
        floor.start()
        assert eventually(begun_by_two(floor, ids, page)) == running
        # It goes on from its last step, and says how far it is.
        assert {value: [len(floor.marks(value, earlier)) for earlier in range(page)] for value in running} == before
        assert {floor.row(value).done for value in running} == {page or None}
        # Of three jobs of one owner two run at once, on both workers together.
        (waiting,) = set(ids) - set(running)
        assert (floor.row(waiting).status, floor.marks(waiting, 0)) == ("queued", [])
        floor.hold(page + 1)
        floor.let_go(page)
    floor.let_go(COUNT + 1)
    eventually(lambda: {floor.row(value).due_at > floor.clock.now() for value in ids} == {True})
    assert floor.written() == {(value, page): 1 for value in ids for page in range(COUNT)}
    require_one_at_a_time(floor, ids)
    # Nobody ran for ten hours, and the schedule of one hour catches up once.
    floor.clock.advance(timedelta(hours=10))
    eventually(lambda: {floor.row(value).due_at > floor.clock.now() for value in ids} == {True})
    assert floor.written() == {(value, page): 2 for value in ids for page in range(COUNT)}


def require_one_at_a_time(floor: Floor, ids: list[str]) -> None:
    """Whoever came to a step after somebody else came after a death."""
    for value in ids:
        for page in range(COUNT + 1):
            *earlier, _ = floor.marks(value, page)
            assert set(earlier) <= floor.killed


def test_a_job_that_was_cancelled_stays_so_when_its_worker_dies(floor: Floor) -> None:
    floor.hold(1)
    job_id = floor.add("a")
    victim = eventually(lambda: floor.at(job_id, 1))
    floor.cancel(job_id)
    floor.kill(victim)
    floor.outlive([job_id], 1)
    eventually(lambda: floor.at(job_id, 1))
    floor.let_go(1)
    eventually(lambda: floor.row(job_id).finished_at)
    assert floor.row(job_id).status == "cancelled"
    assert floor.written() == {(job_id, 0): 1}
