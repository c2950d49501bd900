from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.posts.tables import PostStatus, TargetStatus
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import Fault
from socialgate.core.events import TargetError
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Query, View

_POST = "post_01h455vb4pex5vsknk084sn02q"
_PROFILE = "prf_01h455vb4pex5vsknk084sn02q"
_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_MEDIA = "med_01h455vb4pex5vsknk084sn02q"
_NOW = "2026-11-15T09:30:00Z"

Text = Annotated[str, Meta(max_length=100_000, description="The text. Each platform's own limit is checked.")]
Timezone = Annotated[str, Meta(max_length=64, description="How `scheduledFor` without an offset is read.")]
When = Annotated[
    str,
    Meta(
        max_length=40,
        description="RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is read in `timezone`.",
    ),
]
MOST_METADATA_BYTES = 16 * 1024
OwnData = Annotated[
    dict[str, Any],
    Meta(
        max_length=50,
        description="Whatever you like to keep with it, 16 KiB of JSON at most; given back as it is.",
    ),
]


class MediaRef(Body, frozen=True, kw_only=True):
    """A file of a post: uploaded before with `POST /upload`, or fetched now from a public address."""

    media_id: Annotated[str, Meta(max_length=40)] | None = None
    url: Annotated[str, Meta(max_length=2000, description="Instead of `mediaId`: where the file is now.")] | None = None
    alt: Annotated[str, Meta(max_length=2000, description="What it shows, for those who cannot see it.")] | None = None
    thumbnail_media_id: Annotated[str, Meta(max_length=40)] | None = None


class NewTarget(Body, frozen=True, kw_only=True):
    """An account that the post goes to, and what is different there."""

    account_id: Annotated[str, Meta(max_length=40)]
    content: Text | None = None
    media: Annotated[list[MediaRef], Meta(max_length=50)] | None = None
    options: Annotated[dict[str, Any], Meta(description="See `options` of the kind in GET /platforms.")] = field(
        default_factory=dict
    )


class Written(Body, frozen=True, kw_only=True):
    """What a post says and where it goes, whenever that is."""

    profile_id: Annotated[str, Meta(max_length=40)]
    content: Text = ""
    media: Annotated[list[MediaRef], Meta(max_length=50)] = field(default_factory=list)
    targets: Annotated[list[NewTarget], Meta(max_length=50)] = field(default_factory=list)
    timezone: Timezone | None = None
    first_comment: Annotated[str, Meta(max_length=10_000)] | None = None
    metadata: OwnData | None = None


class NewPost(Written, frozen=True, kw_only=True):
    """A post. Without `draft`, `publishNow`, `queue` or `scheduledFor` it is published at once."""

    scheduled_for: When | None = None
    publish_now: bool = False
    draft: bool = False
    queue: bool = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _PROFILE,
            "content": "Fresh bread at seven",
            "targets": [{"accountId": _ACCOUNT}],
            "draft": True,
        }


class QueuedPost(NewPost, frozen=True, kw_only=True):
    """A post for the queue, which chooses the time itself."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {name: value for name, value in super().example().items() if name != "draft"}


class PostChanges(Body, frozen=True, kw_only=True):
    """What to change of a draft or a scheduled post. A field that is left out stays as it is."""

    content: Text | UnsetType = UNSET
    media: Annotated[list[MediaRef], Meta(max_length=50)] | UnsetType = UNSET
    targets: Annotated[list[NewTarget], Meta(max_length=50)] | UnsetType = UNSET
    scheduled_for: When | UnsetType | None = UNSET
    timezone: Timezone | UnsetType = UNSET
    publish_now: bool = False
    first_comment: Annotated[str, Meta(max_length=10_000)] | UnsetType | None = UNSET
    metadata: OwnData | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"content": "Fresh bread at eight"}


class Attempt(View, frozen=True, kw_only=True):
    """One step towards publishing, as it went."""

    at: datetime
    stage: str
    outcome: str
    detail: str | None
    next_at: datetime | None


class PostMedia(View, frozen=True, kw_only=True):
    media_id: str
    alt: str | None
    thumbnail_media_id: str | None


class Target(View, frozen=True, kw_only=True):
    """The post on one account. `unconfirmed`: it may be published; see `POST /posts/{postId}/reconcile`."""

    account_id: str
    platform: Platform
    kind: Kind
    status: TargetStatus
    content: str | None
    media: list[PostMedia] | None
    options: dict[str, Any]
    platform_post_id: str | None
    url: str | None
    published_at: datetime | None
    warnings: list[str]
    error: TargetError | None
    attempts: list[Attempt]


class Post(View, frozen=True, kw_only=True):
    """A post and what became of it on each account."""

    id: str
    profile_id: str
    status: PostStatus
    content: str
    media: list[PostMedia]
    first_comment: str | None
    targets: list[Target]
    scheduled_for: datetime | None
    timezone: str
    queue_slot_id: str | None
    round: int
    metadata: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        target = {
            "accountId": _ACCOUNT,
            "platform": "telegram",
            "kind": "telegram_bot",
            "status": "published",
            "content": None,
            "media": None,
            "options": {"chatId": "@bakerylima"},
            "platformPostId": "17",
            "url": "https://t.me/bakerylima/17",
            "publishedAt": _NOW,
            "warnings": [],
            "error": None,
            "attempts": [{"at": _NOW, "stage": "send", "outcome": "published", "detail": None, "nextAt": None}],
        }
        return {
            "id": _POST,
            "profileId": _PROFILE,
            "status": "published",
            "content": "Fresh bread at seven",
            "media": [{"mediaId": _MEDIA, "alt": "A loaf", "thumbnailMediaId": None}],
            "firstComment": None,
            "targets": [target],
            "scheduledFor": None,
            "timezone": "America/Lima",
            "queueSlotId": None,
            "round": 1,
            "metadata": None,
            "createdAt": _NOW,
            "updatedAt": _NOW,
        }


class PostsQuery(ListQuery, frozen=True, kw_only=True):
    """Which posts to list. Cancelled ones come only if they are asked for."""

    status: PostStatus | None = None
    profile_id: Annotated[str, Meta(max_length=40)] | None = None
    account_id: Annotated[str, Meta(max_length=40)] | None = None
    platform: Platform | None = None
    since: Annotated[datetime, Meta(description="Scheduled, or made, at this time or later.")] | None = field(
        default=None, name="from"
    )
    until: Annotated[datetime, Meta(description="Scheduled, or made, before this time.")] | None = field(
        default=None, name="to"
    )
    text: Annotated[str, Meta(min_length=1, max_length=200, description="The content holds this.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class Verdict(View, frozen=True, kw_only=True):
    """What would be refused, all of it, and what would be taken with a warning."""

    valid: bool
    errors: list[Fault]
    warnings: list[Fault]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "valid": False,
            "errors": [
                {
                    "pointer": "/targets/0/content",
                    "code": "too_long",
                    "detail": "The text has 2,300 characters, Instagram takes 2,200. Shorten it by 100.",
                }
            ],
            "warnings": [],
        }


class PostDeletion(Query, frozen=True, kw_only=True):
    """What to delete of a post that was published."""

    platforms: (
        Annotated[bool, Meta(description="true: also on the platforms that allow it; false: only our record.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {}


class PlatformDeletion(View, frozen=True, kw_only=True):
    account_id: str
    deleted: bool
    detail: str | None


class PostDeleted(View, frozen=True, kw_only=True):
    """What was deleted, and what became of it on each platform."""

    id: str
    deleted: Literal[True] = True
    status: Literal["cancelled", "deleted"]
    platforms: list[PlatformDeletion]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _POST, "deleted": True, "status": "cancelled", "platforms": []}


class Finding(Body, frozen=True, kw_only=True):
    """What a person saw on the platform."""

    account_id: Annotated[str, Meta(max_length=40)]
    published: bool
    platform_post_id: Annotated[str, Meta(max_length=300)] | None = None
    url: Annotated[str, Meta(max_length=2048, pattern="^https?://")] | None = None


class Reconciliation(Body, frozen=True, kw_only=True):
    """Decide what became of unconfirmed targets. Without `findings` the platforms are asked once more."""

    findings: Annotated[list[Finding], Meta(max_length=50)] = field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"findings": [{"accountId": _ACCOUNT, "published": True, "platformPostId": "17"}]}


class HistoryQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of an account's history."""


class HistoryEntry(View, frozen=True, kw_only=True):
    """A post that is live on the account, ours or not."""

    id: str
    type: str
    text: str
    url: str | None
    created_at: datetime | None
    media: list[dict[str, Any]]
    counts: dict[str, int]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "17900000000000001",
            "type": "image",
            "text": "Fresh bread at seven",
            "url": "https://www.instagram.com/p/Cabc123/",
            "createdAt": _NOW,
            "media": [],
            "counts": {"likes": 12},
        }


class ObjectDeleted(View, frozen=True, kw_only=True):
    """What was deleted on a platform."""

    id: str
    account_id: str
    deleted: Literal[True] = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "17900000000000001", "accountId": _ACCOUNT, "deleted": True}
