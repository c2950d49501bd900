"""Tasks: long work, how far it is, and its result."""

from socialgate.areas.commerce.batches import PRODUCT_BATCH_JOB
from socialgate.areas.tasks.schemas import Task, TasksQuery
from socialgate.areas.tasks.service import TaskService
from socialgate.console.formatting import list_statuses
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.ai import AI_PATH
from socialgate.console.pages.catalogs import RESULT_PATH
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.generation import GenerationType
from socialgate.core.jobs.job_store import JobStatus

_TASKS_PER_PAGE = 30
_RELOAD_SECONDS = 5
_UNFINISHED = {JobStatus.QUEUED, JobStatus.RUNNING}


class TasksPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which tasks to show."""

    status: JobStatus | None = None


@console_page(
    "/console/tasks",
    "tasks.html",
    query=TasksPageQuery,
    entry=Entry(label="Tasks", icon="progress", group=Group.DEVELOPERS, key="t"),
)
async def tasks_page(visit: Visit, params: TasksPageQuery, tasks: TaskService) -> Values:
    query = TasksQuery(limit=_TASKS_PER_PAGE, cursor=params.cursor, status=params.status)
    listed = await visit.work.read(tasks.list, visit.caller, query)
    if any(task.status in _UNFINISHED for task in listed.data) and visit.button_failure is None:
        visit.headers["Refresh"] = str(_RELOAD_SECONDS)
    return {
        "tasks": listed,
        "status_names": list_statuses(JobStatus),
        "unfinished": _UNFINISHED,
        "page_of": lambda task: _find_page(visit, task),
    }


def _find_page(visit: Visit, task: Task) -> str | None:
    """Return the page that shows the result for people, if there is one."""
    if task.type == PRODUCT_BATCH_JOB:
        return visit.link(RESULT_PATH, task=task.id)
    is_generation = task.type in {f"ai.{kind}" for kind in GenerationType}
    return visit.link(f"{AI_PATH}/{task.id}") if is_generation else None


@tasks_page.form("cancel", path="/{task_id:str}/cancel")
async def cancel_task(visit: Visit, task_id: str, tasks: TaskService) -> Outcome:
    await visit.work.write(tasks.cancel, visit.caller, task_id)
    return Done("The task ends after its current step. What it has done so far is kept.")
