"""Work that every account gets when it is connected, for those connected before the work existed.

An area listens to `AccountActivated` for new accounts, and declares this job for the others.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from socialgate.areas.accounts import store
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobRun, JobType

_BATCH_SIZE = 500

EnrolAccount = Callable[[Tx, AccountRow], Awaitable[None]]


def build_backfill_job_type(db: Database, name: str, enrol: EnrolAccount) -> JobType:
    """Return a job that passes every connected account of all owners to `enrol`, once a day."""

    async def some(tx: Tx, after: str) -> str | None:
        rows = await store.list_connected_accounts_after(tx, after, _BATCH_SIZE)
        for row in rows:
            await enrol(tx, row)
        return rows[-1].id if len(rows) == _BATCH_SIZE else None

    async def run(run: JobRun) -> None:
        after: str | None = run.state or ""
        while after is not None:
            after = await db.write(some, after)
            await run.record_step(after or "")

    return JobType(name=name, run=run, interval=timedelta(days=1), system=True, public=False)
