from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.core.fields import IsDeleted, OfAccount
from socialgate.web.schema import Body, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_COMMENT = "17900000000000001"
_POST_ID = "Our id of a post, or the platform's own id."

ObjectId = Annotated[str, Meta(min_length=1, max_length=300)]


class CommentsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which comments to list."""

    post_id: Annotated[str, Meta(min_length=1, max_length=300, description=_POST_ID)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "postId": "post_01h455vb4pex5vsknk084sn02q"}


class CommentAuthor(View, frozen=True, kw_only=True):
    """The author. Platforms omit what a person has not agreed to show."""

    id: str | None
    """The platform's id of the person. Null if the platform does not report it."""
    name: str | None
    """The display name. Null if the platform does not report it."""
    username: str | None
    """The handle. Null if the platform does not report it."""
    avatar_url: str | None
    """The URL of the picture on the platform, which may expire. Null if it is unknown."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "6512", "name": "Ana Souza", "username": "ana.souza", "avatarUrl": None}


class Comment(View, frozen=True, kw_only=True):
    """A comment, reply or review. Values that the platform does not report are null.

    `objectId` is the post on the platform. `own` says that the account itself wrote it; `rating` is the rating of a
    review, from 1 to 5. `replies` contains the replies that the platform includes, `replyCount` how many there are.
    """

    id: str
    """The platform's own id."""
    object_id: str | None
    """The platform's id of the post; for reviews, of the location. Null if the platform does not report it."""
    parent_id: str | None
    """The comment that it replies to, by the platform's id. Null if it is no reply."""
    author: CommentAuthor | None
    """Who wrote it. Null if the platform does not report it."""
    text: str
    """The text. Empty for a review without words."""
    hidden: bool
    """Whether other people cannot see it."""
    own: bool
    """Whether the account itself wrote it."""
    created_at: datetime | None
    """When it was written. Null if the platform does not report it."""
    url: str | None
    """Its public URL. Null if the platform does not report it."""
    likes: int | None
    """How many likes it has. Null if the platform does not report it."""
    reply_count: int | None
    """How many replies it has. Null if the platform does not report it."""
    can_reply: bool
    """Whether you can reply to it."""
    can_hide: bool
    """Whether you can hide it, or show it again."""
    can_delete: bool
    """Whether you can delete it."""
    rating: int | None
    """Of a review, from 1 to 5. Null for comments."""
    replies: "list[Comment]"
    """The replies that the platform includes. There may be more; see `replyCount`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _COMMENT,
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


class NewCommentBody(Body, frozen=True, kw_only=True):
    """A comment to write: on a post, or in reply to the comment or review `parentId`."""

    text: Annotated[str, Meta(min_length=1, max_length=10_000)]
    """The text. The platform's own limit is checked too."""
    post_id: Annotated[str, Meta(min_length=1, max_length=300, description=_POST_ID)] | None = None
    parent_id: Annotated[str, Meta(min_length=1, max_length=300, description="The comment to reply to.")] | None = None
    media_id: Annotated[str, Meta(max_length=40, description="An image, if the kind supports it.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"postId": "post_01h455vb4pex5vsknk084sn02q", "text": "Thank you!"}


class CommentVisibility(Body, frozen=True, kw_only=True):
    """Which comment to hide, or to show again."""

    comment_id: ObjectId
    """The platform's own id of the comment."""
    hidden: bool = True
    """False shows it again."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"commentId": _COMMENT, "hidden": True}


class CommentHidden(View, frozen=True, kw_only=True):
    """Whether the comment is now hidden."""

    id: str
    """The platform's own id of the comment."""
    account_id: OfAccount
    hidden: bool
    """Whether other people cannot see it now."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _COMMENT, "accountId": _ACCOUNT, "hidden": True}


class CommentDeleted(View, frozen=True, kw_only=True):
    """The comment that was deleted on the platform."""

    id: str
    """The platform's own id of the comment."""
    account_id: OfAccount
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _COMMENT, "accountId": _ACCOUNT, "deleted": True}
