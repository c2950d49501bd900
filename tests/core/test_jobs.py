"""Durable work: claimed once, held by a lease, settled under a fence, resumed from its last step."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.errors import InvalidRequest, Unavailable
from socialgate.core.jobs import job_store
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.group_commit import GroupCommit
from socialgate.core.jobs.job_store import SYSTEM_OWNER_ID, JobQueue, JobRow, JobStatus, jobs, read_job
from socialgate.core.jobs.queue import RowOutcome, RowQueue
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.service import JOB_LEASE, JobRun, JobType, TaskAlreadyFinished
from socialgate.core.schema_migration import migrate
from socialgate.core.wakeups import ALL_KEYS
from support.lone_worker import LoneWorker
from support.postgres import new_database
from support.service import MovableClock

pytestmark = pytest.mark.both_engines

OWNER = "own_one"
Scene = Callable[[Database, MovableClock], Awaitable[None]]


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


def job_type(run: Callable[[JobRun], Awaitable[Any]], **fields: Any) -> JobType:
    return JobType(name="test", run=run, **fields)


async def nothing(run: JobRun) -> None:
    del run


@contextmanager
def running(*workers: LoneWorker) -> Iterator[list["asyncio.Task[None]"]]:
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield tasks
    finally:
        for worker in workers:
            worker.stop()


async def add(worker: LoneWorker, owner_id: str = OWNER, **fields: Any) -> JobRow:
    return await worker.db.write(lambda tx: worker.add(tx, "test", owner_id, **fields))


async def all_jobs(db: Database) -> list[JobRow]:
    async def read(tx: Tx) -> list[JobRow]:
        return [read_job(row) for row in await tx.all(sa.select(jobs).order_by(jobs.c.id))]

    return await db.read(read)


async def until(db: Database, condition: Callable[[Sequence[JobRow]], bool]) -> list[JobRow]:
    async with asyncio.timeout(60):
        while not condition(rows := await all_jobs(db)):  # noqa: ASYNC110 - another worker changes the rows
            await asyncio.sleep(0.01)
    return rows


async def finished(db: Database) -> list[JobRow]:
    return await until(db, lambda rows: all(job.finished_at is not None for job in rows))


async def tried_until_it_ends(db: Database, clock: MovableClock) -> JobRow:
    """Let time pass whenever the one job waits for its next try."""
    clock.stop()
    while True:
        [job] = await until(db, lambda rows: rows[0].claim_id is None)
        if job.finished_at is not None:
            return job
        assert job.due_at is not None
        clock.offset += max(timedelta(), job.due_at - clock.now())
        db.wakeups.publish({ALL_KEYS})
        await until(db, lambda result, due=job.due_at: result[0].due_at != due)  # type: ignore[misc] # bound now


async def find(db: Database, job: JobRow) -> JobRow:
    row = await db.read(job_store.find_job, job.owner_id, job.id)
    assert row is not None
    return row


def test_a_job_runs_and_keeps_its_result(play: Callable[[Scene], None]) -> None:
    async def count(run: JobRun) -> Any:
        for number in range(run.state or 0, 3):
            await run.record_step(number + 1, done=number + 1, total=3, unit="pages")
        return {"pages": run.input["pages"]}

    async def scene(db: Database, _clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(count)])
        await add(worker, job_input={"pages": 3})
        with running(worker):
            [job] = await finished(db)
        assert (job.status, job.result, job.error) == (JobStatus.SUCCEEDED, {"pages": 3}, None)
        assert (job.done, job.total, job.unit, job.state) == (3, 3, "pages", 3)
        assert job.started_at is not None
        assert job.expires_at is not None

    play(scene)


def test_a_step_that_fails_is_tried_again_from_where_it_stood_and_given_up_in_the_end(
    play: Callable[[Scene], None],
) -> None:
    begun_at: list[Any] = []

    async def stumble(run: JobRun) -> Any:
        begun_at.append(run.state)
        await run.record_step("half")
        raise ValueError("a secret of the house")

    async def scene(db: Database, clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(stumble, max_tries=3)])
        await add(worker)
        with running(worker):
            job = await tried_until_it_ends(db, clock)
        assert (job.status, job.state) == (JobStatus.FAILED, "half")
        # Only tries that came no further than the one before count.
        assert begun_at == [None, "half", "half"]

    play(scene)


def test_failures_without_progress_end_a_job_with_a_reason_that_tells_nothing_of_ours(
    play: Callable[[Scene], None],
) -> None:
    tried: list[int] = []

    async def fail(run: JobRun) -> Any:
        tried.append(run.tries)
        raise ValueError("a secret of the house")

    async def scene(db: Database, clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(fail, max_tries=3)])
        await add(worker)
        with running(worker):
            job = await tried_until_it_ends(db, clock)
        assert tried == [0, 1, 2]
        assert job.status is JobStatus.FAILED
        assert job.error is not None
        assert job.error["code"] == "internal_error"
        assert "secret" not in str(job.error)

    play(scene)


def test_a_failure_that_is_final_is_not_tried_again(play: Callable[[Scene], None]) -> None:
    async def refuse(run: JobRun) -> Any:
        del run
        raise InvalidRequest("Column 3 is not a price. Correct it and create the task again.")

    async def scene(db: Database, _clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(refuse)])
        await add(worker)
        with running(worker):
            [job] = await finished(db)
        assert (job.status, job.tries) == (JobStatus.FAILED, 1)
        assert job.error == {
            "code": "invalid",
            "detail": "Column 3 is not a price. Correct it and create the task again.",
        }

    play(scene)


def test_an_outage_is_waited_out_for_as_long_as_it_asks(play: Callable[[Scene], None]) -> None:
    async def unavailable(run: JobRun) -> Any:
        if run.tries == 0:
            raise Unavailable("Not now.", retry_after=600)
        return "done"

    async def scene(db: Database, clock: MovableClock) -> None:
        clock.stop()
        worker = LoneWorker(db, [job_type(unavailable)])
        await add(worker)
        with running(worker):
            [job] = await until(db, lambda rows: rows[0].tries == 1 and rows[0].claim_id is None)
            assert job.due_at is not None
            assert job.due_at >= clock.now() + timedelta(seconds=600)
            clock.offset += timedelta(minutes=11)
            [job] = await finished(db)
        assert job.result == "done"

    play(scene)


def test_cancelling_ends_a_queued_job_at_once_and_a_running_one_with_its_next_step(
    play: Callable[[Scene], None],
) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        begun, go_on, after = asyncio.Event(), asyncio.Event(), []
        noted: list[tuple[str, str]] = []

        async def note(tx: Tx, job: JobRow) -> None:
            # In the transaction that ends the job.
            row = await job_store.find_job(tx, job.owner_id, job.id)
            assert row is not None
            noted.append((row.id, row.status))

        async def slow(run: JobRun) -> None:
            begun.set()
            await go_on.wait()
            await run.record_step(1)
            after.append(run.id)

        worker = LoneWorker(db, [job_type(slow, max_per_owner=1, on_cancelled=note)])
        first, second = await add(worker), await add(worker)
        with running(worker):
            await begun.wait()
            for job, status in ((first, JobStatus.RUNNING), (second, JobStatus.CANCELLED)):
                now = await find(db, job)
                assert await db.write(worker.cancel, now) is status
            go_on.set()
            for job in await finished(db):
                assert job.status is JobStatus.CANCELLED
                with pytest.raises(TaskAlreadyFinished):
                    await db.write(worker.cancel, job)
        assert after == []
        assert noted == [(second.id, "cancelled"), (first.id, "cancelled")]

    play(scene)


def test_no_owner_runs_more_at_once_than_allowed_on_two_workers_and_nobody_waits_behind_a_flood(
    play: Callable[[Scene], None],
) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        now, most, order = {OWNER: 0, "own_two": 0}, {OWNER: 0, "own_two": 0}, []

        async def count(run: JobRun) -> None:
            now[run.owner_id] += 1
            most[run.owner_id] = max(most[run.owner_id], now[run.owner_id])
            order.append(run.owner_id)
            await asyncio.sleep(0.02)
            now[run.owner_id] -= 1

        workers = [LoneWorker(db, [job_type(count, max_per_owner=2)]) for _ in range(2)]
        for _ in range(20):
            await add(workers[0])
        for _ in range(4):
            await add(workers[0], "own_two")
        with running(*workers):
            await finished(db)
        assert most == {OWNER: 2, "own_two": 2}
        assert "own_two" in order[:4], "the second owner waited until the first was done"
        assert len(order) == 24

    play(scene)


def test_a_key_has_one_unfinished_job(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(nothing)])
        first, again = await add(worker, key="acc_1"), await add(worker, key="acc_1")
        assert first.id == again.id
        with running(worker):
            await finished(db)
        assert (await add(worker, key="acc_1")).id != first.id

    play(scene)


def test_a_schedule_recurs_and_catches_up_once(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        ran: list[datetime] = []
        clock.stop()

        async def sweep(run: JobRun) -> None:
            del run
            ran.append(clock.now())

        kind = job_type(sweep, interval=timedelta(hours=1), system=True, public=False)
        workers = [LoneWorker(db, [kind]) for _ in range(2)]
        with running(*workers):
            [job] = await until(db, lambda rows: bool(ran) and rows[0].claim_id is None)
            assert (job.owner_id, job.status) == (SYSTEM_OWNER_ID, JobStatus.QUEUED)
            clock.offset += timedelta(days=3)
            db.wakeups.publish({"*"})
            [job] = await until(db, lambda rows: len(ran) == 2 and rows[0].claim_id is None)
            assert job.due_at is not None
            assert timedelta(minutes=54) <= job.due_at - clock.now() <= timedelta(minutes=66)
        assert len(ran) == 2

    play(scene)


def test_a_slow_process_whose_lease_ran_out_writes_nothing_more(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        queue = JobQueue({"test": None}, JOB_LEASE)
        worker = LoneWorker(db, [job_type(nothing)])
        await add(worker)
        [slow] = await db.write(queue.claim, 10)
        assert await db.write(queue.claim, 10) == []
        clock.offset += JOB_LEASE + timedelta(seconds=1)
        [other] = await db.write(queue.claim, 10)
        assert other.row.tries == 1, "a claim that came to nothing counts as a try"
        with pytest.raises(ClaimLost):
            await worker.start_run(slow).record_step("late")
        await db.write(queue.renew_leases, [slow])
        assert await db.write(queue.write_outcomes, [RowOutcome(claimed=slow)]) == [False]
        await worker.start_run(other).record_step("in time")
        assert (await all_jobs(db))[0].state == "in time"

    play(scene)


def test_what_kills_its_process_each_time_is_given_up_and_its_area_notes_that(play: Callable[[Scene], None]) -> None:
    noted: list[tuple[str, str]] = []

    async def note(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        # In the transaction that ends the job.
        row = await job_store.find_job(tx, job.owner_id, job.id)
        assert row is not None
        noted.append((row.status, error["code"]))

    async def scene(db: Database, clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(nothing, max_tries=3, on_permanent_failure=note)])
        await add(worker)
        queue = JobQueue({"test": None}, JOB_LEASE)
        for _ in range(3):
            assert len(await db.write(queue.claim, 1)) == 1
            clock.offset += JOB_LEASE + timedelta(seconds=1)
        with running(worker):
            [job] = await finished(db)
        assert job.status is JobStatus.FAILED
        assert noted == [("failed", "internal_error")]

    play(scene)


def test_a_claim_on_one_row_is_exclusive_whether_it_is_due_or_not(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        queue = RowQueue(jobs, read_job)
        worker = LoneWorker(db, [job_type(nothing)])
        job = await add(worker, due_at=datetime.now(UTC) + timedelta(days=1))
        claims = await asyncio.gather(*(db.write(queue.claim_one, OWNER, job.id) for _ in range(5)))
        assert len([claim for claim in claims if claim is not None]) == 1
        assert await db.write(queue.claim_one, OWNER, "task_none") is None

    play(scene)


def test_two_workers_share_a_queue_and_nothing_runs_twice(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        ran: list[str] = []

        async def note(run: JobRun) -> None:
            ran.append(run.id)

        workers = [LoneWorker(db, [job_type(note)]) for _ in range(2)]
        values = {(await add(workers[0])).id for _ in range(60)}
        with running(*workers):
            await finished(db)
        assert sorted(ran) == sorted(values)

    play(scene)


def test_stopping_gives_a_job_back_at_its_next_step(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        begun, go_on, ended = asyncio.Event(), asyncio.Event(), []

        async def long(run: JobRun) -> None:
            begun.set()
            for number in range(run.state or 0, 3):
                if number == 1:
                    await go_on.wait()
                await run.record_step(number + 1)
            ended.append(run.state)

        kind = job_type(long)
        first = LoneWorker(db, [kind])
        await add(first)
        with running(first) as [task]:
            await begun.wait()
            first.stop()
            go_on.set()
            await task
        [job] = await all_jobs(db)
        assert (job.status, job.claim_id, job.tries) == (JobStatus.QUEUED, None, 0)
        with running(LoneWorker(db, [kind])):
            await finished(db)
        assert ended == [3]

    play(scene)


def test_an_effect_and_its_step_are_one_transaction(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, _clock: MovableClock) -> None:
        async def write_and_fail(tx: Tx) -> None:
            await tx.execute(sa.update(jobs).values(unit="written"))
            raise InvalidRequest("No.")

        async def run_it(run: JobRun) -> None:
            await run.write_step(write_and_fail, "after")

        async def end_it(run: JobRun) -> None:
            async def last(tx: Tx, word: str) -> dict[str, str]:
                del tx
                return {"said": word}

            await run.finish(last, "hello")

        worker = LoneWorker(db, [job_type(run_it), JobType(name="other", run=end_it)])
        await add(worker)
        await db.write(lambda tx: worker.add(tx, "other", OWNER))
        with running(worker):
            failed, ended = await finished(db)
        assert (failed.status, failed.unit, failed.state) == (JobStatus.FAILED, None, None)
        assert (ended.status, ended.result) == (JobStatus.SUCCEEDED, {"said": "hello"})

    play(scene)


def test_finished_jobs_are_purged_when_their_record_expires(play: Callable[[Scene], None]) -> None:
    async def scene(db: Database, clock: MovableClock) -> None:
        worker = LoneWorker(db, [job_type(nothing, retention=timedelta(days=2))])
        await add(worker)
        with running(worker):
            await finished(db)
        assert await db.write(job_store.purge_jobs, clock.now() + timedelta(days=1)) == 0
        assert await db.write(job_store.purge_jobs, clock.now() + timedelta(days=3)) == 1

    play(scene)


def test_writes_that_come_together_share_a_commit_and_each_gets_its_own_result() -> None:
    async def scene() -> None:
        batches: list[list[int]] = []

        class Commits:
            async def write(self, unit: Any, items: Sequence[int]) -> Any:
                return await unit(None, items)

        async def double(_tx: Tx, items: Sequence[int]) -> list[int]:
            batches.append(list(items))
            if 13 in items:
                raise InvalidRequest("Unlucky.")
            return [item * 2 for item in items]

        group: GroupCommit[int, int] = GroupCommit(Commits(), double, max_batch_size=4)  # type: ignore[arg-type] # no engine needed
        assert await asyncio.gather(*(group.write(number) for number in range(10))) == [n * 2 for n in range(10)]
        assert max(map(len, batches)) == 4
        with pytest.raises(InvalidRequest):
            await group.write(13)
        assert await group.write(1) == 2

    asyncio.run(scene())


@pytest.mark.parametrize(("tries", "seconds"), [(0, 5), (1, 10), (2, 20), (50, 600)])
def test_backoff_doubles_up_to_its_longest_and_never_comes_before_what_was_asked(tries: int, seconds: int) -> None:
    backoff = Backoff(initial_delay=timedelta(seconds=5), max_delay=timedelta(minutes=10), jitter=0.2)
    assert backoff.get_delay(tries, jitter_factor=0) == timedelta(seconds=seconds)
    assert backoff.get_delay(tries, jitter_factor=1) == timedelta(seconds=seconds) * 1.2
    assert backoff.get_delay(tries, min_delay=timedelta(hours=1)) == timedelta(hours=1)
    assert timedelta(seconds=seconds) * 0.8 <= backoff.get_delay(tries) <= timedelta(seconds=seconds) * 1.2
