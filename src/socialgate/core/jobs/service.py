"""General jobs: work that takes longer than a request, or that recurs.

A job is a function that takes a `JobRun`. It is claimed with a lease and a fencing token, runs on one node at a time,
records each step together with its changes in one transaction, and resumes from its last step after a crash:

    async def export(run: Run) -> Any:
        for page in range(run.state or 0, PAGES):
            await run.step(page + 1, done=page + 1, total=PAGES, unit="pages")
        return {"pages": PAGES}

    EXPORT = JobType(name="export", run=export, per_owner=2)

`JobService.add` queues a job inside the caller's transaction. A type with `every` recurs: it is queued once, runs when
it is due, and after downtime catches up with a single run.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec

from socialgate.core.db import TransactionFunction, Tx
from socialgate.core.errors import Conflict, RateLimited, ServiceError
from socialgate.core.ids import new_id
from socialgate.core.jobs import job_store
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.job_store import JOBS_WAKEUP_KEY, JobRow, JobStatus
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.restores import HoldKind

P = ParamSpec("P")
T = TypeVar("T")

JOB_LEASE = timedelta(minutes=2)
_MAX_UNFINISHED_TASKS = 1_000
_RETRY_AFTER_SECONDS = 60
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=5), max_delay=timedelta(minutes=10))


class TooManyTasks(RateLimited):
    """The owner has the maximum number of unfinished tasks.

    Wait until some have finished, or cancel some with `DELETE /tasks/{taskId}`.
    """

    code = "too_many_tasks"
    title = "Too many unfinished tasks"


class TaskAlreadyFinished(Conflict):
    """The task has already finished, so it cannot be cancelled."""

    code = "task_finished"
    title = "The task has finished"


class JobCancelled(Exception):
    """The job was cancelled: raised by its next step."""


class WorkerStopping(Exception):
    """The process is stopping: the job continues from its last step, here or on another node."""


class JobPostponed(Exception):
    """The job has to wait for something else, which does not count as a failure: it runs again at `due_at`. `error`
    says why, if people should know it.
    """

    def __init__(self, due_at: datetime, error: ServiceError | None = None) -> None:
        super().__init__(due_at)
        self.due_at = due_at
        self.error = error


class JobCrashedError(Exception):
    """Every time the job was started, its process died before the next step."""


class JobType(msgspec.Struct, frozen=True, kw_only=True):
    """The ids of its jobs start with `prefix`. Jobs that are `public` are the customers' tasks; the others are
    internal.
    """

    name: str
    run: Callable[["JobRun"], Awaitable[Any]]
    max_per_owner: int | None = None
    max_tries: int = 8
    backoff: Backoff = _RETRY_BACKOFF
    # How long the record of a finished job is kept.
    retention: timedelta = timedelta(days=7)
    prefix: str = "task"
    public: bool = True
    # The type of what a public job returns, for the documentation; None if it returns nothing that callers can use.
    result: Any = None
    # How often it recurs, with a tenth of that as jitter; None for one-off work.
    interval: timedelta | None = None
    # A job of the deployment itself: queued automatically, once, when a worker starts.
    system: bool = False
    # What it counts as if the restore of a backup holds it back. None: it may be repeated.
    hold_kind: HoldKind | None = None
    # Records in the area's own rows that the job failed permanently: its input and its error.
    on_permanent_failure: Callable[[Tx, JobRow, Mapping[str, Any]], Awaitable[None]] | None = None
    # Removes from the area's own rows what a cancelled job no longer needs, in the transaction that ends it.
    on_cancelled: Callable[[Tx, JobRow], Awaitable[None]] | None = None


class StepWriter(Protocol):
    """Writes what a run has done. `JobOutcomeWriter` implements it."""

    async def write_step(
        self, claimed: ClaimedRow[JobRow], work: Callable[[Tx], Awaitable[T]], values: Mapping[str, Any]
    ) -> T:
        """Do the work of a step and write these values, in one transaction."""

    async def finish_job(
        self, claimed: ClaimedRow[JobRow], work: Callable[[Tx], Awaitable[T]], next_at: datetime | None
    ) -> T:
        """Do the last work of a job and store what it returns as the result, in one transaction."""


class JobRun:
    """One run of a job, continuing from its last step. It only writes while its claim is valid."""

    def __init__(self, writer: StepWriter, claimed: ClaimedRow[JobRow], is_stopping: Callable[[], bool]) -> None:
        self._writer = writer
        self._claimed = claimed
        self._is_stopping = is_stopping
        self.owner_id = claimed.row.owner_id
        self.id = claimed.row.id
        self.key = claimed.row.job_key
        self.input = claimed.row.input
        self.state = claimed.row.state
        self.tries = claimed.row.tries
        self.finished = False
        # When a recurring job runs next, if it overrides `every`.
        self.next_at: datetime | None = None

    async def record_step(
        self, state: Any, *, done: int | None = None, total: int | None = None, unit: str | None = None
    ) -> None:
        """Record the state of the job. Raises if the job was cancelled or the process is stopping."""
        await self.write_step(_do_nothing, state, done=done, total=total, unit=unit)

    async def write_step(
        self,
        work: Callable[[Tx], Awaitable[T]],
        state: Any,
        *,
        done: int | None = None,
        total: int | None = None,
        unit: str | None = None,
        error: ServiceError | None = None,
    ) -> T:
        """Do the database work of a step and record the new state, in one transaction. `error` says why the job will
        wait.
        """
        progress = {} if done is None else {"done": done, "total": total, "unit": unit}
        reached = msgspec.to_builtins(state)
        # Only a step that makes progress resets the count: a job that always fails after the same step is given up.
        moved = {"tries": 0} if reached != self.state else {}
        waits = {} if error is None else {"error": {"code": error.code, "detail": error.detail}}
        values = {"state": reached, **moved, **progress, **waits}
        answer = await self._writer.write_step(self._claimed, work, values)
        self.state, self.tries = reached, 0 if moved else self.tries
        if self._is_stopping():
            raise WorkerStopping
        return answer

    async def finish(self, work: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do the last database work of a job and store its return value as the result, in one transaction."""

        async def last(tx: Tx) -> T:
            return await work(tx, *args, **kwargs)

        answer = await self._writer.finish_job(self._claimed, last, self.next_at)
        self.finished = True
        return answer


class JobTypes:
    """All job types that a process knows, by name."""

    def __init__(self, types: Sequence[JobType]) -> None:
        self._types = {job_type.name: job_type for job_type in types}
        assert len(self._types) == len(types), "two job types have the same name"
        self.hold_kinds = {job_type.name: job_type.hold_kind for job_type in types if job_type.hold_kind is not None}

    def __getitem__(self, name: str) -> JobType:
        return self._types[name]

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[JobType]:
        return iter(self._types.values())

    @property
    def public_types(self) -> Mapping[str, JobType]:
        return {name: job_type for name, job_type in self._types.items() if job_type.public}

    def build_finished_values(self, tx: Tx, job: JobRow, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is written with a job that has ended. Old rows may have a type that no longer exists."""
        kept = self._types[job.type].retention if job.type in self._types else timedelta(days=7)
        return {**values, "finished_at": tx.now, "expires_at": tx.now + kept}

    async def call_on_cancelled(self, tx: Tx, job: JobRow) -> None:
        job_type = self._types.get(job.type)
        if job_type is not None and job_type.on_cancelled is not None:
            await job_type.on_cancelled(tx, job)


class JobService:
    """Queues and cancels jobs, in the transactions of others. `JobWorker` runs them."""

    def __init__(self, types: JobTypes) -> None:
        self._types = types

    async def enqueue(
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
        job_type = self._types[kind]
        if (
            job_type.public
            and await job_store.count_unfinished_jobs(tx, owner_id, self._types.public_types) >= _MAX_UNFINISHED_TASKS
        ):
            raise TooManyTasks(
                f"{_MAX_UNFINISHED_TASKS} tasks are unfinished. Wait until some finish, or cancel some with DELETE "
                "/tasks/{taskId}.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        values = {
            "id": new_id(job_type.prefix),
            "profile_id": profile_id,
            "type": kind,
            "job_key": key,
            "status": JobStatus.QUEUED,
            "input": msgspec.to_builtins(job_input or {}),
            "due_at": due_at or tx.now,
            "created_at": tx.now,
        }
        added = await job_store.insert_job(tx, owner_id, values)
        if added is None:
            assert key is not None, "only a key can conflict"
            added = await job_store.find_unfinished_job_by_key(tx, owner_id, kind, key)
            assert added is not None, "it conflicted a moment ago, and this transaction sees it"
            return added
        tx.wake_on_commit(JOBS_WAKEUP_KEY, job_store.get_owner_jobs_wakeup_key(owner_id))
        return added

    async def run_earlier(self, tx: Tx, job: JobRow, due_at: datetime) -> None:
        """Let a job that waits for later run earlier."""
        if job.due_at is not None and job.due_at > due_at:
            await job_store.update_job(tx, job.owner_id, job.id, {"due_at": due_at})
            tx.wake_on_commit(JOBS_WAKEUP_KEY)

    async def cancel(self, tx: Tx, job: JobRow) -> JobStatus:
        """Cancel a job: immediately if it is not running, otherwise at its next step."""
        if job.finished_at is not None:
            raise TaskAlreadyFinished(
                f"The task has already finished with the status {job.status}. Its record is deleted automatically."
            )
        if job.claim_until is None or job.claim_until < tx.now:
            ended = self._types.build_finished_values(tx, job, {"status": JobStatus.CANCELLED, "error": None})
            await job_store.update_job(tx, job.owner_id, job.id, {**ended, "due_at": None, "claim_id": None})
            await self._types.call_on_cancelled(tx, job)
            wake_job_listeners(tx, job)
            return JobStatus.CANCELLED
        await job_store.update_job(tx, job.owner_id, job.id, {"cancel_at": tx.now})
        return job.status


def get_job_wakeup_key(job_id: str) -> str:
    """The hint that something about a job has changed."""
    return f"job {job_id}"


def wake_job_listeners(tx: Tx, job: JobRow) -> None:
    """Wake up everything that waits for news of a job."""
    tx.wake_on_commit(get_job_wakeup_key(job.id), job_store.get_owner_jobs_wakeup_key(job.owner_id))


async def _do_nothing(tx: Tx) -> None:
    del tx
