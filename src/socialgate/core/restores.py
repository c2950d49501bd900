"""Restores of backups, and what each of them holds back until the operator decides.

A restored database contains work that may have been done after the backup was made: a post that was scheduled then, a
delivery that was pending. So nothing that was due when the restore is noticed is done by itself. A `RestoreHolder`
takes its rows out of the queue, in one transaction with the record of the restore, and puts them back (`release`) or
ends them (`drop`). A hold that was decided in another way, such as by the owner of a post, is removed by `prune`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.ids import new_id
from socialgate.core.rows import build_row_reader

# The code of the error that a row has while it is held back.
RESTORED_ERROR_CODE = "restored_from_backup"
Json = sa.JSON(none_as_null=True)
# What happened so long before the backup was made was processed by then.
_MAX_REACTION_DELAY = timedelta(days=7)

RestoreReason = Literal["behind", "moved", "declared"]


class HoldKind(StrEnum):
    POSTS = "posts"
    MESSAGES = "messages"
    OPERATIONS = "operations"
    AUTOMATIONS = "automations"
    GENERATIONS = "generations"
    TASKS = "tasks"
    DELIVERIES = "deliveries"


restores = sa.Table(
    "restores",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("reason", sa.String(10), nullable=False),
    # The last sign of life in the database.
    sa.Column("backup_at", UtcDateTime, nullable=False),
    sa.Column("noticed_at", UtcDateTime, nullable=False),
)

holds = sa.Table(
    "holds",
    metadata,
    sa.Column("kind", sa.String(12), primary_key=True),
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("restore_id", Id, nullable=False),
    # What the operator may know it by: the post of a target, the account of an operation, the hook of a delivery.
    sa.Column("parent_id", Id),
    # Which event, operation, task or platform it is about.
    sa.Column("what", sa.String(100), nullable=False),
    sa.Column("due_at", UtcDateTime),
    # What was overwritten, for its release.
    sa.Column("before", Json),
)


class BackupRestore(msgspec.Struct, frozen=True):
    id: str
    reason: RestoreReason
    backup_at: datetime
    noticed_at: datetime

    @property
    def explanation(self) -> str:
        """Explain to an owner why something is not done."""
        return (
            f"The service was restored from a backup of {_format_time(self.backup_at)}, and this was due before "
            f"{_format_time(self.noticed_at)}, so it may have been done already."
        )


class RestoreHold(msgspec.Struct, frozen=True):
    kind: HoldKind
    owner_id: str
    id: str
    restore_id: str
    parent_id: str | None
    what: str
    due_at: datetime | None
    before: dict[str, Any] | None


read_restore = build_row_reader(BackupRestore, restores)
read_hold = build_row_reader(RestoreHold, holds)


class RestoreHolder(Protocol):
    """Holds back the rows of one table. All methods but `hold` get holds of its own kinds."""

    kinds: Sequence[HoldKind]

    async def hold_rows(self, tx: Tx, restore: BackupRestore) -> None:
        """Take everything out of the queue that may have been done after the backup was made."""

    async def request_lookups(self, tx: Tx, holds: Sequence[RestoreHold]) -> int:
        """Have the platform asked whether it was done, if that is possible. Returns for how many it is."""

    async def release_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        """Have it done now."""

    async def drop_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        """End it without doing it."""

    async def prune_holds(self, tx: Tx) -> None:
        """Remove the holds of rows that are not held back any more."""


async def record_restore(tx: Tx, reason: RestoreReason, backup_at: datetime) -> BackupRestore:
    restore = BackupRestore(id=new_id("rst"), reason=reason, backup_at=backup_at, noticed_at=tx.now)
    await tx.execute(sa.insert(restores), msgspec.structs.asdict(restore))
    return restore


async def delete_restore(tx: Tx, restore: BackupRestore) -> None:
    await tx.execute(sa.delete(restores).where(restores.c.id == restore.id))


async def add_holds(tx: Tx, existing_holds: Sequence[RestoreHold]) -> None:
    """Record what is held back. What an earlier restore held back already stays as it is."""
    if existing_holds:
        await tx.execute(tx.build_insert_if_absent(holds), [msgspec.structs.asdict(hold) for hold in existing_holds])


async def find_newest_restore(tx: Tx) -> BackupRestore | None:
    return await tx.first_as(sa.select(restores).order_by(restores.c.noticed_at.desc()).limit(1), read_restore)


async def find_restore_covering(tx: Tx, moment: datetime) -> BackupRestore | None:
    """Find the restore because of which a reaction to something that happened at this time may have been done."""
    latest = await find_newest_restore(tx)
    if latest is None or not latest.backup_at - _MAX_REACTION_DELAY <= moment <= latest.noticed_at:
        return None
    return latest


async def has_holds(tx: Tx) -> bool:
    """Return whether anything waits for a decision."""
    return await tx.first(sa.select(holds.c.kind).limit(1)) is not None


async def count_holds(tx: Tx) -> dict[HoldKind, int]:
    statement = sa.select(holds.c.kind, sa.func.count().label("number")).group_by(holds.c.kind)
    result = {row.kind: int(row.number) for row in await tx.all(statement)}
    return {kind: result[kind] for kind in HoldKind if kind in result}


async def list_holds(
    tx: Tx, kinds: Sequence[HoldKind], ids: Sequence[str] = (), *, after: RestoreHold | None = None, limit: int = 1000
) -> list[RestoreHold]:
    """Find holds of some kinds in a fixed order: all of them, or those with these ids or belonging to these."""
    statement = sa.select(holds).where(holds.c.kind.in_(kinds))
    if ids:
        statement = statement.where(sa.or_(holds.c.id.in_(ids), holds.c.parent_id.in_(ids)))
    if after is not None:
        position = sa.tuple_(holds.c.kind, holds.c.owner_id, holds.c.id)
        statement = statement.where(position > sa.tuple_(*map(sa.literal, (after.kind, after.owner_id, after.id))))
    ordered = statement.order_by(holds.c.kind, holds.c.owner_id, holds.c.id)
    return await tx.all_as(ordered.limit(limit), read_hold)


async def delete_holds(tx: Tx, existing_holds: Sequence[RestoreHold]) -> None:
    for hold in existing_holds:
        key = holds.c.kind == hold.kind, holds.c.owner_id == hold.owner_id, holds.c.id == hold.id
        await tx.execute(sa.delete(holds).where(*key))


async def prune_holds(tx: Tx, kinds: Sequence[HoldKind], still_held: sa.Select[Any]) -> None:
    """Remove the holds of some kinds for which there is no such row. It is compared with `holds` in the subquery."""
    await tx.execute(sa.delete(holds).where(holds.c.kind.in_(kinds), ~still_held.exists()))


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
