"""Files that were made of others, as responses show them."""

import msgspec

from socialgate.areas.media.schemas import Rendition
from socialgate.areas.media.store import MediaRow
from socialgate.contracts.renditions import Change


def build_rendition(row: MediaRow, url: str | None = None) -> Rendition:
    assert row.rendition is not None, "the key comes with it"
    return Rendition(
        id=row.id,
        target_kind=row.rendition["kind"],
        type=row.type,
        mime_type=row.mime_type,
        width=row.width,
        height=row.height,
        size=row.size,
        duration=row.duration,
        url=url,
        why=msgspec.convert(row.rendition["changes"], list[Change]),
    )
