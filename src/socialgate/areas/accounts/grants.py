"""Grants: what people permitted, and who renews it now."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import grants
from socialgate.core.db import Tx

# Longer than any call to a platform: who holds a claim this long is dead.
_CLAIM = timedelta(minutes=2)


async def find(tx: Tx, owner_id: str, grant_id: str) -> sa.Row[Any] | None:
    return await tx.first(sa.select(grants).where(grants.c.owner_id == owner_id, grants.c.id == grant_id))


async def newest(tx: Tx, owner_id: str, profile_id: str, platform: str) -> sa.Row[Any] | None:
    statement = sa.select(grants).where(
        grants.c.owner_id == owner_id, grants.c.profile_id == profile_id, grants.c.platform == platform
    )
    return await tx.first(statement.order_by(grants.c.updated_at.desc()).limit(1))


async def of_subject(tx: Tx, owner_id: str, profile_id: str, platform: str, subject: str) -> sa.Row[Any] | None:
    statement = sa.select(grants).where(
        grants.c.owner_id == owner_id,
        grants.c.profile_id == profile_id,
        grants.c.platform == platform,
        grants.c.subject == subject,
    )
    return await tx.first(statement.with_for_update())


async def save(tx: Tx, owner_id: str, values: dict[str, Any]) -> None:
    """Write a grant; one that the same person gave to the same profile before is replaced, and keeps its id."""
    insert = tx.upsert(grants).values(owner_id=owner_id, **values)
    kept = {"owner_id", "id", "created_at"}
    changed = {name: insert.excluded[name] for name in values if name not in kept}
    await tx.execute(insert.on_conflict_do_update(index_elements=["owner_id", "id"], set_=changed))


async def delete(tx: Tx, owner_id: str, grant_id: str) -> None:
    await tx.execute(sa.delete(grants).where(grants.c.owner_id == owner_id, grants.c.id == grant_id))


async def claim(tx: Tx, owner_id: str, grant_id: str, claim_id: str) -> sa.Row[Any] | None:
    """Become the one who renews a grant. None while somebody else does."""
    statement = (
        sa.update(grants)
        .where(
            grants.c.owner_id == owner_id,
            grants.c.id == grant_id,
            sa.or_(grants.c.claim_until.is_(None), grants.c.claim_until < tx.now),
        )
        .values(claim_id=claim_id, claim_until=tx.now + _CLAIM)
        .returning(grants)
    )
    return await tx.first(statement)


async def settle(tx: Tx, owner_id: str, grant_id: str, claim_id: str, values: dict[str, Any]) -> bool:
    """Write what came of a renewal, unless the claim was lost meanwhile."""
    statement = (
        sa.update(grants)
        .where(grants.c.owner_id == owner_id, grants.c.id == grant_id, grants.c.claim_id == claim_id)
        .values(claim_id=None, claim_until=None, updated_at=tx.now, **values)
    )
    return bool(await tx.changed(statement))


async def due(tx: Tx, most: int) -> list[sa.Row[Any]]:
    statement = sa.select(grants.c.owner_id, grants.c.id).where(
        grants.c.refresh_at <= tx.now, sa.or_(grants.c.claim_until.is_(None), grants.c.claim_until < tx.now)
    )
    return await tx.all(statement.order_by(grants.c.refresh_at).limit(most))


async def next_due(tx: Tx) -> datetime | None:
    found: datetime | None = await tx.scalar(sa.select(sa.func.min(grants.c.refresh_at)))
    return found
