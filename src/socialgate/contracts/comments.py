"""Comments: what people write below posts, reviews of a business, and the replies of the account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import Inconclusive, MediaFile, SafeToRetry
from socialgate.contracts.webhooks import AffectedAccounts, PlatformFact
from socialgate.core.errors import Fault
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, FALSE_BY_DEFAULT, UNREPORTED_FIELD, ResponseModel

EXAMPLE_COMMENT_ID = "17900000000000001"


class CommentAuthor(ResponseModel, frozen=True, kw_only=True):
    """The author. Platforms omit what a person has not agreed to show."""

    id: str | None = UNREPORTED_FIELD
    """The platform's id of the person. Null if the platform does not report it."""
    name: str | None = UNREPORTED_FIELD
    """The display name. Null if the platform does not report it."""
    username: str | None = UNREPORTED_FIELD
    """The handle. Null if the platform does not report it."""
    avatar_url: str | None = UNREPORTED_FIELD
    """The URL of the picture on the platform, which may expire. Null if it is unknown."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "6512", "name": "Ana Souza", "username": "ana.souza", "avatarUrl": None}


class Comment(ResponseModel, frozen=True, kw_only=True):
    """A comment, reply or review. Values that the platform does not report are null.

    `objectId` is the post on the platform. `own` says that the account itself wrote it; `rating` is the rating of a
    review, from 1 to 5. `replies` contains the replies that the platform includes, `replyCount` how many there are.
    """

    id: str
    """The platform's own id."""
    object_id: str | None
    """The platform's id of the post; for reviews, of the location. Null if the platform does not report it."""
    parent_id: str | None = UNREPORTED_FIELD
    """The comment that it replies to, by the platform's id. Null if it is no reply."""
    author: CommentAuthor | None = UNREPORTED_FIELD
    """Who wrote it. Null if the platform does not report it."""
    text: str
    """The text. Empty for a review without words."""
    hidden: bool = FALSE_BY_DEFAULT
    """Whether other people cannot see it."""
    own: bool = FALSE_BY_DEFAULT
    """Whether the account itself wrote it."""
    created_at: datetime | None = UNREPORTED_FIELD
    """When it was written. Null if the platform does not report it."""
    url: str | None = UNREPORTED_FIELD
    """Its public URL. Null if the platform does not report it."""
    likes: int | None = UNREPORTED_FIELD
    """How many likes it has. Null if the platform does not report it."""
    reply_count: int | None = UNREPORTED_FIELD
    """How many replies it has. Null if the platform does not report it."""
    can_reply: bool = FALSE_BY_DEFAULT
    """Whether you can reply to it."""
    can_hide: bool = FALSE_BY_DEFAULT
    """Whether you can hide it, or show it again."""
    can_delete: bool = FALSE_BY_DEFAULT
    """Whether you can delete it."""
    rating: int | None = UNREPORTED_FIELD
    """Of a review, from 1 to 5. Null for comments."""
    replies: "tuple[Comment, ...]" = EMPTY_TUPLE_FIELD
    """The replies that the platform includes. There may be more; see `replyCount`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": EXAMPLE_COMMENT_ID,
            "objectId": "17841400000000000",
            "parentId": None,
            "author": CommentAuthor.example(),
            "text": "Do you ship to Recife?",
            "hidden": False,
            "own": False,
            "createdAt": "2026-11-15T09:30:00Z",
            "url": None,
            "likes": 2,
            "replyCount": 0,
            "canReply": True,
            "canHide": True,
            "canDelete": True,
            "rating": None,
            "replies": [],
        }


class CommentPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[Comment]
    cursor: str | None


class NewComment(msgspec.Struct, frozen=True, kw_only=True):
    """What to write: below an object, or with `parent_id` as a reply to a comment. `media` is an image."""

    text: str
    object_id: str | None = None
    parent_id: str | None = None
    media: MediaFile | None = None
    # When it was requested: anything older was not written by this request.
    asked_at: datetime


LookupResult: TypeAlias = Comment | SafeToRetry | Inconclusive


class CommentAdapter(Protocol):
    """`lists_whole_account` says that comments can be listed for the whole account, without a post."""

    lists_whole_account: bool

    def validate_new_comment(self, new: NewComment) -> Sequence[Fault]:
        """List what the platform would reject, all at once. Pointers are those of the request: `/text`, `/mediaId`."""

    async def list(
        self, credentials: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        """List the comments of an object (or of the account), newest first, with the replies that the platform
        includes. The cursor is the platform's own.
        """

    async def create(self, credentials: AccountCredentials, new: NewComment) -> Comment:
        """Write it, with at most one call that publishes."""

    async def look_up_result(self, credentials: AccountCredentials, new: NewComment) -> LookupResult:
        """Look up the result of a `create` whose response was lost."""

    async def set_hidden(self, credentials: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        """Hide or show it. Doing it twice changes nothing. NotSupported if the platform cannot."""

    async def delete(self, credentials: AccountCredentials, comment_id: str) -> None:
        """Delete it. PlatformNotFound if it is already gone."""


class CommentReceived(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that somebody commented on something of an account, changed or removed a comment.

    `key` is the platform's own id of what happened; `change` says what: `created`, `edited`, `deleted`, `hidden` or
    `shown`. If the platform only names the comment, `comment` has just the id.
    """

    kind: Kind
    platform_account_id: str = msgspec.field(name="account")
    change: str
    comment: Comment

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(accounts=((self.kind, self.platform_account_id),))


COMMENTS_CAPABILITY: Capability[CommentAdapter] = Capability("comment")
