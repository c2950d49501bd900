"""Where platforms send their webhooks. They belong to the account on the platform, not to an owner."""

from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import RegistrationRow, accounts, read_account, read_registration, registrations
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Tx
from socialgate.core.jobs.queue import RowQueue

# The registrations that the platform has not accepted yet, and those that end and have to be renewed.
REGISTRATIONS = RowQueue(registrations, read_registration, key=("platform", "inbound_key"), due="try_at")


async def find(tx: Tx, platform: str, inbound_key: str) -> RegistrationRow | None:
    statement = sa.select(registrations).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )
    return await tx.row(statement.with_for_update(), read_registration)


async def by_routing(tx: Tx, platform: str, routing_id: str) -> RegistrationRow | None:
    statement = sa.select(registrations).where(
        registrations.c.routing_id == routing_id, registrations.c.platform == platform
    )
    return await tx.row(statement, read_registration)


async def refusal(tx: Tx, platform: str, inbound_key: str) -> str | None:
    """Return why the platform has not accepted a registration; None if one exists, or it was not called yet."""
    found: str | None = await tx.scalar(
        sa.select(registrations.c.error).where(
            registrations.c.platform == platform,
            registrations.c.inbound_key == inbound_key,
            sa.not_(_stands(tx)),
        )
    )
    return found


async def is_standing(tx: Tx, platform: str, inbound_key: str) -> bool:
    """Whether the platform currently sends its webhooks, as far as is known."""
    return await tx.first(_named(platform, inbound_key).where(_stands(tx))) is not None


async def is_planned(tx: Tx, platform: str, inbound_key: str) -> bool:
    """Whether there is a registration, accepted by the platform or not."""
    return await tx.first(_named(platform, inbound_key)) is not None


def _named(platform: str, inbound_key: str) -> sa.Select[Any]:
    return sa.select(registrations.c.routing_id).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )


def _stands(tx: Tx) -> sa.ColumnElement[bool]:
    lasts = sa.or_(registrations.c.expires_at.is_(None), registrations.c.expires_at > tx.now)
    return sa.and_(registrations.c.set_up_at.is_not(None), lasts)


async def insert(tx: Tx, values: dict[str, Any]) -> None:
    await tx.execute(tx.insert_new(registrations), values)


async def update(tx: Tx, platform: str, inbound_key: str, values: dict[str, Any]) -> None:
    statement = sa.update(registrations).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )
    await tx.execute(statement.values(**values))


async def delete(tx: Tx, platform: str, inbound_key: str) -> None:
    await tx.execute(
        sa.delete(registrations).where(registrations.c.platform == platform, registrations.c.inbound_key == inbound_key)
    )


async def account_of(tx: Tx, platform: str, inbound_key: str) -> AccountRow | None:
    """Return a connected account that uses a registration: any of them can be used to call the platform."""
    statement = sa.select(accounts).where(
        accounts.c.platform == platform, accounts.c.inbound_key == inbound_key, accounts.c.status == "connected"
    )
    return await tx.row(statement.order_by(accounts.c.id).limit(1), read_account)
