"""How much an owner may store, so that one owner's files do not fill everybody's disk."""

from collections.abc import AsyncIterator

from socialgate.areas.media import store
from socialgate.areas.media.store import UploadRow
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict
from socialgate.web.upload_limiter import TooManyUploads

# Unfinished uploads of one key. A client that sends files one after the other has one.
MAX_OPEN_UPLOADS = 20
_GIB = 1024**3
_RETRY_AFTER_SECONDS = 60


class StorageQuotaReachedError(Conflict):
    """The owner's files use all the storage that the operator allows. Nothing was stored.

    Unused files are deleted after seven days, interrupted uploads after one. To free storage now, delete drafts and
    scheduled posts with files, and cancel unfinished uploads with `DELETE /uploads/{uploadId}`; or ask the operator to
    raise `SOCIALGATE_STORAGE_PER_OWNER_GIB`.
    """

    code = "storage_quota_reached"
    title = "The owner's storage quota is used up"


class StorageQuota:
    def __init__(self, per_owner: int, *, counts_renditions: bool = True) -> None:
        self._per_owner = per_owner
        self._counts_renditions = counts_renditions

    async def require_free_storage(
        self, tx: Tx, owner_id: str, additional_bytes: int, *, exclude: str | None = None
    ) -> None:
        """Reject a file that would make the owner's files and uploads in progress exceed the quota.

        `exclude` is an upload that is already counted in `additional_bytes`.
        """
        if not self._per_owner:
            return
        # Uploads that start at the same moment must see each other.
        await tx.lock(f"storage:{owner_id}")
        if additional_bytes > await self._read_free_bytes(tx, owner_id, exclude):
            raise self._build_error()

    async def limit_stream(self, db: Database, upload: UploadRow, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Abort an upload of unknown length when it exceeds the storage that was left when it started."""
        counts = self._per_owner and not upload.size
        room = await db.read(self._read_free_bytes, upload.owner_id, upload.id) if counts else None
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if room is not None and size > room:
                raise self._build_error()
            yield chunk

    async def _read_free_bytes(self, tx: Tx, owner_id: str, exclude: str | None) -> int:
        return self._per_owner - await store.sum_used_bytes(
            tx, owner_id, exclude, counts_renditions=self._counts_renditions
        )

    def _build_error(self) -> StorageQuotaReachedError:
        return StorageQuotaReachedError(
            f"With this file, the owner's files and unfinished uploads would use more than {self._per_owner / _GIB:g} "
            "GiB. Delete drafts with files, cancel unfinished uploads, or ask the operator to raise "
            "SOCIALGATE_STORAGE_PER_OWNER_GIB."
        )


async def require_upload_allowed(tx: Tx, owner_id: str, key_id: str) -> None:
    await tx.lock(f"uploads:{owner_id}")
    if await store.count_open_uploads(tx, owner_id, key_id) >= MAX_OPEN_UPLOADS:
        raise TooManyUploads(
            f"This key has {MAX_OPEN_UPLOADS} unfinished uploads. Complete one, or cancel it with DELETE "
            "/uploads/{id}.",
            retry_after=_RETRY_AFTER_SECONDS,
        )
