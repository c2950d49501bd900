"""Deliveries that a restore holds back: receivers may have got them after the backup was made."""

from collections.abc import Sequence

import sqlalchemy as sa

from socialgate.areas.hooks.schemas import DeliveryStatus
from socialgate.core import restores
from socialgate.core.db import Tx, inline_literal
from socialgate.core.outbox import deliveries, lanes, lock_lanes
from socialgate.core.restores import BackupRestore, HoldKind, RestoreHold, holds


class DeliveryHolder:
    kinds: Sequence[HoldKind] = (HoldKind.DELIVERIES,)

    async def hold_rows(self, tx: Tx, restore: BackupRestore) -> None:
        # Workers leave out a lane that is locked.
        await tx.all(sa.select(lanes.c.hook_id).order_by(lanes.c.hook_id).with_for_update())
        due = sa.and_(deliveries.c.status == inline_literal(DeliveryStatus.PENDING), deliveries.c.due_at <= tx.now)
        recorded = {
            "kind": sa.literal(HoldKind.DELIVERIES.value),
            "owner_id": deliveries.c.owner_id,
            "id": deliveries.c.id,
            "restore_id": sa.literal(restore.id),
            "parent_id": deliveries.c.hook_id,
            "what": deliveries.c.event,
            "due_at": deliveries.c.due_at,
        }
        # Without reading them: there may be a million.
        await tx.execute(sa.insert(holds).from_select(list(recorded), sa.select(*recorded.values()).where(due)))
        await tx.execute(sa.update(deliveries).where(due).values(status=DeliveryStatus.HELD, due_at=None))

    async def request_lookups(self, tx: Tx, holds: Sequence[RestoreHold]) -> int:
        """Receivers cannot be asked."""
        del tx, holds
        return 0

    async def release_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        await self._update_held_deliveries(tx, holds, {"status": DeliveryStatus.PENDING, "due_at": tx.now})
        tx.wake_on_commit(*{hold.parent_id for hold in holds if hold.parent_id is not None})

    async def drop_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        await self._update_held_deliveries(tx, holds, {"status": DeliveryStatus.CANCELLED, "completed_at": tx.now})

    async def prune_holds(self, tx: Tx) -> None:
        same = (
            deliveries.c.owner_id == holds.c.owner_id,
            deliveries.c.hook_id == holds.c.parent_id,
            deliveries.c.id == holds.c.id,
        )
        select = sa.select(deliveries.c.id).where(*same, deliveries.c.status == DeliveryStatus.HELD)
        await restores.prune_holds(tx, self.kinds, select)

    async def _update_held_deliveries(self, tx: Tx, holds: Sequence[RestoreHold], values: dict[str, object]) -> None:
        hooks: dict[tuple[str, str], list[str]] = {}
        for hold in holds:
            assert hold.parent_id is not None, "a delivery has a hook"
            hooks.setdefault((hold.owner_id, hold.parent_id), []).append(hold.id)
        for (owner_id, hook_id), ids in sorted(hooks.items()):
            await lock_lanes(tx, owner_id, [hook_id])
            statement = sa.update(deliveries).where(
                deliveries.c.owner_id == owner_id,
                deliveries.c.hook_id == hook_id,
                deliveries.c.id.in_(ids),
                deliveries.c.status == DeliveryStatus.HELD,
            )
            await tx.execute(statement.values(**values))
