"""General jobs: work that takes longer than a request, or that recurs.

A job is a function that takes a `Run`. It is claimed with a lease and a fencing token, runs on one node at a time,
records each step together with its changes in one transaction, and resumes from its last step after a crash:

    async def export(run: Run) -> Any:
        for page in range(run.state or 0, PAGES):
            await run.step(page + 1, done=page + 1, total=PAGES, unit="pages")
        return {"pages": PAGES}

    EXPORT = JobType(name="export", run=export, per_owner=2)

`Jobs.add` queues a job inside the caller's transaction. A type with `every` recurs: it is queued once, runs when it is
due, and after downtime catches up with a single run.

A job, its run and its states belong together, which is why the file has so many lines.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, ParamSpec, TypeVar

import msgspec
import structlog

from socialgate.core.db import Database, Tx, Unit
from socialgate.core.errors import Conflict, RateLimited, ServiceError
from socialgate.core.ids import new_id
from socialgate.core.jitter import jitter
from socialgate.core.jobs import table
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost, Runner
from socialgate.core.jobs.table import JOBS, SYSTEM, JobQueue, JobRow, JobStatus
from socialgate.core.restores import HoldKind

P = ParamSpec("P")
T = TypeVar("T")

LEASE = timedelta(minutes=2)
_AT_ONCE = 50
_MOST_OPEN = 1_000
_BUSY_SECONDS = 60
_OUTAGE_SECONDS = 1.0
_BACKOFF = Backoff(first=timedelta(seconds=5), longest=timedelta(minutes=10))

log = structlog.get_logger(__name__)


class TooManyTasks(RateLimited):
    """The owner has the maximum number of unfinished tasks.

    Wait until some have finished, or cancel some with `DELETE /tasks/{taskId}`.
    """

    code = "too_many_tasks"
    title = "Too many unfinished tasks"


class TaskFinished(Conflict):
    """The task has already finished, so it cannot be cancelled."""

    code = "task_finished"
    title = "The task has finished"


class Cancelled(Exception):
    """The job was cancelled: raised by its next step."""


class Stopped(Exception):
    """The process is stopping: the job continues from its last step, here or on another node."""


class Postponed(Exception):
    """The job has to wait for something else, which does not count as a failure: it runs again at `due_at`."""

    def __init__(self, due_at: datetime) -> None:
        super().__init__(due_at)
        self.due_at = due_at


class Crashed(Exception):
    """Every time the job was started, its process died before the next step."""


class JobType(msgspec.Struct, frozen=True, kw_only=True):
    """The ids of its jobs start with `prefix`. Jobs that are `public` are the customers' tasks; the others are
    internal.
    """

    name: str
    run: Callable[["Run"], Awaitable[Any]]
    per_owner: int | None = None
    most_tries: int = 8
    backoff: Backoff = _BACKOFF
    # How long the record of a finished job is kept.
    kept: timedelta = timedelta(days=7)
    prefix: str = "task"
    public: bool = True
    # The type of what a public job returns, for the documentation; None if it returns nothing that callers can use.
    result: Any = None
    # How often it recurs, with a tenth of that as jitter; None for one-off work.
    every: timedelta | None = None
    # A job of the deployment itself: queued automatically, once, when a worker starts.
    system: bool = False
    # What it counts as if the restore of a backup holds it back. None: it may be repeated.
    hold_kind: HoldKind | None = None
    # Records in the area's own rows that the job failed permanently: its input and its error.
    given_up: Callable[[Tx, JobRow, Mapping[str, Any]], Awaitable[None]] | None = None
    # Removes from the area's own rows what a cancelled job no longer needs, in the transaction that ends it.
    cancelled: Callable[[Tx, JobRow], Awaitable[None]] | None = None


class Run:
    """One run of a job, continuing from its last step. It only writes while its claim is valid."""

    def __init__(self, jobs: "Jobs", claimed: Claimed[JobRow]) -> None:
        self._jobs = jobs
        self._claimed = claimed
        self.owner_id = claimed.row.owner_id
        self.id = claimed.row.id
        self.key = claimed.row.job_key
        self.input = claimed.row.input
        self.state = claimed.row.state
        self.tries = claimed.row.tries
        self.finished = False
        # When a recurring job runs next, if it overrides `every`.
        self.next_at: datetime | None = None

    async def step(
        self, state: Any, *, done: int | None = None, total: int | None = None, unit: str | None = None
    ) -> None:
        """Record the state of the job. Raises if the job was cancelled or the process is stopping."""
        await self.step_with(_nothing, state, done=done, total=total, unit=unit)

    async def step_with(
        self,
        work: Callable[[Tx], Awaitable[T]],
        state: Any,
        *,
        done: int | None = None,
        total: int | None = None,
        unit: str | None = None,
    ) -> T:
        """Do the database work of a step and record the new state, in one transaction."""
        progress = {} if done is None else {"done": done, "total": total, "unit": unit}
        reached = msgspec.to_builtins(state)
        # Only a step that makes progress resets the count: a job that always fails after the same step is given up.
        moved = {"tries": 0} if reached != self.state else {}
        values = {"state": reached, **moved, **progress}
        answer = await self._jobs.db.write(self._jobs.write_step, self._claimed, work, values)
        self.state, self.tries = reached, 0 if moved else self.tries
        if self._jobs.stopping:
            raise Stopped
        return answer

    async def finish(self, work: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do the last database work of a job and store its return value as the result, in one transaction."""

        async def last(tx: Tx) -> T:
            return await work(tx, *args, **kwargs)

        answer = await self._jobs.db.write(self._jobs.finish_with, self._claimed, last, self.next_at)
        self.finished = True
        return answer


class Jobs:
    """All job types that a process knows. It adds, shows and cancels jobs; `runner` runs them."""

    def __init__(self, db: Database, types: Sequence[JobType]) -> None:
        self.db = db
        self._types = {one.name: one for one in types}
        assert len(self._types) == len(types), "two job types have the same name"
        self._queue = JobQueue({one.name: one.per_owner for one in types}, LEASE)
        self._runner = Runner(db, self._queue, self._run, hint=JOBS, at_once=_AT_ONCE, refill=True)
        self.stop = self._runner.stop
        self.hold_kinds = {one.name: one.hold_kind for one in types if one.hold_kind is not None}

    @property
    def stopping(self) -> bool:
        return self._runner.stopping.is_set()

    @property
    def public(self) -> Mapping[str, JobType]:
        return {name: one for name, one in self._types.items() if one.public}

    async def run(self) -> None:
        await self._schedule()
        await self._runner.run()

    async def _schedule(self) -> None:
        """Queue recurring jobs as soon as the database is available."""
        while not self.stopping:
            try:
                await self.db.write(self.schedule_all)
            except ServiceError as error:
                log.warning("jobs_not_scheduled", code=error.code, detail=error.detail)
            else:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_OUTAGE_SECONDS):
                    await self._runner.stopping.wait()

    async def schedule_all(self, tx: Tx) -> None:
        """Queue the recurring jobs of the deployment, unless they are already queued."""
        for one in self._types.values():
            if one.system:
                await self.add(tx, one.name, SYSTEM, key=one.name)

    async def add(
        self,
        tx: Tx,
        kind: str,
        owner_id: str,
        job_input: Mapping[str, Any] | None = None,
        *,
        profile_id: str | None = None,
        key: str | None = None,
        due_at: datetime | None = None,
    ) -> JobRow:
        """Queue a job in the caller's transaction. If an unfinished job has the same key, return that one instead."""
        of = self._types[kind]
        if of.public and await table.open_count(tx, owner_id, self.public) >= _MOST_OPEN:
            raise TooManyTasks(
                f"{_MOST_OPEN} tasks are unfinished. Wait until some finish, or cancel some with DELETE "
                "/tasks/{taskId}.",
                retry_after=_BUSY_SECONDS,
            )
        values = {
            "id": new_id(of.prefix),
            "profile_id": profile_id,
            "type": kind,
            "job_key": key,
            "status": JobStatus.QUEUED,
            "input": msgspec.to_builtins(job_input or {}),
            "due_at": due_at or tx.now,
            "created_at": tx.now,
        }
        added = await table.insert(tx, owner_id, values)
        if added is None:
            assert key is not None, "only a key can conflict"
            added = await table.find_by_key(tx, owner_id, kind, key)
            assert added is not None, "it conflicted a moment ago, and this transaction sees it"
            return added
        tx.wake(JOBS, table.owner_hint(owner_id))
        return added

    async def hasten(self, tx: Tx, job: JobRow, due_at: datetime) -> None:
        """Let a job that waits for later run earlier."""
        if job.due_at is not None and job.due_at > due_at:
            await table.update(tx, job.owner_id, job.id, {"due_at": due_at})
            tx.wake(JOBS)

    async def cancel(self, tx: Tx, job: JobRow) -> JobStatus:
        """Cancel a job: immediately if it is not running, otherwise at its next step."""
        if job.finished_at is not None:
            raise TaskFinished(
                f"The task has already finished with the status {job.status}. Its record is deleted automatically."
            )
        if job.claim_until is None or job.claim_until < tx.now:
            ended = self._ended(tx, job, {"status": JobStatus.CANCELLED})
            await table.update(tx, job.owner_id, job.id, {**ended, "due_at": None, "claim_id": None})
            await self._clean_up(tx, job)
            _announce(tx, job)
            return JobStatus.CANCELLED
        await table.update(tx, job.owner_id, job.id, {"cancel_at": tx.now})
        return job.status

    async def write_step(
        self, tx: Tx, claimed: Claimed[JobRow], work: Callable[[Tx], Awaitable[T]], values: Mapping[str, Any]
    ) -> T:
        await self._require_wanted(tx, claimed)
        answer = await work(tx)
        await self._settle(tx, Outcome(claimed=claimed, values=values, release=False))
        return answer

    async def finish_with(
        self, tx: Tx, claimed: Claimed[JobRow], work: Callable[[Tx], Awaitable[T]], next_at: datetime | None
    ) -> T:
        await self._require_wanted(tx, claimed)
        answer = await work(tx)
        await self._succeed(tx, claimed, answer, next_at)
        return answer

    async def _require_wanted(self, tx: Tx, claimed: Claimed[JobRow]) -> None:
        row = await table.find_for_change(tx, claimed.row.owner_id, claimed.row.id)
        if row is None or row.claim_id != claimed.claim_id:
            raise ClaimLost
        if row.cancel_at is not None:
            raise Cancelled

    async def _run(self, claimed: Claimed[JobRow]) -> None:
        job, run = self._types[claimed.row.type], Run(self, claimed)
        if job.every is None and run.tries >= job.most_tries:
            await self._failed(job, run, claimed, Crashed())
            return
        try:
            result = await job.run(run)
        except Cancelled:
            await self.db.write(self._end_cancelled, claimed)
        except Stopped:
            await self.db.write(self._again, claimed, self.db.clock.now(), run.tries)
        except Postponed as postponed:
            await self.db.write(self._again, claimed, postponed.due_at, run.tries)
        except ClaimLost:
            raise
        except Exception as error:  # noqa: BLE001 - it is written down with the job
            await self._failed(job, run, claimed, error)
        else:
            if not run.finished:
                await self.db.write(self._succeed, claimed, result, run.next_at)

    async def _failed(self, job: JobType, run: Run, claimed: Claimed[JobRow], error: Exception) -> None:
        """Retry temporary errors later; give up on permanent ones, and on jobs that failed too often."""
        passing = error.retry_after is not None if isinstance(error, ServiceError) else not isinstance(error, Crashed)
        log.warning("job_failed", type=job.name, id=run.id, tries=run.tries + 1, exc_info=_unexpected(error))
        if passing and (run.tries + 1 < job.most_tries or job.every is not None):
            wait = timedelta(seconds=getattr(error, "retry_after", None) or 0)
            due_at = self.db.clock.now() + job.backoff.after(run.tries, at_least=wait)
            await self.db.write(self._again, claimed, due_at, run.tries + 1)
        else:
            await self.db.write(self._give_up, claimed, job, _told(error), run.next_at)

    async def _succeed(self, tx: Tx, claimed: Claimed[JobRow], result: Any, next_at: datetime | None) -> None:
        values = {"status": JobStatus.SUCCEEDED, "result": msgspec.to_builtins(result), "error": None}
        await self._end(tx, claimed, values, next_at)

    async def _give_up(
        self, tx: Tx, claimed: Claimed[JobRow], job: JobType, error: Mapping[str, Any], next_at: datetime | None
    ) -> None:
        await self._end(tx, claimed, {"status": JobStatus.FAILED, "error": error}, next_at)
        if job.given_up is not None:
            await job.given_up(tx, claimed.row, error)

    async def _end_cancelled(self, tx: Tx, claimed: Claimed[JobRow]) -> None:
        await self._end(tx, claimed, {"status": JobStatus.CANCELLED})
        await self._clean_up(tx, claimed.row)

    async def _clean_up(self, tx: Tx, job: JobRow) -> None:
        of = self._types.get(job.type)
        if of is not None and of.cancelled is not None:
            await of.cancelled(tx, job)

    async def _again(self, tx: Tx, claimed: Claimed[JobRow], due_at: datetime, tries: int) -> None:
        values = {"status": JobStatus.QUEUED, "tries": tries}
        await self._settle(tx, Outcome(claimed=claimed, values=values, due_at=due_at))

    async def _end(
        self, tx: Tx, claimed: Claimed[JobRow], values: Mapping[str, Any], next_at: datetime | None = None
    ) -> None:
        every = self._types[claimed.row.type].every
        if every is not None and values["status"] is not JobStatus.CANCELLED:
            await self._settle(tx, self._recurrence(claimed, next_at or tx.now + every * (1 + 0.1 * jitter())))
            return
        ended = self._ended(tx, claimed.row, values)
        await self._settle(tx, Outcome(claimed=claimed, values=ended))

    def _recurrence(self, claimed: Claimed[JobRow], due_at: datetime) -> Outcome[JobRow]:
        """The run that has just ended makes up for everything that was missed while nothing ran."""
        fresh = {"status": JobStatus.QUEUED, "state": None, "tries": 0, "done": None, "total": None}
        return Outcome(claimed=claimed, values=fresh, due_at=due_at)

    def _ended(self, tx: Tx, job: JobRow, values: Mapping[str, Any]) -> dict[str, Any]:
        kept = self._types[job.type].kept if job.type in self._types else timedelta(days=7)
        return {**values, "finished_at": tx.now, "expires_at": tx.now + kept}

    async def _settle(self, tx: Tx, outcome: Outcome[JobRow]) -> None:
        [written] = await self._queue.settle(tx, [outcome])
        if not written:
            raise ClaimLost
        _announce(tx, outcome.claimed.row)
        if outcome.due_at is not None:
            tx.wake(JOBS)


def job_hint(job_id: str) -> str:
    """The hint that something about a job has changed."""
    return f"job {job_id}"


def _announce(tx: Tx, job: JobRow) -> None:
    tx.wake(job_hint(job.id), table.owner_hint(job.owner_id))


async def _nothing(tx: Tx) -> None:
    del tx


def _told(error: Exception) -> dict[str, Any]:
    """What a customer sees. An internal error does not reveal its cause, which is in the log."""
    if isinstance(error, ServiceError):
        return {"code": error.code, "detail": error.detail}
    return {
        "code": "internal_error",
        "detail": "The task failed because of an internal error. Create it again, or report its id.",
    }


def _unexpected(error: Exception) -> Exception | None:
    return None if isinstance(error, ServiceError) else error
