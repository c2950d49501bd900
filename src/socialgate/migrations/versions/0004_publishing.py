"""Media and uploads, posts and their targets, and the slots of the queue."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_media_table()
    _create_uploads_table()
    _create_posts_table()
    _create_targets_table()
    _create_slots_table()


def _create_media_table() -> None:
    op.create_table(
        "media",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id),
        sa.Column("type", sa.String(10), nullable=False),
        sa.Column("mime_type", sa.String(100), nullable=False),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("width", sa.Integer),
        sa.Column("height", sa.Integer),
        sa.Column("duration", sa.Float),
        sa.Column("codec", sa.String(40)),
        sa.Column("expires_at", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_media"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_media_owner_id"),
    )
    op.create_index("ix_media_id", "media", ["id"], unique=True)
    _index_where("ix_media_expires_at", "media", ["expires_at"], "expires_at IS NOT NULL")


def _create_uploads_table() -> None:
    op.create_table(
        "uploads",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id),
        sa.Column("file_name", sa.String(255), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("received", sa.BigInteger, nullable=False),
        sa.Column("pieces", sa.JSON, nullable=False),
        sa.Column("media_id", Id, nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("expires_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_uploads"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_uploads_owner_id"),
    )
    op.create_index("ix_uploads_expires_at", "uploads", ["expires_at"])


def _create_posts_table() -> None:
    op.create_table(
        "posts",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("media", sa.JSON, nullable=False),
        sa.Column("first_comment", sa.Text),
        sa.Column("scheduled_for", Time),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("slot_id", Id),
        sa.Column("metadata", sa.JSON),
        sa.Column("round", sa.Integer, nullable=False, server_default="1"),
        sa.Column("settled_at", Time),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_posts"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_posts_owner_id"),
    )
    booked = "slot_id IS NOT NULL AND status = 'scheduled'"
    _index_where("uq_posts_slot", "posts", ["owner_id", "slot_id", "scheduled_for"], booked, unique=True)
    op.create_index("ix_posts_scheduled_for", "posts", ["owner_id", "scheduled_for"])


def _create_targets_table() -> None:
    op.create_table(
        "post_targets",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("post_id", Id, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("platform", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("content", sa.Text),
        sa.Column("media", sa.JSON),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("progress", sa.JSON),
        sa.Column("in_flight", sa.String(40)),
        sa.Column("due_at", Time),
        sa.Column("claim_id", Id),
        sa.Column("claim_until", Time),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("attempts", sa.JSON, nullable=False),
        sa.Column("platform_post_id", sa.String(300)),
        sa.Column("url", sa.String(2048)),
        sa.Column("published_at", Time),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("error", sa.JSON),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_post_targets"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_post_targets_owner_id"),
    )
    op.create_index("ix_post_targets_post_id", "post_targets", ["owner_id", "post_id"])
    op.create_index("ix_post_targets_account_id", "post_targets", ["owner_id", "account_id", "published_at"])
    _index_where("ix_post_targets_due_at", "post_targets", ["due_at", "id"], "due_at IS NOT NULL")


def _create_slots_table() -> None:
    op.create_table(
        "queue_slots",
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("id", Id, nullable=False),
        sa.Column("profile_id", Id, nullable=False),
        sa.Column("weekday", sa.Integer, nullable=False),
        sa.Column("time", sa.String(5), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("account_ids", sa.JSON, nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_queue_slots"),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_queue_slots_owner_id"),
    )
    op.create_index("ix_queue_slots_profile_id", "queue_slots", ["owner_id", "profile_id"])


def _index_where(name: str, table: str, columns: list[str], condition: str, *, unique: bool = False) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, unique=unique, postgresql_where=where, sqlite_where=where)
