from collections import Counter
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from socialgate.areas.calendar.tables import CalendarSyncRow, calendar_syncs, read_calendar_sync
from socialgate.core.db import Tx
from socialgate.core.jobs.queue import RowQueue

# The calendars whose changes are due to be read.
CALENDAR_SYNC_QUEUE = RowQueue(calendar_syncs, read_calendar_sync, key=("owner_id", "account_id"))


def _matches_calendar_sync(owner_id: str, account_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(calendar_syncs.c.owner_id == owner_id, calendar_syncs.c.account_id == account_id)


async def find_calendar_sync(tx: Tx, owner_id: str, account_id: str) -> CalendarSyncRow | None:
    return await tx.first_as(
        sa.select(calendar_syncs).where(_matches_calendar_sync(owner_id, account_id)), read_calendar_sync
    )


async def find_calendar_sync_for_change(tx: Tx, owner_id: str, account_id: str) -> CalendarSyncRow | None:
    statement = sa.select(calendar_syncs).where(_matches_calendar_sync(owner_id, account_id))
    return await tx.first_as(statement.with_for_update(), read_calendar_sync)


async def start_sync(tx: Tx, owner_id: str, account_id: str, due_at: datetime) -> None:
    """Start reading the changes of a calendar, or start again."""
    values: dict[str, Any] = {"version": 0, "notices": 0, "tries": 0, "due_at": due_at}
    statement = tx.build_upsert(calendar_syncs).values(owner_id=owner_id, account_id=account_id, **values)
    keys = [calendar_syncs.c.owner_id, calendar_syncs.c.account_id]
    again = {"due_at": due_at, "tries": 0, "version": calendar_syncs.c.version + 1}
    await tx.execute(statement.on_conflict_do_update(index_elements=keys, set_=again))


async def record_notification(tx: Tx, owner_id: str, account_id: str, due_at: datetime) -> None:
    """Record that the platform sent a notification. An earlier due time is kept."""
    sooner = sa.and_(calendar_syncs.c.due_at.is_not(None), calendar_syncs.c.due_at < due_at)
    values = {
        "notices": calendar_syncs.c.notices + 1,
        "due_at": sa.case((sooner, calendar_syncs.c.due_at), else_=due_at),
    }
    await tx.execute(sa.update(calendar_syncs).where(_matches_calendar_sync(owner_id, account_id)).values(values))


def schedule_version_increment(tx: Tx, owner_id: str, account_id: str) -> None:
    """Invalidate what was cached before. A page of changes is counted together, in one statement."""
    tx.get_commit_batch(_increment_versions, Counter)[owner_id, account_id] += 1


async def _increment_versions(tx: Tx, touched: Counter[tuple[str, str]]) -> None:
    for (owner_id, account_id), times in sorted(touched.items()):
        statement = sa.update(calendar_syncs).where(_matches_calendar_sync(owner_id, account_id))
        await tx.execute(statement.values(version=calendar_syncs.c.version + times))


async def delete_calendar_sync(tx: Tx, owner_id: str, account_id: str) -> None:
    await tx.execute(sa.delete(calendar_syncs).where(_matches_calendar_sync(owner_id, account_id)))
