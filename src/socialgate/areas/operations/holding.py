"""Operations that a restore holds back: calls that were in progress when the backup was made, such as a message.

None of them is ever made again. But what came of it may be looked up too late to be recognized, and several calls that
were completed since must not be taken for interrupted, and removed.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from socialgate.areas.operations.outcomes import OPERATIONS_WAKE_KEY
from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.tables import QUEUE, OperationRow, OperationStatus, operations, read_operation
from socialgate.contracts.failures import OutcomeUnknownError
from socialgate.core import restores
from socialgate.core.db import Tx
from socialgate.core.restores import RESTORED, Hold, HoldKind, Restore, holds

_OPEN = (OperationStatus.RUNNING, OperationStatus.UNCONFIRMED)
_MESSAGES = "messages."
_DROPPED = "The service was restored from a backup, and the operator decided not to look this up. Check the platform."


class OperationHolder:
    kinds: Sequence[HoldKind] = (HoldKind.MESSAGES, HoldKind.OPERATIONS)

    def __init__(self, operation_service: OperationService) -> None:
        self._operations = operation_service

    async def hold(self, tx: Tx, restore: Restore) -> None:
        statement = sa.select(operations).where(operations.c.status.in_(_OPEN), operations.c.due_at.is_not(None))
        rows = await tx.all_as(statement.with_for_update(), read_operation)
        await restores.add(tx, [_hold(row, restore) for row in rows])
        error = _error(RESTORED, restore.why)
        stored = {"status": OperationStatus.UNCONFIRMED, "error": error, "due_at": None, **QUEUE.unclaimed_values}
        for row in rows:
            same = operations.c.owner_id == row.owner_id, operations.c.id == row.id
            await tx.execute(sa.update(operations).where(*same).values(**stored))
            await self._operations.report_open(tx, row, restore.why)

    async def look(self, tx: Tx, holds: Sequence[Hold]) -> int:
        return await self._change(tx, holds, {"due_at": tx.now})

    async def release(self, tx: Tx, holds: Sequence[Hold]) -> None:
        """Have it looked up as after a crash: several calls that were interrupted are then reverted."""
        for hold in holds:
            await self._change(tx, [hold], {**(hold.before or {}), "due_at": tx.now})

    async def drop(self, tx: Tx, holds: Sequence[Hold]) -> None:
        await self._change(tx, holds, {"error": _error(OutcomeUnknownError.code, _DROPPED), "due_at": None})

    async def prune(self, tx: Tx) -> None:
        same = operations.c.owner_id == holds.c.owner_id, operations.c.id == holds.c.id
        await restores.prune(tx, self.kinds, sa.select(operations.c.id).where(*same, _IS_HELD))

    async def _change(self, tx: Tx, holds: Sequence[Hold], values: dict[str, Any]) -> int:
        number = 0
        for hold in holds:
            same = operations.c.owner_id == hold.owner_id, operations.c.id == hold.id
            number += await tx.execute_and_count(sa.update(operations).where(*same, _IS_HELD).values(**values))
        tx.wake(OPERATIONS_WAKE_KEY)
        return number


_IS_HELD = sa.and_(
    operations.c.status == OperationStatus.UNCONFIRMED, operations.c.error["code"].as_string() == RESTORED
)


def _hold(row: OperationRow, restore: Restore) -> Hold:
    kind = HoldKind.MESSAGES if row.operation.startswith(_MESSAGES) else HoldKind.OPERATIONS
    before = {"status": row.status, "error": row.error}
    return Hold(kind, row.owner_id, row.id, restore.id, row.account_id, row.operation, row.due_at, before)


def _error(code: str, detail: str) -> dict[str, Any]:
    return {"code": code, "category": OutcomeUnknownError.category, "detail": detail}
