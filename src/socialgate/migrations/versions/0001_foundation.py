"""Owners, users, sessions, API keys, profiles, and what every route shares."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_identity_tables()
    _create_profiles_table()
    _create_shared_tables()


def _create_identity_tables() -> None:
    op.create_table(
        "owners",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(254), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_owners"),
    )
    op.create_table(
        "users",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("name", sa.String(100)),
        sa.Column("password_hash", sa.String(255), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_users"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_users_owner_id"),
        sa.UniqueConstraint("email", name="uq_users_email"),
    )
    op.create_table(
        "sessions",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("last_seen_at", Time, nullable=False),
        sa.Column("expires_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_sessions"),
        sa.ForeignKeyConstraint(
            ["owner_id", "user_id"], ["users.owner_id", "users.id"], name="fk_sessions_owner_id_user_id"
        ),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_table(
        "api_keys",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("preview", sa.String(32), nullable=False),
        sa.Column("profile_ids", sa.JSON),
        sa.Column("permission", sa.String(10), nullable=False),
        sa.Column("expires_at", Time),
        sa.Column("last_used_at", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_api_keys"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_api_keys_owner_id"),
        sa.UniqueConstraint("key_hash", name="uq_api_keys_key_hash"),
    )


def _create_profiles_table() -> None:
    op.create_table(
        "profiles",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("description", sa.String(500)),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("account_count", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_profiles"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_profiles_owner_id"),
    )


def _create_shared_tables() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("credential_id", Id, nullable=False),
        sa.Column("method", sa.String(8), nullable=False),
        sa.Column("path", sa.String(500), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("body_hash", sa.LargeBinary, nullable=False),
        sa.Column("fence", Id, nullable=False),
        sa.Column("lease_until", Time, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("answer", sa.LargeBinary),
        sa.Column("expires_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "credential_id", "method", "path", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"])
    op.create_table(
        "rate_windows",
        sa.Column("subject", sa.String(120), nullable=False),
        sa.Column("policy", sa.String(40), nullable=False),
        sa.Column("window", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.Column("ends_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("subject", "policy", "window", name="pk_rate_windows"),
    )
    op.create_index("ix_rate_windows_ends_at", "rate_windows", ["ends_at"])
    op.create_table(
        "workers",
        sa.Column("id", Id, nullable=False),
        sa.Column("started_at", Time, nullable=False),
        sa.Column("seen_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
    )
