# Generated from `_async` by `make reference`. Do not edit: change it there and run it again.
"""Waiting for long work."""

from __future__ import annotations

from .._models import Model
from .._resource import Resource
from .._tasks import Progress, wait_for
from ..types import Task


class TaskWaiting(Resource):
    """Adds waiting to the methods of tasks."""

    def wait(self, task: str | Model, *, on_progress: Progress | None = None, timeout: float | None = None) -> Task:
        """Wait until a task has succeeded, and return it with its result.

        Args:
            task: The id of a task, or what started it: `client.tasks.wait(client.products.batch(...))`.
            on_progress: Called with the task about each second.
            timeout: How many seconds to wait. Without it, as long as it takes.

        Raises:
            TaskFailed: The task failed, or was cancelled.

        """
        return self._root.run(wait_for(task, on_progress, timeout))
