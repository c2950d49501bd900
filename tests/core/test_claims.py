"""Claims end with their process: others find out that it gave no sign of life, and take over what it had."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from socialgate.core.claims import _claim_columns, _CurrentProcess, end_claims, is_own, new_worker_id
from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.jobs.job_store import JobQueue, JobRow, jobs
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.jobs.service import JobRun, JobService, JobType, JobTypes
from socialgate.core.schema_migration import migrate
from socialgate.core.worker_heartbeats import (
    DEAD_AFTER,
    _time_of_database,
    list_dead_workers,
    record_heartbeat,
    workers,
)
from support.forking import ForkedProcess
from support.postgres import new_database
from support.processes import environment
from support.service import MovableClock

pytestmark = pytest.mark.both_engines

OWNER = "own_one"
Scene = Callable[[Database, MovableClock], Awaitable[None]]
QUEUE = JobQueue({"test": None}, timedelta(minutes=2))


async def nothing(run: JobRun) -> None:
    del run


@pytest.fixture(name="play")
def on_a_database(engine: str, postgres_url: str, tmp_path: Path) -> Callable[[Scene], None]:
    """Run a scene on a migrated database with a clock of its own."""
    url = new_database(postgres_url) if engine == "postgres" else sqlite_url(tmp_path / "test.db")

    def play(scene: Scene) -> None:
        async def run() -> None:
            clock = MovableClock()
            db = Database(url, clock)
            try:
                await migrate(db)
                await scene(db, clock)
            finally:
                await db.close()

        asyncio.run(run())

    return play


@pytest.fixture(autouse=True)
def process() -> Iterator[None]:
    """Be the same process again after a test that was several."""
    token = _CurrentProcess.token
    yield
    _CurrentProcess.token = token


async def claim_new_job(db: Database) -> ClaimedRow[JobRow]:
    service = JobService(JobTypes([JobType(name="test", run=nothing)]))
    await db.write(lambda tx: service.enqueue(tx, "test", OWNER))
    [claimed] = await db.write(QUEUE.claim, 1)
    return claimed


async def claimed_ids(db: Database) -> set[str]:
    async def read(tx: Tx) -> set[str]:
        return {row.id for row in await tx.all(sa.select(jobs.c.id).where(jobs.c.claim_until.is_not(None)))}

    return await db.read(read)


def test_the_claims_of_a_process_end_and_those_of_others_stay(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        del clock
        dead = new_worker_id()
        of_dead = await claim_new_job(db)
        _CurrentProcess.rename()
        assert not is_own(dead)
        kept = await claim_new_job(db)
        assert await db.write(end_claims, [dead]) == 1
        assert await claimed_ids(db) == {kept.row.id}
        [again] = await db.write(QUEUE.claim, 5)
        assert again.row.id == of_dead.row.id
        # It is no first attempt: what was called before must be looked up, not called again.
        assert again.row.claim_id is not None
        # Whoever was frozen finds its claim lost.
        assert await db.write(QUEUE.write_outcomes, [RowOutcome(claimed=of_dead)]) == [False]
        assert await db.write(QUEUE.write_outcomes, [RowOutcome(claimed=again)]) == [True]

    play(scene)


def test_a_row_that_somebody_has_locked_holds_up_no_other(play: Callable[[Scene], None], engine: str) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        del clock
        dead = new_worker_id()
        locked, free = await claim_new_job(db), await claim_new_job(db)

        async def lock(tx: Tx) -> None:
            await tx.all(sa.select(jobs.c.id).where(jobs.c.id == locked.row.id).with_for_update())
            assert await db.write(end_claims, [dead]) == 1
            assert await claimed_ids(db) == {locked.row.id}

        if engine == "postgres":
            await db.write(lock)
            assert await db.write(end_claims, [dead]) == 1
        else:
            # There is one writer at a time, so nothing is ever locked.
            assert await db.write(end_claims, [dead]) == 2
        assert free.row.id not in await claimed_ids(db)

    play(scene)


def test_only_a_worker_without_heartbeats_is_dead_whatever_the_clocks_of_others_say(
    play: Callable[[Scene], None],
) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        silent, beating, older_version = new_worker_id(), new_worker_id(), new_worker_id()
        for worker_id in (silent, beating, older_version):
            await db.write(record_heartbeat, worker_id, clock.now())
        clock.offset += timedelta(days=1)
        assert await db.read(list_dead_workers) == []
        clock.offset -= timedelta(days=1)
        await db.write(set_alive_at, silent, silent=DEAD_AFTER + timedelta(seconds=1))
        await db.write(set_alive_at, older_version, silent=None)
        assert await db.read(list_dead_workers) == [silent]
        await db.write(record_heartbeat, silent, clock.now())
        assert await db.read(list_dead_workers) == []

    play(scene)


async def set_alive_at(tx: Tx, worker_id: str, *, silent: timedelta | None) -> None:
    """Let a worker have given its last sign of life so long ago, or never any."""
    values = {"alive_at": None if silent is None else _time_of_database(tx, silent)}
    await tx.execute(sa.update(workers).where(workers.c.id == worker_id).values(values))


def test_all_that_is_claimed_ends_with_its_process(running_tables: set[str]) -> None:
    assert {table for table, _ in _claim_columns} == running_tables


@pytest.fixture
def running_tables() -> set[str]:
    """Name every table with claims, found by the names of their columns."""
    from socialgate.entry import deployment  # noqa: PLC0415 - it imports the tables of all areas

    del deployment
    tables = jobs.metadata.tables.values()
    return {table.name for table in tables if any("claim_id" in column.name for column in table.c)}


def test_a_process_that_was_forked_is_another_one(tmp_path: Path) -> None:
    mine = new_worker_id()
    forked = ForkedProcess(exit_if_own, mine, env=environment({"data_dir": tmp_path}))
    assert forked.wait(60) == 0
    assert is_own(mine)


def exit_if_own(worker_id: str) -> None:
    raise SystemExit(1 if is_own(worker_id) else 0)
