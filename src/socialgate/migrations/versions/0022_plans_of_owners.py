"""The checkout page that an owner has open, and plans that the operator assigned."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("billing", sa.Column("checkout_number", sa.Integer, nullable=False, server_default="0"))
    op.add_column("billing", sa.Column("checkout_plan", sa.String(40)))
    op.add_column("billing", sa.Column("checkout_price", sa.String(255)))
    op.add_column("billing", sa.Column("checkout_at", UTC_TIME))
    op.create_table(
        "assigned_plans",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("plan", sa.String(40), nullable=False),
        sa.Column("assigned_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_assigned_plans_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", name="pk_assigned_plans"),
    )
