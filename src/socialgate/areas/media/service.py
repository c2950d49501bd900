"""Stored files: listing, finding and deleting them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta

from socialgate.areas.media import store
from socialgate.areas.media.file_reader import OwnerFileReader
from socialgate.areas.media.files import build_media_file
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.renditions.store import list_renditions
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.store import MediaRow
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.publishing import MediaFile
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound
from socialgate.core.storage import Storage
from socialgate.web.pagination import build_page_from_rows
from socialgate.web.schemas import DeletionConfirmation, Page

UNUSED_MEDIA_RETENTION = timedelta(days=7)
_MICROSECOND = timedelta(microseconds=1)


class MediaInUseError(Conflict):
    """A post or a message uses the file. Delete or cancel that first, then delete the file."""

    code = "media_in_use"
    title = "The file is in use"


class MediaService:
    def __init__(self, db: Database, storage: Storage, links: MediaLinks, profiles: ProfileDirectory) -> None:
        self._db = db
        self._storage = storage
        self._links = links
        self._profiles = profiles

    async def list_media(self, tx: Tx, caller: Caller, query: MediaQuery) -> Page[MediaItem]:
        if query.profile_id is not None:
            await self._profiles.require_access(tx, caller, query.profile_id)
        rows = await store.list_media_page(tx, caller.owner_id, caller, query)
        of_rows = await list_renditions(tx, caller.owner_id, [row.sha256 for row in rows])
        return build_page_from_rows(rows, query, lambda row: self._links.build_media_view(row, of_rows[row.sha256]))

    async def list_by_ids(self, tx: Tx, caller: Caller, media_ids: Sequence[str]) -> Mapping[str, MediaItem]:
        """Return files by their ids. Those that no longer exist, or that the caller may not see, are left out."""
        rows = await store.find_all_media(tx, caller.owner_id, media_ids) if media_ids else {}
        return {
            media_id: self._links.build_media_view(row)
            for media_id, row in rows.items()
            if row.profile_id is None or caller.can_access_profiles(row.profile_id)
        }

    async def delete(self, tx: Tx, caller: Caller, media_id: str) -> DeletionConfirmation:
        row = await store.find_media_for_change(tx, caller.owner_id, media_id)
        if row is None or (row.profile_id is None and caller.allowed_profile_ids is not None):
            raise NotFound("There is no file with this id. GET /media lists the existing ones.")
        if row.profile_id is not None:
            caller.require_profile_access(row.profile_id)
        if row.expires_at is None:
            raise MediaInUseError("A post or a message uses this file. Delete or cancel that first.")
        await self._delete(tx, row)
        return DeletionConfirmation(id=media_id)

    async def delete_unused(self, tx: Tx, owner_id: str, media_ids: Sequence[str]) -> None:
        """Delete files that were stored for something that is gone, except those that something else uses."""
        for media_id in media_ids:
            row = await store.find_media_for_change(tx, owner_id, media_id)
            if row is not None and row.expires_at is not None:
                await self._delete(tx, row)

    async def _delete(self, tx: Tx, row: MediaRow) -> None:
        await store.set_expiry(tx, row.owner_id, [row.id], tx.now - _MICROSECOND)
        await store.delete_expired_media(tx, row)

    async def discard(self, caller: Caller, media_ids: Sequence[str]) -> None:
        """Release unused files: the next purge deletes them."""
        await self._db.write(store.set_expiry, caller.owner_id, media_ids, self._db.clock.now())

    def read(self, row: MediaRow, start: int, length: int) -> AsyncIterator[bytes]:
        return self._storage.read(store.build_media_key(row.owner_id, row.id), start, length)

    def get_reader(self, owner_id: str) -> OwnerFileReader:
        return OwnerFileReader(self._storage, owner_id)

    async def require_file(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find a file for something else, such as a message."""
        row = await store.find_media(tx, caller.owner_id, media_id)
        covered = () if row is None or row.profile_id is None else (row.profile_id,)
        if row is None or not caller.can_access_profiles(*covered):
            raise InvalidRequest.for_field(
                pointer, "not_found", "There is no file with this id. Upload one with POST /upload."
            )
        caller.record_access(*covered)
        return build_media_file(row, self._links)

    async def require_image(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find an image for something else, such as a comment."""
        media_file = await self.require_file(tx, caller, media_id, pointer)
        if media_file.type != "image":
            raise InvalidRequest.for_field(
                pointer, "media_type", f"This must be an image, but the file has the type {media_file.type}."
            )
        return media_file
