"""Requests and responses of posts. The descriptions of fields take many lines."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.areas.posts.tables import PostStatus, TargetStatus
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.renditions import Fit, Trim
from socialgate.core.events import TargetError
from socialgate.core.fields import AccountIdField, CreatedAt, IsDeleted, ProfileIdField, UpdatedAt
from socialgate.core.shapes import UNREPORTED_FIELD, build_unreported_field
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_POST_ID = "post_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_MEDIA_ID = "med_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"

PostText = Annotated[str, Meta(max_length=100_000, description="The text. Each platform's own limit is checked.")]
Timezone = Annotated[str, Meta(max_length=64, description="The time zone of a `scheduledFor` without an offset.")]
ScheduledTime = Annotated[
    str,
    Meta(
        max_length=40,
        description="RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.",
    ),
]
MAX_METADATA_BYTES = 16 * 1024
PostMetadata = Annotated[
    dict[str, Any],
    Meta(
        max_length=50,
        description="Your own data, at most 16 KiB of JSON; returned unchanged.",
    ),
]


class MediaRef(RequestBody, frozen=True, kw_only=True):
    """A file of a post: uploaded with `POST /upload`, or fetched immediately from a public URL."""

    media_id: Annotated[str, Meta(max_length=40)] | None = None
    """The id of an uploaded file, `med_…`."""
    url: Annotated[str, Meta(max_length=2000, description="Instead of `mediaId`: the URL of the file.")] | None = None
    alt: Annotated[str, Meta(max_length=2000, description="Alternative text for people who cannot see it.")] | None = (
        None
    )
    thumbnail_media_id: Annotated[str, Meta(max_length=40)] | None = None
    """For a video: an uploaded image to show as its cover, on platforms that support it."""
    trim: Trim | None = None
    """For a video or audio: the part of it to publish. Null: all of it."""
    cover_at: (
        Annotated[
            float,
            Meta(
                ge=0,
                description="For a video: the second of the frame to show as its cover, counted from the start of the "
                "uploaded file, also with `trim`.",
            ),
        ]
        | None
    ) = None


class NewTarget(RequestBody, frozen=True, kw_only=True):
    """An account to publish to, and the overrides for it."""

    account_id: Annotated[str, Meta(max_length=40)]
    """The account to publish to, `acc_…`. It must belong to the profile of the post."""
    content: PostText | None = None
    media: Annotated[list[MediaRef], Meta(max_length=50)] | None = None
    """Files for this account, instead of those of the post. Null: those of the post; empty: none."""
    options: Annotated[dict[str, Any], Meta(description="See `options` of the kind in GET /platforms.")] = field(
        default_factory=dict
    )
    fit: Fit | None = None
    """How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically."""


class PostBody(RequestBody, frozen=True, kw_only=True):
    """The content and targets of a post."""

    profile_id: Annotated[str, Meta(max_length=40)]
    """The profile whose accounts it is published to, `prf_…`."""
    content: PostText = ""
    media: Annotated[list[MediaRef], Meta(max_length=50)] = field(default_factory=list)
    """The files, in the order in which they are shown. A target can have others instead."""
    targets: Annotated[list[NewTarget], Meta(max_length=50)] = field(default_factory=list)
    """The accounts to publish to, each once. Only a draft can be without."""
    timezone: Timezone | None = None
    first_comment: Annotated[str, Meta(max_length=10_000)] | None = None
    """A comment to add below the post once it is published, on platforms that allow it."""
    metadata: PostMetadata | None = None


class NewPost(PostBody, frozen=True, kw_only=True):
    """A post. Without `draft`, `publishNow`, `queue` or `scheduledFor` it is published immediately."""

    scheduled_for: ScheduledTime | None = None
    publish_now: bool = False
    """Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`."""
    draft: bool = False
    """Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`."""
    queue: bool = False
    """Schedule it in the next free slot of the profile's queue."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _EXAMPLE_PROFILE_ID,
            "content": "Fresh bread at seven",
            "targets": [{"accountId": _EXAMPLE_ACCOUNT_ID}],
            "draft": True,
        }


class QueuedPost(NewPost, frozen=True, kw_only=True):
    """A post for the queue, which chooses the time itself."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {name: value for name, value in super().example().items() if name != "draft"}


class PostChanges(RequestBody, frozen=True, kw_only=True):
    """What to change in a draft or a scheduled post. Omitted fields stay as they are."""

    content: PostText | UnsetType = UNSET
    media: Annotated[list[MediaRef], Meta(max_length=50)] | UnsetType = UNSET
    """Replaces all files of the post."""
    targets: Annotated[list[NewTarget], Meta(max_length=50)] | UnsetType = UNSET
    """Replaces all targets of the post."""
    scheduled_for: ScheduledTime | UnsetType | None = UNSET
    timezone: Timezone | UnsetType = UNSET
    publish_now: bool = False
    """Publish it immediately, whatever it was scheduled for."""
    first_comment: Annotated[str, Meta(max_length=10_000)] | UnsetType | None = UNSET
    """A comment to add below the post. Null removes it."""
    metadata: PostMetadata | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"content": "Fresh bread at eight"}


class PublishingAttempt(ResponseModel, frozen=True, kw_only=True):
    """One step of publishing, with its result."""

    at: datetime
    """When the step ended."""
    stage: str
    """Which step of publishing it was. The steps depend on the platform."""
    outcome: str
    """`done`, `waiting`, `published`, another word for the result, or the code of the error."""
    detail: str | None
    """What went wrong, for people to read. Null if nothing did."""
    next_at: datetime | None
    """When the next step is due. Null if it follows immediately, or none does."""


class PostMedia(ResponseModel, frozen=True, kw_only=True):
    media_id: str
    """The id of the file, `med_…`."""
    alt: str | None
    """The alternative text, for people who cannot see it. Null if there is none."""
    thumbnail_media_id: str | None
    """The cover of a video. Null: the platform chooses one."""
    trim: Trim | None = UNREPORTED_FIELD
    """The part of a video or audio that is published. Null: all of it."""
    cover_at: float | None = build_unreported_field("coverAt")
    """The second of the frame that is shown as the cover of a video. Null if none was chosen."""


class PostTarget(ResponseModel, frozen=True, kw_only=True):
    """The post on one account. `unconfirmed`: it may be published; see `POST /posts/{postId}/reconcile`."""

    account_id: AccountIdField
    platform: Platform
    """The platform that the account is on."""
    kind: Kind
    """What kind of account it is."""
    status: TargetStatus
    """`unconfirmed` means that it may be published: decide with `POST /posts/{postId}/reconcile`."""
    content: str | None
    """The text for this account. Null: the text of the post."""
    media: list[PostMedia] | None
    """The files for this account. Null: those of the post."""
    options: dict[str, Any]
    """The options of this kind of account, as you sent them."""
    fit: Fit | None
    """How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically."""
    platform_post_id: str | None
    """The platform's own id of the post. Null until it is published."""
    url: str | None
    """The public URL of the post. Null until it is published, and on platforms that report none."""
    published_at: datetime | None
    """When it was published. Null until then."""
    warnings: list[str]
    """What did not work although the post was published, such as the first comment."""
    error: TargetError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""
    attempts: list[PublishingAttempt]
    """The latest steps of publishing, oldest first."""


class Post(ResponseModel, frozen=True, kw_only=True):
    """A post and its status on each account."""

    id: str
    """The id, `post_…`."""
    profile_id: ProfileIdField
    status: PostStatus
    """`preparing` while files are made to fit, then `publishing` until every target has ended. `partial`: some failed.
    """
    content: str
    """The text, for all targets that have none of their own."""
    media: list[PostMedia]
    """The files, for all targets that have none of their own."""
    first_comment: str | None
    """The comment to add below the post. Null if there is none."""
    targets: list[PostTarget]
    """The post on each account."""
    scheduled_for: datetime | None
    """When it is or was due, in UTC. Null for a draft without a time."""
    timezone: str
    """The IANA time zone in which it was scheduled."""
    queue_slot_id: str | None
    """The slot of the queue that it was scheduled in, `slot_…`. Null if it was not queued."""
    round: int
    """1, and one more for each `POST /posts/{postId}/retry` after the post had ended. Each round ends with one event.
    """
    metadata: dict[str, Any] | None
    """Your own data, as you sent it. Null if there is none."""
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        target = {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "platform": "telegram",
            "kind": "telegram_bot",
            "status": "published",
            "content": None,
            "media": None,
            "options": {"chatId": "@bakerylima"},
            "fit": None,
            "platformPostId": "17",
            "url": "https://t.me/bakerylima/17",
            "publishedAt": _EXAMPLE_TIME,
            "warnings": [],
            "error": None,
            "attempts": [
                {"at": _EXAMPLE_TIME, "stage": "send", "outcome": "published", "detail": None, "nextAt": None}
            ],
        }
        return {
            "id": _EXAMPLE_POST_ID,
            "profileId": _EXAMPLE_PROFILE_ID,
            "status": "published",
            "content": "Fresh bread at seven",
            "media": [
                {"mediaId": _EXAMPLE_MEDIA_ID, "alt": "A loaf", "thumbnailMediaId": None, "trim": None, "coverAt": None}
            ],
            "firstComment": None,
            "targets": [target],
            "scheduledFor": None,
            "timezone": "America/Lima",
            "queueSlotId": None,
            "round": 1,
            "metadata": None,
            "createdAt": _EXAMPLE_TIME,
            "updatedAt": _EXAMPLE_TIME,
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
    """Only posts with this status. By default all except `cancelled`."""
    profile_id: Annotated[str, Meta(max_length=40)] | None = None
    """Only posts of this profile."""
    account_id: Annotated[str, Meta(max_length=40)] | None = None
    """Only posts with this account among their targets."""
    platform: Platform | None = None
    """Only posts with an account on this platform among their targets."""
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


class DeletePostQuery(QueryParameters, frozen=True, kw_only=True):
    """What to delete of a published post."""

    platforms: (
        Annotated[bool, Meta(description="true: also on the platforms that allow it; false: only our record.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {}


class PlatformDeletion(ResponseModel, frozen=True, kw_only=True):
    account_id: AccountIdField
    deleted: bool
    """Whether the post no longer exists on the platform."""
    detail: str | None
    """Why it was not deleted there. Null if it was."""


class PostDeleted(ResponseModel, frozen=True, kw_only=True):
    """What was deleted, and the result on each platform."""

    id: str
    """The id of the post, `post_…`."""
    deleted: IsDeleted = True
    status: Literal["cancelled", "deleted"]
    """`cancelled` if it was not published yet, `deleted` if it was."""
    platforms: list[PlatformDeletion]
    """The result on each platform, if it was to be deleted there too."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _EXAMPLE_POST_ID, "deleted": True, "status": "cancelled", "platforms": []}


class ReconciliationFinding(RequestBody, frozen=True, kw_only=True):
    """What a person found on the platform."""

    account_id: Annotated[str, Meta(max_length=40)]
    """The target that it is about, `acc_…`."""
    published: bool
    """Whether the post is on the platform."""
    platform_post_id: Annotated[str, Meta(max_length=300)] | None = None
    """The platform's own id of the post, if it is there and you know it."""
    url: Annotated[str, Meta(max_length=2048, pattern="^https?://")] | None = None
    """The public URL of the post, if it is there and you know it."""


class Reconciliation(RequestBody, frozen=True, kw_only=True):
    """Decide the outcome of unconfirmed targets. Without `findings` the platforms are asked again."""

    findings: Annotated[list[ReconciliationFinding], Meta(max_length=50)] = field(default_factory=list)
    """What you found, for each unconfirmed target that you checked yourself."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"findings": [{"accountId": _EXAMPLE_ACCOUNT_ID, "published": True, "platformPostId": "17"}]}


class HistoryQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of an account's history to return."""


class PlatformObjectDeleted(ResponseModel, frozen=True, kw_only=True):
    """What was deleted on a platform."""

    id: str
    """The platform's own id of the post that was deleted."""
    account_id: AccountIdField
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "17900000000000001", "accountId": _EXAMPLE_ACCOUNT_ID, "deleted": True}
