from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from socialgate.areas.media.schemas import MediaQuery
from socialgate.contracts.publishing import MediaType
from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.ids import new_id
from socialgate.core.rows import build_row_reader
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import add_cursor

Json = sa.JSON(none_as_null=True)
_IS_RENDITION = sa.text("rendition_key IS NOT NULL")
_HAS_EXPIRY = sa.text("expires_at IS NOT NULL")

media = sa.Table(
    "media",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    # Null belongs to the owner as a whole: no key limited to some profiles sees it.
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
    # When it is deleted if it is unused; null while it is in use.
    sa.Column("expires_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    # What else was found in the file: `MediaDetails`. Null for files from before it was looked for.
    sa.Column("details", Json),
    # For a file that was made to fit a platform: what it was made of, by its content, and how. Null for all others.
    sa.Column("source_sha256", sa.String(64)),
    sa.Column("rendition_key", sa.String(64)),
    sa.Column("rendition", Json),
    # Platforms download a file by its id and a signature, without knowing its owner.
    sa.Index("ix_media_id", "id", unique=True),
    # Sums up an owner's storage without reading the rows.
    sa.Index("ix_media_sizes", "owner_id", "size"),
    sa.Index(
        "uq_media_rendition",
        "owner_id",
        "rendition_key",
        unique=True,
        postgresql_where=_IS_RENDITION,
        sqlite_where=_IS_RENDITION,
    ),
    sa.Index(
        "ix_media_source", "owner_id", "source_sha256", postgresql_where=_IS_RENDITION, sqlite_where=_IS_RENDITION
    ),
    sa.Index("ix_media_sha256", "owner_id", "sha256"),
    sa.Index("ix_media_expires_at", "expires_at", postgresql_where=_HAS_EXPIRY, sqlite_where=_HAS_EXPIRY),
)

# A file being uploaded, in one request or in chunks. If its process dies, its leftovers are found through this row.
uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id),
    sa.Column("file_name", sa.String(255), nullable=False),
    # The announced size; 0 if there is none.
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("received", sa.BigInteger, nullable=False),
    # Each chunk is a separate file until all have arrived: names and lengths, in order. Null for an upload in one
    # request, which cannot be resumed.
    sa.Column("pieces", sa.JSON, nullable=False),
    sa.Column("media_id", Id, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    # The credential of an upload in chunks; null for an upload in one request.
    sa.Column("begun_by", Id),
    sa.Index("ix_uploads_expires_at", "expires_at"),
)


class MediaRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str | None
    type: MediaType
    mime_type: str
    file_name: str
    size: int
    sha256: str
    width: int | None
    height: int | None
    duration: float | None
    codec: str | None
    expires_at: datetime | None
    created_at: datetime
    details: dict[str, Any] | None = None
    source_sha256: str | None = None
    rendition_key: str | None = None
    rendition: dict[str, Any] | None = None


class UploadChunk(NamedTuple):
    """A chunk of an upload: the name of its file, and its size in bytes."""

    name: str
    length: int


class UploadRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str | None
    file_name: str
    size: int
    received: int
    pieces: list[UploadChunk] | None
    media_id: str
    created_at: datetime
    expires_at: datetime
    begun_by: str | None


read_media = build_row_reader(MediaRow, media)
_read_upload = build_row_reader(UploadRow, uploads)


def read_upload(row: Sequence[Any]) -> UploadRow:
    upload = _read_upload(row)
    if upload.pieces is None:
        return upload
    return msgspec.structs.replace(upload, pieces=[UploadChunk(*piece) for piece in upload.pieces])


_IS_COMPLETE = sa.exists().where(media.c.owner_id == uploads.c.owner_id, media.c.id == uploads.c.media_id)


def build_media_key(owner_id: str, media_id: str) -> str:
    """The path of a file in the storage."""
    return f"{owner_id}/{media_id}"


def build_pieces_prefix(owner_id: str, upload_id: str) -> str:
    """The common path of the chunks of an upload."""
    return f"{owner_id}/{upload_id}"


def build_piece_key(owner_id: str, upload_id: str, name: str) -> str:
    return f"{build_pieces_prefix(owner_id, upload_id)}/{name}"


async def insert_media(tx: Tx, file: MediaRow) -> bool:
    """Add a file. Completing the same upload a second time changes nothing, and returns False."""
    return bool(await tx.execute_and_count(tx.build_insert_if_absent(media), msgspec.structs.asdict(file)))


async def find_media(tx: Tx, owner_id: str, media_id: str) -> MediaRow | None:
    return await tx.first_as(sa.select(media).where(media.c.owner_id == owner_id, media.c.id == media_id), read_media)


async def is_being_uploaded(tx: Tx, owner_id: str, media_id: str) -> bool:
    statement = sa.select(uploads.c.id).where(uploads.c.owner_id == owner_id, uploads.c.media_id == media_id)
    return await tx.first(statement.limit(1)) is not None


async def find_media_for_change(tx: Tx, owner_id: str, media_id: str) -> MediaRow | None:
    statement = sa.select(media).where(media.c.owner_id == owner_id, media.c.id == media_id)
    return await tx.first_as(statement.with_for_update(), read_media)


async def list_media_page(tx: Tx, owner_id: str, caller: Caller, query: MediaQuery) -> list[MediaRow]:
    statement = sa.select(media).where(media.c.owner_id == owner_id, media.c.rendition_key.is_(None))
    if caller.allowed_profile_ids is not None:
        statement = statement.where(media.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if query.profile_id is not None:
        statement = statement.where(media.c.profile_id == query.profile_id)
    if query.type is not None:
        statement = statement.where(media.c.type == query.type)
    return await tx.all_as(add_cursor(statement, media.c.id, query, "med"), read_media)


async def find_media_of_any_owner(tx: Tx, media_id: str) -> MediaRow | None:
    """Find a file for a caller with a valid signature."""
    return await tx.first_as(sa.select(media).where(media.c.id == media_id), read_media)


async def find_all_media(tx: Tx, owner_id: str, media_ids: Sequence[str]) -> dict[str, MediaRow]:
    if not media_ids:
        return {}
    rows = await tx.all_as(_SELECT_BY_IDS, read_media, {"owner": owner_id, "files": media_ids})
    return {row.id: row for row in rows}


# Not those that were made of others: they belong to the service, and posts refer to the originals.
_SELECT_BY_IDS = sa.select(media).where(
    media.c.owner_id == sa.bindparam("owner"), is_one_of(media.c.id, "files"), media.c.rendition_key.is_(None)
)


async def set_expiry(tx: Tx, owner_id: str, media_ids: Sequence[str], until: datetime | None) -> None:
    """Set how long files are needed: as long as something uses them (None), or until a time."""
    if media_ids:
        statement = sa.update(media).where(media.c.owner_id == owner_id, media.c.id.in_(media_ids))
        await tx.execute(statement.values(expires_at=until))


async def extend_expiry(tx: Tx, owner_id: str, media_ids: Sequence[str], until: datetime) -> None:
    """Keep files until a time, except those that something needs for longer."""
    if media_ids:
        statement = sa.update(media).where(
            media.c.owner_id == owner_id, media.c.id.in_(media_ids), media.c.expires_at < until
        )
        await tx.execute(statement.values(expires_at=until))


async def list_expired_media(tx: Tx, most: int) -> list[MediaRow]:
    statement = sa.select(media).where(media.c.expires_at < tx.now)
    return await tx.all_as(statement.order_by(media.c.expires_at).limit(most), read_media)


async def delete_expired_media(tx: Tx, file: MediaRow) -> None:
    """Delete the row of an expired file, unless something started to use it in the meantime.

    An expired upload replaces it: through it the file itself is found and deleted, even if this process dies.
    """
    statement = sa.delete(media).where(
        media.c.owner_id == file.owner_id, media.c.id == file.id, media.c.expires_at < tx.now
    )
    if await tx.execute_and_count(statement):
        await insert_upload(tx, _build_cleanup_upload(file, tx.now))
        await _expire_renditions(tx, file)


async def _expire_renditions(tx: Tx, file: MediaRow) -> None:
    """Let what was made of a file expire with it, unless the owner has the same content once more."""
    same = sa.select(media.c.id).where(media.c.owner_id == file.owner_id, media.c.sha256 == file.sha256)
    if file.rendition_key is None and await tx.first(same.where(media.c.rendition_key.is_(None)).limit(1)) is None:
        of_file = sa.update(media).where(media.c.owner_id == file.owner_id, media.c.source_sha256 == file.sha256)
        await tx.execute(of_file.values(expires_at=tx.now - timedelta(seconds=1)))


def _build_cleanup_upload(file: MediaRow, now: datetime) -> UploadRow:
    return UploadRow(
        owner_id=file.owner_id,
        id=new_id("upl"),
        profile_id=None,
        file_name=file.id,
        size=0,
        received=0,
        pieces=None,
        media_id=file.id,
        created_at=now,
        expires_at=now - timedelta(seconds=1),
        begun_by=None,
    )


async def sum_used_bytes(tx: Tx, owner_id: str, exclude: str | None, *, counts_renditions: bool = True) -> int:
    """Sum up an owner's files and the announced or received bytes of all uploads except one."""
    kept = sa.select(sa.func.sum(media.c.size)).where(media.c.owner_id == owner_id)
    if not counts_renditions:
        kept = kept.where(media.c.rendition_key.is_(None))
    larger = sa.case((uploads.c.received > uploads.c.size, uploads.c.received), else_=uploads.c.size)
    coming = sa.select(sa.func.sum(larger)).where(
        uploads.c.owner_id == owner_id, uploads.c.id != (exclude or ""), ~_IS_COMPLETE
    )
    return int(await tx.scalar(kept) or 0) + int(await tx.scalar(coming) or 0)


async def count_open_uploads(tx: Tx, owner_id: str, key_id: str) -> int:
    """Count a credential's uploads in chunks that can still be continued."""
    statement = sa.select(sa.func.count()).where(
        uploads.c.owner_id == owner_id,
        uploads.c.begun_by == key_id,
        uploads.c.received < uploads.c.size,
        uploads.c.expires_at > tx.now,
    )
    return int(await tx.scalar(statement))


async def insert_upload(tx: Tx, upload: UploadRow) -> None:
    await tx.execute(sa.insert(uploads), msgspec.structs.asdict(upload))


async def find_upload(tx: Tx, owner_id: str, upload_id: str) -> UploadRow | None:
    statement = sa.select(uploads).where(uploads.c.owner_id == owner_id, uploads.c.id == upload_id)
    return await tx.first_as(statement, read_upload)


async def add_piece(tx: Tx, row: UploadRow, piece: UploadChunk, expires_at: datetime) -> UploadRow | None:
    """Record a chunk, unless another request recorded one at the same offset in the meantime."""
    pieces = [*(row.pieces or ()), piece]
    statement = (
        sa.update(uploads)
        .where(uploads.c.owner_id == row.owner_id, uploads.c.id == row.id, uploads.c.received == row.received)
        .values(received=row.received + piece.length, pieces=pieces, expires_at=expires_at)
        .returning(uploads)
    )
    return await tx.first_as(statement, read_upload)


async def record_received_bytes(tx: Tx, row: UploadRow, received: int, expires_at: datetime) -> None:
    """Record how much of an upload in one request was received."""
    statement = sa.update(uploads).where(uploads.c.owner_id == row.owner_id, uploads.c.id == row.id)
    await tx.execute(statement.values(received=received, expires_at=expires_at))


async def list_unfinished_uploads(tx: Tx, owner_id: str, most: int) -> list[UploadRow]:
    """List the newest uploads that have not become a file."""
    statement = sa.select(uploads).where(uploads.c.owner_id == owner_id, uploads.c.expires_at > tx.now, ~_IS_COMPLETE)
    return await tx.all_as(statement.order_by(uploads.c.id.desc()).limit(most), read_upload)


async def list_expired_uploads(tx: Tx, most: int) -> list[UploadRow]:
    return await tx.all_as(sa.select(uploads).where(uploads.c.expires_at < tx.now).limit(most), read_upload)


async def delete_upload(tx: Tx, owner_id: str, upload_id: str) -> None:
    await tx.execute(sa.delete(uploads).where(uploads.c.owner_id == owner_id, uploads.c.id == upload_id))


async def complete_upload(tx: Tx, owner_id: str, upload_id: str) -> bool:
    """Delete the row of a completed upload. False if it has expired: the file may be deleted at any moment."""
    statement = sa.delete(uploads).where(
        uploads.c.owner_id == owner_id, uploads.c.id == upload_id, uploads.c.expires_at > tx.now
    )
    return bool(await tx.execute_and_count(statement))
