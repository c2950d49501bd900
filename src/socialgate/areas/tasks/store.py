"""Lists of an owner's tasks. The table is that of `core/jobs`."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from socialgate.areas.tasks.schemas import TasksQuery
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobRow, jobs, read_job
from socialgate.web.pagination import PageSelection, choose_page, load_in_order, measure_columns


async def list_tasks_page(
    tx: Tx, owner_id: str, caller: Caller, query: TasksQuery, types: Collection[str], prefixes: Collection[str]
) -> tuple[PageSelection, Sequence[JobRow]]:
    statement = sa.select(jobs).where(jobs.c.owner_id == owner_id, jobs.c.type.in_(sorted(types)))
    if caller.allowed_profile_ids is not None:
        statement = statement.where(jobs.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if query.status is not None:
        statement = statement.where(jobs.c.status == query.status)
    if query.type is not None:
        statement = statement.where(jobs.c.type == query.type)
    chosen = await choose_page(tx, statement, jobs.c.id, measure_columns(jobs.c.result, jobs.c.error), query, *prefixes)
    return chosen, await load_in_order(tx, statement, jobs.c.id, chosen.ids, read_job)
