"""Uploads in one request: the bytes go to the storage as they arrive, and become a file when all are there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from socialgate.areas.media import store
from socialgate.areas.media.files import RunInTransaction
from socialgate.areas.media.probe_result import ProbeResult
from socialgate.areas.media.quota import StorageQuota, StorageQuotaReachedError
from socialgate.areas.media.receiving import HashingStream, ReceivedFile
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.store import UploadRow
from socialgate.areas.media.upload_records import SINGLE_UPLOAD_TTL, UploadRecords
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import InvalidRequest, PlanLimitReached, ServiceError, Unavailable
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.service import JobCancelled
from socialgate.core.storage import Storage
from socialgate.core.unit_of_work import UnitOfWork

# How often the row of an upload in one request is updated. Most are complete before the first time.
_PROGRESS_INTERVAL_SECONDS = 1.0


class MediaUploads:
    def __init__(self, db: Database, storage: Storage, quota: StorageQuota, records: UploadRecords) -> None:
        self._db = db
        self._storage = storage
        self._quota = quota
        self._records = records

    async def receive_upload(
        self,
        work: UnitOfWork,
        profile_id: str | None,
        file_name: str,
        chunks: AsyncIterator[bytes],
        *,
        announced: int = 0,
    ) -> MediaItem:
        """Store a file as the response to a request, whose body was announced with this many bytes."""
        profile_id = await work.read(self._records.resolve_profile_id, work.caller, profile_id)
        received = await self._receive_file(work.caller, profile_id, file_name, chunks, announced)
        async with self._delete_if_rejected(received[0]):
            return await work.write(self._complete_upload, *received)

    async def store_file(
        self,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        chunks: AsyncIterator[bytes],
        *,
        announced: int = 0,
        counts: bool = True,
        media_id: str | None = None,
    ) -> MediaItem:
        """Store a file as part of something else. It `counts` as used unless somebody else sent it to the owner."""
        received = await self._receive_file(
            caller, profile_id, file_name, chunks, announced, counts=counts, media_id=media_id
        )
        async with self._delete_if_rejected(received[0]):
            return await self._db.write(self._complete_upload, *received, counts=counts)

    async def store_file_in_transaction(
        self,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        chunks: AsyncIterator[bytes],
        within: RunInTransaction,
        *,
        announced: int = 0,
        uses_quota: bool = True,
    ) -> MediaItem:
        """Store a file in the transaction of something else: `within` gets its id, and runs what adds it. The owner
        did not upload it, so it does not count as that. What does not use the quota has to announce its size.
        """
        received = await self._receive_file(
            caller, profile_id, file_name, chunks, announced, counts=False, uses_quota=uses_quota
        )
        async with self._delete_if_rejected(received[0]):
            return await within(received[0].media_id, lambda tx: self._complete_upload(tx, *received, counts=False))

    def require_storage(self) -> None:
        """Refuse what would store a file while the storage is known to be unavailable."""
        self._storage.require_ready()

    async def _receive_file(
        self,
        caller: Caller,
        profile_id: str | None,
        file_name: str,
        chunks: AsyncIterator[bytes],
        announced: int = 0,
        *,
        counts: bool = True,
        uses_quota: bool = True,
        media_id: str | None = None,
    ) -> tuple[UploadRow, ReceivedFile, ProbeResult]:
        """Store the bytes. The row of the upload comes first: it is used to find leftovers if this process dies."""
        upload = await self._db.write(
            self._records.begin_upload,
            caller,
            profile_id,
            file_name,
            size=announced,
            pieces=None,
            counts=counts,
            uses_quota=uses_quota,
            media_id=media_id,
        )
        key = store.build_media_key(upload.owner_id, upload.media_id)
        passing = HashingStream(self._quota.limit_stream(self._db, upload, chunks), file_name)
        try:
            async with self._track_progress(upload, passing):
                await self._storage.write(key, aiter(passing))
                taken = passing.finish()
                return upload, taken, await self._records.inspect_file(upload.owner_id, upload.media_id, taken)
        except (Exception, asyncio.CancelledError):
            # What cannot be deleted now is found later through its row.
            with suppress(ServiceError):
                await asyncio.shield(self._records.delete_upload(upload))
            raise

    @asynccontextmanager
    async def _delete_if_rejected(self, upload: UploadRow) -> AsyncIterator[None]:
        """Delete a file that turned out too large, or that nobody needs any more: what was to add it says so before it
        does. After other failures it may well have been added.
        """
        try:
            yield
        except (StorageQuotaReachedError, PlanLimitReached, InvalidRequest, JobCancelled, ClaimLost):
            with suppress(ServiceError):
                await self._records.delete_upload(upload)
            raise

    @asynccontextmanager
    async def _track_progress(self, upload: UploadRow, passing: HashingStream) -> AsyncIterator[None]:
        """Keep the row of an upload up to date, in parallel: problems here do not block the upload."""
        telling = asyncio.create_task(self._record_progress(upload, passing))
        try:
            yield
        finally:
            telling.cancel()

    async def _record_progress(self, upload: UploadRow, passing: HashingStream) -> None:
        recorded, recorded_at = 0, self._db.clock.now()
        while True:
            await asyncio.sleep(_PROGRESS_INTERVAL_SECONDS)
            now = self._db.clock.now()
            # Without an update for this long the row would expire, and with it the file, while it waits for inspection.
            if passing.size > recorded or now - recorded_at > SINGLE_UPLOAD_TTL / 2:
                try:
                    await self._db.write(self._record_received, upload, passing.size)
                    recorded, recorded_at = passing.size, now
                except StorageQuotaReachedError as refusal:
                    passing.error = refusal
                except ServiceError:
                    # The next update may work, and the end of the upload writes it in any case.
                    continue

    async def _record_received(self, tx: Tx, upload: UploadRow, received: int) -> None:
        await store.record_received_bytes(tx, upload, received, tx.now + SINGLE_UPLOAD_TTL)
        if received > upload.size:
            await self._quota.require_free_storage(tx, upload.owner_id, 0)

    async def _complete_upload(
        self, tx: Tx, upload: UploadRow, taken: ReceivedFile, probed: ProbeResult, *, counts: bool = True
    ) -> MediaItem:
        if taken.size > upload.size:
            await self._quota.require_free_storage(tx, upload.owner_id, taken.size, exclude=upload.id)
        item = await self._records.add_media(tx, upload, taken, probed, counts=counts)
        if not await store.complete_upload(tx, upload.owner_id, upload.id):
            raise Unavailable("The service lost track of the upload, so nothing was stored. Send the request again.")
        return item
