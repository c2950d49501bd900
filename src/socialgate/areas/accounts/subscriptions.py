"""Where platforms send their webhooks. No owner's: they belong to the account on the platform."""

from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, subscriptions
from socialgate.core.db import Tx


async def find(tx: Tx, platform: str, inbound_key: str) -> sa.Row[Any] | None:
    statement = sa.select(subscriptions).where(
        subscriptions.c.platform == platform, subscriptions.c.inbound_key == inbound_key
    )
    return await tx.first(statement.with_for_update())


async def by_routing(tx: Tx, platform: str, routing_id: str) -> sa.Row[Any] | None:
    statement = sa.select(subscriptions).where(
        subscriptions.c.routing_id == routing_id, subscriptions.c.platform == platform
    )
    return await tx.first(statement)


async def insert(tx: Tx, values: dict[str, Any]) -> None:
    await tx.execute(tx.upsert(subscriptions).values(**values).on_conflict_do_nothing())


async def update(tx: Tx, platform: str, inbound_key: str, values: dict[str, Any]) -> None:
    statement = sa.update(subscriptions).where(
        subscriptions.c.platform == platform, subscriptions.c.inbound_key == inbound_key
    )
    await tx.execute(statement.values(**values))


async def delete(tx: Tx, platform: str, inbound_key: str) -> None:
    await tx.execute(
        sa.delete(subscriptions).where(subscriptions.c.platform == platform, subscriptions.c.inbound_key == inbound_key)
    )


async def unfinished(tx: Tx, most: int) -> list[sa.Row[Any]]:
    """Give one live account for each registration that the platform has not taken yet."""
    statement = (
        sa.select(accounts)
        .join(
            subscriptions,
            sa.and_(
                subscriptions.c.platform == accounts.c.platform,
                subscriptions.c.inbound_key == accounts.c.inbound_key,
            ),
        )
        .where(subscriptions.c.set_up_at.is_(None), subscriptions.c.try_at <= tx.now)
        .where(accounts.c.status == "connected")
        .order_by(accounts.c.id)
        .limit(most)
    )
    return await tx.all(statement)
