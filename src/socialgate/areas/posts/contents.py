"""What a target publishes: the post with its overrides, and its files as a platform can download them."""

from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.areas.media import store as media
from socialgate.areas.media.files import MediaUrlBuilder, build_media_file
from socialgate.areas.media.store import MediaRow
from socialgate.areas.posts.tables import PostRow, TargetRow
from socialgate.contracts.publishing import MediaFile, PostContent
from socialgate.core.db import Tx


class MediaDeletedError(Exception):
    """A file of the post no longer exists."""


def media_ids(items: Sequence[Mapping[str, Any]]) -> list[str]:
    named = [item.get(name) for item in items for name in ("mediaId", "thumbnailMediaId")]
    return [media_id for media_id in named if media_id]


def list_media_ids(rows: Sequence[PostRow | TargetRow]) -> list[str]:
    """List the files of posts, or of their targets."""
    return media_ids([item for row in rows for item in row.media or ()])


async def load_content(tx: Tx, post: PostRow, target: TargetRow, addresses: MediaUrlBuilder) -> PostContent:
    items = post.media if target.media is None else target.media
    files = await media.find_all(tx, post.owner_id, media_ids(items))
    return PostContent(
        text=post.content if target.content is None else target.content,
        media=tuple(_build_file(item, files, addresses) for item in items),
        options=target.options,
        first_comment=post.first_comment,
    )


def _build_file(item: Mapping[str, Any], files: Mapping[str, MediaRow], addresses: MediaUrlBuilder) -> MediaFile:
    thumbnail_id = item.get("thumbnailMediaId")
    thumbnail = None if thumbnail_id is None else _build_file({"mediaId": thumbnail_id}, files, addresses)
    row = files.get(item["mediaId"])
    if row is None:
        raise MediaDeletedError(f"The file {item['mediaId']} was deleted. Upload it again and update the post.")
    return build_media_file(row, addresses, alt=item.get("alt"), thumbnail=thumbnail)
