"""Comments: what people wrote below a post, or about a place, and the account's answers to it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.comments.schemas import CommentsQuery, CommentVisibility, NewCommentBody
from socialgate.areas.comments.service import CommentService
from socialgate.areas.inbox.sending import MessageOrigin, MessageSender
from socialgate.areas.inbox.service import InboxService
from socialgate.areas.posts.schemas import Post, PostsQuery
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import Contact
from socialgate.core.errors import NotFound, ServiceError
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import Page, RequestBody

COMMENTS_PATH = "/console/comments"
_COMMENTS_PER_PAGE = 25
_MAX_POSTS = 30

Id = Annotated[str, Meta(min_length=1, max_length=300)]


class CommentsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Whose comments to show, and below which post."""

    account: Annotated[str, Meta(max_length=40)] | None = None
    post: Id | None = None
    # A list of a platform continues where the platform says, which can be longer than our own.
    cursor: Annotated[str, Meta(max_length=4000)] | None = None


class CommentAnswer(RequestBody, frozen=True, kw_only=True):
    """An answer, and the comment that it is for."""

    comment_id: Id
    text: Annotated[str, Meta(min_length=1, max_length=10_000)]


class CommentChoice(RequestBody, frozen=True, kw_only=True):
    """Which comment."""

    comment_id: Id


class CommentList(msgspec.Struct, frozen=True, kw_only=True):
    """The comments, or why the platform does not show them now."""

    page: Page[Comment] | None = None
    failure: str | None = None


@console_page(
    COMMENTS_PATH,
    "comments.html",
    query=CommentsPageQuery,
    entry=Entry(label="Comments", icon="comments", group=Group.WORK, key="r"),
)
async def comments_page(
    visit: Visit,
    params: CommentsPageQuery,
    accounts: AccountService,
    posts: PostService,
    discussion: CommentService,
    inbox: InboxService,
) -> Values:
    able = await _list_accounts(visit, accounts)
    chosen = next((item for item in able if item.id == params.account), able[0] if able else None)
    listed = [] if chosen is None else await _list_posts(visit, posts, chosen.id)
    is_whole = chosen is not None and await discussion.lists_whole_account(visit.work, chosen.id)
    # Without a choice, everything of the account if its platform can list that, or else its newest post.
    post = params.post or (listed[0].id if listed and not is_whole else None)
    return {
        "accounts": able,
        "account": chosen,
        "posts": listed,
        "post_id": post,
        "lists_whole_account": is_whole,
        "comments": None
        if chosen is None
        else await _list_comments(visit, params, discussion, chosen.id, post, is_whole=is_whole),
        "can_write_privately": False
        if chosen is None
        else await _can_write_privately(visit, accounts, inbox, chosen.id),
        "comments_path": COMMENTS_PATH,
    }


@comments_page.form("reply", CommentAnswer, path="/{account_id:str}/reply")
async def reply_to_comment(visit: Visit, account_id: str, data: CommentAnswer, discussion: CommentService) -> Outcome:
    await discussion.create(visit.work, account_id, NewCommentBody(text=data.text, parent_id=data.comment_id))
    return Done("Your answer is below the comment.")


@comments_page.form("private", CommentAnswer, path="/{account_id:str}/private")
async def write_privately(
    visit: Visit,
    account_id: str,
    params: CommentsPageQuery,
    data: CommentAnswer,
    discussion: CommentService,
    sending: MessageSender,
) -> Outcome:
    query = CommentsQuery(limit=_COMMENTS_PER_PAGE, cursor=params.cursor, post_id=params.post)
    comments = (await discussion.list(visit.work, account_id, query)).data
    comment = next((item for top in comments for item in (top, *top.replies) if item.id == data.comment_id), None)
    if comment is None or comment.author is None or comment.author.id is None:
        raise NotFound("The platform does not say who wrote this comment, or it is gone.")
    author = Contact(id=comment.author.id, name=comment.author.name, username=comment.author.username)
    origin = MessageOrigin(source="console")
    await sending.answer_comment(visit.work, account_id, comment.id, author, data.text, origin)
    return Done("The message was sent. Its conversation is in the inbox.")


@comments_page.form("hide", CommentChoice, path="/{account_id:str}/hide")
async def hide_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.hide(visit.work, account_id, CommentVisibility(comment_id=data.comment_id, hidden=True))
    return Done("Only its author sees the comment now.")


@comments_page.form("show", CommentChoice, path="/{account_id:str}/show")
async def show_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.hide(visit.work, account_id, CommentVisibility(comment_id=data.comment_id, hidden=False))
    return Done("Everybody sees the comment again.")


@comments_page.form("delete", CommentChoice, path="/{account_id:str}/delete")
async def delete_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.delete(visit.work, account_id, data.comment_id)
    return Done("The comment was deleted on the platform.")


async def _list_accounts(visit: Visit, accounts: AccountService) -> Sequence[Account]:
    query = AccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=visit.query.profile)
    listed = (await visit.work.read(accounts.list, visit.caller, query)).data
    return [account for account in listed if COMMENTS_CAPABILITY.name in account.capabilities]


async def _list_posts(visit: Visit, posts: PostService, account_id: str) -> Sequence[Post]:
    query = PostsQuery(limit=_MAX_POSTS, account_id=account_id, status=PostStatus.PUBLISHED)
    return (await visit.work.read(posts.list, visit.caller, query)).data


async def _list_comments(
    visit: Visit,
    params: CommentsPageQuery,
    discussion: CommentService,
    account_id: str,
    post: str | None,
    *,
    is_whole: bool,
) -> CommentList:
    """List the comments. A platform that does not answer is said in the place of its comments."""
    if post is None and not is_whole:
        return CommentList()
    query = CommentsQuery(limit=_COMMENTS_PER_PAGE, cursor=params.cursor, post_id=post)
    try:
        return CommentList(page=await discussion.list(visit.work, account_id, query))
    except ServiceError as failure:
        return CommentList(failure=failure.detail)


async def _can_write_privately(visit: Visit, accounts: AccountService, inbox: InboxService, account_id: str) -> bool:
    row = await visit.work.read(accounts.find, visit.caller, account_id)
    try:
        return inbox.get_adapter(row).can_reply_to_comments
    except NotSupportedError:
        return False
