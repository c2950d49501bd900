"""What AI models were asked to generate, and what they made."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)
HAS_RUN_KEY = sa.text("run_key IS NOT NULL")
HAS_SUBJECT_KEY = sa.text("subject_key IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "generations",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID),
        sa.Column("type", sa.String(10), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("result", sa.JSON),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("failure", sa.JSON),
        sa.Column("run_key", sa.String(200)),
        sa.Column("subject_key", sa.String(400)),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_generations_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_generations"),
    )
    op.create_index(
        "uq_generations_run",
        "generations",
        ["owner_id", "run_key"],
        unique=True,
        postgresql_where=HAS_RUN_KEY,
        sqlite_where=HAS_RUN_KEY,
    )
    op.create_index(
        "ix_generations_subject",
        "generations",
        ["owner_id", "subject_key"],
        postgresql_where=HAS_SUBJECT_KEY,
        sqlite_where=HAS_SUBJECT_KEY,
    )
