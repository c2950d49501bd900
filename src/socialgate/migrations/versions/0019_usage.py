"""What owners use, by day and by month."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC = sa.DateTime(timezone=True)


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
