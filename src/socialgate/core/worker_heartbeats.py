"""Heartbeats of the processes that do background work, and which of them are missing."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Id, Tx, UtcDateTime, metadata

HEARTBEAT_INTERVAL = timedelta(seconds=1)
HEARTBEAT_STALE_AFTER = timedelta(seconds=30)
HEARTBEAT_RETENTION = timedelta(days=1)
# Several heartbeats are missing, and not one that was late. Claims of a process that was killed are taken over by now.
DEAD_AFTER = timedelta(seconds=4)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("seen_at", UtcDateTime, nullable=False),
    # The same by the clock of the database, because those of two machines may differ by more than the time after which
    # a process counts as dead. Null if an older version wrote it.
    sa.Column("alive_at", UtcDateTime),
)
_SQLITE_TIME = "strftime('%Y-%m-%d %H:%M:%f', 'now', '-{seconds} seconds') || '000'"
_POSTGRES_TIME = "clock_timestamp() - interval '{seconds} seconds'"


def _time_of_database(tx: Tx, ago: timedelta = timedelta()) -> sa.ColumnClause[datetime]:
    text = _SQLITE_TIME if tx.dialect_name == "sqlite" else _POSTGRES_TIME
    return sa.literal_column(text.format(seconds=ago.total_seconds()), UtcDateTime)


async def record_heartbeat(tx: Tx, worker_id: str, started_at: datetime) -> None:
    tx.only_overwrites = True
    insert = tx.build_upsert(workers).values(
        id=worker_id, started_at=started_at, seen_at=tx.now, alive_at=_time_of_database(tx)
    )
    renewed = {"seen_at": insert.excluded.seen_at, "alive_at": insert.excluded.alive_at}
    await tx.execute(insert.on_conflict_do_update(index_elements=["id"], set_=renewed))


async def delete_heartbeat(tx: Tx, worker_id: str) -> None:
    await tx.execute(sa.delete(workers).where(workers.c.id == worker_id))


async def list_dead_workers(tx: Tx) -> list[str]:
    """List the workers that ended without a word, or are frozen."""
    overdue = workers.c.alive_at < _time_of_database(tx, DEAD_AFTER)
    return [row.id for row in await tx.all(sa.select(workers.c.id).where(overdue))]


async def get_last_heartbeat(tx: Tx) -> datetime | None:
    """Return when any worker was last alive."""
    row = await tx.first(sa.select(workers.c.seen_at).order_by(workers.c.seen_at.desc()).limit(1))
    return None if row is None else row.seen_at


async def purge_workers(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(sa.delete(workers).where(workers.c.seen_at < before - HEARTBEAT_RETENTION))
