from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.comments.schemas import (
    CommentDeleted,
    CommentHidden,
    CommentsQuery,
    CommentVisibility,
    NewCommentBody,
)
from socialgate.areas.comments.service import CommentService
from socialgate.contracts.comments import Comment
from socialgate.contracts.failures import NotSupportedError
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Comments", "Comments and reviews on the posts of an account: read, reply, hide and delete them.")
_READ_ERRORS = (NotFound, NotSupportedError, *LIVE_READ_ERRORS)
_CHANGE_ERRORS = (NotFound, NotSupportedError, *OPERATION_ERRORS)


@route(
    "GET",
    "/accounts/{account_id:str}/comments",
    sdk="comments.list",
    tag=TAG,
    query=CommentsQuery,
    raises=_READ_ERRORS,
)
async def list_comments(
    account_id: str, params: CommentsQuery, work: UnitOfWork, discussion: CommentService
) -> Page[Comment]:
    """List the comments on a post, newest first, live from the platform.

    For a Business Profile, omit `postId` to list its reviews. For a YouTube channel, omit it to list the comments on
    all its videos.
    """
    return await discussion.list(work, account_id, params)


@route("POST", "/accounts/{account_id:str}/comments", sdk="comments.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_comment(
    account_id: str, data: NewCommentBody, work: UnitOfWork, discussion: CommentService
) -> Comment:
    """Comment on a post, or reply to a comment or review, as the account.

    Send an `Idempotency-Key`: repeating the request with it never writes a second comment. If the platform's response
    was lost and the platform does not show the result, the response is 502 with the id of the operation.
    """
    return await discussion.create(work, account_id, data)


@route(
    "POST", "/accounts/{account_id:str}/comments/hide", sdk="comments.hide", tag=TAG, status=200, raises=_CHANGE_ERRORS
)
async def hide_comment(
    account_id: str, data: CommentVisibility, work: UnitOfWork, discussion: CommentService
) -> CommentHidden:
    """Hide a comment from everybody except its author, or show it again with `hidden: false`."""
    return await discussion.hide(work, account_id, data)


@route(
    "DELETE",
    "/accounts/{account_id:str}/comments/{comment_id:str}",
    sdk="comments.delete",
    tag=TAG,
    raises=_CHANGE_ERRORS,
)
async def delete_comment(
    account_id: str, comment_id: str, work: UnitOfWork, discussion: CommentService
) -> CommentDeleted:
    """Delete a comment on the platform. `canDelete` says which comments can be deleted."""
    return await discussion.delete(work, account_id, comment_id)


routes = [list_comments, create_comment, hide_comment, delete_comment]
