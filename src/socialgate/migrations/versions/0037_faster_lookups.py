"""Indexes for what was found by reading a whole table: the targets of a post, and the next registration that is due."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

HAS_DUE_TIME = sa.text("try_at IS NOT NULL")


def upgrade() -> None:
    op.create_index("ix_post_targets_post", "post_targets", ["post_id", "owner_id"])
    # additive: the new index has the columns of the old one, so older code finds with it what it looks for.
    op.drop_index("ix_post_targets_post_id", "post_targets")
    op.create_index(
        "ix_subscriptions_try_at",
        "subscriptions",
        ["try_at"],
        postgresql_where=HAS_DUE_TIME,
        sqlite_where=HAS_DUE_TIME,
    )
