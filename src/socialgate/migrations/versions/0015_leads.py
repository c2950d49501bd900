"""Leads with their states, and how far they have been read back."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "leads",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("vendor_id", sa.String(300), nullable=False),
        sa.Column("form_id", sa.String(300), nullable=False),
        sa.Column("form_name", sa.String(300)),
        sa.Column("ad_id", sa.String(300)),
        sa.Column("campaign_id", sa.String(300)),
        sa.Column("fields", sa.JSON, nullable=False),
        sa.Column("test", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("assignee", sa.String(200)),
        sa.Column("note", sa.String(2000)),
        sa.Column("history", sa.JSON, nullable=False),
        sa.Column("event_id", ID),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("received_at", UTC_TIME, nullable=False),
        sa.Column("updated_at", UTC_TIME, nullable=False),
        sa.Column("erased_at", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_leads_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_leads"),
    )
    op.create_index("uq_leads_vendor_id", "leads", ["owner_id", "account_id", "vendor_id"], unique=True)
    op.create_index("ix_leads_created_at", "leads", ["owner_id", "account_id", "created_at", "id"])
    op.create_table(
        "lead_sweeps",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("swept_until", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_lead_sweeps_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", name="pk_lead_sweeps"),
    )
