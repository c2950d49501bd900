"""The calls to TikTok, each returning a typed struct or one of the error categories."""

from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.connectors.client import APP, Access, Call, Client
from socialgate.connectors.dialects.tiktok import ApiDialect, UploadDialect
from socialgate.connectors.stages import PART
from socialgate.connectors.tiktok import errors
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import AccountCredentials

# Every path ends in a slash: without it TikTok returns 404.
API = "https://open.tiktokapis.com/v2"
MOST_VIDEOS = 20
_UPLOAD_SECONDS = 300.0
_VIDEO_FIELDS = (
    "id,create_time,cover_image_url,share_url,video_description,duration,height,width,title,"
    "like_count,comment_count,share_count,view_count"
)
# Requesting a field whose scope was not granted fails the whole call.
_USER_FIELDS = {
    "user.info.basic": ("open_id", "union_id", "avatar_url", "display_name"),
    "user.info.profile": ("bio_description", "profile_deep_link", "is_verified", "username"),
    "user.info.stats": ("follower_count", "following_count", "likes_count", "video_count"),
}


class User(msgspec.Struct, frozen=True, kw_only=True):
    open_id: str | None = None
    union_id: str | None = None
    avatar_url: str | None = None
    display_name: str | None = None
    bio_description: str | None = None
    profile_deep_link: str | None = None
    profile_web_link: str | None = None
    is_verified: bool | None = None
    username: str | None = None
    follower_count: int | None = None
    following_count: int | None = None
    likes_count: int | None = None
    video_count: int | None = None

    def page(self) -> str | None:
        """Where people see the account."""
        own = f"https://www.tiktok.com/@{self.username}" if self.username else None
        return self.profile_web_link or own or self.profile_deep_link


class _UserData(msgspec.Struct, frozen=True):
    user: User


class Creator(msgspec.Struct, frozen=True, kw_only=True):
    """What the creator may post right now."""

    creator_username: str | None = None
    privacy_level_options: list[str] = []
    comment_disabled: bool | None = None
    duet_disabled: bool | None = None
    stitch_disabled: bool | None = None
    max_video_post_duration_sec: int | None = None


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A post that TikTok has accepted. `upload_url` is valid for an hour."""

    publish_id: str
    upload_url: str = ""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a post. The misspelling is TikTok's own."""

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
    """How a file is split: the rest is appended to the last chunk, which may be twice as long."""

    size: int
    length: int
    count: int

    @classmethod
    def of(cls, size: int) -> "Chunks":
        count = max(size // PART, 1)
        return cls(size, size if count == 1 else PART, count)

    @property
    def source(self) -> dict[str, Any]:
        """The values for TikTok."""
        cut = {"video_size": self.size, "chunk_size": self.length, "total_chunk_count": self.count}
        return {"source": "FILE_UPLOAD", **cut}

    @property
    def last(self) -> int:
        """Where the last one starts."""
        return (self.count - 1) * self.length


# What an upload URL returns for a chunk: it is elsewhere in the file, it is no longer valid, it has everything.
ASTRAY, DEAD, COMPLETE = 416, frozenset({403, 404}), 201
_ANSWERS = frozenset({200, 206, COMPLETE, ASTRAY, *DEAD})


def user_fields(scopes: tuple[str, ...]) -> str:
    return ",".join(field for scope, fields in _USER_FIELDS.items() if scope in scopes for field in fields)


class TikTokApi:
    def __init__(self, wire: Wire) -> None:
        self._api = Client(wire, ApiDialect(), errors.API)
        self._uploads = Client(wire, UploadDialect(_ANSWERS), errors.UPLOADS)

    async def user(self, access_token: str, fields: str, account: str) -> User:
        """Read the account itself; `fields` is mandatory, and each needs its scope."""
        return (await self._access(access_token, account).get("/user/info/", _UserData, fields=fields)).user

    async def creator(self, held: AccountCredentials) -> Creator:
        """Ask what may be posted. TikTok reports a block with status 200 and its code."""
        return await self.of(held).post("/post/publish/creator_info/query/", Creator, {}, repeatable=True)

    async def open(
        self, held: AccountCredentials, path: str, body: Mapping[str, Any], *, draft: bool, repeatable: bool
    ) -> Opened:
        """Start a post, which uses some of the quotas of the manifest.

        Without the file nothing comes of an upload, so it can be started again. What TikTok fetches, it publishes.
        """
        spends = (("publishCalls", 1), ("pendingDrafts" if draft else "posts", 1))
        return await self.of(held).post(f"/post/publish/{path}", Opened, body, repeatable=repeatable, spends=spends)

    async def put(self, upload_url: str, part: bytes, start: int, chunks: Chunks, mime_type: str) -> int:
        """Send a chunk, and return the status of the response. The last one publishes."""
        stretch = f"bytes {start}-{start + len(part) - 1}/{chunks.size}"
        call = Call(
            method="PUT",
            url=upload_url,
            repeatable=start < chunks.last,
            budgets=(),
            headers={"Content-Type": mime_type, "Content-Range": stretch},
            body=part,
            deadline=_UPLOAD_SECONDS,
        )
        return await self._uploads.call(call, int)

    async def status(self, held: AccountCredentials, publish_id: str) -> Status:
        body = {"publish_id": publish_id}
        return await self.of(held).post("/post/publish/status/fetch/", Status, body, repeatable=True)

    async def videos(self, held: AccountCredentials, limit: int, cursor: int | None = None) -> Videos:
        """List what is public, newest first."""
        body = {"max_count": min(limit, MOST_VIDEOS)} | ({} if cursor is None else {"cursor": cursor})
        query = {"fields": _VIDEO_FIELDS}
        return await self.of(held).post("/video/list/", Videos, body, repeatable=True, query=query)

    def of(self, held: AccountCredentials) -> Access:
        return self._access(held.grant.access_token, held.platform_account_id)

    def _access(self, token: str, account: str) -> Access:
        return Access(self._api, API, token=token, budgets=(account, APP))
