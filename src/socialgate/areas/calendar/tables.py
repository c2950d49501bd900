"""The table of this area. No calendar data is stored, only how far its changes are known."""

from datetime import datetime

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

_HAS_DUE_TIME = sa.text("due_at IS NOT NULL")

calendar_syncs = sa.Table(
    "calendar_syncs",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    # The token to continue from; null until the calendar was read to its end once.
    sa.Column("sync_token", sa.Text),
    # The page of changes to continue from, while a round that began with the token is not at its end.
    sa.Column("cursor", sa.Text),
    sa.Column("synced_at", UtcDateTime),
    # Incremented with each known change: a response cached for another version is no longer used.
    sa.Column("version", sa.Integer, nullable=False),
    # Incremented with each notification, so that one that arrives while changes are being read is not lost.
    sa.Column("notices", sa.Integer, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("due_at", UtcDateTime),
    # Which worker is reading the changes.
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Index("ix_calendar_syncs_due_at", "due_at", postgresql_where=_HAS_DUE_TIME, sqlite_where=_HAS_DUE_TIME),
)


class CalendarSyncRow(msgspec.Struct, frozen=True):
    owner_id: str
    account_id: str
    sync_token: str | None
    cursor: str | None
    synced_at: datetime | None
    version: int
    notices: int
    tries: int
    due_at: datetime | None
    claim_id: str | None
    claim_until: datetime | None


read_calendar_sync = build_row_reader(CalendarSyncRow, calendar_syncs)
