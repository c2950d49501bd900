"""Steps of operations that make several calls, and what ads keep: creatives, files, reports, lists of people."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("operations", sa.Column("steps", sa.JSON))
    op.create_table(
        "ad_creatives",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("creative", sa.JSON, nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("updated_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_ad_creatives_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_ad_creatives"),
    )
    op.create_index("ix_ad_creatives_account_id", "ad_creatives", ["owner_id", "account_id"])
    op.create_table(
        "ad_assets",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("asset", sa.JSON, nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_ad_assets_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "sha256", name="pk_ad_assets"),
    )
    op.create_index("ix_ad_assets_created_at", "ad_assets", ["created_at"])
    op.create_table(
        "ad_report_rows",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("task_id", ID, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("row", sa.JSON, nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_ad_report_rows_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "task_id", "number", name="pk_ad_report_rows"),
    )
    op.create_index("ix_ad_report_rows_created_at", "ad_report_rows", ["created_at"])
    op.create_table(
        "ad_people",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_ad_people_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "upload_id", "number", name="pk_ad_people"),
    )
    op.create_index("ix_ad_people_created_at", "ad_people", ["created_at"])
