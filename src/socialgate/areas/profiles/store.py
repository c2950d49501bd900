from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, Utc, metadata
from socialgate.web.paging import ListQuery, after_cursor

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


async def insert(tx: Tx, owner_id: str, values: dict[str, Any]) -> sa.Row[Any]:
    statement = sa.insert(profiles).values(owner_id=owner_id, **values).returning(profiles)
    return (await tx.execute(statement)).one()


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
    return (await tx.execute(statement)).one()


async def page(tx: Tx, owner_id: str, caller: Caller, query: ListQuery) -> list[sa.Row[Any]]:
    statement = sa.select(profiles).where(profiles.c.owner_id == owner_id)
    if caller.profiles is not None:
        statement = statement.where(profiles.c.id.in_(sorted(caller.profiles)))
    return await tx.all(after_cursor(statement, profiles.c.id, query, "prf"))


async def existing(tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> set[str]:
    rows = await tx.all(sa.select(profiles.c.id).where(profiles.c.owner_id == owner_id, profiles.c.id.in_(profile_ids)))
    return {row.id for row in rows}
