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
Timezone = Annotated[str, Meta(max_length=64, description="The time zone of a `scheduledFor` without an offset.")]
When = Annotated[
    str,
    Meta(
        max_length=40,
        description="RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.",
    ),
]
MOST_METADATA_BYTES = 16 * 1024
OwnData = Annotated[
    dict[str, Any],
    Meta(
        max_length=50,
        description="Your own data, at most 16 KiB of JSON; returned unchanged.",
    ),
]


class MediaRef(Body, frozen=True, kw_only=True):
    """A file of a post: uploaded with `POST /upload`, or fetched immediately from a public URL."""

    media_id: Annotated[str, Meta(max_length=40)] | None = None
    url: Annotated[str, Meta(max_length=2000, description="Instead of `mediaId`: the URL of the file.")] | None = None
    alt: Annotated[str, Meta(max_length=2000, description="Alternative text for people who cannot see it.")] | None = (
        None
    )
    thumbnail_media_id: Annotated[str, Meta(max_length=40)] | None = None


class NewTarget(Body, frozen=True, kw_only=True):
    """An account to publish to, and the overrides for it."""

    account_id: Annotated[str, Meta(max_length=40)]
    content: Text | None = None
    media: Annotated[list[MediaRef], Meta(max_length=50)] | None = None
    options: Annotated[dict[str, Any], Meta(description="See `options` of the kind in GET /platforms.")] = field(
        default_factory=dict
    )


class Written(Body, frozen=True, kw_only=True):
    """The content and targets of a post."""

    profile_id: Annotated[str, Meta(max_length=40)]
    content: Text = ""
    media: Annotated[list[MediaRef], Meta(max_length=50)] = field(default_factory=list)
    targets: Annotated[list[NewTarget], Meta(max_length=50)] = field(default_factory=list)
    timezone: Timezone | None = None
    first_comment: Annotated[str, Meta(max_length=10_000)] | None = None
    metadata: OwnData | None = None


class NewPost(Written, frozen=True, kw_only=True):
    """A post. Without `draft`, `publishNow`, `queue` or `scheduledFor` it is published immediately."""

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
    """What to change in a draft or a scheduled post. Omitted fields stay as they are."""

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
    """One step of publishing, with its result."""

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
    """A post and its status on each account."""

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

    @classmethod
    def example_of(cls, status: PostStatus, **changes: Any) -> dict[str, Any]:
        """Return the example of a post that is not published, as the example of its request asks for."""
        published = cls.example()
        empty = dict.fromkeys(("platformPostId", "url", "publishedAt"))
        target = {**published["targets"][0], **empty, "status": "pending", "options": {}, "attempts": []}
        return {**published, "status": str(status), "media": [], "targets": [target], **changes}


class PostsQuery(ListQuery, frozen=True, kw_only=True):
    """Which posts to list. Cancelled posts are only included if requested."""

    status: PostStatus | None = None
    profile_id: Annotated[str, Meta(max_length=40)] | None = None
    account_id: Annotated[str, Meta(max_length=40)] | None = None
    platform: Platform | None = None
    since: Annotated[datetime, Meta(description="Scheduled, or created, at this time or later.")] | None = field(
        default=None, name="from"
    )
    until: Annotated[datetime, Meta(description="Scheduled, or created, before this time.")] | None = field(
        default=None, name="to"
    )
    text: Annotated[str, Meta(min_length=1, max_length=200, description="The content contains this text.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class Verdict(View, frozen=True, kw_only=True):
    """Everything that would be rejected, and warnings."""

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
                    "detail": "The text has 2,300 characters, but Instagram accepts 2,200. Shorten it by 100.",
                }
            ],
            "warnings": [],
        }


class PostDeletion(Query, frozen=True, kw_only=True):
    """What to delete of a published post."""

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
    """What was deleted, and the result on each platform."""

    id: str
    deleted: Literal[True] = True
    status: Literal["cancelled", "deleted"]
    platforms: list[PlatformDeletion]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _POST, "deleted": True, "status": "cancelled", "platforms": []}


class Finding(Body, frozen=True, kw_only=True):
    """What a person found on the platform."""

    account_id: Annotated[str, Meta(max_length=40)]
    published: bool
    platform_post_id: Annotated[str, Meta(max_length=300)] | None = None
    url: Annotated[str, Meta(max_length=2048, pattern="^https?://")] | None = None


class Reconciliation(Body, frozen=True, kw_only=True):
    """Decide the outcome of unconfirmed targets. Without `findings` the platforms are asked again."""

    findings: Annotated[list[Finding], Meta(max_length=50)] = field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"findings": [{"accountId": _ACCOUNT, "published": True, "platformPostId": "17"}]}


class HistoryQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of an account's history to return."""


class HistoryEntry(View, frozen=True, kw_only=True):
    """A post that is live on the account, whether or not it was posted here."""

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
