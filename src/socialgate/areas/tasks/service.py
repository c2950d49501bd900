"""Tasks as their owner sees them."""

from typing import Any

from socialgate.areas.tasks import store
from socialgate.areas.tasks.schemas import Task, TaskCancelled, TaskError, TaskProgress, TasksQuery
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobService, JobTypes
from socialgate.core.jobs.wait import wait_until_finished
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page
from socialgate.web.schemas import Page


class TaskService:
    def __init__(self, jobs: JobService, types: JobTypes) -> None:
        self._jobs = jobs
        self._types = types

    async def list(self, tx: Tx, caller: Caller, query: TasksQuery) -> Page[Task]:
        types = self._types.public_types
        prefixes = {job_type.prefix for job_type in types.values()} or {"task"}
        rows, more = await store.list_tasks_page(tx, caller.owner_id, caller, query, types, prefixes)
        return build_page(rows, build_task_view, more=more)

    async def wait_for_task(self, work: UnitOfWork, task_id: str, wait: int) -> Task:
        """Return a task, when it has finished or the wait is over."""
        return build_task_view(
            await wait_until_finished(work.db, task_id, lambda: work.read(self.find, work.caller, task_id), wait)
        )

    async def cancel(self, tx: Tx, caller: Caller, task_id: str) -> TaskCancelled:
        job = await self.find(tx, caller, task_id)
        now = await job_store.find_job_for_update(tx, caller.owner_id, job.id)
        assert now is not None, "only what has expired is removed, and it was there in this transaction"
        return TaskCancelled(id=task_id, status=await self._jobs.cancel(tx, now))

    async def find(self, tx: Tx, caller: Caller, task_id: str) -> JobRow:
        job = await job_store.find_job(tx, caller.owner_id, task_id)
        if job is None or job.type not in self._types.public_types:
            raise NotFound("There is no task with this id. GET /tasks lists the existing ones.")
        if job.profile_id is not None:
            caller.require_profile_access(job.profile_id)
        else:
            caller.require_all_profiles("see tasks that concern every profile")
        return job


def build_task_view(job: JobRow) -> Task:
    progress = None if job.done is None else TaskProgress(done=job.done, total=job.total, unit=job.unit)
    error: Any = None if job.error is None else TaskError(**job.error)
    has_ended = job.finished_at is not None
    return Task(
        id=job.id,
        type=job.type,
        status=job.status,
        progress=progress,
        result=job.result,
        error=error if has_ended else None,
        last_error=None if has_ended else error,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        expires_at=job.expires_at,
    )
