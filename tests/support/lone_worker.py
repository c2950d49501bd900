"""A worker for jobs with types of its own, without the rest of a deployment."""

from collections.abc import Sequence

from socialgate.core.db import Database
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.outcomes import JobOutcomeWriter
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.jobs.service import JobRun, JobService, JobType, JobTypes
from socialgate.core.jobs.worker import JobWorker


class LoneWorker:
    def __init__(self, db: Database, job_types: Sequence[JobType]) -> None:
        types = JobTypes(job_types)
        jobs, self._outcomes = JobService(types), JobOutcomeWriter(db, types)
        worker = JobWorker(db, types, jobs, self._outcomes)
        self.db = db
        self.add, self.cancel = jobs.enqueue, jobs.cancel
        self.run, self.stop = worker.run, worker.stop

    def start_run(self, claimed: ClaimedRow[JobRow]) -> JobRun:
        """Give a run of a job that was claimed by somebody else's means."""
        return JobRun(self._outcomes, claimed, lambda: False)
