"""Slots of the queue, and which posts hold them."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from socialgate.areas.posts.queue_schemas import SlotsQuery
from socialgate.areas.posts.store import size_of
from socialgate.areas.posts.tables import posts, slots
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.web.paging import after_cursor

_MOMENT = (posts.c.id, posts.c.slot_id, posts.c.scheduled_for)
_HOLDING = sa.and_(posts.c.status == "scheduled", posts.c.slot_id.is_not(None))


async def insert(tx: Tx, owner_id: str, values: dict[str, Any]) -> sa.Row[Any]:
    return await tx.one(sa.insert(slots).values(owner_id=owner_id, **values).returning(slots))


async def find(tx: Tx, owner_id: str, slot_id: str) -> sa.Row[Any] | None:
    return await tx.first(sa.select(slots).where(slots.c.owner_id == owner_id, slots.c.id == slot_id))


async def delete(tx: Tx, owner_id: str, slot_id: str) -> None:
    await tx.execute(sa.delete(slots).where(slots.c.owner_id == owner_id, slots.c.id == slot_id))


async def page(tx: Tx, owner_id: str, caller: Caller, query: SlotsQuery) -> list[sa.Row[Any]]:
    statement = sa.select(slots).where(slots.c.owner_id == owner_id)
    if caller.profiles is not None:
        statement = statement.where(slots.c.profile_id.in_(sorted(caller.profiles)))
    if query.profile_id is not None:
        statement = statement.where(slots.c.profile_id == query.profile_id)
    return await tx.all(after_cursor(statement, slots.c.id, query, "slot"))


async def of_profile(tx: Tx, owner_id: str, profile_id: str) -> list[sa.Row[Any]]:
    statement = sa.select(slots).where(slots.c.owner_id == owner_id, slots.c.profile_id == profile_id)
    return await tx.all(statement.order_by(slots.c.id))


async def posts_of(tx: Tx, owner_id: str, slot_id: str) -> list[sa.Row[Any]]:
    found = sa.select(posts.c.owner_id, posts.c.id, posts.c.profile_id)
    statement = found.where(posts.c.owner_id == owner_id, posts.c.slot_id == slot_id, _HOLDING)
    return await tx.all(statement.order_by(posts.c.scheduled_for).with_for_update())


async def taken(tx: Tx, owner_id: str, profile_id: str, after: datetime) -> list[sa.Row[Any]]:
    """List which post holds which moment of the queue from now on."""
    return await tx.all(_taken(sa.select(*_MOMENT), owner_id, profile_id, after))


async def taken_until(tx: Tx, owner_id: str, profile_id: str, after: datetime, until: datetime) -> list[sa.Row[Any]]:
    """List which post holds which moment of a time, and how large it is."""
    statement = _taken(sa.select(*_MOMENT, size_of(tx).label("size")), owner_id, profile_id, after)
    return await tx.all(statement.where(posts.c.scheduled_for < until))


def _taken(statement: sa.Select[Any], owner_id: str, profile_id: str, after: datetime) -> sa.Select[Any]:
    statement = statement.where(
        posts.c.owner_id == owner_id,
        posts.c.profile_id == profile_id,
        posts.c.scheduled_for > after,
        _HOLDING,
    )
    return statement.order_by(posts.c.scheduled_for)
