"""Work that every account gets when it is connected, for those connected before the work existed.

An area listens to `NowConnected` for new accounts, and declares this job for the others.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from socialgate.areas.accounts import store
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import JobType, Run

_AT_ONCE = 500

Enrol = Callable[[Tx, AccountRow], Awaitable[None]]


def enrolling(db: Database, name: str, enrol: Enrol) -> JobType:
    """Return a job that passes every connected account of all owners to `enrol`, once a day."""

    async def some(tx: Tx, after: str) -> str | None:
        rows = await store.accounts_after(tx, after, _AT_ONCE)
        for row in rows:
            await enrol(tx, row)
        return rows[-1].id if len(rows) == _AT_ONCE else None

    async def run(run: Run) -> None:
        after: str | None = run.state or ""
        while after is not None:
            after = await db.write(some, after)
            await run.step(after or "")

    return JobType(name=name, run=run, every=timedelta(days=1), system=True, public=False)
