"""The redirect URI that an attempt to connect was started with: another node, with another address, may finish it."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connect_states", sa.Column("redirect_uri", sa.String(2048)))
