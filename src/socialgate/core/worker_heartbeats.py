"""Heartbeats of the processes that do background work."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Id, Tx, UtcDateTime, metadata

HEARTBEAT_INTERVAL = timedelta(seconds=5)
HEARTBEAT_STALE_AFTER = timedelta(seconds=30)
HEARTBEAT_RETENTION = timedelta(days=1)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("seen_at", UtcDateTime, nullable=False),
)


async def record_heartbeat(tx: Tx, worker_id: str, started_at: datetime) -> None:
    insert = tx.build_upsert(workers).values(id=worker_id, started_at=started_at, seen_at=tx.now)
    await tx.execute(insert.on_conflict_do_update(index_elements=["id"], set_={"seen_at": insert.excluded.seen_at}))


async def delete_heartbeat(tx: Tx, worker_id: str) -> None:
    await tx.execute(sa.delete(workers).where(workers.c.id == worker_id))


async def get_last_heartbeat(tx: Tx) -> datetime | None:
    """Return when any worker was last alive."""
    row = await tx.first(sa.select(workers.c.seen_at).order_by(workers.c.seen_at.desc()).limit(1))
    return None if row is None else row.seen_at


async def purge_workers(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(sa.delete(workers).where(workers.c.seen_at < before - HEARTBEAT_RETENTION))
