from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.core.jobs.table import JobStatus
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Deleted, Query, View

_ID = "task_01h455vb4pex5vsknk084sn02q"
LONGEST_WAIT = 30


class TasksQuery(ListQuery, frozen=True, kw_only=True):
    """Which tasks to list."""

    status: Annotated[JobStatus, Meta(description="Only tasks with this status.")] | None = None
    type: Annotated[str, Meta(max_length=40, description="Only tasks of this type.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50, "status": "running"}


class TaskQuery(Query, frozen=True, kw_only=True):
    """How long to wait for the task."""

    wait: Annotated[
        int, Meta(ge=0, le=LONGEST_WAIT, description="Respond when the task has finished, or after this many seconds.")
    ] = 0

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"wait": 30}


class TaskProgress(View, frozen=True, kw_only=True):
    """The progress of a task. `total` is null while it is unknown."""

    done: int
    total: int | None
    unit: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"done": 1200, "total": 5000, "unit": "products"}


class TaskError(View, frozen=True, kw_only=True):
    """Why a task failed, and how to fix it."""

    code: str
    detail: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "needs_reconnection", "detail": "Reconnect the account, then create the task again."}


class Task(View, frozen=True, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    type: str
    status: JobStatus
    progress: TaskProgress | None
    result: Any
    error: TaskError | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _ID,
            "type": "products.batch",
            "status": "running",
            "progress": TaskProgress.example(),
            "result": None,
            "error": None,
            "createdAt": "2026-11-15T09:30:00Z",
            "startedAt": "2026-11-15T09:30:01Z",
            "finishedAt": None,
            "expiresAt": None,
        }


class TaskCancelled(Deleted, frozen=True, kw_only=True):
    """The cancelled task. A `running` task ends after its current step."""

    status: JobStatus

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _ID, "deleted": True, "status": "cancelled"}
