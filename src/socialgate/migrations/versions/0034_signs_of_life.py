"""When a worker was last alive by the clock of the database, which is the same for all of them."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # additive: older code neither reads nor writes it, and a worker without it only loses its claims with their leases.
    op.add_column("workers", sa.Column("alive_at", sa.DateTime(timezone=True)))
