"""The profiles that a stored answer is about: a key that is narrowed later must not be given it again."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("idempotency_keys", sa.Column("profile_ids", sa.JSON))
