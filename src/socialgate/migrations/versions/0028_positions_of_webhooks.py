"""How many facts of a webhook are processed, and the webhooks of each sender that wait."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

HAS_DUE_TIME = sa.text("due_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("inbound", sa.Column("position", sa.Integer, nullable=False, server_default="0"))
    columns = ["platform", "routing_id", "due_at", "id"]
    op.create_index("ix_inbound_sender", "inbound", columns, postgresql_where=HAS_DUE_TIME, sqlite_where=HAS_DUE_TIME)
