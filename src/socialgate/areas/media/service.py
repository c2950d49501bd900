"""Media: uploading, listing, downloading by platforms, and deleting unused files."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from socialgate.areas.media import store
from socialgate.areas.media.files import Within, file_of
from socialgate.areas.media.probe import Prober
from socialgate.areas.media.probed import Probed, Unreadable
from socialgate.areas.media.quota import Quota, StorageQuotaReached, require_room_for_upload
from socialgate.areas.media.reading import Files
from socialgate.areas.media.receiving import Passing, Taken
from socialgate.areas.media.schemas import Incoming, MediaItem, MediaQuery
from socialgate.areas.media.signing import MediaUrls
from socialgate.areas.media.store import MediaRow, Piece, UploadRow
from socialgate.contracts.profiles import ProfileBook
from socialgate.contracts.publishing import MediaFile
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Invalid, NotFound, PlanLimitReached, ServiceError, Unavailable
from socialgate.core.ids import new_id
from socialgate.core.metering import Metric, meter, require_allowance
from socialgate.core.storage import Storage
from socialgate.core.work import Work
from socialgate.web.paging import page_of
from socialgate.web.schema import Deleted, Page

UNUSED_FOR = timedelta(days=7)
# How long an upload in chunks can be continued after its last chunk.
INCOMING_FOR = timedelta(days=1)
# How long the row of an upload in one request outlives its last update. It is updated throughout the upload.
_WHOLE_FOR = timedelta(hours=1)
# Platforms download when they like, some of them days later.
_FETCHABLE_FOR = timedelta(days=30)
_BATCH = 100
_INSTANT = timedelta(microseconds=1)
# How often the row of an upload in one request is updated. Most are complete before the first time.
_TOLD_EVERY_SECONDS = 1.0
_MOST_INCOMING = 20
# A client that sends nothing for this long has disconnected, or has an unstable connection.
_MOVING_WITHIN = timedelta(seconds=30)
# An upload that cannot be resumed has failed after this long: its process died, or its bytes are not a valid file.
_GONE_AFTER = timedelta(minutes=10)


class UnreadableMedia(Invalid):
    """The file is damaged, or is not what it seems to be. Nothing was stored.

    Save it again in a common format: JPEG or PNG, MP4 with H.264.
    """

    code = "unreadable_media"
    title = "The file cannot be read"


class MediaInUse(Conflict):
    """A post or a message uses the file. Delete or cancel that first, then delete the file."""

    code = "media_in_use"
    title = "The file is in use"


class Library:
    def __init__(
        self, db: Database, storage: Storage, urls: MediaUrls, profiles: ProfileBook, *, per_owner: int = 0
    ) -> None:
        self._db = db
        self._storage = storage
        self._prober = Prober(storage)
        self._quota = Quota(per_owner)
        self._urls = urls
        self._profiles = profiles

    async def take(
        self, work: Work, profile_id: str | None, file_name: str, chunks: AsyncIterator[bytes], *, announced: int = 0
    ) -> MediaItem:
        """Store a file as the response to a request, whose body was announced with this many bytes."""
        profile_id = await work.read(self.profile_for, work.caller, profile_id)
        received = await self._receive(work.caller, profile_id, file_name, chunks, announced)
        async with self._removed_if_refused(received[0]):
            return await work.write(self._complete, *received)

    async def take_in(
        self,
        caller: Caller,
        profile_id: str,
        file_name: str,
        chunks: AsyncIterator[bytes],
        *,
        announced: int = 0,
        counts: bool = True,
    ) -> MediaItem:
        """Store a file as part of something else. It `counts` as used unless somebody else sent it to the owner."""
        received = await self._receive(caller, profile_id, file_name, chunks, announced, counts=counts)
        async with self._removed_if_refused(received[0]):
            return await self._db.write(self._complete, *received, counts=counts)

    async def take_within(
        self, caller: Caller, profile_id: str | None, file_name: str, chunks: AsyncIterator[bytes], within: Within
    ) -> MediaItem:
        """Store a file in the transaction of something else: `within` gets its id, and runs what adds it. The owner
        did not upload it, so it does not count as that.
        """
        received = await self._receive(caller, profile_id, file_name, chunks, counts=False)
        async with self._removed_if_refused(received[0]):
            return await within(received[0].media_id, lambda tx: self._complete(tx, *received, counts=False))

    def require_storage(self) -> None:
        """Refuse what would store a file while the storage is known to be unavailable."""
        self._storage.require_ready()

    async def close(self) -> None:
        await self._prober.close()

    async def discard(self, caller: Caller, media_ids: Sequence[str]) -> None:
        """Release unused files: the next purge deletes them."""
        await self._db.write(store.keep, caller.owner_id, media_ids, self._db.clock.now())

    async def profile_for(self, tx: Tx, caller: Caller, profile_id: str | None) -> str | None:
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
            file_name=_printable(file_name),
            size=size,
            received=0,
            pieces=pieces,
            media_id=new_id("med"),
            created_at=tx.now,
            expires_at=tx.now + _kept(pieces),
            begun_by=None if pieces is None else caller.credential_id,
        )
        await store.insert_upload(tx, upload)
        return upload

    async def recent(self, tx: Tx, caller: Caller, query: MediaQuery) -> Page[MediaItem]:
        if query.profile_id is not None:
            await self._profiles.require(tx, caller, query.profile_id)
        return page_of(await store.page(tx, caller.owner_id, caller, query), query, self.show)

    async def delete(self, tx: Tx, caller: Caller, media_id: str) -> Deleted:
        row = await store.find_for_change(tx, caller.owner_id, media_id)
        if row is None or (row.profile_id is None and caller.profiles is not None):
            raise NotFound("There is no file with this id. GET /media lists the existing ones.")
        if row.profile_id is not None:
            caller.require_profile(row.profile_id)
        if row.expires_at is None:
            raise MediaInUse("A post or a message uses this file. Delete or cancel that first.")
        await self._delete(tx, row)
        return Deleted(id=media_id)

    async def delete_unused(self, tx: Tx, owner_id: str, media_ids: Sequence[str]) -> None:
        """Delete files that were stored for something that is gone, except those that something else uses."""
        for media_id in media_ids:
            row = await store.find_for_change(tx, owner_id, media_id)
            if row is not None and row.expires_at is not None:
                await self._delete(tx, row)

    async def _delete(self, tx: Tx, row: MediaRow) -> None:
        await store.keep(tx, row.owner_id, [row.id], tx.now - _INSTANT)
        await store.forget(tx, row)

    async def incoming(self, tx: Tx, caller: Caller) -> list[Incoming]:
        """List the uploads in progress, in one request and in chunks."""
        caller.require_all_profiles("list the files of the whole owner")
        shown = [_incoming(row, tx.now) for row in await store.incoming(tx, caller.owner_id, _MOST_INCOMING)]
        return [one for one in shown if one.resumable or one.news_at + _GONE_AFTER > tx.now]

    async def look(self, owner_id: str, media_id: str, taken: Taken) -> Probed:
        try:
            return await self._prober.probe(owner_id, store.key_of(owner_id, media_id), taken)
        except Unreadable as error:
            raise UnreadableMedia(str(error)) from None

    async def add(self, tx: Tx, upload: UploadRow, taken: Taken, probed: Probed, *, counts: bool = True) -> MediaItem:
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
        return self.show(row)

    async def signed(self, media_id: str, until: int, signature: str) -> MediaRow:
        """Find a file by its signed URL. An invalid URL cannot be distinguished from that of a deleted file."""
        row = None
        if self._urls.opens(media_id, until, signature, self._db.clock.now()):
            row = await self._db.read(store.find_signed, media_id)
        if row is None:
            raise NotFound("There is no such file, or its URL has expired. POST /upload returns the URL of a file.")
        return row

    def read(self, row: MediaRow, start: int, length: int) -> AsyncIterator[bytes]:
        return self._storage.read(store.key_of(row.owner_id, row.id), start, length)

    def of(self, owner_id: str) -> Files:
        return Files(self._storage, owner_id)

    def address(self, row: MediaRow) -> str:
        """Where platforms download the file. They may do so days later."""
        return self._urls.url(row.id, self._db.clock.now() + _FETCHABLE_FOR)

    async def file(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find a file for something else, such as a message."""
        row = await store.find(tx, caller.owner_id, media_id)
        covered = () if row is None or row.profile_id is None else (row.profile_id,)
        if row is None or not caller.covers(*covered):
            raise Invalid.at(pointer, "not_found", "There is no file with this id. Upload one with POST /upload.")
        caller.record_access(*covered)
        return file_of(row, self)

    async def picture(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find an image for something else, such as a comment."""
        found = await self.file(tx, caller, media_id, pointer)
        if found.type != "image":
            raise Invalid.at(pointer, "media_type", f"This must be an image, but the file has the type {found.type}.")
        return found

    def show(self, row: MediaRow) -> MediaItem:
        return MediaItem(
            id=row.id,
            profile_id=row.profile_id,
            type=row.type,
            mime_type=row.mime_type,
            file_name=row.file_name,
            size=row.size,
            width=row.width,
            height=row.height,
            duration=row.duration,
            codec=row.codec,
            sha256=row.sha256,
            url=self._urls.url(row.id, row.expires_at or self._db.clock.now() + _FETCHABLE_FOR),
            expires_at=row.expires_at,
            created_at=row.created_at,
        )

    async def purge(self) -> int:
        """Delete what has expired, and what crashed processes have left of uploads."""
        for file in await self._db.read(store.expired, _BATCH):
            await self._db.write(store.forget, file)
        expired = await self._db.read(store.expired_uploads, _BATCH)
        for row in expired:
            await self.forget_upload(row)
        return len(expired)

    async def forget_upload(self, row: UploadRow) -> None:
        """Delete an upload with all its data, but not the file that it has become."""
        if row.pieces is not None:
            # Including those written by a process that died before it could list them in the row.
            await self._storage.delete_under(store.pieces_of(row.owner_id, row.id))
        if await self._db.read(store.find, row.owner_id, row.media_id) is None:
            await self._storage.delete([store.key_of(row.owner_id, row.media_id)])
        await self._db.write(store.forget_upload, row.owner_id, row.id)

    async def _receive(
        self,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        chunks: AsyncIterator[bytes],
        announced: int = 0,
        *,
        counts: bool = True,
    ) -> tuple[UploadRow, Taken, Probed]:
        """Store the bytes. The row of the upload comes first: it is used to find leftovers if this process dies."""
        upload = await self._db.write(
            self.begin, caller, profile_id, file_name, size=announced, pieces=None, counts=counts
        )
        key = store.key_of(upload.owner_id, upload.media_id)
        passing = Passing(self._quota.held(self._db, upload, chunks), file_name)
        try:
            async with self._told(upload, passing):
                await self._storage.write(key, aiter(passing))
                taken = passing.taken()
                return upload, taken, await self.look(upload.owner_id, upload.media_id, taken)
        except (Exception, asyncio.CancelledError):
            # What cannot be deleted now is found later through its row.
            with suppress(ServiceError):
                await asyncio.shield(self.forget_upload(upload))
            raise

    @asynccontextmanager
    async def _removed_if_refused(self, upload: UploadRow) -> AsyncIterator[None]:
        """Delete a file that turned out too large. After other failures it may well have been added."""
        try:
            yield
        except (StorageQuotaReached, PlanLimitReached):
            with suppress(ServiceError):
                await self.forget_upload(upload)
            raise

    @asynccontextmanager
    async def _told(self, upload: UploadRow, passing: Passing) -> AsyncIterator[None]:
        """Keep the row of an upload up to date, in parallel: problems here do not block the upload."""
        telling = asyncio.create_task(self._tell(upload, passing))
        try:
            yield
        finally:
            telling.cancel()

    async def _tell(self, upload: UploadRow, passing: Passing) -> None:
        recorded, recorded_at = 0, self._db.clock.now()
        while True:
            await asyncio.sleep(_TOLD_EVERY_SECONDS)
            now = self._db.clock.now()
            # Without an update for this long the row would expire, and with it the file, while it waits for inspection.
            if passing.size > recorded or now - recorded_at > _WHOLE_FOR / 2:
                try:
                    await self._db.write(self._count, upload, passing.size)
                    recorded, recorded_at = passing.size, now
                except StorageQuotaReached as refusal:
                    passing.refused = refusal
                except ServiceError:
                    # The next update may work, and the end of the upload writes it in any case.
                    continue

    async def _count(self, tx: Tx, upload: UploadRow, received: int) -> None:
        await store.count_received(tx, upload, received, tx.now + _WHOLE_FOR)
        if received > upload.size:
            await self._quota.require(tx, upload.owner_id, 0)

    async def _complete(
        self, tx: Tx, upload: UploadRow, taken: Taken, probed: Probed, *, counts: bool = True
    ) -> MediaItem:
        if taken.size > upload.size:
            await self._quota.require(tx, upload.owner_id, taken.size, exclude=upload.id)
        item = await self.add(tx, upload, taken, probed, counts=counts)
        if not await store.end_upload(tx, upload.owner_id, upload.id):
            raise Unavailable("The service lost track of the upload, so nothing was stored. Send the request again.")
        return item


def _kept(pieces: object) -> timedelta:
    return _WHOLE_FOR if pieces is None else INCOMING_FOR


def _incoming(row: UploadRow, now: datetime) -> Incoming:
    # Received data extends the lifetime of the row.
    news_at = row.expires_at - _kept(row.pieces)
    return Incoming(
        id=row.id,
        file_name=row.file_name,
        size=row.size,
        received=row.received,
        resumable=row.pieces is not None and row.received < row.size,
        moving=news_at + _MOVING_WITHIN > now,
        news_at=news_at,
        expires_at=row.expires_at,
    )


def _printable(name: str) -> str:
    """A name appears in responses and headers: unprintable characters are removed."""
    return "".join(character for character in name if character.isprintable())[:255] or "file"
