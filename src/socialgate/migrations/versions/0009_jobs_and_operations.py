"""General jobs, operations on platforms, and leases by claim for everything whose rows are a queue."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)
HAS_DUE_TIME = sa.text("due_at IS NOT NULL")
IS_UNFINISHED_WITH_KEY = sa.text("job_key IS NOT NULL AND finished_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("job_key", sa.String(200)),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("input", sa.JSON, nullable=False),
        sa.Column("state", sa.JSON),
        sa.Column("done", sa.BigInteger),
        sa.Column("total", sa.BigInteger),
        sa.Column("unit", sa.String(20)),
        sa.Column("result", sa.JSON),
        sa.Column("error", sa.JSON),
        sa.Column("due_at", UTC_TIME),
        sa.Column("claim_id", ID),
        sa.Column("claim_until", UTC_TIME),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("cancel_at", UTC_TIME),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("started_at", UTC_TIME),
        sa.Column("finished_at", UTC_TIME),
        sa.Column("expires_at", UTC_TIME),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_jobs"),
    )
    op.create_index(
        "ix_jobs_due_at", "jobs", ["due_at", "id"], postgresql_where=HAS_DUE_TIME, sqlite_where=HAS_DUE_TIME
    )
    op.create_index(
        "uq_jobs_key",
        "jobs",
        ["owner_id", "type", "job_key"],
        unique=True,
        postgresql_where=IS_UNFINISHED_WITH_KEY,
        sqlite_where=IS_UNFINISHED_WITH_KEY,
    )
    op.create_index("ix_jobs_expires_at", "jobs", ["expires_at"])
    _create_operations_table()
    for table, claim in (("inbound", "claim"), ("subscriptions", "claim"), ("accounts", "check_claim")):
        op.add_column(table, sa.Column(f"{claim}_id", ID))
        op.add_column(table, sa.Column(f"{claim}_until", UTC_TIME))


def _create_operations_table() -> None:
    keyed = sa.text("idempotency IS NOT NULL")
    op.create_table(
        "operations",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("operation", sa.String(60), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("idempotency", sa.String(64)),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("platform_object_id", sa.String(300)),
        sa.Column("error", sa.JSON),
        sa.Column("answer", sa.LargeBinary),
        sa.Column("due_at", UTC_TIME),
        sa.Column("claim_id", ID),
        sa.Column("claim_until", UTC_TIME),
        sa.Column("looks", sa.Integer, nullable=False, server_default="0"),
        sa.Column("started_at", UTC_TIME, nullable=False),
        sa.Column("finished_at", UTC_TIME),
        sa.Column("expires_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_operations_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_operations"),
    )
    op.create_index(
        "ix_operations_due_at", "operations", ["due_at", "id"], postgresql_where=HAS_DUE_TIME, sqlite_where=HAS_DUE_TIME
    )
    op.create_index(
        "uq_operations_idempotency",
        "operations",
        ["owner_id", "idempotency"],
        unique=True,
        postgresql_where=keyed,
        sqlite_where=keyed,
    )
    op.create_index("ix_operations_account_id", "operations", ["owner_id", "account_id"])
    op.create_index("ix_operations_expires_at", "operations", ["expires_at"])
