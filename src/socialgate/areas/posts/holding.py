"""Posts that a restore holds back: they are unconfirmed until the platform, their owner or the operator says more."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.posts import store
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY, emit_platform_failed, finish_publishing_round
from socialgate.areas.posts.tables import TargetRow, TargetStatus, read_target, targets
from socialgate.core import restores
from socialgate.core.db import Tx
from socialgate.core.events import TargetError
from socialgate.core.restores import RESTORED_ERROR_CODE, BackupRestore, HoldKind, RestoreHold, holds

_DROPPED_ERROR = TargetError(
    code="dropped_after_restore",
    category="system_error",
    source="system",
    detail="The service was restored from a backup, and the operator decided not to publish this. If it is missing on "
    "the platform, send POST /posts/{postId}/retry.",
    retryable=True,
)


class PostHolder:
    kinds: Sequence[HoldKind] = (HoldKind.POSTS,)

    async def hold_rows(self, tx: Tx, restore: BackupRestore) -> None:
        statement = sa.select(targets).where(
            targets.c.status.in_(store.OPEN_TARGET_STATUSES),
            targets.c.due_at.is_not(None),
            # One that was started may have got any further, whenever it was to continue.
            sa.or_(targets.c.due_at <= tx.now, targets.c.status != TargetStatus.PENDING),
        )
        rows = await tx.all_as(statement.with_for_update(), read_target)
        await restores.add_holds(tx, [_build_hold(row, restore) for row in rows])
        for row in rows:
            await store.save_target(tx, _build_held_target(row, restore))
        if rows:
            await store.mark_posts_publishing(tx, {(row.owner_id, row.post_id) for row in rows})

    async def request_lookups(self, tx: Tx, holds: Sequence[RestoreHold]) -> int:
        return sum([await self._make_due(tx, hold, {}) for hold in holds])

    async def release_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        for hold in holds:
            await self._make_due(tx, hold, hold.before or {})

    async def drop_rows(self, tx: Tx, holds: Sequence[RestoreHold]) -> None:
        error = msgspec.to_builtins(_DROPPED_ERROR)
        for hold in holds:
            ended = {"status": TargetStatus.FAILED, "error": error, "in_flight": None, "due_at": None}
            statement = _update_held_target(hold).values(**ended, claim_id=None, claim_until=None, updated_at=tx.now)
            for row in await tx.all_as(statement.returning(targets), read_target):
                await emit_platform_failed(tx, row, _DROPPED_ERROR)
                await finish_publishing_round(tx, row.owner_id, row.post_id)

    async def prune_holds(self, tx: Tx) -> None:
        same = targets.c.owner_id == holds.c.owner_id, targets.c.id == holds.c.id
        await restores.prune_holds(tx, self.kinds, sa.select(targets.c.id).where(*same, _IS_HELD))

    async def _make_due(self, tx: Tx, hold: RestoreHold, values: Mapping[str, Any]) -> int:
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)
        due = {**values, "due_at": tx.now, "claim_id": None, "claim_until": None, "updated_at": tx.now}
        return await tx.execute_and_count(_update_held_target(hold).values(**due))


_IS_HELD = sa.and_(
    targets.c.status == TargetStatus.UNCONFIRMED, targets.c.error["code"].as_string() == RESTORED_ERROR_CODE
)


def _update_held_target(hold: RestoreHold) -> sa.Update:
    return sa.update(targets).where(targets.c.owner_id == hold.owner_id, targets.c.id == hold.id, _IS_HELD)


def _build_hold(row: TargetRow, restore: BackupRestore) -> RestoreHold:
    before = {"status": row.status, "error": row.error}
    label = f"{row.platform} {row.kind} {row.status}"
    return RestoreHold(HoldKind.POSTS, row.owner_id, row.id, restore.id, row.post_id, label, row.due_at, before)


def _build_held_target(row: TargetRow, restore: BackupRestore) -> TargetRow:
    error = TargetError(
        code=RESTORED_ERROR_CODE,
        category="outcome_unknown",
        source="system",
        detail=f"{restore.explanation} Check the platform, then decide with POST /posts/{{postId}}/reconcile.",
        retryable=False,
    )
    return msgspec.structs.replace(
        row,
        status=TargetStatus.UNCONFIRMED,
        error=msgspec.to_builtins(error),
        due_at=None,
        claim_id=None,
        claim_until=None,
        updated_at=restore.noticed_at,
    )
