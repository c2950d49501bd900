"""Operations that a restore holds back: calls that were in progress when the backup was made, such as a message.

None of them is ever made again. But what came of it may be looked up too late to be recognized, and several calls that
were completed since must not be taken for interrupted, and removed.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from socialgate.areas.operations.outcomes import OPERATIONS_WAKE_KEY
from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.tables import (
    OPERATION_QUEUE,
    OperationRow,
    OperationStatus,
    operations,
    read_operation,
)
from socialgate.contracts.failures import OutcomeUnknownError
from socialgate.core import restores
from socialgate.core.db import Tx
from socialgate.core.restores import RESTORED_ERROR_CODE, BackupRestore, HoldKind, RestoreHold, holds

_OPEN_STATUSES = (OperationStatus.RUNNING, OperationStatus.UNCONFIRMED)
_MESSAGES_PREFIX = "messages."
_DROPPED_DETAIL = (
    "The service was restored from a backup, and the operator decided not to look this up. Check the platform."
)


class OperationHolder:
    kinds: Sequence[HoldKind] = (HoldKind.MESSAGES, HoldKind.OPERATIONS)

    def __init__(self, operation_service: OperationService) -> None:
        self._operations = operation_service

    async def hold_rows(self, tx: Tx, restore: BackupRestore) -> None:
        statement = sa.select(operations).where(
            operations.c.status.in_(_OPEN_STATUSES), operations.c.due_at.is_not(None)
        )
        rows = await tx.all_as(statement.with_for_update(), read_operation)
        await restores.add_holds(tx, [_build_hold(row, restore) for row in rows])
        error = _build_error(RESTORED_ERROR_CODE, restore.explanation)
        stored = {
            "status": OperationStatus.UNCONFIRMED,
            "error": error,
            "due_at": None,
            **OPERATION_QUEUE.unclaimed_values,
        }
        for row in rows:
            same = operations.c.owner_id == row.owner_id, operations.c.id == row.id
            await tx.execute(sa.update(operations).where(*same).values(**stored))
            await self._operations.report_unknown_outcome(tx, row, restore.explanation)

    async def request_lookups(self, tx: Tx, holds: Sequence[RestoreHold]) -> int:
        return await self._update_held_operations(tx, holds, {"due_at": tx.now})

    async def release_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        """Have it looked up as after a crash: several calls that were interrupted are then reverted."""
        for hold in holds:
            await self._update_held_operations(tx, [hold], {**(hold.before or {}), "due_at": tx.now})

    async def drop_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        await self._update_held_operations(
            tx, holds, {"error": _build_error(OutcomeUnknownError.code, _DROPPED_DETAIL), "due_at": None}
        )

    async def prune_holds(self, tx: Tx) -> None:
        same = operations.c.owner_id == holds.c.owner_id, operations.c.id == holds.c.id
        await restores.prune_holds(tx, self.kinds, sa.select(operations.c.id).where(*same, _IS_HELD))

    async def _update_held_operations(self, tx: Tx, holds: Sequence[RestoreHold], values: dict[str, Any]) -> int:
        number = 0
        for hold in holds:
            same = operations.c.owner_id == hold.owner_id, operations.c.id == hold.id
            number += await tx.execute_and_count(sa.update(operations).where(*same, _IS_HELD).values(**values))
        tx.wake_on_commit(OPERATIONS_WAKE_KEY)
        return number


_IS_HELD = sa.and_(
    operations.c.status == OperationStatus.UNCONFIRMED, operations.c.error["code"].as_string() == RESTORED_ERROR_CODE
)


def _build_hold(row: OperationRow, restore: BackupRestore) -> RestoreHold:
    kind = HoldKind.MESSAGES if row.operation.startswith(_MESSAGES_PREFIX) else HoldKind.OPERATIONS
    before = {"status": row.status, "error": row.error}
    return RestoreHold(kind, row.owner_id, row.id, restore.id, row.account_id, row.operation, row.due_at, before)


def _build_error(code: str, detail: str) -> dict[str, Any]:
    return {"code": code, "category": OutcomeUnknownError.category, "detail": detail}
