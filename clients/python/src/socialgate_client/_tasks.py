"""Waits for long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._call import Call
from ._errors import SocialgateError, TaskFailed, Timeout
from ._models import Model
from ._wire import fill
from .types import Task

if TYPE_CHECKING:
    from ._requests import Flow

# How long the service keeps a request open until the task ends.
_MAX_WAIT_SECONDS = 30
_UNFINISHED = frozenset({"queued", "running"})

Progress = Callable[[Task], object]


def wait_for(task: str | Model, on_progress: Progress | None, timeout: float | None) -> Flow[Task]:
    """Ask for a task until it ends."""
    task_id = task if isinstance(task, str) else getattr(task, "id", None)
    if not isinstance(task_id, str):
        raise SocialgateError("This is not a task. Pass the id of one, or what started it.")
    path = fill("/tasks/{}", task_id)
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        left = (
            _MAX_WAIT_SECONDS if deadline is None else min(_MAX_WAIT_SECONDS, max(0, int(deadline - time.monotonic())))
        )
        # With progress to show, the service is asked again each second.
        wait = left if on_progress is None else min(left, 1)
        call: Call[Task] = Call(method="GET", path=path, returns=Task, query=[("wait", str(wait))])
        current = call.read((yield call))
        if on_progress is not None:
            on_progress(current)
        if current.status not in _UNFINISHED:
            break
        if deadline is not None and time.monotonic() >= deadline:
            raise Timeout(f"The task {current.id} is still {current.status} after {timeout:g} seconds.")
    if current.status != "succeeded":
        why = f" {current.error.detail}" if current.error is not None else ""
        raise TaskFailed(f"The task {current.id} is {current.status}.{why}", current)
    return current
