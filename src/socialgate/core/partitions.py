"""Tables that grow without limit are partitioned by week on PostgreSQL, so that old weeks are dropped at once.

Ids sort by creation time, so a range of ids is a range of time. SQLite has no partitions: there old rows are deleted in
large batches, by id range.

Creating and dropping a week locks a table against everybody, so a transaction does it to one table only. Others use
several of these tables in one statement, in whichever order: holding one and waiting for another could be a deadlock.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Database, Tx
from socialgate.core.ids import first_id_at
from socialgate.core.metrics import Metrics

WEEK = timedelta(days=7)
_FIRST_WEEK_START = datetime(2024, 1, 1, tzinfo=UTC)  # a Monday
_WEEKS_AHEAD = 4
_DELETE_BATCH_ROWS = 20_000
# How long writers may have to wait here, behind a slow reader such as a backup. There are weeks to try again.
_LOCK_TIMEOUT_SECONDS = 2

ID_PREFIX_BY_TABLE = {"events": "evt", "deliveries": "dlv", "inbound": "inb"}


async def create_partitions(db: Database) -> None:
    """Create the missing tables of this week and the next ones."""
    for table in ID_PREFIX_BY_TABLE:
        await db.write(create_week_partitions, table)


async def create_week_partitions(tx: Tx, table: str) -> None:
    """Create the missing weeks of one table."""
    if tx.dialect_name != "postgresql":
        return
    await _set_lock_timeout(tx)
    await tx.lock("partitions")
    this_week, prefix = (tx.now - _FIRST_WEEK_START) // WEEK, ID_PREFIX_BY_TABLE[table]
    existing = await _list_week_partitions(tx, table)
    for week in range(this_week - 1, this_week + _WEEKS_AHEAD + 1):
        begin, end = _FIRST_WEEK_START + week * WEEK, _FIRST_WEEK_START + (week + 1) * WEEK
        name = f"{table}_w{begin:%Y%m%d}"
        if name not in existing:
            await _create_week_partition(tx, table, name, first_id_at(prefix, begin), first_id_at(prefix, end))


async def _set_lock_timeout(tx: Tx) -> None:
    """Give up soon if a table is in use: later statements would queue behind this one."""
    tx.gives_up_locks = True
    await tx.execute(sa.text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT_SECONDS}s'"))


async def _create_week_partition(tx: Tx, table: str, name: str, first: str, end: str) -> None:
    """Create a week, and move earlier rows into it: PostgreSQL does not allow leaving them where they are."""
    early = f"DELETE FROM {table}_rest WHERE id >= '{first}' AND id < '{end}' RETURNING *"  # noqa: S608 - our own names
    for statement in (
        f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
        f"CREATE TABLE {name} (LIKE {table} INCLUDING ALL)",
        f"WITH moved AS ({early}) INSERT INTO {name} SELECT * FROM moved",  # noqa: S608 - our own names
        f"ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{first}') TO ('{end}')",
    ):
        await tx.execute(sa.text(statement))


async def drop_expired_rows(db: Database, metrics: Metrics, tables: Sequence[str], retention: timedelta) -> None:
    """Drop everything that is older, and count it."""
    before = db.clock.now() - retention
    for table in tables:
        while dropped := await db.write(_drop_batch, table, before):
            metrics.maintenance_rows.labels(table).inc(dropped)


async def _drop_batch(tx: Tx, table: str, before: datetime) -> int:
    """Drop the oldest week of a table, or on SQLite a batch of its rows. If it is not 0, there may be more."""
    if tx.dialect_name == "postgresql":
        return await _drop_oldest_week(tx, table, before)
    statement = sa.text(
        f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE id < :first LIMIT {_DELETE_BATCH_ROWS})"  # noqa: S608 - our own names
    )
    return await tx.execute_and_count(statement, {"first": first_id_at(ID_PREFIX_BY_TABLE[table], before)})


async def _drop_oldest_week(tx: Tx, table: str, before: datetime) -> int:
    await _set_lock_timeout(tx)
    for name in sorted(await _list_week_partitions(tx, table)):
        begin = datetime.strptime(name.rpartition("_w")[2], "%Y%m%d").replace(tzinfo=UTC)
        if begin + WEEK <= before:
            # It locks the whole table and then the week, the order in which everybody else locks them.
            await tx.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))
            return 1
    return 0


async def _list_week_partitions(tx: Tx, table: str) -> set[str]:
    """List the weeks of a table, without the default partition."""
    rows = await tx.all(
        sa.text(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = CAST(:parent AS regclass) AND c.relname LIKE '%\\_w________'"
        ).bindparams(parent=table)
    )
    return {name for (name,) in rows}
