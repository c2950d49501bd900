"""What is on a channel or a location, and taking it away."""

import re

from socialgate.connectors.google.posting_shapes import LocalMedia, LocalPost, Video
from socialgate.connectors.google.posting_wire import PostingApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.publishing import HistoryItem, HistoryPage

_LENGTH = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_UNITS = (86_400, 3_600, 60, 1)


class YouTubePosts:
    def __init__(self, posting: PostingApi) -> None:
        self._posting = posting

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        videos, further = await self._posting.uploads(held, limit, cursor)
        return HistoryPage(items=[_video(video) for video in videos], cursor=further)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        await self._posting.delete_video(held, platform_post_id)


class LocalPosts:
    def __init__(self, posting: PostingApi) -> None:
        self._posting = posting

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        found = await self._posting.local_posts(held, limit, cursor)
        return HistoryPage(items=[_local_post(post) for post in found.local_posts], cursor=found.next_page_token)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        await self._posting.delete_local_post(held, platform_post_id)


def seconds(length: str | None) -> int | None:
    """Read a length such as `PT1H2M3S`."""
    found = _LENGTH.fullmatch(length or "")
    return sum(int(part or 0) * unit for part, unit in zip(found.groups(), _UNITS, strict=True)) if found else None


def _video(video: Video) -> HistoryItem:
    media = {
        "type": "video",
        "thumbnailUrl": video.snippet.thumbnails.best(),
        "duration": seconds(video.content_details.duration),
    }
    numbers = video.statistics
    counts = {"views": numbers.view_count, "likes": numbers.like_count, "comments": numbers.comment_count}
    return HistoryItem(
        id=video.id,
        type="video",
        text="\n\n".join(filter(None, (video.snippet.title, video.snippet.description))),
        url=video.url,
        created_at=video.snippet.published_at,
        media=({name: value for name, value in media.items() if value is not None},),
        counts={name: count for name, count in counts.items() if count is not None},
    )


def _local_post(post: LocalPost) -> HistoryItem:
    return HistoryItem(
        id=post.id,
        type=post.topic_type.lower(),
        text=post.summary,
        url=post.search_url,
        created_at=post.create_time,
        media=tuple(_media(item) for item in post.media),
    )


def _media(item: LocalMedia) -> dict[str, str]:
    form = "video" if item.media_format == "VIDEO" else "image"
    url = item.google_url or item.source_url or item.thumbnail_url
    return {"type": form, "url": url} if url else {"type": form}
