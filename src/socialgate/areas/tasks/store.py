"""Lists of an owner's tasks. The table is that of `core/jobs`."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from socialgate.areas.tasks.schemas import TasksQuery
from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx
from socialgate.core.jobs.job_store import JobRow, jobs, read_job
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import FittingList, build_response_size, get_creation_key


async def list_tasks_page(
    tx: Tx, owner_id: str, caller: Caller, query: TasksQuery, types: Collection[str], prefixes: Collection[str]
) -> tuple[Sequence[JobRow], bool]:
    """List the tasks of these types, newest first, and whether more follow."""
    required = {"owner": owner_id, "types": sorted(types)}
    optional = {"profiles": caller.allowed_profile_ids, "status": query.status, "type": query.type}
    return await _LIST.fetch_page(tx, read_job, query, prefixes, required, optional)


_LIST = FittingList(
    jobs,
    build_response_size(jobs.c.result, jobs.c.error),
    [get_creation_key(jobs.c.id).desc()],
    jobs.c.owner_id == sa.bindparam("owner"),
    is_one_of(jobs.c.type, "types"),
    filters={
        "after": get_creation_key(jobs.c.id) < get_creation_key(sa.bindparam("after", type_=Id)),
        "profiles": is_one_of(jobs.c.profile_id, "profiles"),
        "status": jobs.c.status == sa.bindparam("status"),
        "type": jobs.c.type == sa.bindparam("type"),
    },
)
