"""The customers of this deployment at the payment provider, and the subscription that counts for each.

Every finder of an owner's row takes the owner first. The provider's reports name only the customer.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.billing import BillingInterval, SubscriptionStatus
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

billing = sa.Table(
    "billing",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    # What the customer is created with, and when that was last asked for: a repeated call must be the same.
    sa.Column("name", sa.String(254), nullable=False),
    sa.Column("email", sa.String(254)),
    sa.Column("asked_at", UtcDateTime, nullable=False),
    # Null until the provider has answered.
    sa.Column("customer_id", sa.String(100)),
    # The subscription that counts, as it was when it was last read.
    sa.Column("subscription_id", sa.String(100)),
    sa.Column("plan", sa.String(40)),
    sa.Column("status", sa.String(20)),
    sa.Column("interval", sa.String(5)),
    sa.Column("renews_at", UtcDateTime),
    sa.Column("ends_at", UtcDateTime),
    sa.Column("past_due_since", UtcDateTime),
    sa.Column("synced_at", UtcDateTime),
    # The page of the last checkout: which one it is, and what it is for.
    sa.Column("checkout_number", sa.Integer, nullable=False, server_default="0"),
    sa.Column("checkout_plan", sa.String(40)),
    sa.Column("checkout_price", sa.String(255)),
    sa.Column("checkout_at", UtcDateTime),
    sa.Index("uq_billing_customer_id", "customer_id", unique=True),
)

# The plans that the operator gave to single owners. They count whatever the owner bought.
assigned_plans = sa.Table(
    "assigned_plans",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("plan", sa.String(40), nullable=False),
    sa.Column("assigned_at", UtcDateTime, nullable=False),
)


class BillingRow(msgspec.Struct, frozen=True):
    owner_id: str
    name: str
    email: str | None
    asked_at: datetime
    customer_id: str | None
    subscription_id: str | None
    plan: str | None
    status: SubscriptionStatus | None
    interval: BillingInterval | None
    renews_at: datetime | None
    ends_at: datetime | None
    past_due_since: datetime | None
    synced_at: datetime | None
    checkout_number: int
    checkout_plan: str | None
    checkout_price: str | None
    checkout_at: datetime | None


read_billing = build_row_reader(BillingRow, billing)
_SELECT_BY_OWNER = sa.select(billing).where(billing.c.owner_id == sa.bindparam("owner"))
_SELECT_BY_OWNER_FOR_CHANGE = _SELECT_BY_OWNER.with_for_update()
_OWNER_SUBQUERY = sa.select(sa.bindparam("owner", type_=Id).label("owner_id")).subquery("owner")
_SELECT_WITH_ASSIGNED_PLAN = sa.select(*billing.c, assigned_plans.c.plan.label("assigned_plan")).select_from(
    _OWNER_SUBQUERY.outerjoin(billing, billing.c.owner_id == _OWNER_SUBQUERY.c.owner_id).outerjoin(
        assigned_plans, assigned_plans.c.owner_id == _OWNER_SUBQUERY.c.owner_id
    )
)


async def find_billing_row(tx: Tx, owner_id: str) -> BillingRow | None:
    return await tx.first_as(_SELECT_BY_OWNER, read_billing, {"owner": owner_id})


async def find_billing_row_for_change(tx: Tx, owner_id: str) -> BillingRow | None:
    return await tx.first_as(_SELECT_BY_OWNER_FOR_CHANGE, read_billing, {"owner": owner_id})


async def insert_billing_row(tx: Tx, owner_id: str, name: str, email: str | None) -> None:
    """Add the row of an owner, unless another request did at the same moment."""
    values = {"owner_id": owner_id, "name": name, "email": email, "asked_at": tx.now}
    await tx.execute(tx.build_insert_if_absent(billing), values)


async def update_billing_row(tx: Tx, owner_id: str, values: dict[str, Any]) -> None:
    await tx.execute(sa.update(billing).where(billing.c.owner_id == owner_id).values(**values))


async def find_owner_by_customer(tx: Tx, customer_id: str) -> str | None:
    owner_id: str | None = await tx.scalar(sa.select(billing.c.owner_id).where(billing.c.customer_id == customer_id))
    return owner_id


async def list_customers_after(tx: Tx, owner_id: str, most: int) -> Sequence[str]:
    """List the owners that are customers, ordered by id."""
    select = sa.select(billing.c.owner_id).where(billing.c.owner_id > owner_id, billing.c.customer_id.is_not(None))
    return [row.owner_id for row in await tx.all(select.order_by(billing.c.owner_id).limit(most))]


async def find_with_assigned_plan(tx: Tx, owner_id: str) -> tuple[BillingRow | None, str | None]:
    """Find the row of an owner and the plan that the operator assigned, at once: whatever counts usage waits for it."""
    row = await tx.one(_SELECT_WITH_ASSIGNED_PLAN, {"owner": owner_id})
    return None if row.owner_id is None else read_billing(row[:-1]), row.assigned_plan


async def assign_plan(tx: Tx, owner_id: str, plan: str) -> None:
    values = {"plan": plan, "assigned_at": tx.now}
    statement = tx.build_upsert(assigned_plans).values(owner_id=owner_id, **values)
    await tx.execute(statement.on_conflict_do_update(index_elements=["owner_id"], set_=values))


async def unassign_plan(tx: Tx, owner_id: str) -> bool:
    return await tx.execute_and_count(sa.delete(assigned_plans).where(assigned_plans.c.owner_id == owner_id)) > 0
