"""Listing and deleting what is on a channel or a location."""

import re
from collections.abc import Sequence
from functools import partial

from socialgate.connectors.google.api import YOUTUBE_API_URL, GoogleApi, build_location_url, require_valid_id
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.responses import BusinessPage, LocalPost, YouTubePage, YouTubeResource
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import HistoryEntry, HistoryPage

_DURATION_PATTERN = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_DURATION_UNIT_SECONDS = (86_400, 3_600, 60, 1)
_LOCAL_POST_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]+")
_VIDEO_PARTS = "snippet,status,statistics,contentDetails"
MAX_VIDEOS_PER_PAGE = 50
MAX_LOCAL_POSTS_PER_PAGE = 100


class YouTubePosts:
    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._open = partial(api.build_client_for_account, GoogleProduct.YOUTUBE)

    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        videos, further = await self.list_uploads(credentials, limit, cursor)
        return HistoryPage(items=[_build_video_history_entry(video) for video in videos], cursor=further)

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        await self._open(credentials).delete(f"{YOUTUBE_API_URL}/videos", id=platform_post_id)

    async def get_videos(self, credentials: AccountCredentials, ids: Sequence[str]) -> Sequence[YouTubeResource]:
        query = {"part": _VIDEO_PARTS, "id": ",".join(ids), "maxResults": MAX_VIDEOS_PER_PAGE}
        return (
            await self._open(credentials).get(f"{YOUTUBE_API_URL}/videos", YouTubePage[YouTubeResource], **query)
        ).items

    async def list_uploads(
        self, credentials: AccountCredentials, limit: int, page: str | None = None
    ) -> tuple[list[YouTubeResource], str | None]:
        """List a page of the channel's uploads, newest first."""
        query = {"part": "contentDetails", "maxResults": min(limit, MAX_VIDEOS_PER_PAGE), "pageToken": page}
        playlist = await self._get_uploads_playlist_id(credentials)
        listed = await self._open(credentials).get(
            f"{YOUTUBE_API_URL}/playlistItems", YouTubePage[YouTubeResource], playlistId=playlist, **query
        )
        ids = [item.content_details.video_id for item in listed.items]
        resources = {video.id: video for video in (await self.get_videos(credentials, ids) if ids else ())}
        return [resources[video_id] for video_id in ids if video_id in resources], listed.next_page_token

    async def _get_uploads_playlist_id(self, credentials: AccountCredentials) -> str:
        """Return the playlist of all uploads of the channel."""
        known: str | None = credentials.details.get("uploadsPlaylistId")
        if not known:
            channel = await self._api.get_channel(
                credentials.grant.access_token, "id,contentDetails", credentials.platform_account_id
            )
            known = channel.content_details.related_playlists.uploads if channel else None
        if not known:
            raise PlatformNotFoundError("YouTube does not show the channel's uploads.", platform=Platform.GOOGLE)
        return known


class LocalPosts:
    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.build_client_for_account, GoogleProduct.BUSINESS)

    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        business_page = await self.fetch_page(credentials, limit, cursor)
        return HistoryPage(
            items=[_build_local_post_history_entry(post) for post in business_page.local_posts],
            cursor=business_page.next_page_token,
        )

    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        await self._open(credentials).delete(_local_post_url(credentials, platform_post_id))

    async def fetch_page(
        self, credentials: AccountCredentials, limit: int = MAX_LOCAL_POSTS_PER_PAGE, cursor: str | None = None
    ) -> BusinessPage:
        query = {"pageSize": min(limit, MAX_LOCAL_POSTS_PER_PAGE), "pageToken": cursor}
        return await self._open(credentials).get(f"{build_location_url(credentials)}/localPosts", BusinessPage, **query)

    async def read(self, credentials: AccountCredentials, post_id: str) -> LocalPost:
        return await self._open(credentials).get(_local_post_url(credentials, post_id), LocalPost)

    async def create(self, credentials: AccountCredentials, body: dict[str, object]) -> LocalPost:
        url = f"{build_location_url(credentials)}/localPosts"
        return await self._open(credentials).call("POST", url, LocalPost, repeatable=False, json=body)


def _local_post_url(credentials: AccountCredentials, post_id: str) -> str:
    """Return the path of a post by its id or its full name. Nothing in it may lead to another location."""
    own = post_id.removeprefix(f"{credentials.details['name']}/localPosts/")
    return f"{build_location_url(credentials)}/localPosts/{require_valid_id(own, _LOCAL_POST_ID_PATTERN)}"


def parse_duration_seconds(length: str | None) -> int | None:
    """Read a duration such as `PT1H2M3S`."""
    match = _DURATION_PATTERN.fullmatch(length or "")
    return (
        sum(int(part or 0) * unit for part, unit in zip(match.groups(), _DURATION_UNIT_SECONDS, strict=True))
        if match
        else None
    )


def _build_video_history_entry(video: YouTubeResource) -> HistoryEntry:
    snippet, numbers = video.snippet, video.statistics
    media = {
        "type": "video",
        "thumbnailUrl": snippet.picture,
        "duration": parse_duration_seconds(video.content_details.duration),
    }
    counts = {"views": numbers.view_count, "likes": numbers.like_count, "comments": numbers.comment_count}
    return HistoryEntry(
        id=video.id,
        type="video",
        text="\n\n".join(filter(None, (snippet.title, snippet.description))),
        url=build_video_url(video.id),
        created_at=snippet.published_at,
        media=(drop_none(media),),
        counts=drop_none(counts),
    )


def build_video_url(video_id: str) -> str:
    return f"https://www.youtube.com/watch?v={video_id}"


def _build_local_post_history_entry(post: LocalPost) -> HistoryEntry:
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
        media=tuple(drop_none({"type": form, "url": url or None}) for form, url in files),
    )
