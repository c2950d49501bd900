"""Product batches, and what became of each change in them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "product_batches",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("catalog_id", sa.String(300), nullable=False),
        sa.Column("task_id", ID),
        sa.Column("row_count", sa.Integer, nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_product_batches_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_product_batches"),
    )
    op.create_index("ix_product_batches_task_id", "product_batches", ["owner_id", "task_id"])
    op.create_index("ix_product_batches_created_at", "product_batches", ["created_at"])
    op.create_table(
        "product_rows",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("batch_id", ID, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("method", sa.String(8), nullable=False),
        sa.Column("retailer_id", sa.String(300), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("chunk", sa.Integer),
        sa.Column("product", sa.JSON),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("errors", sa.JSON),
        sa.PrimaryKeyConstraint("owner_id", "batch_id", "number", name="pk_product_rows"),
    )
    op.create_index("ix_product_rows_status", "product_rows", ["owner_id", "batch_id", "status", "number"])
