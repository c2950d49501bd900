"""The calls of TikTok's Content Posting API, and the one that lists an account's videos."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

import msgspec

from socialgate.connectors.client import Call, Client
from socialgate.connectors.dialects.tiktok import UploadDialect
from socialgate.connectors.stages import PART
from socialgate.connectors.tiktok.errors import UPLOADS
from socialgate.connectors.tiktok.wire import TikTokApi
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials

_UPLOAD_SECONDS = 300.0
_VIDEO_FIELDS = (
    "id,create_time,cover_image_url,share_url,video_description,duration,height,width,title,"
    "like_count,comment_count,share_count,view_count"
)
MOST_VIDEOS = 20


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A post that TikTok has taken on. `upload_url` is good for an hour."""

    publish_id: str
    upload_url: str = ""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where a post stands. The misspelling is TikTok's own."""

    status: str = ""
    fail_reason: str = ""
    publicaly_available_post_id: list[int | str] = []
    uploaded_bytes: int | None = None

    def public_id(self) -> str | None:
        return next((str(found) for found in self.publicaly_available_post_id if found), None)


class Video(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    create_time: int | None = None
    cover_image_url: str | None = None
    share_url: str | None = None
    video_description: str | None = None
    title: str | None = None
    duration: float | None = None
    width: int | None = None
    height: int | None = None
    view_count: int | None = None
    like_count: int | None = None
    comment_count: int | None = None
    share_count: int | None = None


class Videos(msgspec.Struct, frozen=True, kw_only=True):
    """One page. The cursor is a time in milliseconds."""

    videos: list[Video] = []
    cursor: int | None = None
    has_more: bool = False


class Chunks(msgspec.Struct, frozen=True):
    """How a file is cut: what is left over is glued to the last chunk, which may be twice as long."""

    size: int
    length: int
    count: int

    @classmethod
    def of(cls, size: int) -> "Chunks":
        count = max(size // PART, 1)
        return cls(size, size if count == 1 else PART, count)

    @property
    def last(self) -> int:
        """Where the last one begins."""
        return (self.count - 1) * self.length


class Sent(Enum):
    """What became of a chunk. ASTRAY: TikTok stands elsewhere in the file. DEAD: the address is no longer good."""

    STORED = auto()
    COMPLETE = auto()
    ASTRAY = auto()
    DEAD = auto()


_SENT = {
    200: Sent.STORED,
    201: Sent.COMPLETE,
    206: Sent.STORED,
    403: Sent.DEAD,
    404: Sent.DEAD,
    416: Sent.ASTRAY,
}


class PostingApi:
    def __init__(self, api: TikTokApi, wire: Wire) -> None:
        self._api = api
        self._uploads = Client(wire, UploadDialect(frozenset(_SENT)), UPLOADS)

    async def open_upload(
        self, held: AccountCredentials, chunks: Chunks, post_info: Mapping[str, Any] | None
    ) -> Opened:
        """Have TikTok expect a file. Without the file nothing comes of it, so it can be done again.

        None for `post_info` makes it a draft.
        """
        source = {
            "source": "FILE_UPLOAD",
            "video_size": chunks.size,
            "chunk_size": chunks.length,
            "total_chunk_count": chunks.count,
        }
        return await self._open_video(held, source, post_info, repeatable=True)

    async def pull_video(self, held: AccountCredentials, url: str, post_info: Mapping[str, Any] | None) -> Opened:
        """Have TikTok fetch a video and publish it."""
        source = {"source": "PULL_FROM_URL", "video_url": url}
        return await self._open_video(held, source, post_info, repeatable=False)

    async def pull_photos(self, held: AccountCredentials, body: Mapping[str, Any]) -> Opened:
        spends = _spends(draft=body["post_mode"] == "MEDIA_UPLOAD")
        path = "post/publish/content/init/"
        return await self._api.call(path, Opened, *_caller(held), body=body, repeatable=False, spends=spends)

    async def put(self, upload_url: str, part: bytes, start: int, chunks: Chunks, mime_type: str) -> Sent:
        """Send a chunk. The last one publishes."""
        call = Call(
            method="PUT",
            url=upload_url,
            repeatable=start < chunks.last,
            budgets=(),
            headers={
                "Content-Type": mime_type,
                "Content-Range": f"bytes {start}-{start + len(part) - 1}/{chunks.size}",
            },
            body=part,
            deadline=_UPLOAD_SECONDS,
        )
        return _SENT[await self._uploads.call(call, int)]

    async def status(self, held: AccountCredentials, publish_id: str) -> Status:
        path, body = "post/publish/status/fetch/", {"publish_id": publish_id}
        return await self._api.call(path, Status, *_caller(held), body=body, repeatable=True)

    async def videos(self, held: AccountCredentials, limit: int, cursor: int | None = None) -> Videos:
        """List what is public, newest first."""
        body = {"max_count": min(limit, MOST_VIDEOS)} | ({} if cursor is None else {"cursor": cursor})
        query = {"fields": _VIDEO_FIELDS}
        return await self._api.call("video/list/", Videos, *_caller(held), query=query, body=body, repeatable=True)

    async def _open_video(
        self,
        held: AccountCredentials,
        source: Mapping[str, Any],
        post_info: Mapping[str, Any] | None,
        *,
        repeatable: bool,
    ) -> Opened:
        path, body = "inbox/video/init/", {"source_info": source}
        if post_info is not None:
            path, body = "video/init/", {"post_info": post_info, **body}
        spends = _spends(draft=post_info is None)
        url = f"post/publish/{path}"
        return await self._api.call(url, Opened, *_caller(held), body=body, repeatable=repeatable, spends=spends)


def _spends(*, draft: bool) -> tuple[tuple[str, int], ...]:
    """Say what beginning a post uses of the quotas of the manifest."""
    return ("publishCalls", 1), ("pendingDrafts" if draft else "posts", 1)


def _caller(held: AccountCredentials) -> tuple[str, str]:
    return held.grant.access_token, held.platform_account_id
