"""The records of uploads: from the first byte until the file is complete, or what is left of it is deleted."""

from datetime import datetime, timedelta

from socialgate.areas.media import store
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.probe import Prober
from socialgate.areas.media.probed import Probed, Unreadable
from socialgate.areas.media.quota import Quota, require_room_for_upload
from socialgate.areas.media.receiving import Taken
from socialgate.areas.media.schemas import Incoming, MediaItem
from socialgate.areas.media.service import UNUSED_FOR
from socialgate.areas.media.store import MediaRow, Piece, UploadRow
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Invalid
from socialgate.core.ids import new_id
from socialgate.core.metering import Metric, meter, require_allowance
from socialgate.core.storage import Storage

# How long an upload in chunks can be continued after its last chunk.
RESUMABLE_UPLOAD_TTL = timedelta(days=1)
# How long the row of an upload in one request outlives its last update. It is updated throughout the upload.
SINGLE_UPLOAD_TTL = timedelta(hours=1)
_MAX_LISTED_UPLOADS = 20
# A client that sends nothing for this long has disconnected, or has an unstable connection.
_RECEIVING_WITHIN = timedelta(seconds=30)
# An upload that cannot be resumed has failed after this long: its process died, or its bytes are not a valid file.
_FAILED_UPLOAD_HIDDEN_AFTER = timedelta(minutes=10)


class UnreadableMedia(Invalid):
    """The file is damaged, or is not what it seems to be. Nothing was stored.

    Save it again in a common format: JPEG or PNG, MP4 with H.264.
    """

    code = "unreadable_media"
    title = "The file cannot be read"


class UploadRecords:
    def __init__(
        self, db: Database, storage: Storage, quota: Quota, prober: Prober, links: MediaLinks, profiles: ProfileBook
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
            await self._profiles.require(tx, caller, profile_id)
            return profile_id
        if caller.profiles is None:
            return None
        if len(caller.profiles) != 1:
            raise Invalid.at(
                "?profileId", "required", "profileId is required, because this key covers several profiles."
            )
        return next(iter(caller.profiles))

    async def begin(
        self,
        tx: Tx,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        *,
        size: int,
        pieces: list[Piece] | None,
        counts: bool = True,
    ) -> UploadRow:
        """Record that a file is being uploaded, in one request (None) or in chunks. From now on its size counts."""
        self._storage.require_ready(size)
        if counts:
            # What would exceed the plan in any case is rejected before its bytes are sent.
            await require_allowance(tx, caller.owner_id, Metric.UPLOAD_BYTES, max(size, 1))
        await self._quota.require(tx, caller.owner_id, size)
        if pieces is not None:
            await require_room_for_upload(tx, caller.owner_id, caller.credential_id)
        upload = UploadRow(
            owner_id=caller.owner_id,
            id=new_id("upl"),
            profile_id=profile_id,
            file_name=_sanitize_file_name(file_name),
            size=size,
            received=0,
            pieces=pieces,
            media_id=new_id("med"),
            created_at=tx.now,
            expires_at=tx.now + _get_ttl(pieces),
            begun_by=None if pieces is None else caller.credential_id,
        )
        await store.insert_upload(tx, upload)
        return upload

    async def list_uploads_in_progress(self, tx: Tx, caller: Caller) -> list[Incoming]:
        """List the uploads in progress, in one request and in chunks."""
        caller.require_all_profiles("list the files of the whole owner")
        shown = [_show_upload(row, tx.now) for row in await store.incoming(tx, caller.owner_id, _MAX_LISTED_UPLOADS)]
        return [one for one in shown if one.resumable or one.news_at + _FAILED_UPLOAD_HIDDEN_AFTER > tx.now]

    async def inspect_file(self, owner_id: str, media_id: str, taken: Taken) -> Probed:
        try:
            return await self._prober.probe(owner_id, store.key_of(owner_id, media_id), taken)
        except Unreadable as error:
            raise UnreadableMedia(str(error)) from None

    async def add_media(
        self, tx: Tx, upload: UploadRow, taken: Taken, probed: Probed, *, counts: bool = True
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
            expires_at=tx.now + UNUSED_FOR,
            created_at=tx.now,
        )
        if await store.insert(tx, file) and counts:
            meter(tx, file.owner_id, file.profile_id, Metric.UPLOAD_BYTES, file.size)
        row = await store.find(tx, upload.owner_id, upload.media_id)
        assert row is not None, "it was written in this very transaction"
        return self._links.show(row)

    async def forget_upload(self, row: UploadRow) -> None:
        """Delete an upload with all its data, but not the file that it has become."""
        if row.pieces is not None:
            # Including those written by a process that died before it could list them in the row.
            await self._storage.delete_under(store.pieces_of(row.owner_id, row.id))
        if await self._db.read(store.find, row.owner_id, row.media_id) is None:
            await self._storage.delete([store.key_of(row.owner_id, row.media_id)])
        await self._db.write(store.forget_upload, row.owner_id, row.id)


def _get_ttl(pieces: object) -> timedelta:
    return SINGLE_UPLOAD_TTL if pieces is None else RESUMABLE_UPLOAD_TTL


def _show_upload(row: UploadRow, now: datetime) -> Incoming:
    # Received data extends the lifetime of the row.
    news_at = row.expires_at - _get_ttl(row.pieces)
    return Incoming(
        id=row.id,
        file_name=row.file_name,
        size=row.size,
        received=row.received,
        resumable=row.pieces is not None and row.received < row.size,
        moving=news_at + _RECEIVING_WITHIN > now,
        news_at=news_at,
        expires_at=row.expires_at,
    )


def _sanitize_file_name(name: str) -> str:
    """A name appears in responses and headers: unprintable characters are removed."""
    return "".join(character for character in name if character.isprintable())[:255] or "file"
