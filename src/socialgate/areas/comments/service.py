"""Comments of an account: listed live, and changed by operations, so that nothing is written twice."""

import msgspec

from socialgate.areas.accounts.reading import ListRead, LiveReads
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.comments.schemas import (
    CommentDeleted,
    CommentHidden,
    CommentsQuery,
    CommentVisibility,
    NewCommentBody,
)
from socialgate.areas.media.service import Library
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.comments import COMMENTS, Comment, Comments, NewComment
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.operations import OperationType, done_if_gone
from socialgate.contracts.publishing import MediaFile, PostIndex
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid, NotFound
from socialgate.core.ids import is_id
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page

LACKS = "has no comments that its API shows"


class Discussion:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: Accounts,
        operations: Operations,
        index: PostIndex,
        library: Library,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._operations = operations
        self._index = index
        self._library = library

    async def list(self, work: Work, account_id: str, query: CommentsQuery) -> Page[Comment]:
        account, object_id = await work.read(self._found, work, account_id, query.post_id)
        if object_id is None and not self._part(account).of_account:
            raise Invalid.at("?postId", "required", "postId is required: the post whose comments to list.")
        of = ("comments", account_id, object_id or "")
        cursor = plain(query.cursor, *of)
        read = ListRead(
            name="comments",
            params=(object_id, cursor),
            limit=query.limit,
            capability=COMMENTS,
            lacks=LACKS,
            call=lambda part, held, rows: part.list(held, object_id, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(data=[*page.items], next_cursor=opaque(page.cursor, *of))

    async def create(self, work: Work, account_id: str, new: NewCommentBody) -> Comment:
        account, object_id = await work.read(self._found, work, account_id, new.post_id)
        part = self._part(account)
        if object_id is None and new.parent_id is None:
            raise Invalid.at(
                "/postId",
                "required",
                "postId is required: the post to comment on. To reply to a comment, use parentId.",
            )
        media = None if new.media_id is None else await work.read(self._picture, work, new.media_id)
        wanted = NewComment(
            text=new.text,
            object_id=object_id,
            parent_id=new.parent_id,
            media=media,
            asked_at=work.db.clock.now(),
        )
        if faults := part.faults(wanted):
            raise Invalid("The platform would reject this comment.", errors=faults)
        return await self._operations.run(work, account, CREATE, wanted)

    async def hide(self, work: Work, account_id: str, asked: CommentVisibility) -> CommentHidden:
        account, _ = await work.read(self._found, work, account_id, None)
        return await self._operations.run(work, account, HIDE, asked)

    async def delete(self, work: Work, account_id: str, comment_id: str) -> CommentDeleted:
        account, _ = await work.read(self._found, work, account_id, None)
        return await self._operations.run(work, account, DELETE, CommentDeletion(comment_id=comment_id))

    def _part(self, account: AccountRow) -> Comments:
        return self._session.part(account, COMMENTS, LACKS)

    async def _found(self, tx: Tx, work: Work, account_id: str, post_id: str | None) -> tuple[AccountRow, str | None]:
        """Find the account, and the platform's id of a post that may be given by our id."""
        account = await self._accounts.find(tx, work.caller, account_id)
        if post_id is None or not is_id("post", post_id):
            return account, post_id
        found = await self._index.object_of(tx, account.owner_id, post_id, account_id)
        if found is None:
            raise NotFound("This post is not published on the account. GET /posts/{postId} shows where it is.")
        return account, found

    async def _picture(self, tx: Tx, work: Work, media_id: str) -> MediaFile:
        return await self._library.picture(tx, work.caller, media_id, "/mediaId")


class CommentDeletion(msgspec.Struct, frozen=True):
    """What to delete."""

    comment_id: str


async def _create(part: Comments, held: AccountCredentials, new: NewComment) -> Comment:
    return await part.create(held, new)


async def _created(tx: Tx, account: AccountRow, new: NewComment, item: Comment) -> Comment:
    del tx, account, new
    return item


async def _hide(part: Comments, held: AccountCredentials, asked: CommentVisibility) -> None:
    await part.hide(held, asked.comment_id, hidden=asked.hidden)


async def _hidden(tx: Tx, account: AccountRow, asked: CommentVisibility, result: None) -> CommentHidden:
    del tx, result
    return CommentHidden(id=asked.comment_id, account_id=account.id, hidden=asked.hidden)


async def _delete(part: Comments, held: AccountCredentials, asked: CommentDeletion) -> None:
    await part.delete(held, asked.comment_id)


async def _deleted(tx: Tx, account: AccountRow, asked: CommentDeletion, result: None) -> CommentDeleted:
    del tx, result
    return CommentDeleted(id=asked.comment_id, account_id=account.id)


CREATE = OperationType(
    name="comments.create",
    request=NewComment,
    answer=Comment,
    capability=COMMENTS,
    lacks=LACKS,
    call=_create,
    record=_created,
    look=lambda part, held, new: part.look(held, new),
    shown=lambda new: {"objectId": new.object_id, "parentId": new.parent_id},
    object_id=lambda _, item: item.id,
    creates=True,
)
HIDE = OperationType(
    name="comments.hide",
    request=CommentVisibility,
    answer=CommentHidden,
    capability=COMMENTS,
    lacks=LACKS,
    call=_hide,
    record=_hidden,
    # Hiding is idempotent, so repeating it shows whether it can be done.
    look=_hide,
    shown=lambda asked: {"commentId": asked.comment_id, "hidden": asked.hidden},
    object_id=lambda asked, _: asked.comment_id,
)
DELETE = OperationType(
    name="comments.delete",
    request=CommentDeletion,
    answer=CommentDeleted,
    capability=COMMENTS,
    lacks=LACKS,
    call=_delete,
    record=_deleted,
    look=done_if_gone(_delete),
    shown=lambda asked: {"commentId": asked.comment_id},
    object_id=lambda asked, _: asked.comment_id,
)
