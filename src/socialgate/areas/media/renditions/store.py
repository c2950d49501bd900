"""Files that were made to fit a platform, in the table of all files. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from socialgate.areas.media.store import MediaRow, media, read_media, set_expiry
from socialgate.core.db import Tx
from socialgate.core.statements import is_one_of

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
    """Let the results that were not needed for the longest time expire, so that all others use at most these bytes."""
    statement = sa.select(media.c.id, media.c.size).where(media.c.owner_id == owner_id, _IS_RENDITION)
    used = 0
    expired: list[str] = []
    for row in await tx.all(statement.order_by(media.c.expires_at.desc(), media.c.id.desc())):
        used += row.size
        if used > most and row.id != exclude:
            expired.append(row.id)
    await set_expiry(tx, owner_id, expired, tx.now)
