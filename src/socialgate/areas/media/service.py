"""Stored files: listing, finding and deleting them."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

from socialgate.areas.media import store
from socialgate.areas.media.files import file_of
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.reading import Files
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.store import MediaRow
from socialgate.contracts.profiles import ProfileBook
from socialgate.contracts.publishing import MediaFile
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Invalid, NotFound
from socialgate.core.storage import Storage
from socialgate.web.paging import page_of
from socialgate.web.schema import Deleted, Page

UNUSED_FOR = timedelta(days=7)
_INSTANT = timedelta(microseconds=1)


class MediaInUse(Conflict):
    """A post or a message uses the file. Delete or cancel that first, then delete the file."""

    code = "media_in_use"
    title = "The file is in use"


class Library:
    def __init__(self, db: Database, storage: Storage, links: MediaLinks, profiles: ProfileBook) -> None:
        self._db = db
        self._storage = storage
        self._links = links
        self._profiles = profiles

    async def recent(self, tx: Tx, caller: Caller, query: MediaQuery) -> Page[MediaItem]:
        if query.profile_id is not None:
            await self._profiles.require(tx, caller, query.profile_id)
        return page_of(await store.page(tx, caller.owner_id, caller, query), query, self._links.show)

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

    async def discard(self, caller: Caller, media_ids: Sequence[str]) -> None:
        """Release unused files: the next purge deletes them."""
        await self._db.write(store.keep, caller.owner_id, media_ids, self._db.clock.now())

    def read(self, row: MediaRow, start: int, length: int) -> AsyncIterator[bytes]:
        return self._storage.read(store.key_of(row.owner_id, row.id), start, length)

    def of(self, owner_id: str) -> Files:
        return Files(self._storage, owner_id)

    async def file(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find a file for something else, such as a message."""
        row = await store.find(tx, caller.owner_id, media_id)
        covered = () if row is None or row.profile_id is None else (row.profile_id,)
        if row is None or not caller.covers(*covered):
            raise Invalid.at(pointer, "not_found", "There is no file with this id. Upload one with POST /upload.")
        caller.record_access(*covered)
        return file_of(row, self._links)

    async def picture(self, tx: Tx, caller: Caller, media_id: str, pointer: str) -> MediaFile:
        """Find an image for something else, such as a comment."""
        found = await self.file(tx, caller, media_id, pointer)
        if found.type != "image":
            raise Invalid.at(pointer, "media_type", f"This must be an image, but the file has the type {found.type}.")
        return found
