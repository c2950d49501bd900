"""The email with which the customer of an owner is created at the payment provider."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("billing", sa.Column("email", sa.String(254)))
