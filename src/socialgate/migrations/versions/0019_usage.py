"""What owners use, by day and by month, and the plans that they pay for."""

from datetime import UTC as UTC_ZONE
from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "usage_days",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("metric", sa.String(20), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("part_id", ID, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.Column("level", sa.BigInteger),
        sa.PrimaryKeyConstraint("owner_id", "metric", "day", "part_id", name="pk_usage_days"),
    )
    op.create_index("ix_usage_days_day", "usage_days", ["day"])
    op.create_table(
        "usage_months",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("metric", sa.String(20), nullable=False),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "metric", "month", name="pk_usage_months"),
    )
    op.create_index("ix_usage_months_month", "usage_months", ["month"])
    op.add_column("posts", sa.Column("counted_at", UTC_TIME))
    op.create_table(
        "billing",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("name", sa.String(254), nullable=False),
        sa.Column("asked_at", UTC_TIME, nullable=False),
        sa.Column("customer_id", sa.String(100)),
        sa.Column("subscription_id", sa.String(100)),
        sa.Column("plan", sa.String(40)),
        sa.Column("status", sa.String(20)),
        sa.Column("interval", sa.String(5)),
        sa.Column("renews_at", UTC_TIME),
        sa.Column("ends_at", UTC_TIME),
        sa.Column("past_due_since", UTC_TIME),
        sa.Column("synced_at", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_billing_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", name="pk_billing"),
    )
    op.create_index("uq_billing_customer_id", "billing", ["customer_id"], unique=True)
    _count_accounts()


def _count_accounts() -> None:
    """Begin with the accounts that are connected now; everything else is counted from now on."""
    bind = op.get_bind()
    live = "SELECT owner_id, profile_id, count(*) FROM accounts WHERE status <> 'disconnected' GROUP BY 1, 2"
    days = sa.table("usage_days", *(sa.column(name) for name in ("owner_id", "metric", "part_id", "used", "level")))
    days.append_column(sa.column("day", sa.Date))
    of_owners: dict[str, int] = {}
    rows = []
    for owner_id, profile_id, number in bind.execute(sa.text(live)):
        of_owners[owner_id] = of_owners.get(owner_id, 0) + number
        rows.append((owner_id, profile_id, number))
    rows += [(owner_id, "", number) for owner_id, number in of_owners.items()]
    common = {"metric": "connectedAccounts", "day": datetime.now(UTC_ZONE).date()}
    for owner_id, part_id, number in rows:
        row = {**common, "owner_id": owner_id, "part_id": part_id, "used": number, "level": number}
        bind.execute(sa.insert(days), row)
