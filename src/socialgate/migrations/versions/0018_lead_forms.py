"""The questions of lead forms, by which answers are named and typed."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "lead_forms",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("form_id", sa.String(300), nullable=False),
        sa.Column("name", sa.String(300)),
        sa.Column("questions", sa.JSON, nullable=False),
        sa.Column("read_again_at", UTC_TIME),
        sa.Column("updated_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_lead_forms_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "form_id", name="pk_lead_forms"),
    )
