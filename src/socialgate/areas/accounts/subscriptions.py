"""Where platforms send their webhooks. They belong to the account on the platform, not to an owner."""

from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import SubscriptionRow, accounts, read_account, read_subscription, subscriptions
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Tx
from socialgate.core.jobs.queue import RowQueue

# The registrations that the platform has not accepted yet.
UNFINISHED = RowQueue(
    subscriptions,
    read_subscription,
    key=("platform", "inbound_key"),
    due="try_at",
    where=subscriptions.c.set_up_at.is_(None),
)


async def find(tx: Tx, platform: str, inbound_key: str) -> SubscriptionRow | None:
    statement = sa.select(subscriptions).where(
        subscriptions.c.platform == platform, subscriptions.c.inbound_key == inbound_key
    )
    return await tx.row(statement.with_for_update(), read_subscription)


async def by_routing(tx: Tx, platform: str, routing_id: str) -> SubscriptionRow | None:
    statement = sa.select(subscriptions).where(
        subscriptions.c.routing_id == routing_id, subscriptions.c.platform == platform
    )
    return await tx.row(statement, read_subscription)


async def refusal(tx: Tx, platform: str, inbound_key: str) -> str | None:
    """Return why the platform has not accepted a registration; None if it has, or was not called yet."""
    found: str | None = await tx.scalar(
        sa.select(subscriptions.c.error).where(
            subscriptions.c.platform == platform,
            subscriptions.c.inbound_key == inbound_key,
            subscriptions.c.set_up_at.is_(None),
        )
    )
    return found


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


async def account_of(tx: Tx, platform: str, inbound_key: str) -> AccountRow | None:
    """Return a connected account that uses a registration: any of them can be used to call the platform."""
    statement = sa.select(accounts).where(
        accounts.c.platform == platform, accounts.c.inbound_key == inbound_key, accounts.c.status == "connected"
    )
    return await tx.row(statement.order_by(accounts.c.id).limit(1), read_account)
