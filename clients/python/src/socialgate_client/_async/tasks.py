"""Waiting for long work."""

from __future__ import annotations

from .._models import Model
from .._resource import AsyncResource
from .._tasks import Progress, wait_for
from ..types import Task


class AsyncTaskWaiting(AsyncResource):
    """Adds waiting to the methods of tasks."""

    async def wait(
        self, task: str | Model, *, on_progress: Progress | None = None, timeout: float | None = None
    ) -> Task:
        """Wait until a task has succeeded, and return it with its result.

        Args:
            task: The id of a task, or what started it: `await client.tasks.wait(await client.products.batch(...))`.
            on_progress: Called with the task about each second.
            timeout: How many seconds to wait. Without it, as long as it takes.

        Raises:
            TaskFailed: The task failed, or was cancelled.

        """
        return await self._root.run(wait_for(task, on_progress, timeout))
