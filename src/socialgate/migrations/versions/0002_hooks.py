"""Hooks, their lanes, events and deliveries, and which keys have sealed secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_hooks_table()
    _create_lanes_table()
    _create_events_table()
    _create_deliveries_table()
    op.create_table(
        "key_ids",
        sa.Column("id", sa.String(8), nullable=False),
        sa.Column("first_used_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_key_ids"),
    )
    if op.get_bind().dialect.name == "postgresql":
        # Weeks are made by the worker; this one catches what comes before it has made them.
        op.execute("CREATE TABLE events_rest PARTITION OF events DEFAULT")
        op.execute("CREATE TABLE deliveries_rest PARTITION OF deliveries DEFAULT")


def _create_hooks_table() -> None:
    op.create_table(
        "hooks",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("url", sa.String(2048), nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("profile_ids", sa.JSON),
        sa.Column("description", sa.String(500)),
        sa.Column("ordered", sa.Boolean, nullable=False),
        sa.Column("max_per_second", sa.Integer),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("disabled_reason", sa.String(10)),
        sa.Column("activated_at", Time, nullable=False),
        sa.Column("deactivated_at", Time),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("previous_secret", sa.LargeBinary),
        sa.Column("previous_until", Time),
        sa.Column("key_id", Id),
        sa.Column("tested_at", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.Column("deleted_at", Time),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_hooks"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_hooks_owner_id"),
    )
    unwanted = sa.text("deleted_at IS NOT NULL OR NOT active")
    op.create_index("ix_hooks_unwanted", "hooks", ["id"], postgresql_where=unwanted, sqlite_where=unwanted)


def _create_lanes_table() -> None:
    op.create_table(
        "lanes",
        sa.Column("hook_id", Id, nullable=False),
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("claim_id", Id),
        sa.Column("lease_until", Time),
        sa.Column("paused_until", Time),
        sa.Column("failures_in_row", sa.Integer, nullable=False, server_default="0"),
        sa.Column("exhausted", sa.Integer, nullable=False, server_default="0"),
        sa.Column("succeeded", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("failed", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("last_success_at", Time),
        sa.Column("last_failure_at", Time),
        sa.PrimaryKeyConstraint("hook_id", name="pk_lanes"),
    )


def _create_events_table() -> None:
    op.create_table(
        "events",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("txid", sa.BigInteger, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_events"),
        postgresql_partition_by="RANGE (id)",
    )
    op.create_index("ix_events_owner_id_txid_id", "events", ["owner_id", "txid", "id"])


def _create_deliveries_table() -> None:
    op.create_table(
        "deliveries",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("hook_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("event_id", Id, nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("txid", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("due_at", Time),
        sa.Column("attempt_count", sa.Integer, nullable=False),
        sa.Column("attempts", sa.LargeBinary),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("completed_at", Time),
        sa.PrimaryKeyConstraint("owner_id", "hook_id", "id", name="pk_deliveries"),
        postgresql_partition_by="RANGE (id)",
    )
    op.create_index(
        "ix_deliveries_pending",
        "deliveries",
        ["hook_id", "due_at", "id"],
        postgresql_where=sa.text("status = 'pending'"),
        sqlite_where=sa.text("status = 'pending'"),
    )
