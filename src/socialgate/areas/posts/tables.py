"""The tables of this area, and their rows as structs."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.encryption import EncryptionPurposeTemplate
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)

PROGRESS_SEALING_PURPOSE = EncryptionPurposeTemplate("progress {owner_id} {id}")

# What is not published yet. Written out, because a partial index is not used with parameters.
IS_UNPUBLISHED = sa.text("status IN ('draft', 'scheduled', 'publishing')")
_HAS_DUE_TIME = sa.text("due_at IS NOT NULL")
HAS_FAILED = sa.text("status IN ('failed', 'partial')")
_HAS_TAKEN_SLOT = sa.text("slot_id IS NOT NULL AND status = 'scheduled'")


class PostStatus(StrEnum):
    DRAFT = "draft"
    SCHEDULED = "scheduled"
    # Shown, but not stored: it is being published, and files of it are still being made to fit.
    PREPARING = "preparing"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TargetStatus(StrEnum):
    PENDING = "pending"
    # It is due, and waits for files that are made to fit the platform.
    PREPARING = "preparing"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    FAILED = "failed"
    UNCONFIRMED = "unconfirmed"
    CANCELLED = "cancelled"


posts = sa.Table(
    "posts",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("media", Json, nullable=False),
    sa.Column("first_comment", sa.Text),
    sa.Column("scheduled_for", UtcDateTime),
    sa.Column("timezone", sa.String(64), nullable=False),
    # The slot of the queue that it has, and the day: two posts never have the same.
    sa.Column("slot_id", Id),
    sa.Column("metadata", Json),
    # How often it has been published as a whole: each round ends with one event.
    sa.Column("round", sa.Integer, nullable=False, server_default="1"),
    sa.Column("settled_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # When it was counted as used; null for a draft, and once it is cancelled.
    sa.Column("counted_at", UtcDateTime),
    sa.Index(
        "uq_posts_slot",
        "owner_id",
        "slot_id",
        "scheduled_for",
        unique=True,
        postgresql_where=_HAS_TAKEN_SLOT,
        sqlite_where=_HAS_TAKEN_SLOT,
    ),
    # No index has the owner alone in front: without statistics, PostgreSQL takes the smallest one that fits, and reads
    # all posts of an owner for each post of a page.
    sa.Index("ix_posts_waiting", "owner_id", postgresql_where=IS_UNPUBLISHED, sqlite_where=IS_UNPUBLISHED),
)

# When a post is due, or was written.
POST_TIME = sa.func.coalesce(posts.c.scheduled_for, posts.c.created_at)
# The owner of a post for the indexes by time. Only a statement that compares this expression can use them, so that
# PostgreSQL does not take them for lists by id: see above.
OWNER_BY_TIME = posts.c.owner_id + sa.literal_column("''")
sa.Index("ix_posts_time", OWNER_BY_TIME, POST_TIME)
sa.Index("ix_posts_failed", OWNER_BY_TIME, POST_TIME, postgresql_where=HAS_FAILED, sqlite_where=HAS_FAILED)

# A post on one account. The row is the queue entry, the state machine and the ledger.
targets = sa.Table(
    "post_targets",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("post_id", Id, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("account_id", Id, nullable=False),
    sa.Column("platform", sa.String(20), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    # The overrides of the post; null if there are none.
    sa.Column("content", sa.Text),
    sa.Column("media", Json),
    sa.Column("options", Json, nullable=False),
    # Its state, encrypted, and which stage was started without a known result.
    sa.Column("progress", Json, info=PROGRESS_SEALING_PURPOSE.column_info),
    sa.Column("in_flight", sa.String(40)),
    # When a worker should take it; null if none should.
    sa.Column("due_at", UtcDateTime),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    # What was tried, for people: nothing is decided by it.
    sa.Column("attempts", Json, nullable=False),
    sa.Column("platform_post_id", sa.String(300)),
    sa.Column("url", sa.String(2048)),
    sa.Column("published_at", UtcDateTime),
    sa.Column("warnings", Json, nullable=False),
    sa.Column("error", Json),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # What the next run must know of those before it: see `RetryState`.
    sa.Column("settles_at", UtcDateTime),
    sa.Column("unclear_lookups", sa.Integer, nullable=False, server_default="0"),
    sa.Column("rate_limits", sa.Integer, nullable=False, server_default="0"),
    # Whether a person, and not the platform, said that it is published.
    sa.Column("confirmed_by_person", sa.Boolean, nullable=False, server_default=sa.false()),
    # How its files are made to fit, as requested, and what is done with them: a list of `Preparation`. Null if nothing.
    sa.Column("fit", Json),
    sa.Column("preparations", Json),
    # The post comes first: PostgreSQL, as long as it has no statistics, reads all targets of an owner for each post if
    # any other index begins with the same column.
    sa.Index("ix_post_targets_post", "post_id", "owner_id"),
    sa.Index("ix_post_targets_account_id", "owner_id", "account_id", "published_at"),
    sa.Index("ix_post_targets_due_at", "due_at", "id", postgresql_where=_HAS_DUE_TIME).ddl_if(dialect="postgresql"),
    # To find the next one that nobody has claimed, SQLite reads the index alone: the rows of those that are claimed lie
    # on pages all over a large table. On PostgreSQL an indexed claim would make every claim write to all indexes.
    sa.Index("ix_post_targets_due", "due_at", "id", "claim_until", sqlite_where=_HAS_DUE_TIME).ddl_if(dialect="sqlite"),
)

slots = sa.Table(
    "queue_slots",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("weekday", sa.Integer, nullable=False),
    sa.Column("time", sa.String(5), nullable=False),
    sa.Column("timezone", sa.String(64), nullable=False),
    # Empty: for posts to any account.
    sa.Column("account_ids", Json, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_queue_slots_profile_id", "owner_id", "profile_id"),
)


class PostRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    status: PostStatus
    content: str
    media: list[dict[str, Any]]
    first_comment: str | None
    scheduled_for: datetime | None
    timezone: str
    slot_id: str | None
    metadata: dict[str, Any] | None
    round: int
    settled_at: datetime | None
    created_at: datetime
    updated_at: datetime
    counted_at: datetime | None = None


class TargetRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    post_id: str
    position: int
    account_id: str
    platform: Platform
    kind: Kind
    status: TargetStatus
    content: str | None
    media: list[dict[str, Any]] | None
    options: dict[str, Any]
    progress: str | None
    in_flight: str | None
    due_at: datetime | None
    claim_id: str | None
    claim_until: datetime | None
    tries: int
    attempts: list[dict[str, Any]]
    platform_post_id: str | None
    url: str | None
    published_at: datetime | None
    warnings: list[str]
    error: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
    settles_at: datetime | None = None
    unclear_lookups: int = 0
    rate_limits: int = 0
    confirmed_by_person: bool = False
    fit: dict[str, Any] | None = None
    preparations: list[dict[str, Any]] | None = None


class ShownTargetRow(msgspec.Struct, frozen=True):
    """What a list shows of a target. The state of its publishing is left where it is."""

    post_id: str
    account_id: str
    platform: Platform
    kind: Kind
    status: TargetStatus
    content: str | None
    media: list[dict[str, Any]] | None
    options: dict[str, Any]
    attempts: list[dict[str, Any]]
    platform_post_id: str | None
    url: str | None
    published_at: datetime | None
    warnings: list[str]
    error: dict[str, Any] | None
    fit: dict[str, Any] | None


SHOWN_TARGET_COLUMNS = tuple(targets.c[name] for name in ShownTargetRow.__struct_fields__)


class SlotRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    weekday: int
    time: str
    timezone: str
    account_ids: list[str]
    created_at: datetime


read_post = build_row_reader(PostRow, posts)
read_target = build_row_reader(TargetRow, targets)
read_shown_target = build_row_reader(ShownTargetRow, SHOWN_TARGET_COLUMNS)
read_slot = build_row_reader(SlotRow, slots)
