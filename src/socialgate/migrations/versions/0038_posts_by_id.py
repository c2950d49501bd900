"""No index of posts by time: slots have an index of their own, and nothing else looked for posts by it."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # additive: older code finds posts by their ids and slots, as it did.
    op.drop_index("ix_posts_scheduled_for", "posts")
