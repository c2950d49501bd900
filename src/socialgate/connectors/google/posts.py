"""Listing and deleting what is on a channel or a location."""

import re
from collections.abc import Sequence
from functools import partial

from socialgate.connectors.forms import given
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Items, LocalPost, Page, Resource
from socialgate.connectors.google.wire import YOUTUBE, GoogleApi, checked_id, location_url
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import HistoryEntry, HistoryPage

_LENGTH = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_UNITS = (86_400, 3_600, 60, 1)
_LOCAL_POST = re.compile(r"[A-Za-z0-9_-]+")
_PARTS = "snippet,status,statistics,contentDetails"
MOST_VIDEOS = 50
MOST_LOCAL_POSTS = 100


class YouTubePosts:
    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._open = partial(api.for_account, Product.YOUTUBE)

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        videos, further = await self.uploaded(held, limit, cursor)
        return HistoryPage(items=[_video(video) for video in videos], cursor=further)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        await self._open(held).delete(f"{YOUTUBE}/videos", id=platform_post_id)

    async def videos(self, held: AccountCredentials, ids: Sequence[str]) -> Sequence[Resource]:
        query = {"part": _PARTS, "id": ",".join(ids), "maxResults": MOST_VIDEOS}
        return (await self._open(held).get(f"{YOUTUBE}/videos", Items[Resource], **query)).items

    async def uploaded(
        self, held: AccountCredentials, limit: int, page: str | None = None
    ) -> tuple[list[Resource], str | None]:
        """List a page of the channel's uploads, newest first."""
        query = {"part": "contentDetails", "maxResults": min(limit, MOST_VIDEOS), "pageToken": page}
        playlist = await self._playlist(held)
        listed = await self._open(held).get(f"{YOUTUBE}/playlistItems", Items[Resource], playlistId=playlist, **query)
        ids = [item.content_details.video_id for item in listed.items]
        found = {video.id: video for video in (await self.videos(held, ids) if ids else ())}
        return [found[video_id] for video_id in ids if video_id in found], listed.next_page_token

    async def _playlist(self, held: AccountCredentials) -> str:
        """Return the playlist of all uploads of the channel."""
        known: str | None = held.details.get("uploadsPlaylistId")
        if not known:
            channel = await self._api.channel(held.grant.access_token, "id,contentDetails", held.platform_account_id)
            known = channel.content_details.related_playlists.uploads if channel else None
        if not known:
            raise PlatformNotFound("YouTube does not show the channel's uploads.", platform=Platform.GOOGLE)
        return known


class LocalPosts:
    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.for_account, Product.BUSINESS)

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        found = await self.page(held, limit, cursor)
        return HistoryPage(items=[_local_post(post) for post in found.local_posts], cursor=found.next_page_token)

    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        await self._open(held).delete(_address(held, platform_post_id))

    async def page(self, held: AccountCredentials, limit: int = MOST_LOCAL_POSTS, cursor: str | None = None) -> Page:
        query = {"pageSize": min(limit, MOST_LOCAL_POSTS), "pageToken": cursor}
        return await self._open(held).get(f"{location_url(held)}/localPosts", Page, **query)

    async def read(self, held: AccountCredentials, post_id: str) -> LocalPost:
        return await self._open(held).get(_address(held, post_id), LocalPost)

    async def create(self, held: AccountCredentials, body: dict[str, object]) -> LocalPost:
        url = f"{location_url(held)}/localPosts"
        return await self._open(held).call("POST", url, LocalPost, repeatable=False, json=body)


def _address(held: AccountCredentials, post_id: str) -> str:
    """Return the path of a post by its id or its full name. Nothing in it may lead to another location."""
    own = post_id.removeprefix(f"{held.details['name']}/localPosts/")
    return f"{location_url(held)}/localPosts/{checked_id(own, _LOCAL_POST)}"


def seconds(length: str | None) -> int | None:
    """Read a duration such as `PT1H2M3S`."""
    found = _LENGTH.fullmatch(length or "")
    return sum(int(part or 0) * unit for part, unit in zip(found.groups(), _UNITS, strict=True)) if found else None


def _video(video: Resource) -> HistoryEntry:
    said, numbers = video.snippet, video.statistics
    media = {"type": "video", "thumbnailUrl": said.picture, "duration": seconds(video.content_details.duration)}
    counts = {"views": numbers.view_count, "likes": numbers.like_count, "comments": numbers.comment_count}
    return HistoryEntry(
        id=video.id,
        type="video",
        text="\n\n".join(filter(None, (said.title, said.description))),
        url=video_url(video.id),
        created_at=said.published_at,
        media=(given(media),),
        counts=given(counts),
    )


def video_url(video_id: str) -> str:
    return f"https://www.youtube.com/watch?v={video_id}"


def _local_post(post: LocalPost) -> HistoryEntry:
    files = [
        ("video" if file.media_format == "VIDEO" else "image", file.google_url or file.source_url or file.thumbnail_url)
        for file in post.media
    ]
    return HistoryEntry(
        id=post.id,
        type=post.topic_type.lower(),
        text=post.summary,
        url=post.search_url,
        created_at=post.create_time,
        media=tuple(given({"type": form, "url": url or None}) for form, url in files),
    )
