"""Publishing: what a post is to a connector, and how a connector publishes it, step by step.

A post on one account is a small state machine whose position is a `PublishingProgress`. The engine records which stage
it is about to run, lets the connector run it, and records the result. A process can die at any instruction: a stage
that only reads, or whose repetition is invisible (a container that is never published), is simply run again. A stage
listed in `once` is never run twice automatically: its result is looked up on the platform.

A call whose response was lost may still be executed minutes after it timed out. So if a list does not show a post, or
nothing has happened for a while, that never means that it was not published.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.platforms import Capability, Kind
from socialgate.core.db import Tx
from socialgate.core.errors import Fault
from socialgate.core.facts import FactAbout
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, ResponseModel

MediaType = Literal["image", "video", "audio", "document"]


class MediaDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What else was found in a file. None, or the default, if it is unknown or does not apply.

    `is_animated` is for images. `matrix` is how the colors of a video are encoded. `pixel_ratio` is the width of its
    pixels divided by their height, in the picture as people see it. `index_first` says whether the index of an MP4 or
    QuickTime file is in front of its data.
    """

    is_animated: bool = False
    has_alpha: bool = False
    video_codec: str | None = None
    audio_codec: str | None = None
    pixel_format: str | None = None
    transfer: str | None = None
    matrix: str | None = None
    pixel_ratio: float | None = None
    fps: float | None = None
    is_interlaced: bool = False
    bit_rate: int | None = None
    channels: int | None = None
    sample_rate: int | None = None
    index_first: bool | None = None


class MediaFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a post, as inspected. `url` is public and signed: platforms can download it there."""

    id: str
    type: MediaType
    mime_type: str
    size: int
    sha256: str
    url: str
    file_name: str
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    alt: str | None = None
    thumbnail: "MediaFile | None" = None
    details: MediaDetails | None = None


class PostContent(msgspec.Struct, frozen=True, kw_only=True):
    """What is published to one account. `options` has been validated against the JSON Schema of the kind's manifest."""

    text: str
    media: tuple[MediaFile, ...] = ()
    options: Mapping[str, Any] = {}
    first_comment: str | None = None


class PublishingProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a post. `data` contains what later stages need (container ids, upload URLs), in plain JSON.

    Once it is `handed_over` the platform has everything to publish it, or has done so: any failure from then on, except
    a rejection (Rejected, Duplicate), leaves the outcome open and does not fail the post. With `has_lost_call`,
    an earlier call may still be executed: even a rejection leaves the outcome open, because it is the response to
    another call.
    """

    stage: str
    data: Mapping[str, Any] = {}
    handed_over: bool = False
    has_lost_call: bool = msgspec.field(default=False, name="lost")


class NextStage(msgspec.Struct, frozen=True, kw_only=True):
    """Continue with this, after at least this many seconds."""

    progress: PublishingProgress
    wait: float = 0.0


class PublishedPost(msgspec.Struct, frozen=True, kw_only=True):
    """It is published. `warnings` say what was left out (a first comment), in sentences."""

    platform_post_id: str
    url: str | None = None
    published_at: datetime | None = None
    warnings: tuple[str, ...] = ()


class SafeToRetry(msgspec.Struct, frozen=True):
    """It is not published so far, and running the stage again cannot create a second post.

    Only for a stage that publishes an object of the platform (a container, an upload) which becomes at most one post,
    by the platform's own rules, and which says itself that it is not one yet. Anything else is CannotTell.
    """


class Inconclusive(msgspec.Struct, frozen=True):
    """The platform does not show it either way. A person decides."""

    reason: str


StageResult: TypeAlias = NextStage | PublishedPost
LookupResult: TypeAlias = NextStage | PublishedPost | SafeToRetry | Inconclusive


class MediaReader(Protocol):
    async def read(self, media_id: str, start: int, length: int) -> bytes:
        """Read part of a file. A connector never asks for more than 16 MiB at once."""


class PostPublisher(Protocol):
    """Stages that must not run twice automatically are in `non_repeatable_stages`."""

    non_repeatable_stages: frozenset[str]

    def validate_content(self, content: PostContent) -> Sequence[Fault]:
        """List what is wrong beyond what the manifest says, all at once: which media can be combined, what an option
        needs. Pointers are relative to the target: `/content`, `/media/0`, `/options/form`.
        """

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        """List what the platform does not support, of valid content. The post is published without it."""

    def create_progress(self, content: PostContent) -> PublishingProgress: ...

    async def run_stage(
        self,
        credentials: AccountCredentials,
        content: PostContent,
        progress: PublishingProgress,
        media_reader: MediaReader,
    ) -> StageResult:
        """Run one stage: at most one call that changes something."""

    async def look_up_result(
        self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress
    ) -> LookupResult:
        """Look up the result of a stage of `non_repeatable_stages` whose response was lost."""


class PostDeleter(Protocol):
    async def delete_post(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        """Delete a post on the platform. PlatformNotFound if it is already gone."""


class PostPublished(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A post was published on one account. Published with the id of its owner, in the transaction that records it."""

    post_id: str
    target_id: str
    account_id: str
    kind: Kind
    object_id: str
    url: str | None
    published_at: datetime | None


class PublishedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A post on one account where it is published."""

    account_id: str
    platform: str
    text: str
    object_id: str | None
    url: str | None


class PostFinished(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A post is finished, and live on these accounts. Published to listeners together with its profile."""

    owner_id: str
    post_id: str
    at: datetime
    targets: tuple[PublishedTarget, ...]


class PublishedPostLookup(Protocol):
    """Which object on a platform a post of ours became, for areas that work on published posts."""

    async def get_platform_post_id(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        """Return the platform's id of a post on one account; None if it is not published there."""

    async def is_pending(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> bool:
        """Whether a post is going to be published on an account, or is being published."""

    async def get_text(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        """Return the text of a post on one account; None if there is no such post."""


def _no_counts() -> Mapping[str, int]:
    return {}


class HistoryEntry(ResponseModel, frozen=True, kw_only=True):
    """A post that is live on the account, whether or not it was posted here."""

    id: str
    """The platform's own id of the post."""
    type: str
    """What it is, such as `image`, `video`, `carousel`, `reel` or `text`."""
    text: str
    """The text or caption. Empty if there is none."""
    url: str | None
    """Its public URL. Null if the platform does not report it."""
    created_at: datetime | None
    """When it was published. Null if the platform does not report it."""
    media: tuple[Mapping[str, Any], ...] = EMPTY_TUPLE_FIELD
    """Its files, as far as the platform reports them. URLs of the platform may expire."""
    counts: Mapping[str, int] = msgspec.field(default_factory=_no_counts)
    """What the platform counts, such as `likes` and `comments`. What it does not report is missing."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "17900000000000001",
            "type": "image",
            "text": "Fresh bread at seven",
            "url": "https://www.instagram.com/p/Cabc123/",
            "createdAt": "2026-11-15T09:30:00Z",
            "media": [],
            "counts": {"likes": 12},
        }


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[HistoryEntry]
    cursor: str | None


class PostHistoryReader(Protocol):
    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        """List what is live on the account, newest first. The cursor is the platform's own."""


PUBLISH_POST_CAPABILITY: Capability[PostPublisher] = Capability("post")
DELETE_POST_CAPABILITY: Capability[PostDeleter] = Capability("deletePost")
POST_HISTORY_CAPABILITY: Capability[PostHistoryReader] = Capability("history")
