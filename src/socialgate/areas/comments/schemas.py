from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.contracts.comments import EXAMPLE_COMMENT_ID
from socialgate.core.fields import AccountIdField, IsDeleted
from socialgate.web.schemas import RequestBody, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_POST_ID_DESCRIPTION = "Our id of a post, or the platform's own id."

PlatformObjectId = Annotated[str, Meta(min_length=1, max_length=300)]


class CommentsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which comments to list."""

    post_id: Annotated[str, Meta(min_length=1, max_length=300, description=_POST_ID_DESCRIPTION)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "postId": "post_01h455vb4pex5vsknk084sn02q"}


class NewCommentBody(RequestBody, frozen=True, kw_only=True):
    """A comment to write: on a post, or in reply to the comment or review `parentId`."""

    text: Annotated[str, Meta(min_length=1, max_length=10_000)]
    """The text. The platform's own limit is checked too."""
    post_id: Annotated[str, Meta(min_length=1, max_length=300, description=_POST_ID_DESCRIPTION)] | None = None
    parent_id: Annotated[str, Meta(min_length=1, max_length=300, description="The comment to reply to.")] | None = None
    media_id: Annotated[str, Meta(max_length=40, description="An image, if the kind supports it.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"postId": "post_01h455vb4pex5vsknk084sn02q", "text": "Thank you!"}


class CommentVisibility(RequestBody, frozen=True, kw_only=True):
    """Which comment to hide, or to show again."""

    comment_id: PlatformObjectId
    """The platform's own id of the comment."""
    hidden: bool = True
    """False shows it again."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"commentId": EXAMPLE_COMMENT_ID, "hidden": True}


class CommentHidden(ResponseModel, frozen=True, kw_only=True):
    """Whether the comment is now hidden."""

    id: str
    """The platform's own id of the comment."""
    account_id: AccountIdField
    hidden: bool
    """Whether other people cannot see it now."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": EXAMPLE_COMMENT_ID, "accountId": _EXAMPLE_ACCOUNT_ID, "hidden": True}


class CommentDeleted(ResponseModel, frozen=True, kw_only=True):
    """The comment that was deleted on the platform."""

    id: str
    """The platform's own id of the comment."""
    account_id: AccountIdField
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": EXAMPLE_COMMENT_ID, "accountId": _EXAMPLE_ACCOUNT_ID, "deleted": True}
