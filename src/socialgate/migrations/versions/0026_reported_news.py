"""Which problems of accounts, and which comments, were reported; and for whom automations sent messages."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("accounts", sa.Column("reported_issues", sa.JSON(none_as_null=True)))
    op.create_table(
        "received_comments",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("comment_id", sa.String(300), nullable=False),
        sa.Column("received_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_received_comments_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "comment_id", name="pk_received_comments"),
    )
    op.create_index("ix_received_comments_received_at", "received_comments", ["received_at"])
    op.create_table(
        "message_subjects",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("subject_key", sa.String(400), nullable=False),
        sa.Column("message_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_message_subjects_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "subject_key", "message_id", name="pk_message_subjects"),
    )
