"""Comments of an account: listed live, and changed by operations, so that nothing is written twice."""

import msgspec

from socialgate.areas.accounts.live_reads import ListRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.comments.schemas import (
    CommentDeleted,
    CommentHidden,
    CommentsQuery,
    CommentVisibility,
    NewCommentBody,
)
from socialgate.areas.media.service import MediaService
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment, CommentAdapter, NewComment
from socialgate.contracts.operations import OperationType, look_up_deletion
from socialgate.contracts.publishing import MediaFile, PublishedPostLookup
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.ids import is_id
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page

NO_COMMENTS_PHRASE = "has no comments that its API shows"


class CommentService:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: AccountService,
        operations: OperationService,
        index: PublishedPostLookup,
        library: MediaService,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._operations = operations
        self._index = index
        self._library = library

    async def list(self, work: UnitOfWork, account_id: str, query: CommentsQuery) -> Page[Comment]:
        account, object_id = await work.read(self._find_account_and_post, work, account_id, query.post_id)
        if object_id is None and not self._get_comments_adapter(account).lists_whole_account:
            raise InvalidRequest.for_field(
                "?postId", "required", "postId is required: the post whose comments to list."
            )
        values = ("comments", account_id, object_id or "")
        cursor = unwrap_platform_cursor(query.cursor, *values)
        read = ListRead(
            name="comments",
            params=(object_id, cursor),
            limit=query.limit,
            capability=COMMENTS_CAPABILITY,
            lacks=NO_COMMENTS_PHRASE,
            call=lambda part, credentials, rows: part.list(credentials, object_id, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(data=[*page.items], next_cursor=wrap_platform_cursor(page.cursor, *values))

    async def lists_whole_account(self, work: UnitOfWork, account_id: str) -> bool:
        """Whether the comments of an account can be listed without a post."""
        account = await work.read(self._accounts.find, work.caller, account_id)
        return self._get_comments_adapter(account).lists_whole_account

    async def create(self, work: UnitOfWork, account_id: str, new: NewCommentBody) -> Comment:
        account, object_id = await work.read(self._find_account_and_post, work, account_id, new.post_id)
        part = self._get_comments_adapter(account)
        if object_id is None and new.parent_id is None:
            raise InvalidRequest.for_field(
                "/postId",
                "required",
                "postId is required: the post to comment on. To reply to a comment, use parentId.",
            )
        media = None if new.media_id is None else await work.read(self._find_image, work, new.media_id)
        new_comment = NewComment(
            text=new.text,
            object_id=object_id,
            parent_id=new.parent_id,
            media=media,
            asked_at=work.db.clock.now(),
        )
        if faults := part.validate_new_comment(new_comment):
            raise InvalidRequest("The platform would reject this comment.", errors=faults)
        return await self._operations.run(work, account, CREATE_COMMENT_OPERATION, new_comment)

    async def hide(self, work: UnitOfWork, account_id: str, comment_visibility: CommentVisibility) -> CommentHidden:
        account, _ = await work.read(self._find_account_and_post, work, account_id, None)
        return await self._operations.run(work, account, HIDE_COMMENT_OPERATION, comment_visibility)

    async def delete(self, work: UnitOfWork, account_id: str, comment_id: str) -> CommentDeleted:
        account, _ = await work.read(self._find_account_and_post, work, account_id, None)
        return await self._operations.run(
            work, account, DELETE_COMMENT_OPERATION, CommentDeletion(comment_id=comment_id)
        )

    def _get_comments_adapter(self, account: AccountRow) -> CommentAdapter:
        return self._session.get_adapter(account, COMMENTS_CAPABILITY, NO_COMMENTS_PHRASE)

    async def _find_account_and_post(
        self, tx: Tx, work: UnitOfWork, account_id: str, post_id: str | None
    ) -> tuple[AccountRow, str | None]:
        """Find the account, and the platform's id of a post that may be given by our id."""
        account = await self._accounts.find(tx, work.caller, account_id)
        if post_id is None or not is_id("post", post_id):
            return account, post_id
        result = await self._index.get_platform_post_id(tx, account.owner_id, post_id, account_id)
        if result is None:
            raise NotFound("This post is not published on the account. GET /posts/{postId} shows where it is.")
        return account, result

    async def _find_image(self, tx: Tx, work: UnitOfWork, media_id: str) -> MediaFile:
        return await self._library.require_image(tx, work.caller, media_id, "/mediaId")


class CommentDeletion(msgspec.Struct, frozen=True):
    """What to delete."""

    comment_id: str


async def _create_comment(part: CommentAdapter, credentials: AccountCredentials, new: NewComment) -> Comment:
    return await part.create(credentials, new)


async def _record_created(tx: Tx, account: AccountRow, new: NewComment, item: Comment) -> Comment:
    del tx, account, new
    return item


async def _hide_comment(
    part: CommentAdapter, credentials: AccountCredentials, comment_visibility: CommentVisibility
) -> None:
    await part.set_hidden(credentials, comment_visibility.comment_id, hidden=comment_visibility.hidden)


async def _record_hidden(
    tx: Tx, account: AccountRow, comment_visibility: CommentVisibility, result: None
) -> CommentHidden:
    del tx, result
    return CommentHidden(id=comment_visibility.comment_id, account_id=account.id, hidden=comment_visibility.hidden)


async def _delete_comment(
    part: CommentAdapter, credentials: AccountCredentials, comment_deletion: CommentDeletion
) -> None:
    await part.delete(credentials, comment_deletion.comment_id)


async def _record_deleted(
    tx: Tx, account: AccountRow, comment_deletion: CommentDeletion, result: None
) -> CommentDeleted:
    del tx, result
    return CommentDeleted(id=comment_deletion.comment_id, account_id=account.id)


CREATE_COMMENT_OPERATION = OperationType(
    name="comments.create",
    request=NewComment,
    response_type=Comment,
    capability=COMMENTS_CAPABILITY,
    unsupported_phrase=NO_COMMENTS_PHRASE,
    call=_create_comment,
    record=_record_created,
    look=lambda part, credentials, new: part.look_up_result(credentials, new),
    summarize_request=lambda new: {"objectId": new.object_id, "parentId": new.parent_id},
    get_object_id=lambda _, item: item.id,
    creates=True,
)
HIDE_COMMENT_OPERATION = OperationType(
    name="comments.hide",
    request=CommentVisibility,
    response_type=CommentHidden,
    capability=COMMENTS_CAPABILITY,
    unsupported_phrase=NO_COMMENTS_PHRASE,
    call=_hide_comment,
    record=_record_hidden,
    # Hiding is idempotent, so repeating it shows whether it can be done.
    look=_hide_comment,
    summarize_request=lambda comment_visibility: {
        "commentId": comment_visibility.comment_id,
        "hidden": comment_visibility.hidden,
    },
    get_object_id=lambda comment_visibility, _: comment_visibility.comment_id,
)
DELETE_COMMENT_OPERATION = OperationType(
    name="comments.delete",
    request=CommentDeletion,
    response_type=CommentDeleted,
    capability=COMMENTS_CAPABILITY,
    unsupported_phrase=NO_COMMENTS_PHRASE,
    call=_delete_comment,
    record=_record_deleted,
    look=look_up_deletion(_delete_comment),
    summarize_request=lambda comment_deletion: {"commentId": comment_deletion.comment_id},
    get_object_id=lambda comment_deletion, _: comment_deletion.comment_id,
)
