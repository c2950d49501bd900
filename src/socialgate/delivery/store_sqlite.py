"""The lane store on SQLite: the same questions, in its dialect, through the one writer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Database, Tx
from socialgate.core.ids import first_id_at
from socialgate.core.outbox import deliveries, events, hooks, lanes
from socialgate.delivery.store import Job, Lane, LaneNews, Result, Waiting

_TEST_WINDOW = timedelta(minutes=10)
_CANCEL_BATCH = 5000

# Written out: SQLite uses the index of pending rows only where it reads this condition as a literal.
_PENDING = sa.text("deliveries.status = 'pending'")

_lane_columns = (
    lanes.c.hook_id,
    lanes.c.owner_id,
    lanes.c.claim_id,
    hooks.c.url,
    hooks.c.active,
    hooks.c.ordered,
    hooks.c.max_per_second,
    hooks.c.tested_at,
    hooks.c.activated_at,
    hooks.c.secret,
    hooks.c.previous_secret,
    hooks.c.previous_until,
    lanes.c.paused_until,
    lanes.c.failures_in_row,
    lanes.c.exhausted,
    lanes.c.last_success_at,
)
_of_hook = sa.and_(hooks.c.owner_id == lanes.c.owner_id, hooks.c.id == lanes.c.hook_id)


class SqliteLanes:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def waiting(self, now: datetime) -> list[Waiting]:
        return await self._db.read(_waiting, now)

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        return await self._db.write(_claim, hook_ids, claim_id, now, until)

    async def refresh(self, lane: Lane) -> bool:
        row = await self._db.read(_read_lane, lane)
        if row is None:
            return False
        for name in ("url", "active", "ordered", "max_per_second", "tested_at", "activated_at", "secret"):
            setattr(lane, name, getattr(row, name))
        lane.previous_secret, lane.previous_until = row.previous_secret, row.previous_until
        return True

    async def fetch(self, lane: Lane, after: Job | None, limit: int, now: datetime) -> list[Job]:
        return await self._db.read(_fetch, lane, after, limit, now)

    async def record(self, results: Sequence[Result], news: Sequence[LaneNews]) -> set[str]:
        return await self._db.write(_record, results, news)

    async def renew(self, claim_ids: Sequence[str], until: datetime) -> set[str]:
        return await self._db.write(_renew, claim_ids, until)

    async def disable(self, lane: Lane, reason: str, now: datetime) -> None:
        await self._db.write(_disable, lane, reason, now)

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        return await self._db.write(_cancel, now, waited_since)

    async def close(self) -> None:
        """The database is somebody else's."""


async def _waiting(tx: Tx, now: datetime) -> list[Waiting]:
    found: list[Waiting] = []
    hook_id = ""
    while True:
        leap = (
            sa.select(deliveries.c.hook_id, deliveries.c.due_at)
            .where(_PENDING, deliveries.c.hook_id > hook_id)
            .order_by(deliveries.c.hook_id, deliveries.c.due_at)
            .limit(1)
        )
        row = await tx.first(leap)
        if row is None:
            return found
        hook_id = row.hook_id
        lane = await tx.first(
            sa.select(lanes.c.paused_until).join(hooks, _of_hook).where(_free(now), lanes.c.hook_id == hook_id)
        )
        if lane is not None:
            found.append(Waiting(hook_id=hook_id, due_at=max(row.due_at, lane.paused_until or row.due_at)))


def _free(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(
        sa.or_(lanes.c.lease_until.is_(None), lanes.c.lease_until <= now),
        hooks.c.deleted_at.is_(None),
        sa.or_(hooks.c.active, hooks.c.tested_at > now - _TEST_WINDOW),
    )


async def _claim(tx: Tx, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
    unpaused = sa.or_(lanes.c.paused_until.is_(None), lanes.c.paused_until <= now)
    free = sa.select(lanes.c.hook_id).join(hooks, _of_hook).where(_free(now), unpaused, lanes.c.hook_id.in_(hook_ids))
    taken = [row.hook_id for row in await tx.all(free)]
    if not taken:
        return []
    await tx.execute(sa.update(lanes).where(lanes.c.hook_id.in_(taken)).values(claim_id=claim_id, lease_until=until))
    rows = await tx.all(sa.select(*_lane_columns).join(hooks, _of_hook).where(lanes.c.hook_id.in_(taken)))
    return [Lane(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping


async def _read_lane(tx: Tx, lane: Lane) -> sa.Row[Any] | None:
    return await tx.first(
        sa.select(*_lane_columns)
        .join(hooks, _of_hook)
        .where(lanes.c.hook_id == lane.hook_id, lanes.c.claim_id == lane.claim_id, hooks.c.deleted_at.is_(None))
    )


async def _fetch(tx: Tx, lane: Lane, after: Job | None, limit: int, now: datetime) -> list[Job]:
    due = (
        sa.select(
            deliveries.c.id,
            deliveries.c.event_id,
            deliveries.c.event,
            events.c.body,
            deliveries.c.due_at,
            deliveries.c.attempt_count,
            deliveries.c.attempts,
        )
        .join(events, sa.and_(events.c.owner_id == deliveries.c.owner_id, events.c.id == deliveries.c.event_id))
        .where(_PENDING, deliveries.c.hook_id == lane.hook_id, deliveries.c.due_at <= now)
        .order_by(deliveries.c.due_at, deliveries.c.id)
        .limit(limit)
    )
    if after is not None:
        due = due.where(sa.tuple_(deliveries.c.due_at, deliveries.c.id) > sa.tuple_(after.due_at, after.id))
    if not lane.active:
        first = first_id_at("dlv", (lane.tested_at or now) - timedelta(seconds=1))
        due = due.where(deliveries.c.event == "webhook.test", deliveries.c.id >= first)
    return [Job(**row._mapping) for row in await tx.all(due)]  # noqa: SLF001 - SQLAlchemy's public name


_WRITE_RESULT = (
    sa.update(deliveries)
    .where(
        deliveries.c.owner_id == sa.bindparam("_owner_id"),
        deliveries.c.hook_id == sa.bindparam("_hook_id"),
        deliveries.c.id == sa.bindparam("_id"),
        _PENDING,
    )
    .values(
        status=sa.bindparam("_status"),
        due_at=sa.bindparam("_due_at"),
        attempt_count=sa.bindparam("_attempt_count"),
        attempts=sa.bindparam("_attempts"),
        completed_at=sa.bindparam("_completed_at"),
    )
)


async def _record(tx: Tx, results: Sequence[Result], news: Sequence[LaneNews]) -> set[str]:
    held = set()
    for lane in news:
        if await tx.changed(_lane_update(lane)) == 1:
            held.add(lane.hook_id)
    rows = [_as_parameters(result) for result in results if result.hook_id in held]
    if rows:
        await tx.execute(_WRITE_RESULT, rows)
    return held


def _lane_update(news: LaneNews) -> sa.Update:
    values: dict[str, Any] = {
        "succeeded": lanes.c.succeeded + news.succeeded,
        "failed": lanes.c.failed + news.failed,
        "failures_in_row": news.failures_in_row,
        "exhausted": news.exhausted,
        "last_success_at": news.last_success_at,
        "paused_until": news.paused_until,
    }
    if news.last_failure_at is not None:
        values["last_failure_at"] = news.last_failure_at
    if news.release:
        values |= {"claim_id": None, "lease_until": None}
    return sa.update(lanes).where(lanes.c.hook_id == news.hook_id, lanes.c.claim_id == news.claim_id).values(values)


def _as_parameters(result: Result) -> dict[str, Any]:
    return {f"_{name}": value for name, value in msgspec.structs.asdict(result).items()}


async def _renew(tx: Tx, claim_ids: Sequence[str], until: datetime) -> set[str]:
    statement = sa.update(lanes).where(lanes.c.claim_id.in_(claim_ids)).values(lease_until=until)
    return {row.hook_id for row in await tx.all(statement.returning(lanes.c.hook_id))}


async def _disable(tx: Tx, lane: Lane, reason: str, now: datetime) -> None:
    found = await tx.first(
        sa.select(hooks.c.updated_at).where(hooks.c.owner_id == lane.owner_id, hooks.c.id == lane.hook_id)
    )
    assert found is not None, "a hook leaves a stone behind"
    await tx.execute(
        sa.update(hooks)
        .where(hooks.c.owner_id == lane.owner_id, hooks.c.id == lane.hook_id, hooks.c.active)
        .values(
            active=False,
            disabled_reason=reason,
            deactivated_at=now,
            updated_at=max(now, found.updated_at + timedelta(microseconds=1)),
        )
    )


async def _cancel(tx: Tx, now: datetime, waited_since: datetime) -> int:
    unwanted = sa.or_(hooks.c.disabled_reason == "gone", hooks.c.deactivated_at <= waited_since)
    deleted = sa.select(hooks.c.id).where(hooks.c.deleted_at.is_not(None))
    inactive = sa.select(hooks.c.id).where(sa.not_(hooks.c.active), unwanted)
    batch: sa.Select[Any] = (
        sa.select(sa.literal_column("deliveries.rowid"))
        .select_from(deliveries)
        .where(
            _PENDING,
            sa.or_(
                deliveries.c.hook_id.in_(deleted),
                sa.and_(deliveries.c.hook_id.in_(inactive), deliveries.c.event != "webhook.test"),
            ),
        )
        .limit(_CANCEL_BATCH)
    )
    statement = (
        sa.update(deliveries)
        .where(sa.literal_column("deliveries.rowid").in_(batch))
        .values(status="cancelled", due_at=None, completed_at=now)
    )
    return await tx.changed(statement)
