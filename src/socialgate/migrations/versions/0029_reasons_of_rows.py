"""Why rows of a batch failed, in few bytes: each sentence once for a batch."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("product_rows", sa.Column("reasons", sa.JSON))
    op.create_table(
        "product_sentences",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("batch_id", ID, nullable=False),
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("sentence", sa.String(500), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "batch_id", "name", name="pk_product_sentences"),
    )
