"""A database whose disk is full, without a disk of one's own: triggers that raise what the engine raises then."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from socialgate.core.db import Tx, metadata
from support.service import RunningService

_RAISE = """
    CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$
"""


async def _fill(tx: Tx) -> None:
    if tx.dialect_name == "postgresql":
        await tx.execute(sa.text(_RAISE))
        for table in metadata.tables:
            when = f"BEFORE INSERT OR UPDATE OR DELETE ON {table}"
            await tx.execute(sa.text(f"CREATE TRIGGER disk_is_full {when} EXECUTE FUNCTION disk_is_full()"))
        return
    for table in metadata.tables:
        for change in ("INSERT", "UPDATE", "DELETE"):
            await tx.execute(
                sa.text(
                    f"CREATE TRIGGER disk_is_full_{change}_{table} BEFORE {change} ON {table} "
                    "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
                )
            )


async def _free(tx: Tx) -> None:
    if tx.dialect_name == "postgresql":
        await tx.execute(sa.text("DROP FUNCTION disk_is_full() CASCADE"))
        return
    for table in metadata.tables:
        for change in ("INSERT", "UPDATE", "DELETE"):
            await tx.execute(sa.text(f"DROP TRIGGER disk_is_full_{change}_{table}"))


@contextmanager
def full_disk(running: RunningService) -> Iterator[None]:
    """Leave no room for any change of a row while the block runs."""
    running.write(_fill)
    try:
        yield
    finally:
        running.write(_free)
