"""How far a deployment has come, restores of backups, and what each of them holds back."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "deployment",
        sa.Column("id", ID, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("advanced_at", UTC_TIME, nullable=False),
        sa.Column("place", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deployment"),
    )
    op.create_table(
        "restores",
        sa.Column("id", ID, nullable=False),
        sa.Column("reason", sa.String(10), nullable=False),
        sa.Column("backup_at", UTC_TIME, nullable=False),
        sa.Column("noticed_at", UTC_TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_restores"),
    )
    op.create_table(
        "holds",
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("restore_id", ID, nullable=False),
        sa.Column("parent_id", ID),
        sa.Column("what", sa.String(100), nullable=False),
        sa.Column("due_at", UTC_TIME),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("kind", "owner_id", "id", name="pk_holds"),
    )
