"""Running the jobs of a process: those that are due, and the recurring ones of the deployment itself."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.job_store import JOBS_WAKEUP_KEY, SYSTEM_OWNER_ID, JobRow
from socialgate.core.jobs.outcomes import JobOutcomeWriter
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.jobs.runner import ClaimLost, QueueRunner
from socialgate.core.jobs.service import (
    JobCancelled,
    JobCrashedError,
    JobPostponed,
    JobRun,
    JobService,
    JobType,
    JobTypes,
    WorkerStopping,
)

_MAX_CONCURRENT_JOBS = 50
_SCHEDULE_RETRY_SECONDS = 1.0

log = structlog.get_logger(__name__)


class JobWorker:
    def __init__(self, db: Database, types: JobTypes, jobs: JobService, outcomes: JobOutcomeWriter) -> None:
        self._db = db
        self._types = types
        self._jobs = jobs
        self._outcomes = outcomes
        self._runner = QueueRunner(
            db,
            outcomes.queue,
            self._run,
            hint=JOBS_WAKEUP_KEY,
            max_concurrent=_MAX_CONCURRENT_JOBS,
            poll_after_each_row=True,
        )
        self.stop = self._runner.stop

    async def run(self) -> None:
        await self._enqueue_system_jobs_with_retry()
        await self._runner.run()

    async def enqueue_system_jobs(self, tx: Tx) -> None:
        """Queue the recurring jobs of the deployment, unless they are already queued."""
        for job_type in self._types:
            if job_type.system:
                await self._jobs.enqueue(tx, job_type.name, SYSTEM_OWNER_ID, key=job_type.name)

    async def _enqueue_system_jobs_with_retry(self) -> None:
        """Queue recurring jobs as soon as the database is available."""
        while not self._is_stopping():
            try:
                await self._db.write(self.enqueue_system_jobs)
            except ServiceError as error:
                log.warning("jobs_not_scheduled", code=error.code, detail=error.detail)
            else:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_SCHEDULE_RETRY_SECONDS):
                    await self._runner.stopping.wait()

    def _is_stopping(self) -> bool:
        return self._runner.stopping.is_set()

    async def _run(self, claimed: ClaimedRow[JobRow]) -> None:
        job, run = self._types[claimed.row.type], JobRun(self._outcomes, claimed, self._is_stopping)
        if job.interval is None and run.tries >= job.max_tries:
            await self._handle_failure(job, run, claimed, JobCrashedError())
            return
        try:
            result = await job.run(run)
        except JobCancelled:
            await self._db.write(self._outcomes.end_cancelled, claimed)
        except WorkerStopping:
            await self._db.write(self._outcomes.requeue_job, claimed, self._db.clock.now(), run.tries)
        except JobPostponed as postponed:
            why = None if postponed.error is None else _to_public_error(postponed.error)
            await self._db.write(self._outcomes.requeue_job, claimed, postponed.due_at, run.tries, why)
        except ClaimLost:
            raise
        except Exception as error:  # noqa: BLE001 - it is written down with the job
            await self._handle_failure(job, run, claimed, error)
        else:
            if not run.finished:
                await self._db.write(self._outcomes.mark_succeeded, claimed, result, run.next_at)

    async def _handle_failure(self, job: JobType, run: JobRun, claimed: ClaimedRow[JobRow], error: Exception) -> None:
        """Retry temporary errors later; give up on permanent ones, and on jobs that failed too often."""
        passing = (
            error.retry_after is not None if isinstance(error, ServiceError) else not isinstance(error, JobCrashedError)
        )
        log.warning("job_failed", type=job.name, id=run.id, tries=run.tries + 1, exc_info=_get_exc_info(error))
        if passing and (run.tries + 1 < job.max_tries or job.interval is not None):
            wait = timedelta(seconds=getattr(error, "retry_after", None) or 0)
            due_at = self._db.clock.now() + job.backoff.get_delay(run.tries, min_delay=wait)
            # What is wrong inside is for the log, as long as it may still succeed.
            why = _to_public_error(error) if isinstance(error, ServiceError) else None
            await self._db.write(self._outcomes.requeue_job, claimed, due_at, run.tries + 1, why)
        else:
            await self._db.write(self._outcomes.fail_permanently, claimed, job, _to_public_error(error), run.next_at)


def _to_public_error(error: Exception) -> dict[str, Any]:
    """What a customer sees. An internal error does not reveal its cause, which is in the log."""
    if isinstance(error, ServiceError):
        return {"code": error.code, "detail": error.detail}
    return {
        "code": "internal_error",
        "detail": "The task failed because of an internal error. Create it again, or report its id.",
    }


def _get_exc_info(error: Exception) -> Exception | None:
    return None if isinstance(error, ServiceError) else error
