"""What was counted for accounts and posts."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_table(
        "insight_days",
        ["day"],
        sa.Column("day", sa.String(10), nullable=False),
        _build_json_column(),
        _build_utc_time_column("updated_at"),
    )
    _create_table(
        "follower_counts", ["at"], _build_utc_time_column("at"), sa.Column("followers", sa.BigInteger, nullable=False)
    )
    _create_table(
        "measured_posts",
        ["object_id"],
        sa.Column("object_id", sa.String(300), nullable=False),
        sa.Column("post_id", ID, nullable=False),
        sa.Column("url", sa.String(2048)),
        _build_utc_time_column("published_at"),
    )
    op.create_index("ix_measured_posts_published_at", "measured_posts", ["owner_id", "account_id", "published_at"])
    _create_table(
        "post_metrics",
        ["object_id", "hours"],
        sa.Column("object_id", sa.String(300), nullable=False),
        sa.Column("hours", sa.Integer, nullable=False),
        _build_utc_time_column("taken_at"),
        _build_json_column(),
    )


def _create_table(name: str, keys: list[str], *columns: sa.Column[object]) -> None:
    op.create_table(
        name,
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=f"fk_{name}_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", *keys, name=f"pk_{name}"),
    )


def _build_utc_time_column(name: str) -> sa.Column[object]:
    return sa.Column(name, UTC_TIME, nullable=False)


def _build_json_column() -> sa.Column[object]:
    return sa.Column("metrics", sa.JSON, nullable=False)
