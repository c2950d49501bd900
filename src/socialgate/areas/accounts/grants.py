"""Grants: what people permitted, and who is renewing it."""

from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import GrantRow, grants, read_grant
from socialgate.core.db import Tx
from socialgate.core.jobs.queue import RowQueue

# The grants that are due for renewal. Renewing is exclusive: using a refresh token twice may end the grant.
GRANT_RENEWAL_QUEUE = RowQueue(grants, read_grant, due="refresh_at")
# Asked for each call of a platform, so it is built once.
_SELECT_BY_ID = sa.select(grants).where(
    grants.c.owner_id == sa.bindparam("owner"), grants.c.id == sa.bindparam("grant")
)


async def find_grant(tx: Tx, owner_id: str, grant_id: str) -> GrantRow | None:
    return await tx.first_as(_SELECT_BY_ID, read_grant, {"owner": owner_id, "grant": grant_id})


async def find_newest_grant(tx: Tx, owner_id: str, profile_id: str, platform: str) -> GrantRow | None:
    statement = sa.select(grants).where(
        grants.c.owner_id == owner_id, grants.c.profile_id == profile_id, grants.c.platform == platform
    )
    return await tx.first_as(statement.order_by(grants.c.updated_at.desc()).limit(1), read_grant)


async def find_grant_by_subject_for_change(
    tx: Tx, owner_id: str, profile_id: str, platform: str, subject: str
) -> GrantRow | None:
    statement = sa.select(grants).where(
        grants.c.owner_id == owner_id,
        grants.c.profile_id == profile_id,
        grants.c.platform == platform,
        grants.c.subject == subject,
    )
    return await tx.first_as(statement.with_for_update(), read_grant)


async def save_grant(tx: Tx, owner_id: str, values: dict[str, Any]) -> None:
    """Write a grant; an earlier one from the same person for the same profile is replaced and keeps its id."""
    insert = tx.build_upsert(grants).values(owner_id=owner_id, **values)
    kept = {"owner_id", "id", "created_at"}
    changed = {name: insert.excluded[name] for name in values if name not in kept}
    await tx.execute(insert.on_conflict_do_update(index_elements=["owner_id", "id"], set_=changed))


async def delete_grant(tx: Tx, owner_id: str, grant_id: str) -> None:
    await tx.execute(sa.delete(grants).where(grants.c.owner_id == owner_id, grants.c.id == grant_id))
