# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Background work: its progress, its result, and how to cancel it."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._async.tasks import AsyncTaskWaiting
from .._call import Call
from .._resource import async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._sync.tasks import TaskWaiting
from .._wire import fill, pack_query
from ..types import Task, TaskCancelled, TaskPage


class TasksResource(TaskWaiting):
    """Background work: its progress, its result, and how to cancel it."""

    @cached_property
    def with_raw_response(self) -> TasksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return TasksResourceWithRawResponse(TasksResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        status: params.JobStatusInput | None = None,
        type: str | None = None,
    ) -> Pages[Task, TaskPage]:
        """List tasks, newest first.

        Everything that takes longer than a request is a task: the route that starts it returns 202 with its id.

        Args:
            limit: Maximum number of rows per page.
            status: Only tasks with this status.
            type: Only tasks of this type.

        """
        call: Call[TaskPage] = Call(
            method="GET",
            path="/tasks",
            returns=TaskPage,
            query=pack_query({"limit": limit, "status": status, "type": type}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        task_id: str,
        *,
        wait: int | None = None,
    ) -> Task:
        """Return a task: its status, its progress, and its result when it has finished.

        With `wait`, the response is sent as soon as the task has finished. The record of a finished task is kept until
        `expiresAt`.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            wait: Respond when the task has finished, or after this many seconds.

        """
        call: Call[Task] = Call(
            method="GET",
            path=fill("/tasks/{}", task_id),
            returns=Task,
            query=pack_query({"wait": wait}),
        )
        return self._client.send(call)

    def cancel(
        self,
        task_id: str,
    ) -> TaskCancelled:
        """Cancel a task. A running task ends after its current step; what it has done so far is not undone.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.

        Error codes beside the common ones: `task_finished`.

        """
        call: Call[TaskCancelled] = Call(
            method="DELETE",
            path=fill("/tasks/{}", task_id),
            returns=TaskCancelled,
        )
        return self._client.send(call)


class TasksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: TasksResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.cancel = raw(resource.cancel)


class AsyncTasksResource(AsyncTaskWaiting):
    """Background work: its progress, its result, and how to cancel it."""

    @cached_property
    def with_raw_response(self) -> AsyncTasksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncTasksResourceWithRawResponse(AsyncTasksResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        status: params.JobStatusInput | None = None,
        type: str | None = None,
    ) -> AsyncPages[Task, TaskPage]:
        """List tasks, newest first.

        Everything that takes longer than a request is a task: the route that starts it returns 202 with its id.

        Args:
            limit: Maximum number of rows per page.
            status: Only tasks with this status.
            type: Only tasks of this type.

        """
        call: Call[TaskPage] = Call(
            method="GET",
            path="/tasks",
            returns=TaskPage,
            query=pack_query({"limit": limit, "status": status, "type": type}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        task_id: str,
        *,
        wait: int | None = None,
    ) -> Task:
        """Return a task: its status, its progress, and its result when it has finished.

        With `wait`, the response is sent as soon as the task has finished. The record of a finished task is kept until
        `expiresAt`.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            wait: Respond when the task has finished, or after this many seconds.

        """
        call: Call[Task] = Call(
            method="GET",
            path=fill("/tasks/{}", task_id),
            returns=Task,
            query=pack_query({"wait": wait}),
        )
        return await self._client.send(call)

    async def cancel(
        self,
        task_id: str,
    ) -> TaskCancelled:
        """Cancel a task. A running task ends after its current step; what it has done so far is not undone.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.

        Error codes beside the common ones: `task_finished`.

        """
        call: Call[TaskCancelled] = Call(
            method="DELETE",
            path=fill("/tasks/{}", task_id),
            returns=TaskCancelled,
        )
        return await self._client.send(call)


class AsyncTasksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncTasksResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.cancel = async_raw(resource.cancel)
