"""Indexes of posts by time, for the calendar: of all posts, and of those that failed.

They begin with an expression instead of the owner. Without statistics, PostgreSQL takes any index that begins with the
owner for lists by id, and reads all posts of the owner for each post of a page.
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

OWNER = sa.text("(owner_id || '')")
TIME = sa.text("coalesce(scheduled_for, created_at)")
HAS_FAILED = sa.text("status IN ('failed', 'partial')")


def upgrade() -> None:
    op.create_index("ix_posts_time", "posts", [OWNER, TIME])
    op.create_index("ix_posts_failed", "posts", [OWNER, TIME], postgresql_where=HAS_FAILED, sqlite_where=HAS_FAILED)
