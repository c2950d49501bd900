"""The calls that upload videos, comment on them, and make local posts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from socialgate.connectors.client import DEADLINE_SECONDS
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.posting_shapes import (
    LocalPost,
    LocalPosts,
    Placed,
    Uploads,
    Video,
    Videos,
)
from socialgate.connectors.google.wire import YOUTUBE, GoogleApi, checked_id, location_url
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform

_UPLOAD = "https://www.googleapis.com/upload/youtube/v3"
_UPLOAD_SECONDS = 300.0
_RESUME, _GONE = 308, frozenset({404, 410})
_STORED = re.compile(r"bytes=0-([0-9]{1,18})")
_LOCAL_POST = re.compile(r"[A-Za-z0-9_-]+")
MOST_UPLOADS = 50
MOST_LOCAL_POSTS = 100


class PostingApi:
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def open_upload(
        self, held: AccountCredentials, body: Mapping[str, Any], size: int, mime_type: str, *, notify: bool
    ) -> str:
        """Have YouTube expect a video, and give the address to send it to. Without the video nothing comes of it."""
        access = self._api.for_account(Product.UPLOADS, held)
        call = access.to(
            "POST",
            f"{_UPLOAD}/videos",
            repeatable=True,
            query={"uploadType": "resumable", "part": ",".join(body), "notifySubscribers": str(notify).lower()},
            headers={"X-Upload-Content-Type": mime_type, "X-Upload-Content-Length": str(size)},
            json=body,
        )
        answer = await access.client.answer(call)
        if address := answer.headers.get("location"):
            return address
        raise access.client.unreadable(call, answer)

    async def ask_upload(self, held: AccountCredentials, session: str, size: int) -> Placed:
        """Ask how much of a video has arrived. This changes nothing."""
        return await self._put(held, session, b"", f"bytes */{size}", repeatable=True)

    async def send_part(self, held: AccountCredentials, session: str, part: bytes, start: int, size: int) -> Placed:
        """Send the next part of a video. The last one makes the video."""
        end = start + len(part)
        return await self._put(held, session, part, f"bytes {start}-{end - 1}/{size}", repeatable=end < size)

    async def set_thumbnail(self, held: AccountCredentials, video_id: str, picture: bytes, mime_type: str) -> None:
        """Set it, which can be done again: the last one counts."""
        await self._api.for_account(Product.YOUTUBE, held).call(
            "POST",
            f"{_UPLOAD}/thumbnails/set",
            object,
            repeatable=True,
            query={"videoId": video_id, "uploadType": "media"},
            headers={"Content-Type": mime_type},
            body=picture,
            deadline=_UPLOAD_SECONDS,
        )

    async def videos(self, held: AccountCredentials, ids: Sequence[str]) -> Sequence[Video]:
        found = await self._api.for_account(Product.YOUTUBE, held).get(
            f"{YOUTUBE}/videos",
            Videos,
            part="snippet,status,statistics,contentDetails",
            id=",".join(ids),
            maxResults=MOST_UPLOADS,
        )
        return found.items

    async def uploads(
        self, held: AccountCredentials, limit: int, page: str | None = None
    ) -> tuple[list[Video], str | None]:
        """List a page of what the channel has uploaded, newest first."""
        listed = await self._api.for_account(Product.YOUTUBE, held).get(
            f"{YOUTUBE}/playlistItems",
            Uploads,
            part="contentDetails",
            playlistId=await self._uploads_list(held),
            maxResults=min(limit, MOST_UPLOADS),
            pageToken=page,
        )
        ids = [item.content_details.video_id for item in listed.items]
        found = {video.id: video for video in (await self.videos(held, ids) if ids else ())}
        return [found[video_id] for video_id in ids if video_id in found], listed.next_page_token

    async def delete_video(self, held: AccountCredentials, video_id: str) -> None:
        access = self._api.for_account(Product.YOUTUBE, held)
        await access.call("DELETE", f"{YOUTUBE}/videos", object, repeatable=False, query={"id": video_id})

    async def make_local_post(self, held: AccountCredentials, body: Mapping[str, Any]) -> LocalPost:
        access = self._api.for_account(Product.BUSINESS, held)
        return await access.call("POST", _local_posts(held), LocalPost, repeatable=False, json=dict(body))

    async def local_post(self, held: AccountCredentials, post_id: str) -> LocalPost:
        return await self._api.for_account(Product.BUSINESS, held).get(_local_post(held, post_id), LocalPost)

    async def local_posts(self, held: AccountCredentials, limit: int, page: str | None = None) -> LocalPosts:
        access = self._api.for_account(Product.BUSINESS, held)
        size = min(limit, MOST_LOCAL_POSTS)
        return await access.get(_local_posts(held), LocalPosts, pageSize=size, pageToken=page)

    async def delete_local_post(self, held: AccountCredentials, post_id: str) -> None:
        access = self._api.for_account(Product.BUSINESS, held)
        await access.call("DELETE", _local_post(held, post_id), object, repeatable=False)

    async def _put(
        self, held: AccountCredentials, session: str, part: bytes, content_range: str, *, repeatable: bool
    ) -> Placed:
        """Speak to the address of an upload. One that has begun goes on, though no other may begin."""
        access = self._api.for_account(Product.UPLOADS, held)
        call = access.to(
            "PUT",
            session,
            repeatable=repeatable,
            headers={"Content-Range": content_range},
            body=part,
            deadline=_UPLOAD_SECONDS if part else DEADLINE_SECONDS,
            expects=_GONE | {_RESUME},
            ignores_pauses=True,
        )
        answer = await access.client.answer(call)
        if answer.status in _GONE:
            return Placed(gone=True)
        if answer.status == _RESUME:
            stored = _STORED.fullmatch(answer.headers.get("range", ""))
            # No header at all says that nothing has arrived.
            return Placed(offset=int(stored[1]) + 1 if stored else 0, session=answer.headers.get("location"))
        return Placed(video=access.client.read(call, answer, Video))

    async def _uploads_list(self, held: AccountCredentials) -> str:
        known: str | None = held.details.get("uploadsPlaylistId")
        if known:
            return known
        channel = await self._api.channel(held.grant.access_token, "id,contentDetails", held.platform_account_id)
        found = channel and channel.content_details.related_playlists.uploads
        if not found:
            raise PlatformNotFound("YouTube does not show what the channel has uploaded.", platform=Platform.GOOGLE)
        return found


def _local_posts(held: AccountCredentials) -> str:
    return f"{location_url(held)}/localPosts"


def _local_post(held: AccountCredentials, post_id: str) -> str:
    """Give the address of a post by its id or its whole name. Nothing in it may lead to another location."""
    own = post_id.removeprefix(f"{held.details['name']}/localPosts/")
    return f"{_local_posts(held)}/{checked_id(own, _LOCAL_POST)}"
