"""Deleting files that nothing uses, and what crashed processes have left of uploads."""

from socialgate.areas.media import store
from socialgate.areas.media.upload_records import UploadRecords
from socialgate.core.db import Database

_BATCH_SIZE = 100


class MediaPurge:
    def __init__(self, db: Database, records: UploadRecords) -> None:
        self._db = db
        self._records = records

    async def purge(self) -> int:
        """Delete what has expired, and what crashed processes have left of uploads."""
        for file in await self._db.read(store.list_expired_media, _BATCH_SIZE):
            await self._db.write(store.delete_expired_media, file)
        expired = await self._db.read(store.list_expired_uploads, _BATCH_SIZE)
        for row in expired:
            await self._records.delete_upload(row)
        return len(expired)
