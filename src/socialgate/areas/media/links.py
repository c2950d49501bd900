"""The URLs of files: those that responses show, and those at which platforms download."""

from collections.abc import Sequence
from datetime import timedelta

from socialgate.areas.media import store
from socialgate.areas.media.renditions.views import build_rendition
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.signing import MediaUrlSigner
from socialgate.areas.media.store import MediaRow
from socialgate.core.db import Database
from socialgate.core.errors import NotFound

# Platforms download when they like, some of them days later.
_SIGNED_URL_TTL = timedelta(days=30)


class MediaLinks:
    def __init__(self, db: Database, urls: MediaUrlSigner) -> None:
        self._db = db
        self._urls = urls

    def build_url(self, row: MediaRow) -> str:
        """Return where platforms download the file. They may do so days later."""
        return self._urls.build_url(row.id, self._db.clock.now() + _SIGNED_URL_TTL)

    def build_media_view(self, row: MediaRow, renditions: Sequence[MediaRow] = ()) -> MediaItem:
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
            url=self._build_url_while_kept(row),
            expires_at=row.expires_at,
            renditions=[build_rendition(each, self._build_url_while_kept(each)) for each in renditions],
            created_at=row.created_at,
        )

    def _build_url_while_kept(self, row: MediaRow) -> str:
        return self._urls.build_url(row.id, row.expires_at or self._db.clock.now() + _SIGNED_URL_TTL)

    async def find_by_signed_url(self, media_id: str, until: int, signature: str) -> MediaRow:
        """Find a file by its signed URL. An invalid URL cannot be distinguished from that of a deleted file."""
        row = None
        if self._urls.is_valid(media_id, until, signature, self._db.clock.now()):
            row = await self._db.read(store.find_media_of_any_owner, media_id)
        if row is None:
            raise NotFound("There is no such file, or its URL has expired. POST /upload returns the URL of a file.")
        return row
