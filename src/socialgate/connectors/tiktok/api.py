"""The calls to TikTok, each returning a typed struct or one of the error categories."""

from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.connectors.client import APP_BUDGET, AuthorizedClient, VendorCall, VendorClient
from socialgate.connectors.dialects.tiktok import TikTokDialect, TikTokUploadDialect
from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES
from socialgate.connectors.tiktok import errors
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import AccountCredentials

# Every path ends in a slash: without it TikTok returns 404.
API_URL = "https://open.tiktokapis.com/v2"
MAX_VIDEOS_PER_PAGE = 20
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


class TikTokUser(msgspec.Struct, frozen=True, kw_only=True):
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

    def get_profile_url(self) -> str | None:
        """Where people see the account."""
        own = f"https://www.tiktok.com/@{self.username}" if self.username else None
        return self.profile_web_link or own or self.profile_deep_link


class _UserData(msgspec.Struct, frozen=True):
    user: TikTokUser


class CreatorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What the creator may post right now."""

    creator_username: str | None = None
    privacy_level_options: list[str] = []
    comment_disabled: bool | None = None
    duet_disabled: bool | None = None
    stitch_disabled: bool | None = None
    max_video_post_duration_sec: int | None = None


class StartedPost(msgspec.Struct, frozen=True, kw_only=True):
    """A post that TikTok has accepted. `upload_url` is valid for an hour."""

    publish_id: str
    upload_url: str = ""


class PublishStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a post. The misspelling is TikTok's own."""

    status: str = ""
    fail_reason: str = ""
    publicaly_available_post_id: list[int | str] = []
    uploaded_bytes: int | None = None

    def get_public_id(self) -> str | None:
        return next((str(result) for result in self.publicaly_available_post_id if result), None)


class TikTokVideo(msgspec.Struct, frozen=True, kw_only=True):
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


class VideoPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page. The cursor is a time in milliseconds."""

    videos: list[TikTokVideo] = []
    cursor: int | None = None
    has_more: bool = False


class ChunkPlan(msgspec.Struct, frozen=True):
    """How a file is split: the rest is appended to the last chunk, which may be twice as long."""

    file_size: int
    chunk_size: int
    chunk_count: int

    @classmethod
    def for_size(cls, size: int) -> "ChunkPlan":
        count = max(size // UPLOAD_PART_BYTES, 1)
        return cls(size, size if count == 1 else UPLOAD_PART_BYTES, count)

    @property
    def source_info(self) -> dict[str, Any]:
        """The values for TikTok."""
        cut = {"video_size": self.file_size, "chunk_size": self.chunk_size, "total_chunk_count": self.chunk_count}
        return {"source": "FILE_UPLOAD", **cut}

    @property
    def last_chunk_offset(self) -> int:
        """Where the last one starts."""
        return (self.chunk_count - 1) * self.chunk_size


# What an upload URL returns for a chunk: it is elsewhere in the file, it is no longer valid, it has everything.
WRONG_OFFSET_STATUS, UPLOAD_URL_INVALID_STATUSES, UPLOAD_COMPLETE_STATUS = 416, frozenset({403, 404}), 201
_EXPECTED_UPLOAD_STATUSES = frozenset(
    {200, 206, UPLOAD_COMPLETE_STATUS, WRONG_OFFSET_STATUS, *UPLOAD_URL_INVALID_STATUSES}
)


def list_user_fields(scopes: tuple[str, ...]) -> str:
    return ",".join(field for scope, fields in _USER_FIELDS.items() if scope in scopes for field in fields)


class TikTokApi:
    def __init__(self, wire: VendorTransport) -> None:
        self._api = VendorClient(wire, TikTokDialect(), errors.API_ERRORS)
        self._uploads = VendorClient(wire, TikTokUploadDialect(_EXPECTED_UPLOAD_STATUSES), errors.UPLOAD_ERRORS)

    async def fetch_user(self, access_token: str, fields: str, account: str) -> TikTokUser:
        """Read the account itself; `fields` is mandatory, and each needs its scope."""
        return (await self._for_token(access_token, account).get("/user/info/", _UserData, fields=fields)).user

    async def fetch_creator_info(self, credentials: AccountCredentials) -> CreatorInfo:
        """Ask what may be posted. TikTok reports a block with status 200 and its code."""
        return await self.for_account(credentials).post(
            "/post/publish/creator_info/query/", CreatorInfo, {}, repeatable=True
        )

    async def start_post(
        self, credentials: AccountCredentials, path: str, body: Mapping[str, Any], *, draft: bool, repeatable: bool
    ) -> StartedPost:
        """Start a post, which uses some of the quotas of the manifest.

        Without the file nothing comes of an upload, so it can be started again. What TikTok fetches, it publishes.
        """
        spends = (("publishCalls", 1), ("pendingDrafts" if draft else "posts", 1))
        return await self.for_account(credentials).post(
            f"/post/publish/{path}", StartedPost, body, repeatable=repeatable, spends=spends
        )

    async def upload_chunk(self, upload_url: str, part: bytes, start: int, chunks: ChunkPlan, mime_type: str) -> int:
        """Send a chunk, and return the status of the response. The last one publishes."""
        stretch = f"bytes {start}-{start + len(part) - 1}/{chunks.file_size}"
        call = VendorCall(
            method="PUT",
            url=upload_url,
            repeatable=start < chunks.last_chunk_offset,
            budgets=(),
            headers={"Content-Type": mime_type, "Content-Range": stretch},
            body=part,
            deadline=_UPLOAD_SECONDS,
        )
        return await self._uploads.call(call, int)

    async def fetch_publish_status(self, credentials: AccountCredentials, publish_id: str) -> PublishStatus:
        body = {"publish_id": publish_id}
        return await self.for_account(credentials).post(
            "/post/publish/status/fetch/", PublishStatus, body, repeatable=True
        )

    async def list_videos(self, credentials: AccountCredentials, limit: int, cursor: int | None = None) -> VideoPage:
        """List what is public, newest first."""
        body = {"max_count": min(limit, MAX_VIDEOS_PER_PAGE)} | ({} if cursor is None else {"cursor": cursor})
        query = {"fields": _VIDEO_FIELDS}
        return await self.for_account(credentials).post("/video/list/", VideoPage, body, repeatable=True, query=query)

    def for_account(self, credentials: AccountCredentials) -> AuthorizedClient:
        return self._for_token(credentials.grant.access_token, credentials.platform_account_id)

    def _for_token(self, token: str, account: str) -> AuthorizedClient:
        return AuthorizedClient(self._api, API_URL, token=token, budgets=(account, APP_BUDGET))
