from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, Utc, metadata
from socialgate.web.paging import Listing, ListQuery

profiles = sa.Table(
    "profiles",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("description", sa.String(500)),
    sa.Column("timezone", sa.String(64), nullable=False),
    # Kept by whoever connects or disconnects an account, in the same transaction.
    sa.Column("account_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", Utc, nullable=False),
    sa.Column("updated_at", Utc, nullable=False),
)

_of_owner = sa.select(profiles).where(profiles.c.owner_id == sa.bindparam("owner_id"))
_all = Listing(_of_owner, profiles.c.id, "prf")
_some = Listing(_of_owner.where(profiles.c.id.in_(sa.bindparam("ids", expanding=True))), profiles.c.id, "prf")


async def insert(tx: Tx, owner_id: str, values: dict[str, Any]) -> sa.Row[Any]:
    statement = sa.insert(profiles).values(owner_id=owner_id, **values).returning(profiles)
    return await tx.one(statement)


async def find(tx: Tx, owner_id: str, profile_id: str) -> sa.Row[Any] | None:
    return await tx.first(
        sa.select(profiles).where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id).with_for_update()
    )


async def update(tx: Tx, owner_id: str, profile_id: str, values: dict[str, Any]) -> sa.Row[Any]:
    statement = (
        sa.update(profiles)
        .where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id)
        .values(**values)
        .returning(profiles)
    )
    return await tx.one(statement)


async def page(tx: Tx, owner_id: str, caller: Caller, query: ListQuery) -> list[sa.Row[Any]]:
    if caller.profiles is None:
        return await _all.rows(tx, query, owner_id=owner_id)
    return await _some.rows(tx, query, owner_id=owner_id, ids=sorted(caller.profiles))


async def existing(tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> set[str]:
    rows = await tx.all(sa.select(profiles.c.id).where(profiles.c.owner_id == owner_id, profiles.c.id.in_(profile_ids)))
    return {row.id for row in rows}


async def add_to_count(tx: Tx, owner_id: str, profile_id: str, change: int) -> None:
    await tx.execute(
        sa.update(profiles)
        .where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id)
        .values(account_count=profiles.c.account_count + change)
    )
