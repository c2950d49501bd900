"""Comments: what people write below posts, reviews of a business, and the replies of the account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, TypeAlias

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.inbound import Concern, Fact
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import CannotTell, MediaFile, NotThere
from socialgate.core.errors import Fault


class CommentAuthor(msgspec.Struct, frozen=True, kw_only=True):
    """The author. Platforms omit what a person has not agreed to show."""

    id: str | None = None
    name: str | None = None
    username: str | None = None
    avatar_url: str | None = None


class CommentItem(msgspec.Struct, frozen=True, kw_only=True):
    """A comment, or a review with its `rating`. Values that the platform does not report are None.

    `object_id` is what it is about: a post, or a location. `own` says that the account itself wrote it.
    """

    id: str
    object_id: str | None
    text: str
    author: CommentAuthor | None = None
    parent_id: str | None = None
    hidden: bool = False
    created_at: datetime | None = None
    url: str | None = None
    likes: int | None = None
    reply_count: int | None = None
    can_reply: bool = False
    can_hide: bool = False
    can_delete: bool = False
    rating: int | None = None
    own: bool = False
    replies: "tuple[CommentItem, ...]" = ()


class CommentPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[CommentItem]
    cursor: str | None


class NewComment(msgspec.Struct, frozen=True, kw_only=True):
    """What to write: below an object, or with `parent_id` as a reply to a comment. `media` is an image."""

    text: str
    object_id: str | None = None
    parent_id: str | None = None
    media: MediaFile | None = None
    # When it was requested: anything older was not written by this request.
    asked_at: datetime


Looked: TypeAlias = CommentItem | NotThere | CannotTell


class Comments(Protocol):
    """`of_account` says that comments can be listed for the whole account, without a post."""

    of_account: bool

    def faults(self, new: NewComment) -> Sequence[Fault]:
        """List what the platform would reject, all at once. Pointers are those of the request: `/text`, `/mediaId`."""

    async def list(
        self, held: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        """List the comments of an object (or of the account), newest first, with the replies that the platform
        includes. The cursor is the platform's own.
        """

    async def create(self, held: AccountCredentials, new: NewComment) -> CommentItem:
        """Write it, with at most one call that publishes."""

    async def look(self, held: AccountCredentials, new: NewComment) -> Looked:
        """Look up the result of a `create` whose response was lost."""

    async def hide(self, held: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        """Hide or show it. Doing it twice changes nothing. NotSupported if the platform cannot."""

    async def delete(self, held: AccountCredentials, comment_id: str) -> None:
        """Delete it. PlatformNotFound if it is already gone."""


class CommentReceived(Fact, frozen=True, kw_only=True):
    """The platform reports that somebody commented on something of an account, changed or removed a comment.

    `key` is the platform's own id of what happened; `change` says what: `created`, `edited`, `deleted`, `hidden` or
    `shown`. If the platform only names the comment, `comment` has just the id.
    """

    kind: Kind
    account: str
    change: str
    comment: CommentItem

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),))


COMMENTS: Capability[Comments] = Capability("comment")
