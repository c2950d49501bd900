"""Where platforms send their webhooks. They belong to the account on the platform, not to an owner."""

from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import RegistrationRow, accounts, read_account, read_registration, registrations
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Tx
from socialgate.core.jobs.queue import RowQueue

# The registrations that the platform has not accepted yet, and those that end and have to be renewed.
REGISTRATION_QUEUE = RowQueue(registrations, read_registration, key=("platform", "inbound_key"), due="try_at")


async def find_registration_for_change(tx: Tx, platform: str, inbound_key: str) -> RegistrationRow | None:
    statement = sa.select(registrations).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )
    return await tx.first_as(statement.with_for_update(), read_registration)


async def find_registration_by_routing_id(tx: Tx, platform: str, routing_id: str) -> RegistrationRow | None:
    statement = sa.select(registrations).where(
        registrations.c.routing_id == routing_id, registrations.c.platform == platform
    )
    return await tx.first_as(statement, read_registration)


async def find_registration_error(tx: Tx, platform: str, inbound_key: str) -> str | None:
    """Return why the platform has not accepted a registration; None if one exists, or it was not called yet."""
    result: str | None = await tx.scalar(
        sa.select(registrations.c.error).where(
            registrations.c.platform == platform,
            registrations.c.inbound_key == inbound_key,
            sa.not_(_is_active_condition(tx)),
        )
    )
    return result


async def is_registration_active(tx: Tx, platform: str, inbound_key: str) -> bool:
    """Whether the platform currently sends its webhooks, as far as is known."""
    return await tx.first(_select_one(platform, inbound_key).where(_is_active_condition(tx))) is not None


async def has_registration(tx: Tx, platform: str, inbound_key: str) -> bool:
    """Whether there is a registration, accepted by the platform or not."""
    return await tx.first(_select_one(platform, inbound_key)) is not None


def _select_one(platform: str, inbound_key: str) -> sa.Select[Any]:
    return sa.select(registrations.c.routing_id).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )


def _is_active_condition(tx: Tx) -> sa.ColumnElement[bool]:
    lasts = sa.or_(registrations.c.expires_at.is_(None), registrations.c.expires_at > tx.now)
    return sa.and_(registrations.c.set_up_at.is_not(None), lasts)


async def insert_registration(tx: Tx, values: dict[str, Any]) -> None:
    await tx.execute(tx.build_insert_if_absent(registrations), values)


async def update_registration(tx: Tx, platform: str, inbound_key: str, values: dict[str, Any]) -> None:
    statement = sa.update(registrations).where(
        registrations.c.platform == platform, registrations.c.inbound_key == inbound_key
    )
    await tx.execute(statement.values(**values))


async def delete_registration(tx: Tx, platform: str, inbound_key: str) -> None:
    await tx.execute(
        sa.delete(registrations).where(registrations.c.platform == platform, registrations.c.inbound_key == inbound_key)
    )


async def find_connected_account(tx: Tx, platform: str, inbound_key: str) -> AccountRow | None:
    """Return a connected account that uses a registration: any of them can be used to call the platform."""
    statement = sa.select(accounts).where(
        accounts.c.platform == platform, accounts.c.inbound_key == inbound_key, accounts.c.status == "connected"
    )
    return await tx.first_as(statement.order_by(accounts.c.id).limit(1), read_account)
