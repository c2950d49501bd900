"""Accounts on platforms, what they were granted, what platforms send, and budgets that platforms keep."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
Time = sa.DateTime(timezone=True)
PlatformId = sa.String(300)


def upgrade() -> None:
    _create_connect_states_table()
    _create_grants_table()
    _create_accounts_table()
    _create_subscriptions_table()
    _create_inbound_table()
    op.create_table(
        "pauses",
        sa.Column("budget", sa.String(200), nullable=False),
        sa.Column("until", Time, nullable=False),
        sa.PrimaryKeyConstraint("budget", name="pk_pauses"),
    )


def _create_connect_states_table() -> None:
    op.create_table(
        "connect_states",
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("kinds", sa.JSON, nullable=False),
        sa.Column("redirect_url", sa.String(2048)),
        sa.Column("verifier", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", Time, nullable=False),
        sa.Column("used_at", Time),
        sa.PrimaryKeyConstraint("state_hash", name="pk_connect_states"),
    )


def _create_grants_table() -> None:
    op.create_table(
        "grants",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("subject", PlatformId, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("token_marks", sa.String(200), nullable=False),
        sa.Column("expires_at", Time),
        sa.Column("refresh_at", Time),
        sa.Column("refresh_tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("refresh_error", sa.String(500)),
        sa.Column("claim_id", Id),
        sa.Column("claim_until", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_grants"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_grants_owner_id"),
    )
    op.create_index("uq_grants_subject", "grants", ["owner_id", "profile_id", "platform", "subject"], unique=True)
    op.create_index("ix_grants_subject", "grants", ["platform", "subject"])
    _index_where("ix_grants_refresh_at", "grants", ["refresh_at"], "refresh_at IS NOT NULL")


def _create_accounts_table() -> None:
    op.create_table(
        "accounts",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("grant_id", Id),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("platform_account_id", PlatformId, nullable=False),
        sa.Column("inbound_key", PlatformId, nullable=False),
        sa.Column("name", sa.String(300), nullable=False),
        sa.Column("username", sa.String(300)),
        sa.Column("avatar_url", sa.String(2048)),
        sa.Column("profile_url", sa.String(2048)),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("details", sa.JSON, nullable=False),
        sa.Column("health", sa.JSON),
        sa.Column("checked_at", Time),
        sa.Column("check_at", Time),
        sa.Column("suspicion", sa.String(500)),
        sa.Column("lost_at", Time),
        sa.Column("lost_reason", sa.String(500)),
        sa.Column("connected_at", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.Column("disconnected_at", Time),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_accounts"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_accounts_owner_id"),
    )
    live = "status <> 'disconnected'"
    _index_where("uq_accounts_live", "accounts", ["owner_id", "kind", "platform_account_id"], live, unique=True)
    op.create_index("ix_accounts_platform_account_id", "accounts", ["platform", "platform_account_id"])
    op.create_index("ix_accounts_inbound_key", "accounts", ["platform", "inbound_key"])
    op.create_index("ix_accounts_grant_id", "accounts", ["owner_id", "grant_id"])
    _index_where("ix_accounts_check_at", "accounts", ["check_at"], "check_at IS NOT NULL")


def _create_subscriptions_table() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("inbound_key", PlatformId, nullable=False),
        sa.Column("routing_id", sa.String(64), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("set_up_at", Time),
        sa.Column("try_at", Time),
        sa.Column("error", sa.String(500)),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("platform", "inbound_key", name="pk_subscriptions"),
        sa.UniqueConstraint("routing_id", name="uq_subscriptions_routing_id"),
    )


def _create_inbound_table() -> None:
    op.create_table(
        "inbound",
        sa.Column("id", Id, nullable=False),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("routing_id", sa.String(64)),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("received_at", Time, nullable=False),
        sa.Column("due_at", Time),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("error", sa.String(500)),
        sa.PrimaryKeyConstraint("id", name="pk_inbound"),
        postgresql_partition_by="RANGE (id)",
    )
    _index_where("ix_inbound_due_at", "inbound", ["due_at", "id"], "due_at IS NOT NULL")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE TABLE inbound_rest PARTITION OF inbound DEFAULT")
    op.create_table(
        "inbound_facts",
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("key", sa.String(300), nullable=False),
        sa.Column("seen_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("platform", "key", name="pk_inbound_facts"),
    )
    op.create_index("ix_inbound_facts_seen_at", "inbound_facts", ["seen_at"])


def _index_where(name: str, table: str, columns: list[str], condition: str, *, unique: bool = False) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, unique=unique, postgresql_where=where, sqlite_where=where)
