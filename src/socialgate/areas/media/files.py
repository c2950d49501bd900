"""A stored file as connectors see it."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

import msgspec

from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.store import MediaRow
from socialgate.contracts.publishing import MediaDetails, MediaFile
from socialgate.core.db import Tx

# Gets the id of a new file, and runs what adds it in a transaction of its own choice.
RunInTransaction: TypeAlias = Callable[[str, Callable[[Tx], Awaitable[MediaItem]]], Awaitable[MediaItem]]


class MediaUrlBuilder(Protocol):
    """Returns the URL at which platforms fetch a file."""

    def build_url(self, row: MediaRow) -> str: ...


def build_media_file(
    row: MediaRow, addresses: MediaUrlBuilder, *, alt: str | None = None, thumbnail: MediaFile | None = None
) -> MediaFile:
    return MediaFile(
        id=row.id,
        type=row.type,
        mime_type=row.mime_type,
        size=row.size,
        sha256=row.sha256,
        url=addresses.build_url(row),
        file_name=row.file_name,
        width=row.width,
        height=row.height,
        duration=row.duration,
        alt=alt,
        thumbnail=thumbnail,
        details=None if row.details is None else msgspec.convert(row.details, MediaDetails),
    )
