"""How much an owner may keep here, so that the files of one do not fill the disk of all."""

from collections.abc import AsyncIterator

from socialgate.areas.media import store
from socialgate.areas.media.store import UploadRow
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, RateLimited

# Open at once for one key. Whoever sends files one after the other has one.
MOST_OPEN_UPLOADS = 20
_GIB = 1024**3
_RETRY_AFTER_SECONDS = 60


class StorageQuotaReached(Conflict):
    """The owner's files take as much space as the operator allows. Nothing was stored.

    Files that nothing uses are removed after seven days, uploads that are not continued after one. To make room now,
    delete drafts and scheduled posts that hold files, and cancel open uploads with `DELETE /uploads/{uploadId}`; or
    ask the operator to raise `SOCIALGATE_STORAGE_PER_OWNER_GIB`.
    """

    code = "storage_quota_reached"
    title = "The storage of this owner is full"


class TooManyUploads(RateLimited):
    """The key has too many uploads in pieces that are not complete.

    Complete one of them, or cancel it with `DELETE /uploads/{uploadId}`. One that is not continued expires after a day.
    """

    code = "too_many_uploads"
    title = "Too many uploads are open"


class Quota:
    def __init__(self, per_owner: int) -> None:
        self._per_owner = per_owner

    async def require(self, tx: Tx, owner_id: str, more: int, *, exclude: str | None = None) -> None:
        """Refuse what would make the owner's files, and those on their way in, too large together.

        `exclude` is an upload that is counted in `more` already.
        """
        if not self._per_owner:
            return
        # Uploads that begin at the same moment must see each other.
        await tx.lock(f"storage:{owner_id}")
        if more > await self._room(tx, owner_id, exclude):
            raise self._reached()

    async def held(self, db: Database, upload: UploadRow, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Cut off what comes without a length where it grows beyond the room that there was when it began."""
        counts = self._per_owner and not upload.size
        room = await db.read(self._room, upload.owner_id, upload.id) if counts else None
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if room is not None and size > room:
                raise self._reached()
            yield chunk

    async def _room(self, tx: Tx, owner_id: str, exclude: str | None) -> int:
        return self._per_owner - await store.used(tx, owner_id, exclude)

    def _reached(self) -> StorageQuotaReached:
        return StorageQuotaReached(
            f"With this file, the owner's files and open uploads would take more than {self._per_owner / _GIB:g} GiB. "
            "Delete drafts that hold files, cancel open uploads, or ask the operator to raise "
            "SOCIALGATE_STORAGE_PER_OWNER_GIB."
        )


async def require_room_for_upload(tx: Tx, owner_id: str, key_id: str) -> None:
    await tx.lock(f"uploads:{owner_id}")
    if await store.count_open(tx, owner_id, key_id) >= MOST_OPEN_UPLOADS:
        raise TooManyUploads(
            f"This key has {MOST_OPEN_UPLOADS} uploads open. Complete one, or cancel it with DELETE /uploads/{{id}}.",
            retry_after=_RETRY_AFTER_SECONDS,
        )
