from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.core.fields import CreatedAt
from socialgate.core.jobs.job_store import JobStatus
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import DeletionConfirmation, QueryParameters, ResponseModel

_EXAMPLE_TASK_ID = "task_01h455vb4pex5vsknk084sn02q"
MAX_WAIT_SECONDS = 30


class TasksQuery(ListQuery, frozen=True, kw_only=True):
    """Which tasks to list."""

    status: Annotated[JobStatus, Meta(description="Only tasks with this status.")] | None = None
    type: Annotated[str, Meta(max_length=40, description="Only tasks of this type.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50, "status": "running"}


class TaskQuery(QueryParameters, frozen=True, kw_only=True):
    """How long to wait for the task."""

    wait: Annotated[
        int,
        Meta(ge=0, le=MAX_WAIT_SECONDS, description="Respond when the task has finished, or after this many seconds."),
    ] = 0

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"wait": 30}


class TaskProgress(ResponseModel, frozen=True, kw_only=True):
    """The progress of a task. `total` is null while it is unknown."""

    done: int
    """How much is done, in `unit`."""
    total: int | None
    """How much there is to do, in `unit`. Null while it is unknown."""
    unit: str | None
    """What is counted, such as `products`. Null if there is no word for it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"done": 1200, "total": 5000, "unit": "products"}


class TaskError(ResponseModel, frozen=True, kw_only=True):
    """Why a task failed, and how to fix it."""

    code: str
    """The code of the error, as in a problem."""
    detail: str
    """What went wrong and how to fix it, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "needs_reconnection", "detail": "Reconnect the account, then create the task again."}


class Task(ResponseModel, frozen=True, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""
    type: str
    """What kind of work it is, such as `products.batch`."""
    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""
    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""
    result: Any
    """What the work produced; its form depends on `type`. Null until there is something."""
    error: TaskError | None
    """Why it failed. Null otherwise."""
    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""
    created_at: CreatedAt
    started_at: datetime | None
    """When it was first started. Null while it is queued."""
    finished_at: datetime | None
    """When it ended. Null until then."""
    expires_at: datetime | None
    """Until when it is kept. Null until it has finished."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_TASK_ID,
            "type": "products.batch",
            "status": "running",
            "progress": TaskProgress.example(),
            "result": None,
            "error": None,
            "lastError": None,
            "createdAt": "2026-11-15T09:30:00Z",
            "startedAt": "2026-11-15T09:30:01Z",
            "finishedAt": None,
            "expiresAt": None,
        }


class TaskCancelled(DeletionConfirmation, frozen=True, kw_only=True):
    """The cancelled task. A `running` task ends after its current step."""

    status: JobStatus
    """`cancelled`, or `running` until the current step has ended."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _EXAMPLE_TASK_ID, "deleted": True, "status": "cancelled"}
