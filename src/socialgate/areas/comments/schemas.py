from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
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
    name: str | None
    username: str | None
    avatar_url: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "6512", "name": "Ana Souza", "username": "ana.souza", "avatarUrl": None}


class Comment(View, frozen=True, kw_only=True):
    """A comment, reply or review. Values that the platform does not report are null.

    `objectId` is the post on the platform. `own` says that the account itself wrote it; `rating` is the rating of a
    review, from 1 to 5. `replies` contains the replies that the platform includes, `replyCount` how many there are.
    """

    id: str
    object_id: str | None
    parent_id: str | None
    author: CommentAuthor | None
    text: str
    hidden: bool
    own: bool
    created_at: datetime | None
    url: str | None
    likes: int | None
    reply_count: int | None
    can_reply: bool
    can_hide: bool
    can_delete: bool
    rating: int | None
    replies: "list[Comment]"

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
    post_id: Annotated[str, Meta(min_length=1, max_length=300, description=_POST_ID)] | None = None
    parent_id: Annotated[str, Meta(min_length=1, max_length=300, description="The comment to reply to.")] | None = None
    media_id: Annotated[str, Meta(max_length=40, description="An image, if the kind supports it.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"postId": "post_01h455vb4pex5vsknk084sn02q", "text": "Thank you!"}


class CommentVisibility(Body, frozen=True, kw_only=True):
    """Which comment to hide, or to show again."""

    comment_id: ObjectId
    hidden: bool = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"commentId": _COMMENT, "hidden": True}


class CommentHidden(View, frozen=True, kw_only=True):
    """Whether the comment is now hidden."""

    id: str
    account_id: str
    hidden: bool

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _COMMENT, "accountId": _ACCOUNT, "hidden": True}


class CommentDeleted(View, frozen=True, kw_only=True):
    """The comment that was deleted on the platform."""

    id: str
    account_id: str
    deleted: Literal[True] = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _COMMENT, "accountId": _ACCOUNT, "deleted": True}
