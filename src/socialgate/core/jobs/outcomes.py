"""What claimed jobs have done: their steps and their ends, written only while the claim is valid."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from socialgate.core.db import Database, Tx
from socialgate.core.jitter import get_random_jitter
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JOBS_WAKEUP_KEY, JobQueue, JobRow, JobStatus
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.service import JOB_LEASE, JobCancelled, JobType, JobTypes, wake_job_listeners

T = TypeVar("T")


class JobOutcomeWriter:
    def __init__(self, db: Database, types: JobTypes) -> None:
        self._db = db
        self._types = types
        self.queue = JobQueue({job_type.name: job_type.max_per_owner for job_type in types}, JOB_LEASE)

    async def write_step(
        self, claimed: ClaimedRow[JobRow], work: Callable[[Tx], Awaitable[T]], values: Mapping[str, Any]
    ) -> T:
        async def unit(tx: Tx) -> T:
            await self._require_active_claim(tx, claimed)
            answer = await work(tx)
            await self._write_outcome(tx, RowOutcome(claimed=claimed, values=values, release=False))
            return answer

        return await self._db.write(unit)

    async def finish_job(
        self, claimed: ClaimedRow[JobRow], work: Callable[[Tx], Awaitable[T]], next_at: datetime | None
    ) -> T:
        async def unit(tx: Tx) -> T:
            await self._require_active_claim(tx, claimed)
            answer = await work(tx)
            await self.mark_succeeded(tx, claimed, answer, next_at)
            return answer

        return await self._db.write(unit)

    async def mark_succeeded(self, tx: Tx, claimed: ClaimedRow[JobRow], result: Any, next_at: datetime | None) -> None:
        values = {"status": JobStatus.SUCCEEDED, "result": msgspec.to_builtins(result), "error": None}
        await self._finish_or_recur(tx, claimed, values, next_at)

    async def fail_permanently(
        self, tx: Tx, claimed: ClaimedRow[JobRow], job: JobType, error: Mapping[str, Any], next_at: datetime | None
    ) -> None:
        await self._finish_or_recur(tx, claimed, {"status": JobStatus.FAILED, "error": error}, next_at)
        if job.on_permanent_failure is not None:
            await job.on_permanent_failure(tx, claimed.row, error)

    async def end_cancelled(self, tx: Tx, claimed: ClaimedRow[JobRow]) -> None:
        await self._finish_or_recur(tx, claimed, {"status": JobStatus.CANCELLED, "error": None})
        await self._types.call_on_cancelled(tx, claimed.row)

    async def requeue_job(
        self,
        tx: Tx,
        claimed: ClaimedRow[JobRow],
        due_at: datetime,
        tries: int,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        """Have a job run again. `error` says why, until then."""
        values = {"status": JobStatus.QUEUED, "tries": tries, "error": error}
        await self._write_outcome(tx, RowOutcome(claimed=claimed, values=values, due_at=due_at))

    async def _require_active_claim(self, tx: Tx, claimed: ClaimedRow[JobRow]) -> None:
        row = await job_store.find_job_for_update(tx, claimed.row.owner_id, claimed.row.id)
        if row is None or row.claim_id != claimed.claim_id:
            raise ClaimLost
        if row.cancel_at is not None:
            raise JobCancelled

    async def _finish_or_recur(
        self, tx: Tx, claimed: ClaimedRow[JobRow], values: Mapping[str, Any], next_at: datetime | None = None
    ) -> None:
        every = self._types[claimed.row.type].interval
        if every is not None and values["status"] is not JobStatus.CANCELLED:
            due_at = next_at or tx.now + every * (1 + 0.1 * get_random_jitter())
            await self._write_outcome(tx, _build_recurrence(claimed, due_at))
            return
        ended = self._types.build_finished_values(tx, claimed.row, values)
        await self._write_outcome(tx, RowOutcome(claimed=claimed, values=ended))

    async def _write_outcome(self, tx: Tx, outcome: RowOutcome[JobRow]) -> None:
        [written] = await self.queue.write_outcomes(tx, [outcome])
        if not written:
            raise ClaimLost
        wake_job_listeners(tx, outcome.claimed.row)
        if outcome.due_at is not None:
            tx.wake_on_commit(JOBS_WAKEUP_KEY)


def _build_recurrence(claimed: ClaimedRow[JobRow], due_at: datetime) -> RowOutcome[JobRow]:
    """The run that has just ended makes up for everything that was missed while nothing ran."""
    fresh = {"status": JobStatus.QUEUED, "state": None, "tries": 0, "done": None, "total": None, "error": None}
    return RowOutcome(claimed=claimed, values=fresh, due_at=due_at)
