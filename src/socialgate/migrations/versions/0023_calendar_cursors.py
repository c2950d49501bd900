"""Where to continue with the changes of a calendar, if reading them was interrupted."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calendar_syncs", sa.Column("cursor", sa.Text))
