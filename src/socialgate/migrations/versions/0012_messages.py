"""Conversations and messages, the names that platforms have for people and messages, and reports that came early."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("contact_id", sa.String(300), nullable=False),
        sa.Column("name", sa.String(300)),
        sa.Column("username", sa.String(300)),
        sa.Column("phone", sa.String(30)),
        sa.Column("avatar_url", sa.String(2048)),
        sa.Column("unread", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_message", sa.JSON),
        sa.Column("last_at", UTC_TIME, nullable=False),
        sa.Column("last_inbound_at", UTC_TIME),
        sa.Column("history_cursor", sa.Text),
        sa.Column("history_done", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("updated_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_conversations_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_conversations"),
    )
    op.create_index("ix_conversations_account_id", "conversations", ["owner_id", "account_id", "last_at", "id"])
    op.create_table(
        "contact_aliases",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("alias", sa.String(300), nullable=False),
        sa.Column("conversation_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_contact_aliases_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "alias", name="pk_contact_aliases"),
    )
    _create_messages_table()


def _create_messages_table() -> None:
    op.create_table(
        "messages",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("conversation_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("vendor_id", sa.String(300)),
        sa.Column("direction", sa.String(8), nullable=False),
        sa.Column("type", sa.String(12), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("attachments", sa.JSON, nullable=False),
        sa.Column("reply_to", sa.String(300)),
        sa.Column("reactions", sa.JSON, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("error", sa.JSON),
        sa.Column("source", sa.String(12), nullable=False),
        sa.Column("at", UTC_TIME, nullable=False),
        sa.Column("delivered_at", UTC_TIME),
        sa.Column("read_at", UTC_TIME),
        sa.Column("edited_at", UTC_TIME),
        sa.Column("deleted_at", UTC_TIME),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_messages_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_messages"),
    )
    op.create_index("ix_messages_conversation_id", "messages", ["owner_id", "conversation_id", "at", "id"])
    op.create_table(
        "message_ids",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("vendor_id", sa.String(300), nullable=False),
        sa.Column("message_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_message_ids_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "vendor_id", name="pk_message_ids"),
    )
    op.create_table(
        "message_early_reports",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("vendor_id", sa.String(300), nullable=False),
        sa.Column("report", sa.JSON, nullable=False),
        sa.Column("expires_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_message_early_reports_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_message_early_reports"),
    )
    op.create_index(
        "ix_message_early_reports_vendor_id", "message_early_reports", ["owner_id", "account_id", "vendor_id"]
    )
    op.create_index("ix_message_early_reports_expires_at", "message_early_reports", ["expires_at"])
