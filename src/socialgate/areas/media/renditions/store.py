"""Files that were made to fit a platform, in the table of all files. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from socialgate.areas.media.store import MediaRow, media, read_media, set_expiry
from socialgate.core.db import Tx
from socialgate.core.statements import is_one_of

# How long a result is kept after it was needed. Platforms download when they like, some of them days later.
RENDITION_RETENTION = timedelta(days=7)
_IS_RENDITION = media.c.rendition_key.is_not(None)
_BY_KEYS = sa.select(media).where(media.c.owner_id == sa.bindparam("owner"), is_one_of(media.c.rendition_key, "keys"))
_BY_SOURCES = sa.select(media).where(
    media.c.owner_id == sa.bindparam("owner"), is_one_of(media.c.source_sha256, "sources"), _IS_RENDITION
)


async def find_renditions(tx: Tx, owner_id: str, keys: Sequence[str]) -> dict[str, MediaRow]:
    """Find results by their keys."""
    rows = await tx.all_as(_BY_KEYS, read_media, {"owner": owner_id, "keys": keys})
    return {row.rendition_key: row for row in rows if row.rendition_key is not None}


async def list_renditions(tx: Tx, owner_id: str, sources: Sequence[str]) -> dict[str, list[MediaRow]]:
    """List what was made of files, by their content."""
    rows: dict[str, list[MediaRow]] = {source: [] for source in sources}
    if sources:
        statement = _BY_SOURCES.order_by(media.c.id)
        for row in await tx.all_as(statement, read_media, {"owner": owner_id, "sources": sources}):
            rows[row.source_sha256 or ""].append(row)
    return rows


async def find_source(tx: Tx, owner_id: str, media_id: str, sha256: str) -> MediaRow | None:
    """Find a file that a result is made of: this one, or another one of the owner with the same content."""
    is_same = sa.or_(media.c.id == media_id, sa.and_(media.c.sha256 == sha256, media.c.rendition_key.is_(None)))
    statement = sa.select(media).where(media.c.owner_id == owner_id, is_same)
    return await tx.first_as(statement.order_by(media.c.id != media_id, media.c.id).limit(1), read_media)


async def is_source_present(tx: Tx, owner_id: str, sha256: str) -> bool:
    """Return whether the owner still has a file with this content. It is not deleted before this transaction ends."""
    same = sa.select(media.c.id).where(
        media.c.owner_id == owner_id, media.c.sha256 == sha256, media.c.rendition_key.is_(None)
    )
    return bool(await tx.all(same.with_for_update(read=True, key_share=True)))


async def mark_rendition(
    tx: Tx, owner_id: str, media_id: str, source: MediaRow, key: str, until: datetime, values: Mapping[str, Any]
) -> None:
    """Record what a file was made of. From now on it is not one of the owner's own files."""
    statement = sa.update(media).where(media.c.owner_id == owner_id, media.c.id == media_id)
    await tx.execute(
        statement.values(
            source_sha256=source.sha256,
            rendition_key=key,
            rendition=dict(values),
            expires_at=until,
            file_name=source.file_name,
        )
    )


async def expire_beyond(tx: Tx, owner_id: str, most: int, exclude: str) -> None:
    """Let results expire so that all others use at most these bytes: first those that were not needed for the longest
    time, then those that are needed last.
    """
    columns = (media.c.id, media.c.size, media.c.expires_at)
    rows = await tx.all(sa.select(*columns).where(media.c.owner_id == owner_id, _IS_RENDITION).order_by(media.c.id))
    needed_first = sorted(rows, key=lambda row: _rank_need(row.expires_at - RENDITION_RETENTION, tx.now))
    used = 0
    expired: list[str] = []
    for row in needed_first:
        used += row.size
        if used > most and row.id != exclude:
            expired.append(row.id)
    await set_expiry(tx, owner_id, expired, tx.now)


def _rank_need(needed_at: datetime, now: datetime) -> tuple[bool, float]:
    """Order what is still needed by its time, and after that what was needed, the latest first."""
    seconds = (needed_at - now).total_seconds()
    return seconds <= 0, abs(seconds)
