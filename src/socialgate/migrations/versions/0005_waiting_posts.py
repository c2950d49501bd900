"""An index of the posts that are not out yet: who looks for them must not read all that ever were."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    waiting = sa.text("status IN ('draft', 'scheduled', 'publishing')")
    op.create_index("ix_posts_waiting", "posts", ["owner_id"], postgresql_where=waiting, sqlite_where=waiting)
