"""The calls that upload videos, comment on them, and make local posts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.posting_shapes import (
    LocalPost,
    LocalPosts,
    Placed,
    Thread,
    Threads,
    Uploads,
    Video,
    Videos,
)
from socialgate.connectors.google.wire import GoogleApi, Nothing
from socialgate.connectors.wire import Wire, read
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

_YOUTUBE = "https://youtube.googleapis.com/youtube/v3"
_UPLOAD = "https://www.googleapis.com/upload/youtube/v3"
_BUSINESS = "https://mybusiness.googleapis.com/v4"
_UPLOAD_SECONDS = 300.0
_DONE, _RESUME, _GONE = frozenset({200, 201}), 308, frozenset({404, 410})
_STORED = re.compile(r"bytes=0-([0-9]{1,18})")
_LOCAL_POST = re.compile(r"[A-Za-z0-9_-]+")
MOST_UPLOADS = 50
MOST_LOCAL_POSTS = 100


class PostingApi:
    def __init__(self, api: GoogleApi, wire: Wire) -> None:
        self._api = api
        self._wire = wire

    async def open_upload(
        self, held: AccountCredentials, body: Mapping[str, Any], size: int, mime_type: str, *, notify: bool
    ) -> str:
        """Have YouTube expect a video, and give the address to send it to. Without the video nothing comes of it."""
        await self._wire.require_not_paused(Product.UPLOADS, held.platform_account_id)
        answer = await self._wire.send(
            "POST",
            f"{_UPLOAD}/videos",
            query={"uploadType": "resumable", "part": ",".join(body), "notifySubscribers": str(notify).lower()},
            headers=_bearer(held) | {"X-Upload-Content-Type": mime_type, "X-Upload-Content-Length": str(size)},
            json=body,
            mutates=False,
        )
        address = answer.headers.get("location")
        if answer.status not in _DONE or not address:
            raise await self._api.failure(answer, *_uploads(held))
        return address

    async def ask_upload(self, held: AccountCredentials, session: str, size: int) -> Placed:
        """Ask how much of a video has arrived. This changes nothing."""
        headers = _bearer(held) | {"Content-Range": f"bytes */{size}"}
        answer = await self._wire.send("PUT", session, headers=headers, body=b"", mutates=False)
        return await self._placed(held, answer, last=False)

    async def send_part(self, held: AccountCredentials, session: str, part: bytes, start: int, size: int) -> Placed:
        """Send the next part of a video. The last one makes the video."""
        end = start + len(part)
        headers = _bearer(held) | {"Content-Range": f"bytes {start}-{end - 1}/{size}"}
        last = end >= size
        answer = await self._wire.send(
            "PUT", session, headers=headers, body=part, mutates=last, deadline=_UPLOAD_SECONDS
        )
        return await self._placed(held, answer, last=last)

    async def set_thumbnail(self, held: AccountCredentials, video_id: str, picture: bytes, mime_type: str) -> None:
        """Set it, which can be done again: the last one counts."""
        await self._wire.require_not_paused(Product.YOUTUBE, held.platform_account_id)
        answer = await self._wire.send(
            "POST",
            f"{_UPLOAD}/thumbnails/set",
            query={"videoId": video_id, "uploadType": "media"},
            headers=_bearer(held) | {"Content-Type": mime_type},
            body=picture,
            mutates=False,
            deadline=_UPLOAD_SECONDS,
        )
        await self._api.shaped(answer, Nothing, *_youtube(held))

    async def videos(self, held: AccountCredentials, ids: Sequence[str]) -> Sequence[Video]:
        query = {"part": "snippet,status,statistics,contentDetails", "id": ",".join(ids), "maxResults": MOST_UPLOADS}
        return (await self._api.call("GET", f"{_YOUTUBE}/videos", Videos, *_youtube(held), query=query)).items

    async def uploads(
        self, held: AccountCredentials, limit: int, page: str | None = None
    ) -> tuple[list[Video], str | None]:
        """List a page of what the channel has uploaded, newest first."""
        query = {
            "part": "contentDetails",
            "playlistId": await self._uploads_list(held),
            "maxResults": min(limit, MOST_UPLOADS),
            "pageToken": page,
        }
        listed = await self._api.call("GET", f"{_YOUTUBE}/playlistItems", Uploads, *_youtube(held), query=query)
        ids = [item.content_details.video_id for item in listed.items]
        found = {video.id: video for video in (await self.videos(held, ids) if ids else ())}
        return [found[video_id] for video_id in ids if video_id in found], listed.next_page_token

    async def delete_video(self, held: AccountCredentials, video_id: str) -> None:
        query = {"id": video_id}
        await self._api.call("DELETE", f"{_YOUTUBE}/videos", Nothing, *_youtube(held), query=query, mutates=True)

    async def comment(self, held: AccountCredentials, video_id: str, text: str) -> Thread:
        snippet = {
            "channelId": held.platform_account_id,
            "videoId": video_id,
            "topLevelComment": {"snippet": {"textOriginal": text}},
        }
        return await self._api.call(
            "POST",
            f"{_YOUTUBE}/commentThreads",
            Thread,
            *_youtube(held),
            query={"part": "snippet"},
            json={"snippet": snippet},
            mutates=True,
        )

    async def comments(self, held: AccountCredentials, video_id: str) -> Sequence[Thread]:
        query = {
            "part": "snippet",
            "videoId": video_id,
            "order": "time",
            "maxResults": 100,
            "textFormat": "plainText",
        }
        return (await self._api.call("GET", f"{_YOUTUBE}/commentThreads", Threads, *_youtube(held), query=query)).items

    async def make_local_post(self, held: AccountCredentials, body: Mapping[str, Any]) -> LocalPost:
        url = f"{_BUSINESS}/{_location(held)}/localPosts"
        return await self._api.call("POST", url, LocalPost, *_business(held), json=dict(body), mutates=True)

    async def local_post(self, held: AccountCredentials, post_id: str) -> LocalPost:
        return await self._api.call("GET", _local_post(held, post_id), LocalPost, *_business(held))

    async def local_posts(self, held: AccountCredentials, limit: int, page: str | None = None) -> LocalPosts:
        query = {"pageSize": min(limit, MOST_LOCAL_POSTS), "pageToken": page}
        url = f"{_BUSINESS}/{_location(held)}/localPosts"
        return await self._api.call("GET", url, LocalPosts, *_business(held), query=query)

    async def delete_local_post(self, held: AccountCredentials, post_id: str) -> None:
        await self._api.call("DELETE", _local_post(held, post_id), Nothing, *_business(held), mutates=True)

    async def _placed(self, held: AccountCredentials, answer: Answer, *, last: bool) -> Placed:
        video = read(answer, Video) if answer.status in _DONE else None
        if video is not None:
            return Placed(video=video)
        if answer.status == _RESUME:
            stored = _STORED.fullmatch(answer.headers.get("range", ""))
            # No header at all says that nothing has arrived.
            return Placed(offset=int(stored[1]) + 1 if stored else 0, session=answer.headers.get("location"))
        if answer.status in _GONE:
            return Placed(gone=True)
        raise await self._api.failure(answer, *_uploads(held), mutates=last)

    async def _uploads_list(self, held: AccountCredentials) -> str:
        known: str | None = held.details.get("uploadsPlaylistId")
        if known:
            return known
        token, _, account = _youtube(held)
        channel = await self._api.channel(token, "id,contentDetails", account)
        found = channel and channel.content_details.related_playlists.uploads
        if not found:
            raise PlatformNotFound("YouTube does not show what the channel has uploaded.", platform=Platform.GOOGLE)
        return found


def _bearer(held: AccountCredentials) -> dict[str, str]:
    return {"Authorization": f"Bearer {held.grant.access_token}"}


def _youtube(held: AccountCredentials) -> tuple[str, Product, str]:
    return held.grant.access_token, Product.YOUTUBE, held.platform_account_id


def _uploads(held: AccountCredentials) -> tuple[str, Product, str]:
    return held.grant.access_token, Product.UPLOADS, held.platform_account_id


def _business(held: AccountCredentials) -> tuple[str, Product, str]:
    return held.grant.access_token, Product.BUSINESS, held.platform_account_id


def _location(held: AccountCredentials) -> str:
    """Name the location as the older API does: the newer name alone says nothing to it."""
    name: str = held.details["name"]
    return name


def _local_post(held: AccountCredentials, post_id: str) -> str:
    """Give the address of a post by its id or its whole name. Nothing in it may lead to another location."""
    posts = f"{_location(held)}/localPosts/"
    own = post_id.removeprefix(posts)
    if not _LOCAL_POST.fullmatch(own):
        raise PlatformNotFound("The location has no such post.", platform=Platform.GOOGLE)
    return f"{_BUSINESS}/{posts}{own}"
