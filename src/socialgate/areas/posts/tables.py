"""The tables of this area."""

import sqlalchemy as sa

from socialgate.core.db import Id, Utc, metadata
from socialgate.core.secrets import Sealing

Json = sa.JSON(none_as_null=True)

PROGRESS = Sealing("progress {owner_id} {id}")

# What is not out yet. Written out, because no index is found by parameters.
WAITING = sa.text("status IN ('draft', 'scheduled', 'publishing')")
_DUE = sa.text("due_at IS NOT NULL")
_BOOKED = sa.text("slot_id IS NOT NULL AND status = 'scheduled'")

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
    sa.Column("scheduled_for", Utc),
    sa.Column("timezone", sa.String(64), nullable=False),
    # The slot of the queue that it holds, and which day of it: two posts never hold the same.
    sa.Column("slot_id", Id),
    sa.Column("metadata", Json),
    # How often it has been published as a whole: each round ends with one event.
    sa.Column("round", sa.Integer, nullable=False, server_default="1"),
    sa.Column("settled_at", Utc),
    sa.Column("created_at", Utc, nullable=False),
    sa.Column("updated_at", Utc, nullable=False),
    sa.Index(
        "uq_posts_slot",
        "owner_id",
        "slot_id",
        "scheduled_for",
        unique=True,
        postgresql_where=_BOOKED,
        sqlite_where=_BOOKED,
    ),
    sa.Index("ix_posts_scheduled_for", "owner_id", "scheduled_for"),
    sa.Index("ix_posts_waiting", "owner_id", postgresql_where=WAITING, sqlite_where=WAITING),
)

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
    # What differs from the post; null where nothing does.
    sa.Column("content", sa.Text),
    sa.Column("media", Json),
    sa.Column("options", Json, nullable=False),
    # Where it stands, sealed, and which stage was begun and has not been heard of since.
    sa.Column("progress", Json, info=PROGRESS.info),
    sa.Column("in_flight", sa.String(40)),
    # When a worker is to take it; null while nobody is to.
    sa.Column("due_at", Utc),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", Utc),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("attempts", Json, nullable=False),
    sa.Column("platform_post_id", sa.String(300)),
    sa.Column("url", sa.String(2048)),
    sa.Column("published_at", Utc),
    sa.Column("warnings", Json, nullable=False),
    sa.Column("error", Json),
    sa.Column("created_at", Utc, nullable=False),
    sa.Column("updated_at", Utc, nullable=False),
    sa.Index("ix_post_targets_post_id", "owner_id", "post_id"),
    sa.Index("ix_post_targets_account_id", "owner_id", "account_id", "published_at"),
    sa.Index("ix_post_targets_due_at", "due_at", "id", postgresql_where=_DUE, sqlite_where=_DUE),
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
    sa.Column("created_at", Utc, nullable=False),
    sa.Index("ix_queue_slots_profile_id", "owner_id", "profile_id"),
)
