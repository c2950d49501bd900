"""Publishing: what a post is to a connector, and how a connector takes it to its platform, step by step.

A post on one account is a small state machine whose position is a `Progress`. The engine writes down which stage it
is about to run, has the connector run it, and writes down where that led. A process can die at any instruction: a
stage that only reads, or whose repetition nobody sees (a container that is never published), is simply run again. A
stage named in `once` is never run twice by itself: what became of it is looked up on the platform.

A call whose answer was lost may still be carried out, minutes after everybody gave up on it. So that a list does not
show a post, or that nothing has happened for a while, never means that it was not published.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Capability, Kind
from socialgate.core.db import Tx
from socialgate.core.errors import Fault

MediaType = Literal["image", "video", "audio", "document"]


class MediaFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a post, as it was probed. `url` is public and signed: platforms can fetch it there."""

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


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What goes to one account. `options` has been checked against the JSON Schema of the kind's manifest."""

    text: str
    media: tuple[MediaFile, ...] = ()
    options: Mapping[str, Any] = {}
    first_comment: str | None = None


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a post stands. `data` holds what later stages need (container ids, upload addresses), in plain JSON.

    Once it is `handed_over` the platform has all that it needs to publish it, or has done so: whatever fails from then
    on, but a refusal (Rejected, Duplicate), leaves the outcome open and does not make the post a failed one. While it
    is `lost`, an earlier call may still be carried out: even a refusal leaves the outcome open, since it is the answer
    to another call.
    """

    stage: str
    data: Mapping[str, Any] = {}
    handed_over: bool = False
    lost: bool = False


class Continue(msgspec.Struct, frozen=True, kw_only=True):
    """Go on with this, not before so many seconds."""

    progress: Progress
    wait: float = 0.0


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """It is published. `warnings` tell what did not go with it (a first comment), in sentences."""

    platform_post_id: str
    url: str | None = None
    published_at: datetime | None = None
    warnings: tuple[str, ...] = ()


class NotThere(msgspec.Struct, frozen=True):
    """It is not published so far, and running the stage again cannot make a second post.

    Only for a stage that names an object of the platform (a container, an upload) which becomes one post at most, by
    the platform's own rules, and which says itself that it is not one yet. Anything else is CannotTell.
    """


class CannotTell(msgspec.Struct, frozen=True):
    """The platform does not show it either way. A person decides."""

    why: str


Step: TypeAlias = Continue | Done
LookupResult: TypeAlias = Continue | Done | NotThere | CannotTell


class MediaReader(Protocol):
    async def read(self, media_id: str, start: int, length: int) -> bytes:
        """Read a part of a file. A connector never asks for more than 16 MiB at once."""


class Publishing(Protocol):
    """Stages that must not run twice by themselves stand in `once`."""

    once: frozenset[str]

    def faults(self, content: Content) -> Sequence[Fault]:
        """Name what is wrong beyond what the manifest says, all at once: which media go together, what an option
        needs. Pointers are relative to the target: `/content`, `/media/0`, `/options/form`.
        """

    def left_out(self, content: Content) -> Sequence[str]:
        """Tell what the platform has no place for, of a content without faults. The post goes out without it."""

    def begin(self, content: Content) -> Progress: ...

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        """Run one stage: one call that changes something at most."""

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        """Find out by reading what became of a stage of `once` whose answer was lost."""


class Removing(Protocol):
    async def remove(self, held: AccountCredentials, platform_post_id: str) -> None:
        """Delete a post on the platform. PlatformNotFound where it is gone already."""


class PostPublished(msgspec.Struct, frozen=True, kw_only=True):
    """A post has appeared on one account. Told with the id of its owner, in the transaction that records it."""

    post_id: str
    target_id: str
    account_id: str
    kind: Kind
    object_id: str
    url: str | None
    published_at: datetime | None


class PublishedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A post on one account, where it is out."""

    account_id: str
    platform: str
    text: str
    object_id: str | None
    url: str | None


class PostSettled(msgspec.Struct, frozen=True, kw_only=True):
    """A post has come to rest, and is out on these accounts. Published to listeners together with its profile."""

    owner_id: str
    post_id: str
    at: datetime
    targets: tuple[PublishedTarget, ...]


class PostIndex(Protocol):
    """Which object of a platform a post of ours became, for areas that work on what is published."""

    async def object_of(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        """Give the platform's id of a post on one account; None where it is not published there."""


class HistoryItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A post that is live on an account, ours or not."""

    id: str
    type: str
    text: str
    url: str | None
    created_at: datetime | None
    media: tuple[Mapping[str, Any], ...] = ()
    counts: Mapping[str, int] = {}


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[HistoryItem]
    cursor: str | None


class History(Protocol):
    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        """List what is live on the account, newest first. The cursor is the platform's own."""


POST: Capability[Publishing] = Capability("post")
DELETE_POST: Capability[Removing] = Capability("deletePost")
HISTORY: Capability[History] = Capability("history")
