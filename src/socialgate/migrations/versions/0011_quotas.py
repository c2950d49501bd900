"""What is used of the quotas of platforms, counted for all nodes."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "quota_use",
        sa.Column("budget", sa.String(400), nullable=False),
        sa.Column("frees_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("budget", "frees_at", name="pk_quota_use"),
    )
    op.create_index("ix_quota_use_frees_at", "quota_use", ["frees_at"])
