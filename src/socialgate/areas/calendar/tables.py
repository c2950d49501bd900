"""The table of this area. Nothing of a calendar is kept, only up to where its changes are known."""

from datetime import datetime

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, Utc, metadata
from socialgate.core.rows import reader

_DUE = sa.text("due_at IS NOT NULL")

calendar_syncs = sa.Table(
    "calendar_syncs",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    # Where the platform goes on from; null until the calendar was read to its end once.
    sa.Column("sync_token", sa.Text),
    sa.Column("synced_at", Utc),
    # Raised with each change that is heard of: an answer that was kept for another version is not given any more.
    sa.Column("version", sa.Integer, nullable=False),
    # Raised with each notice, so that one which comes while changes are being read is not lost.
    sa.Column("notices", sa.Integer, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("due_at", Utc),
    # Who reads the changes now.
    sa.Column("claim_id", Id),
    sa.Column("claim_until", Utc),
    sa.Index("ix_calendar_syncs_due_at", "due_at", postgresql_where=_DUE, sqlite_where=_DUE),
)


class CalendarSyncRow(msgspec.Struct, frozen=True):
    owner_id: str
    account_id: str
    sync_token: str | None
    synced_at: datetime | None
    version: int
    notices: int
    tries: int
    due_at: datetime | None
    claim_id: str | None
    claim_until: datetime | None


read_sync = reader(CalendarSyncRow, calendar_syncs)
