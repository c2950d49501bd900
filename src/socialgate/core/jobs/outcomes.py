"""What claimed jobs have done: their steps and their ends, written only while the claim is valid."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from socialgate.core.db import Database, Tx
from socialgate.core.jitter import jitter
from socialgate.core.jobs import table
from socialgate.core.jobs.jobs import LEASE, Cancelled, JobType, JobTypes, announce
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.table import JOBS, JobQueue, JobRow, JobStatus

T = TypeVar("T")


class JobOutcomes:
    def __init__(self, db: Database, types: JobTypes) -> None:
        self._db = db
        self._types = types
        self.queue = JobQueue({one.name: one.per_owner for one in types}, LEASE)

    async def write_step(
        self, claimed: Claimed[JobRow], work: Callable[[Tx], Awaitable[T]], values: Mapping[str, Any]
    ) -> T:
        async def unit(tx: Tx) -> T:
            await self._require_active_claim(tx, claimed)
            answer = await work(tx)
            await self._write_outcome(tx, Outcome(claimed=claimed, values=values, release=False))
            return answer

        return await self._db.write(unit)

    async def finish(self, claimed: Claimed[JobRow], work: Callable[[Tx], Awaitable[T]], next_at: datetime | None) -> T:
        async def unit(tx: Tx) -> T:
            await self._require_active_claim(tx, claimed)
            answer = await work(tx)
            await self.succeed(tx, claimed, answer, next_at)
            return answer

        return await self._db.write(unit)

    async def succeed(self, tx: Tx, claimed: Claimed[JobRow], result: Any, next_at: datetime | None) -> None:
        values = {"status": JobStatus.SUCCEEDED, "result": msgspec.to_builtins(result), "error": None}
        await self._finish_or_recur(tx, claimed, values, next_at)

    async def fail_permanently(
        self, tx: Tx, claimed: Claimed[JobRow], job: JobType, error: Mapping[str, Any], next_at: datetime | None
    ) -> None:
        await self._finish_or_recur(tx, claimed, {"status": JobStatus.FAILED, "error": error}, next_at)
        if job.given_up is not None:
            await job.given_up(tx, claimed.row, error)

    async def end_cancelled(self, tx: Tx, claimed: Claimed[JobRow]) -> None:
        await self._finish_or_recur(tx, claimed, {"status": JobStatus.CANCELLED})
        await self._types.call_on_cancelled(tx, claimed.row)

    async def requeue(self, tx: Tx, claimed: Claimed[JobRow], due_at: datetime, tries: int) -> None:
        values = {"status": JobStatus.QUEUED, "tries": tries}
        await self._write_outcome(tx, Outcome(claimed=claimed, values=values, due_at=due_at))

    async def _require_active_claim(self, tx: Tx, claimed: Claimed[JobRow]) -> None:
        row = await table.find_for_change(tx, claimed.row.owner_id, claimed.row.id)
        if row is None or row.claim_id != claimed.claim_id:
            raise ClaimLost
        if row.cancel_at is not None:
            raise Cancelled

    async def _finish_or_recur(
        self, tx: Tx, claimed: Claimed[JobRow], values: Mapping[str, Any], next_at: datetime | None = None
    ) -> None:
        every = self._types[claimed.row.type].every
        if every is not None and values["status"] is not JobStatus.CANCELLED:
            due_at = next_at or tx.now + every * (1 + 0.1 * jitter())
            await self._write_outcome(tx, _recurrence(claimed, due_at))
            return
        ended = self._types.build_finished_values(tx, claimed.row, values)
        await self._write_outcome(tx, Outcome(claimed=claimed, values=ended))

    async def _write_outcome(self, tx: Tx, outcome: Outcome[JobRow]) -> None:
        [written] = await self.queue.settle(tx, [outcome])
        if not written:
            raise ClaimLost
        announce(tx, outcome.claimed.row)
        if outcome.due_at is not None:
            tx.wake(JOBS)


def _recurrence(claimed: Claimed[JobRow], due_at: datetime) -> Outcome[JobRow]:
    """The run that has just ended makes up for everything that was missed while nothing ran."""
    fresh = {"status": JobStatus.QUEUED, "state": None, "tries": 0, "done": None, "total": None}
    return Outcome(claimed=claimed, values=fresh, due_at=due_at)
