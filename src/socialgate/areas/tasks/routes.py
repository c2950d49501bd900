from socialgate.areas.tasks.schemas import Task, TaskCancelled, TaskQuery, TasksQuery
from socialgate.areas.tasks.service import TaskService
from socialgate.core.jobs.service import TaskAlreadyFinished
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Tasks", "Background work: its progress, its result, and how to cancel it.")


@route("GET", "/tasks", sdk="tasks.list", tag=TAG, query=TasksQuery)
async def list_tasks(params: TasksQuery, work: UnitOfWork, tasks: TaskService) -> Page[Task]:
    """List tasks, newest first.

    Everything that takes longer than a request is a task: the route that starts it returns 202 with its id.
    """
    return await work.read(tasks.list, work.caller, params)


@route("GET", "/tasks/{task_id:str}", sdk="tasks.get", tag=TAG, query=TaskQuery)
async def read_task(task_id: str, params: TaskQuery, work: UnitOfWork, tasks: TaskService) -> Task:
    """Return a task: its status, its progress, and its result when it has finished.

    With `wait`, the response is sent as soon as the task has finished. The record of a finished task is kept until
    `expiresAt`.
    """
    return await tasks.wait_for_task(work, task_id, params.wait)


@route("DELETE", "/tasks/{task_id:str}", sdk="tasks.cancel", tag=TAG, raises=(TaskAlreadyFinished,))
async def cancel_task(task_id: str, work: UnitOfWork, tasks: TaskService) -> TaskCancelled:
    """Cancel a task. A running task ends after its current step; what it has done so far is not undone."""
    return await work.write(tasks.cancel, work.caller, task_id)


routes = [list_tasks, read_task, cancel_task]
