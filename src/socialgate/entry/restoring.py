"""Noticing at a start that the database was restored from a backup, and holding back what may have been done since."""

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from socialgate.core import fence, restores, worker_heartbeats
from socialgate.core.db import Database, Tx
from socialgate.core.fence import FenceComparison, RestoreFence
from socialgate.core.restores import BackupRestore, HoldKind, RestoreHolder, RestoreReason

# How to see and decide what is held back.
RESTORE_CHECK_COMMAND = "socialgate restore-check"

log = structlog.get_logger(__name__)


class RestoreService:
    def __init__(self, db: Database, fence: RestoreFence, holders: Callable[[], Sequence[RestoreHolder]]) -> None:
        """Take a function that builds the holders: most starts need none."""
        self._db = db
        self._fence = fence
        self._holders = holders

    async def detect_restore(self) -> BackupRestore | None:
        """Hold back what may have been done, if the database is older than what was done with it.

        Called before any work is claimed. If several processes start at once, one of them does it.
        """
        compared = await self._fence.compare_with_copies()
        if not (compared.is_behind or compared.is_copied_database):
            return None
        restore = await self._db.write(self._record_detected_restore, compared)
        if restore is not None:
            await self._log_restore(restore)
        return restore

    async def declare_restore(self, backup_at: datetime) -> BackupRestore:
        """Hold back what may have been done since a backup that the operator says was restored."""
        compared = await self._fence.compare_with_copies()
        restore = await self._db.write(self._record_declared_restore, compared, backup_at)
        await self._log_restore(restore)
        return restore

    async def prune_holds(self) -> None:
        """Forget holds that were decided in another way, such as by the owner of a post."""
        for holder in self._holders():
            await self._db.write(holder.prune_holds)

    async def _record_detected_restore(self, tx: Tx, compared: FenceComparison) -> BackupRestore | None:
        if not await fence.assign_new_deployment_id(tx, compared.row, compared.place):
            return None
        seen = await worker_heartbeats.get_last_heartbeat(tx)
        backup_at = max(compared.row.advanced_at, seen or compared.row.advanced_at)
        restore = await self._record_and_hold(tx, "behind" if compared.is_behind else "moved", backup_at)
        if not compared.is_behind and not await restores.has_holds(tx):
            # It was moved to another place, and there was nothing to do in the meantime.
            await restores.delete_restore(tx, restore)
            return None
        return restore

    async def _record_declared_restore(self, tx: Tx, compared: FenceComparison, backup_at: datetime) -> BackupRestore:
        await fence.assign_new_deployment_id(tx, compared.row, compared.place)
        return await self._record_and_hold(tx, "declared", backup_at)

    async def _record_and_hold(self, tx: Tx, reason: RestoreReason, backup_at: datetime) -> BackupRestore:
        restore = await restores.record_restore(tx, reason, backup_at)
        for holder in self._holders():
            await holder.hold_rows(tx, restore)
        return restore

    async def _log_restore(self, restore: BackupRestore) -> None:
        values = await self._db.read(restores.count_holds)
        log.error(
            "restored_from_backup",
            reason=restore.reason,
            backup_at=restore.backup_at.isoformat(),
            held=format_hold_counts(values),
            remedy=f"Nothing of this is done before you decide: run `{RESTORE_CHECK_COMMAND}`.",
        )


def format_hold_counts(credentials: dict[HoldKind, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in credentials.items()) or "nothing"
