"""Slots of the queue, and which posts have them."""

from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.posts.queue_schemas import SlotsQuery
from socialgate.areas.posts.store import POST_RESPONSE_SIZE
from socialgate.areas.posts.tables import PostRow, PostStatus, SlotRow, posts, read_post, read_slot, slots
from socialgate.core.caller import Caller
from socialgate.core.db import Tx, inline_literal
from socialgate.core.rows import get_non_key_values
from socialgate.web.pagination import add_cursor

_HAS_SLOT = sa.and_(posts.c.status == inline_literal(PostStatus.SCHEDULED), posts.c.slot_id.is_not(None))


class TakenSlot(msgspec.Struct, frozen=True):
    """A slot time that a post has, and how large the post is in a response."""

    post_id: str
    slot_id: str
    at: datetime
    size: int


async def insert_slot(tx: Tx, slot: SlotRow) -> None:
    await tx.execute(sa.insert(slots), msgspec.structs.asdict(slot))


async def find_slot(tx: Tx, owner_id: str, slot_id: str) -> SlotRow | None:
    return await tx.first_as(sa.select(slots).where(slots.c.owner_id == owner_id, slots.c.id == slot_id), read_slot)


async def delete_slot(tx: Tx, owner_id: str, slot_id: str) -> None:
    await tx.execute(sa.delete(slots).where(slots.c.owner_id == owner_id, slots.c.id == slot_id))


async def delete_slots_of_profile(tx: Tx, owner_id: str, profile_id: str) -> None:
    await tx.execute(sa.delete(slots).where(slots.c.owner_id == owner_id, slots.c.profile_id == profile_id))


async def save_slot(tx: Tx, slot: SlotRow) -> None:
    """Write a slot that was found."""
    statement = sa.update(slots).where(slots.c.owner_id == slot.owner_id, slots.c.id == slot.id)
    await tx.execute(statement.values(**get_non_key_values(slot, slots)))


async def list_slots_page(tx: Tx, owner_id: str, caller: Caller, query: SlotsQuery) -> list[SlotRow]:
    statement = sa.select(slots).where(slots.c.owner_id == owner_id)
    if caller.allowed_profile_ids is not None:
        statement = statement.where(slots.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if query.profile_id is not None:
        statement = statement.where(slots.c.profile_id == query.profile_id)
    return await tx.all_as(add_cursor(statement, slots.c.id, query, "slot"), read_slot)


async def list_slots(tx: Tx, owner_id: str, profile_id: str) -> list[SlotRow]:
    statement = sa.select(slots).where(slots.c.owner_id == owner_id, slots.c.profile_id == profile_id)
    return await tx.all_as(statement.order_by(slots.c.id), read_slot)


async def lock_posts_in_slot(tx: Tx, owner_id: str, slot_id: str) -> list[PostRow]:
    statement = sa.select(posts).where(posts.c.owner_id == owner_id, posts.c.slot_id == slot_id, _HAS_SLOT)
    return await tx.all_as(statement.order_by(posts.c.scheduled_for).with_for_update(), read_post)


async def list_taken_times(tx: Tx, owner_id: str, profile_id: str, after: datetime) -> set[tuple[str, datetime]]:
    """Return which slot times posts have from now on."""
    statement = _select_taken(sa.select(posts.c.slot_id, posts.c.scheduled_for), owner_id, profile_id, after)
    return {(row.slot_id, row.scheduled_for) for row in await tx.all(statement)}


async def list_taken_slots(tx: Tx, owner_id: str, profile_id: str, after: datetime, until: datetime) -> list[TakenSlot]:
    """List which post has which slot time in a period."""
    select = sa.select(posts.c.id, posts.c.slot_id, posts.c.scheduled_for, POST_RESPONSE_SIZE)
    statement = _select_taken(select, owner_id, profile_id, after).where(posts.c.scheduled_for < until)
    return await tx.all_as(statement, lambda row: TakenSlot(*row))


def _select_taken(statement: sa.Select[Any], owner_id: str, profile_id: str, after: datetime) -> sa.Select[Any]:
    statement = statement.where(
        posts.c.owner_id == owner_id,
        posts.c.profile_id == profile_id,
        posts.c.scheduled_for > after,
        _HAS_SLOT,
    )
    return statement.order_by(posts.c.scheduled_for)
