"""Hooks, their deliveries and the events that they deliver. Every finder takes the owner first."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.hooks.schemas import DeliveriesQuery, DeliveryStatus, DisabledReason
from socialgate.core.db import Id, Tx, inline_literal
from socialgate.core.events import WebhookTest
from socialgate.core.outbox import deliveries, events, get_settled_key, hooks, lanes, lock_lanes
from socialgate.core.rows import build_row_reader, get_non_key_values
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import (
    MAX_PAGE_LIMIT,
    FittingList,
    ListQuery,
    add_cursor,
    build_response_size,
)

_STATS_COLUMNS = (lanes.c.succeeded, lanes.c.failed, lanes.c.last_success_at, lanes.c.last_failure_at)
# Whether a worker holds the hook now, and until when nothing is sent to it.
_LEASE_COLUMNS = (lanes.c.lease_until, lanes.c.paused_until)
_IS_PENDING = deliveries.c.status == inline_literal(DeliveryStatus.PENDING)
# Events are in the order in which they were emitted, but their times are those at which their transactions started. No
# transaction takes this long.
_MAX_TRANSACTION_DURATION = timedelta(minutes=5)


class HookRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    url: str
    events: list[str]
    profile_ids: list[str] | None
    description: str | None
    ordered: bool
    max_per_second: int | None
    active: bool
    disabled_reason: DisabledReason | None
    activated_at: datetime
    deactivated_at: datetime | None
    secret: bytes
    previous_secret: bytes | None
    previous_until: datetime | None
    key_id: str | None
    tested_at: datetime | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


class HookWithLane(HookRow, frozen=True):
    """A hook with its delivery statistics."""

    succeeded: int
    failed: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    lease_until: datetime | None
    paused_until: datetime | None


class DeliveryRow(msgspec.Struct, frozen=True):
    owner_id: str
    hook_id: str
    id: str
    event_id: str
    event: str
    event_key: int
    status: DeliveryStatus
    due_at: datetime | None
    attempt_count: int
    attempts: bytes | None
    created_at: datetime
    completed_at: datetime | None


class EventRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    event_key: int
    profile_id: str
    name: str
    body: bytes
    created_at: datetime


class EventRef(msgspec.Struct, frozen=True):
    """What a delivery needs to know about its event."""

    id: str
    name: str
    event_key: int


_EVENT_REF_COLUMNS = (events.c.id, events.c.name, events.c.event_key)
read_hook = build_row_reader(HookRow, hooks)
read_hook_with_lane = build_row_reader(HookWithLane, (*hooks.c, *_STATS_COLUMNS, *_LEASE_COLUMNS))
read_delivery = build_row_reader(DeliveryRow, deliveries)
read_event = build_row_reader(EventRow, events)
read_event_ref = build_row_reader(EventRef, _EVENT_REF_COLUMNS)


class EventPosition(msgspec.Struct, frozen=True, order=True):
    """A position between two events of an owner. Without an id it is before the first event with the key."""

    event_key: int
    id: str = ""


async def insert_hook(tx: Tx, hook: HookRow) -> None:
    """Add a hook and its lane."""
    await tx.execute(sa.insert(hooks), msgspec.structs.asdict(hook))
    await tx.execute(sa.insert(lanes).values(hook_id=hook.id, owner_id=hook.owner_id))


async def find_hook(tx: Tx, owner_id: str, hook_id: str) -> HookWithLane | None:
    return await tx.first_as(_select_hooks(owner_id).where(hooks.c.id == hook_id), read_hook_with_lane)


async def find_hook_for_change(tx: Tx, owner_id: str, hook_id: str) -> HookWithLane | None:
    """Find a hook and lock it until this transaction ends."""
    statement = _select_hooks(owner_id).where(hooks.c.id == hook_id)
    return await tx.first_as(statement.with_for_update(of=hooks), read_hook_with_lane)


async def count_hooks(tx: Tx, owner_id: str) -> int:
    statement = sa.select(sa.func.count()).select_from(hooks)
    return int(await tx.scalar(statement.where(hooks.c.owner_id == owner_id, hooks.c.deleted_at.is_(None))))


async def list_hooks(tx: Tx, owner_id: str, query: ListQuery) -> list[HookWithLane]:
    """List all hooks after the cursor. There are so few that the caller can filter them."""
    statement = add_cursor(_select_hooks(owner_id), hooks.c.id, _with_max_limit(query), "hook")
    return await tx.all_as(statement, read_hook_with_lane)


async def list_created_by_key(tx: Tx, owner_id: str, key_id: str) -> list[HookRow]:
    statement = sa.select(hooks).where(
        hooks.c.owner_id == owner_id, hooks.c.key_id == key_id, hooks.c.deleted_at.is_(None)
    )
    return await tx.all_as(statement.order_by(hooks.c.id).with_for_update(), read_hook)


async def save_hook(tx: Tx, hook: HookRow) -> None:
    """Write a hook that was found for change."""
    await tx.execute(_update_hook(hook).values(**get_non_key_values(hook, hooks)))


async def record_hook_test(tx: Tx, hook: HookRow) -> None:
    await tx.execute(_update_hook(hook).values(tested_at=tx.now))


async def delete_hook(tx: Tx, hook: HookRow) -> None:
    """Leave only a tombstone of a hook, until its deliveries are cancelled."""
    await tx.execute(_update_hook(hook).values(deleted_at=tx.now))


def _update_hook(hook: HookRow) -> sa.Update:
    return sa.update(hooks).where(hooks.c.owner_id == hook.owner_id, hooks.c.id == hook.id)


async def reset_delivery_lane(tx: Tx, owner_id: str, hook_id: str) -> None:
    """Forget past failures, including those of attempts in progress: the next attempt may be made immediately."""
    await tx.execute(
        sa.update(lanes)
        .where(lanes.c.owner_id == owner_id, lanes.c.hook_id == hook_id)
        .values(generation=lanes.c.generation + 1, failures_in_row=0, exhausted=0, paused_until=None)
    )


async def end_delivery_pause(tx: Tx, owner_id: str, hook_id: str) -> None:
    await tx.execute(
        sa.update(lanes).where(lanes.c.owner_id == owner_id, lanes.c.hook_id == hook_id).values(paused_until=None)
    )


async def restore_delivery_order(tx: Tx, owner_id: str, hook_id: str) -> None:
    """Restore the original order of pending deliveries: retries had moved some of them."""
    await lock_lanes(tx, owner_id, [hook_id])
    await tx.execute(
        sa.update(deliveries)
        .where(
            deliveries.c.owner_id == owner_id,
            deliveries.c.hook_id == hook_id,
            _IS_PENDING,
        )
        .values(due_at=deliveries.c.created_at)
    )


async def cancel_deliveries_outside_profiles(tx: Tx, owner_id: str, hook_id: str, profile_ids: Sequence[str]) -> None:
    """Cancel pending deliveries of a hook for profiles that it no longer covers."""
    outside = sa.select(events.c.id).where(events.c.owner_id == owner_id, events.c.profile_id.not_in(profile_ids))
    await lock_lanes(tx, owner_id, [hook_id])
    await tx.execute(
        sa.update(deliveries)
        .where(
            deliveries.c.owner_id == owner_id,
            deliveries.c.hook_id == hook_id,
            _IS_PENDING,
            deliveries.c.event_id.in_(outside),
        )
        .values(status=DeliveryStatus.CANCELLED, due_at=None, completed_at=tx.now)
    )


async def list_deliveries_page(
    tx: Tx, owner_id: str, hook_id: str, query: DeliveriesQuery, *, is_leased: bool, profiles: frozenset[str] | None
) -> tuple[list[DeliveryRow], bool]:
    """List deliveries, newest first, and whether more follow."""
    required = {"owner": owner_id, "hook": hook_id, "now": tx.now, "status": query.status}
    optional = {"event": query.event, "since": query.since, "until": query.until, "profiles": profiles}
    filters = () if query.status is None else (_choose_status_filter(query.status, is_leased=is_leased),)
    return await _DELIVERIES.fetch_page(tx, read_delivery, query, ("dlv",), required, optional, filters)


async def find_delivery(tx: Tx, owner_id: str, hook_id: str, delivery_id: str) -> DeliveryRow | None:
    statement = sa.select(deliveries).where(deliveries.c.owner_id == owner_id, deliveries.c.hook_id == hook_id)
    return await tx.first_as(statement.where(deliveries.c.id == delivery_id), read_delivery)


async def find_newest_delivery_id(tx: Tx, owner_id: str, hook_id: str, event_id: str) -> str:
    statement = sa.select(deliveries.c.id).where(deliveries.c.owner_id == owner_id, deliveries.c.hook_id == hook_id)
    newest = statement.where(deliveries.c.event_id == event_id).order_by(deliveries.c.id.desc()).limit(1)
    return str(await tx.scalar(newest))


async def find_event(tx: Tx, owner_id: str, event_id: str) -> EventRow | None:
    return await tx.first_as(
        sa.select(events).where(events.c.owner_id == owner_id, events.c.id == event_id), read_event
    )


async def list_missed_events(
    tx: Tx, owner_id: str, hook: HookRow, since: datetime, until: datetime, limit: int
) -> list[EventRef]:
    """Find the oldest events of a period that the hook should have and that are neither delivered nor pending.

    One pass over the hook's deliveries and one over the events since then, however many there are: an index on the
    event of a delivery would cost every event more than this rare query is worth.
    """
    await _forbid_nested_loops(tx)
    start = await _find_position_before(tx, owner_id, since)
    settled = sa.select(deliveries.c.event_id).where(
        deliveries.c.owner_id == owner_id,
        deliveries.c.hook_id == hook.id,
        deliveries.c.status.in_((DeliveryStatus.SUCCEEDED, DeliveryStatus.PENDING)),
        # A delivery is created after its event, and both ids start with the time.
        deliveries.c.id >= f"dlv{start.id[3:]}",
    )
    statement = sa.select(*_EVENT_REF_COLUMNS).where(
        events.c.owner_id == owner_id,
        _is_after(start),
        events.c.created_at >= since,
        events.c.created_at < until,
        events.c.name.in_(sorted(set(hook.events) - {WebhookTest.event})),
        _is_not_among(tx, settled),
    )
    if hook.profile_ids is not None:
        statement = statement.where(events.c.profile_id.in_(hook.profile_ids))
    return await tx.all_as(statement.order_by(events.c.event_key, events.c.id).limit(limit), read_event_ref)


async def list_events_page(
    tx: Tx,
    owner_id: str,
    after: EventPosition,
    max_event_key: int,
    profiles: frozenset[str] | None,
    name: str | None,
    limit: int,
) -> tuple[list[EventRow], EventPosition | None]:
    """Read after a position and up to a key, oldest first.

    Also returns where a full page ends, by its number of events or by their size.
    """
    values = {"owner": owner_id, "after_key": after.event_key, "after_id": after.id, "max_key": max_event_key}
    optional = {"profiles": profiles, "name": name}
    filters = {key: value for key, value in optional.items() if value is not None}
    rows, more = await _FITTING_EVENTS_LIST.fetch(
        tx, read_event, filters, {**values, **filters}, limit=limit, most=limit
    )
    is_full = more or len(rows) == limit
    return rows, EventPosition(rows[-1].event_key, rows[-1].id) if is_full else None


_FITTING_EVENTS_LIST = FittingList(
    events,
    build_response_size(events.c.body),
    [events.c.event_key, events.c.id],
    events.c.owner_id == sa.bindparam("owner"),
    sa.tuple_(events.c.event_key, events.c.id)
    > sa.tuple_(sa.bindparam("after_key", type_=sa.BigInteger), sa.bindparam("after_id", type_=Id)),
    events.c.event_key <= sa.bindparam("max_key"),
    filters={"profiles": is_one_of(events.c.profile_id, "profiles"), "name": events.c.name == sa.bindparam("name")},
)


async def find_newest_position(tx: Tx, owner_id: str, max_event_key: int) -> EventPosition:
    """Find the position of the newest event up to a key, or the very first position.

    It is that of an event and not the key itself: after a server crash, uncommitted keys are handed out again.
    """
    row = await tx.first(_SELECT_NEWEST_EVENT, {"owner": owner_id, "max_key": max_event_key})
    return EventPosition(0) if row is None else EventPosition(row.event_key, row.id)


_SELECT_NEWEST_EVENT = (
    sa.select(events.c.event_key.label("event_key"), events.c.id)
    .where(events.c.owner_id == sa.bindparam("owner"), events.c.event_key <= sa.bindparam("max_key"))
    .order_by(events.c.event_key.desc(), events.c.id.desc())
    .limit(1)
)


async def find_settled_position(tx: Tx, owner_id: str) -> EventPosition:
    """Find the position after everything that is settled: no event will ever appear before it."""
    return await find_newest_position(tx, owner_id, await get_settled_key(tx, owner_id))


def _select_hooks(owner_id: str) -> sa.Select[Any]:
    statement = sa.select(hooks, *_STATS_COLUMNS, *_LEASE_COLUMNS).join(
        lanes, sa.and_(lanes.c.owner_id == hooks.c.owner_id, lanes.c.hook_id == hooks.c.id)
    )
    return statement.where(hooks.c.owner_id == owner_id, hooks.c.deleted_at.is_(None))


def _with_max_limit(query: ListQuery) -> ListQuery:
    return msgspec.structs.replace(query, limit=MAX_PAGE_LIMIT)


def _choose_status_filter(status: DeliveryStatus, *, is_leased: bool) -> str:
    """A pending delivery of a hook that a worker has claimed is being delivered, once it is due."""
    if status is DeliveryStatus.DELIVERING:
        return "delivering" if is_leased else "none"
    return "waiting" if status is DeliveryStatus.PENDING and is_leased else "status"


_DELIVERIES = FittingList(
    deliveries,
    build_response_size(deliveries.c.attempts),
    [deliveries.c.id.desc()],
    deliveries.c.owner_id == sa.bindparam("owner"),
    deliveries.c.hook_id == sa.bindparam("hook"),
    filters={
        "after": deliveries.c.id < sa.bindparam("after"),
        "status": deliveries.c.status == sa.bindparam("status"),
        "delivering": sa.and_(_IS_PENDING, deliveries.c.due_at <= sa.bindparam("now")),
        "waiting": sa.and_(_IS_PENDING, deliveries.c.due_at > sa.bindparam("now")),
        "none": sa.false(),
        "event": deliveries.c.event == sa.bindparam("event"),
        "since": deliveries.c.created_at >= sa.bindparam("since"),
        "until": deliveries.c.created_at < sa.bindparam("until"),
        "profiles": sa.exists().where(
            events.c.owner_id == deliveries.c.owner_id,
            events.c.id == deliveries.c.event_id,
            is_one_of(events.c.profile_id, "profiles"),
        ),
    },
)


async def _forbid_nested_loops(tx: Tx) -> None:
    """Keep PostgreSQL from reading all deliveries again for every event, as it does while it has no statistics.

    It lasts until the transaction ends. 200,000 of each took longer than five minutes without.
    """
    if tx.dialect_name == "postgresql":
        await tx.execute(sa.text("SET LOCAL enable_nestloop = off"))


def _is_not_among(tx: Tx, settled: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """Leave out events that are settled, with a condition that the engine evaluates once and not once per event."""
    if tx.dialect_name == "postgresql":
        return ~settled.where(deliveries.c.event_id == events.c.id).exists()
    return events.c.id.not_in(settled)


def _is_after(position: EventPosition) -> sa.ColumnElement[bool]:
    return sa.tuple_(events.c.event_key, events.c.id) > sa.tuple_(
        sa.literal(position.event_key, sa.BigInteger), sa.literal(position.id, Id)
    )


async def _find_position_before(tx: Tx, owner_id: str, moment: datetime) -> EventPosition:
    """Find a position before every event since a time, walking back from the newest."""
    statement = sa.select(events.c.event_key.label("event_key"), events.c.id).where(
        events.c.owner_id == owner_id, events.c.created_at < moment - _MAX_TRANSACTION_DURATION
    )
    row = await tx.first(statement.order_by(events.c.event_key.desc(), events.c.id.desc()).limit(1))
    return EventPosition(0) if row is None else EventPosition(row.event_key, row.id)
