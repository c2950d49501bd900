"""What a target publishes: the post with its overrides, and its files as a platform can download them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.areas.media import store as media
from socialgate.areas.media.files import MediaUrlBuilder, build_media_file
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.renditions.store import find_renditions
from socialgate.areas.media.store import MediaRow
from socialgate.areas.posts.schemas import MediaRef, NewTarget
from socialgate.areas.posts.tables import PostRow, TargetRow
from socialgate.contracts.publishing import MediaFile, PostContent
from socialgate.core.db import Tx


class FilesNotReadyError(Exception):
    """Files of the post are still being made to fit."""


class MediaDeletedError(Exception):
    """A file of the post no longer exists."""


def extract_media_ids(items: Sequence[Mapping[str, Any]]) -> list[str]:
    named = [item.get(name) for item in items for name in ("mediaId", "thumbnailMediaId")]
    return [media_id for media_id in named if media_id]


def list_media_ids(rows: Sequence[PostRow | TargetRow]) -> list[str]:
    """List the files of posts, or of their targets."""
    return extract_media_ids([item for row in rows for item in row.media or ()])


def decode_preparations(target: TargetRow) -> list[Preparation]:
    return msgspec.convert(target.preparations or [], list[Preparation])


async def load_content(tx: Tx, post: PostRow, target: TargetRow, addresses: MediaUrlBuilder) -> PostContent:
    """Load what a target publishes: its files as they were made to fit. FilesNotReadyError if some are not yet."""
    items = post.media if target.media is None else target.media
    files = await media.find_all_media(tx, post.owner_id, extract_media_ids(items))
    shown = [_build_file(item, files, addresses) for item in items]
    preparations = decode_preparations(target)
    ready = await find_renditions(tx, post.owner_id, [each.key for each in preparations]) if preparations else {}
    for preparation in preparations:
        if preparation.key not in ready:
            raise FilesNotReadyError
        result = build_media_file(ready[preparation.key], addresses)
        before = shown[preparation.position]
        if preparation.role == "cover":
            shown[preparation.position] = msgspec.structs.replace(before, thumbnail=result)
        else:
            after = msgspec.structs.replace(result, alt=before.alt, thumbnail=before.thumbnail)
            shown[preparation.position] = after
    return PostContent(
        text=post.content if target.content is None else target.content,
        media=tuple(shown),
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


def encode_refs(refs: Sequence[MediaRef]) -> list[dict[str, Any]]:
    """Return the files of a request as they are stored."""
    return [
        {
            "mediaId": ref.media_id,
            "alt": ref.alt,
            "thumbnailMediaId": ref.thumbnail_media_id,
            **({} if ref.trim is None else {"trim": msgspec.to_builtins(ref.trim)}),
            **({} if ref.cover_at is None else {"coverAt": ref.cover_at}),
        }
        for ref in refs
    ]


def list_requested_media_ids(refs: Sequence[MediaRef], targets: Sequence[NewTarget]) -> list[str]:
    return extract_media_ids(
        [*encode_refs(refs), *(item for target in targets for item in encode_refs(target.media or ()))]
    )
