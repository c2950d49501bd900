"""The records of uploads: from the first byte until the file is complete, or what is left of it is deleted."""

from datetime import datetime, timedelta

import msgspec

from socialgate.areas.media import store
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.probe import MediaProber
from socialgate.areas.media.probe_result import ProbeResult, UnreadableFileError
from socialgate.areas.media.quota import StorageQuota, require_upload_allowed
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.areas.media.schemas import MediaItem, UploadInProgress
from socialgate.areas.media.service import UNUSED_MEDIA_RETENTION
from socialgate.areas.media.store import MediaRow, UploadChunk, UploadRow
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import InvalidRequest
from socialgate.core.ids import new_id
from socialgate.core.metering import UsageMetric, count_usage, require_within_plan
from socialgate.core.storage import Storage

# How long an upload in chunks can be continued after its last chunk.
RESUMABLE_UPLOAD_TTL = timedelta(days=1)
# How long the row of an upload in one request outlives its last update. It is updated throughout the upload.
SINGLE_UPLOAD_TTL = timedelta(hours=1)
_MAX_LISTED_UPLOADS = 20
# A client that sends nothing for this long has disconnected, or has an unstable connection.
_MAX_RECEIVING_PAUSE = timedelta(seconds=30)
# An upload that cannot be resumed has failed after this long: its process died, or its bytes are not a valid file.
_FAILED_UPLOAD_HIDDEN_AFTER = timedelta(minutes=10)


class UnreadableMediaError(InvalidRequest):
    """The file is damaged, or is not what it seems to be. Nothing was stored.

    Save it again in a common format: JPEG or PNG, MP4 with H.264.
    """

    code = "unreadable_media"
    title = "The file cannot be read"


class UploadRecords:
    def __init__(
        self,
        db: Database,
        storage: Storage,
        quota: StorageQuota,
        prober: MediaProber,
        links: MediaLinks,
        profiles: ProfileDirectory,
    ) -> None:
        self._db = db
        self._storage = storage
        self._quota = quota
        self._prober = prober
        self._links = links
        self._profiles = profiles

    async def resolve_profile_id(self, tx: Tx, caller: Caller, profile_id: str | None) -> str | None:
        """Determine the profile of a file. A limited key may omit it only if it covers a single profile."""
        if profile_id is not None:
            await self._profiles.require_access(tx, caller, profile_id)
            return profile_id
        if caller.allowed_profile_ids is None:
            return None
        if len(caller.allowed_profile_ids) != 1:
            raise InvalidRequest.for_field(
                "?profileId", "required", "profileId is required, because this key covers several profiles."
            )
        return next(iter(caller.allowed_profile_ids))

    async def begin_upload(
        self,
        tx: Tx,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        *,
        size: int,
        pieces: list[UploadChunk] | None,
        counts: bool = True,
        uses_quota: bool = True,
        media_id: str | None = None,
    ) -> UploadRow:
        """Record that a file is being uploaded, in one request (None) or in chunks. From now on its size counts. Its
        id may have been promised before.
        """
        self._storage.require_ready(size)
        if counts:
            # What would exceed the plan in any case is rejected before its bytes are sent.
            await require_within_plan(tx, caller.owner_id, UsageMetric.UPLOAD_BYTES, max(size, 1))
        if uses_quota:
            await self._quota.require_free_storage(tx, caller.owner_id, size)
        if pieces is not None:
            await require_upload_allowed(tx, caller.owner_id, caller.credential_id)
        upload = UploadRow(
            owner_id=caller.owner_id,
            id=new_id("upl"),
            profile_id=profile_id,
            file_name=_sanitize_file_name(file_name),
            size=size,
            received=0,
            pieces=pieces,
            media_id=new_id("med") if media_id is None else media_id,
            created_at=tx.now,
            expires_at=tx.now + _get_ttl(pieces),
            begun_by=None if pieces is None else caller.credential_id,
        )
        await store.insert_upload(tx, upload)
        return upload

    async def list_uploads_in_progress(self, tx: Tx, caller: Caller) -> list[UploadInProgress]:
        """List the uploads in progress, in one request and in chunks."""
        caller.require_all_profiles("list the files of the whole owner")
        shown = [
            _build_upload_view(row, tx.now)
            for row in await store.list_unfinished_uploads(tx, caller.owner_id, _MAX_LISTED_UPLOADS)
        ]
        return [
            in_progress
            for in_progress in shown
            if in_progress.resumable or in_progress.news_at + _FAILED_UPLOAD_HIDDEN_AFTER > tx.now
        ]

    async def inspect_file(self, owner_id: str, media_id: str, taken: ReceivedFile) -> ProbeResult:
        try:
            return await self._prober.probe(owner_id, store.build_media_key(owner_id, media_id), taken)
        except UnreadableFileError as error:
            raise UnreadableMediaError(str(error)) from None

    async def add_media(
        self, tx: Tx, upload: UploadRow, taken: ReceivedFile, probed: ProbeResult, *, counts: bool = True
    ) -> MediaItem:
        file = MediaRow(
            owner_id=upload.owner_id,
            id=upload.media_id,
            profile_id=upload.profile_id,
            type=taken.sniffed.type,
            mime_type=taken.sniffed.mime_type,
            file_name=upload.file_name,
            size=taken.size,
            sha256=taken.sha256,
            width=probed.width,
            height=probed.height,
            duration=probed.duration,
            codec=probed.codec,
            expires_at=tx.now + UNUSED_MEDIA_RETENTION,
            created_at=tx.now,
            details=None if probed.details is None else msgspec.to_builtins(probed.details),
        )
        if await store.insert_media(tx, file) and counts:
            count_usage(tx, file.owner_id, file.profile_id, UsageMetric.UPLOAD_BYTES, file.size)
        row = await store.find_media(tx, upload.owner_id, upload.media_id)
        assert row is not None, "it was written in this very transaction"
        return self._links.build_media_view(row)

    async def delete_upload(self, row: UploadRow) -> None:
        """Delete an upload with all its data, but not the file that it has become."""
        if row.pieces is not None:
            # Including those written by a process that died before it could list them in the row.
            await self._storage.delete_prefix(store.build_pieces_prefix(row.owner_id, row.id))
        if await self._db.read(store.find_media, row.owner_id, row.media_id) is None:
            await self._storage.delete([store.build_media_key(row.owner_id, row.media_id)])
        await self._db.write(store.delete_upload, row.owner_id, row.id)


def _get_ttl(pieces: object) -> timedelta:
    return SINGLE_UPLOAD_TTL if pieces is None else RESUMABLE_UPLOAD_TTL


def _build_upload_view(row: UploadRow, now: datetime) -> UploadInProgress:
    # Received data extends the lifetime of the row.
    news_at = row.expires_at - _get_ttl(row.pieces)
    return UploadInProgress(
        id=row.id,
        file_name=row.file_name,
        size=row.size,
        received=row.received,
        resumable=row.pieces is not None and row.received < row.size,
        moving=news_at + _MAX_RECEIVING_PAUSE > now,
        news_at=news_at,
        expires_at=row.expires_at,
    )


def _sanitize_file_name(name: str) -> str:
    """A name appears in responses and headers: unprintable characters are removed."""
    return "".join(character for character in name if character.isprintable())[:255] or "file"
