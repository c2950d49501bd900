from socialgate.areas.tasks.schemas import Task, TaskCancelled, TaskQuery, TasksQuery
from socialgate.areas.tasks.service import Tasks
from socialgate.core.jobs.jobs import TaskFinished
from socialgate.core.work import Work
from socialgate.web.route import Tag, route
from socialgate.web.schema import Page

TAG = Tag("Tasks", "Work in the background: its progress, its result, and how to cancel it.")


@route("GET", "/tasks", tag=TAG, query=TasksQuery)
async def list_tasks(params: TasksQuery, work: Work, tasks: Tasks) -> Page[Task]:
    """List tasks, newest first.

    Whatever takes longer than a request is a task: the route that begins it answers 202 with its id.
    """
    return await work.read(tasks.list, work.caller, params)


@route("GET", "/tasks/{task_id:str}", tag=TAG, query=TaskQuery)
async def read_task(task_id: str, params: TaskQuery, work: Work, tasks: Tasks) -> Task:
    """Read a task: its status, its progress, and its result once it has finished.

    With `wait` the answer comes as soon as the task has finished. The record of a finished task is kept until
    `expiresAt`.
    """
    return await tasks.read(work, task_id, params.wait)


@route("DELETE", "/tasks/{task_id:str}", tag=TAG, raises=(TaskFinished,))
async def cancel_task(task_id: str, work: Work, tasks: Tasks) -> TaskCancelled:
    """Cancel a task. One that is running ends with the step that it is at; what it has done so far stays done."""
    return await work.write(tasks.cancel, work.caller, task_id)


routes = [list_tasks, read_task, cancel_task]
