"""Jobs that a restore holds back: those whose type names a kind of hold, because others see or charge for them."""

from collections.abc import Sequence

import sqlalchemy as sa

from socialgate.core import restores
from socialgate.core.db import Tx
from socialgate.core.jobs import job_store
from socialgate.core.jobs.job_store import JOBS_WAKEUP_KEY, JobRow, JobStatus, jobs, read_job
from socialgate.core.jobs.service import JobService, JobTypes
from socialgate.core.restores import BackupRestore, HoldKind, RestoreHold, holds


class JobHolder:
    kinds: Sequence[HoldKind] = (HoldKind.AUTOMATIONS, HoldKind.GENERATIONS, HoldKind.TASKS)

    def __init__(self, types: JobTypes, jobs: JobService) -> None:
        self._types = types
        self._jobs = jobs

    async def hold_rows(self, tx: Tx, restore: BackupRestore) -> None:
        statement = sa.select(jobs).where(
            jobs.c.type.in_(sorted(self._types.hold_kinds)),
            jobs.c.finished_at.is_(None),
            jobs.c.due_at.is_not(None),
            # One that was started may have got any further, whenever it was to continue.
            sa.or_(jobs.c.due_at <= tx.now, jobs.c.started_at.is_not(None)),
        )
        for row in await tx.all_as(statement.with_for_update(), read_job):
            await self.hold_one(tx, row, restore)

    async def hold_one(self, tx: Tx, row: JobRow, restore: BackupRestore) -> None:
        """Take a job out of the queue."""
        kind = self._types.hold_kinds[row.type]
        hold = RestoreHold(kind, row.owner_id, row.id, restore.id, row.profile_id, row.type, row.due_at, None)
        await restores.add_holds(tx, [hold])
        values = {"status": JobStatus.QUEUED, "due_at": None, "claim_id": None, "claim_until": None}
        await job_store.update_job(tx, row.owner_id, row.id, values)

    async def request_lookups(self, tx: Tx, holds: Sequence[RestoreHold]) -> int:
        """What a job does has no name on a platform. Its own calls are operations, which have."""
        del tx, holds
        return 0

    async def release_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        for hold in holds:
            row = await job_store.find_job_for_update(tx, hold.owner_id, hold.id)
            if row is not None and _is_held(row):
                await job_store.update_job(tx, row.owner_id, row.id, {"due_at": tx.now})
        tx.wake_on_commit(JOBS_WAKEUP_KEY)

    async def drop_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        for hold in holds:
            row = await job_store.find_job_for_update(tx, hold.owner_id, hold.id)
            if row is not None and _is_held(row):
                await self._jobs.cancel(tx, row)

    async def prune_holds(self, tx: Tx) -> None:
        same = jobs.c.owner_id == holds.c.owner_id, jobs.c.id == holds.c.id
        select = sa.select(jobs.c.id).where(*same, jobs.c.due_at.is_(None), jobs.c.finished_at.is_(None))
        await restores.prune_holds(tx, self.kinds, select)


def _is_held(row: JobRow) -> bool:
    return row.due_at is None and row.finished_at is None
