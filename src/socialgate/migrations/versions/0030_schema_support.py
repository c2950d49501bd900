"""Which older versions of the code can use the schema, for restarts during an upgrade."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schema_support",
        sa.Column("oldest", sa.String(4), nullable=False),
        sa.PrimaryKeyConstraint("oldest", name="pk_schema_support"),
    )
