"""An index from which SQLite alone can tell which target is due next and claimed by nobody."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.create_index(
            "ix_post_targets_due",
            "post_targets",
            ["due_at", "id", "claim_until"],
            sqlite_where=sa.text("due_at IS NOT NULL"),
        )
        # additive: the new index begins with the columns of the old one, so older code finds with it what it looks for.
        op.drop_index("ix_post_targets_due_at", "post_targets")
