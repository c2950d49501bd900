"""Comments: what people wrote below a post, or about a place, and the account's answers to it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.health import AccountHealthService
from socialgate.areas.accounts.schemas import Account
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.comments.schemas import CommentsQuery, CommentVisibility, NewCommentBody
from socialgate.areas.comments.service import CommentService
from socialgate.areas.inbox.sending import MessageOrigin, MessageSender
from socialgate.areas.inbox.service import InboxService
from socialgate.areas.posts.schemas import Post, PostsQuery
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.able_accounts import list_able_accounts
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import Contact
from socialgate.core.errors import NotFound, ServiceError
from socialgate.web.schemas import Page, RequestBody

COMMENTS_PATH = "/console/comments"
_COMMENTS_PER_PAGE = 25
_MAX_POSTS = 30
# Without a choice, the page opens on what works. Each call to a platform can take seconds.
_MAX_ACCOUNTS_TRIED = 10
_MAX_CALLS = 3
_HEALTH_RANKS = ("healthy", "unknown", "warning", "error")

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


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What the page is about: an account with its posts, one of them if its comments are below posts, and these."""

    account: Account
    posts: Sequence[Post]
    lists_whole_account: bool
    post_id: str | None
    comments: CommentList


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
    health: AccountHealthService,
    inbox: InboxService,
) -> Values:
    able = await list_able_accounts(visit, accounts, COMMENTS_CAPABILITY)
    candidates = [account for account in able if account.id == params.account]
    opening = await _open(visit, params, candidates or await _sort_by_health(visit, health, able), posts, discussion)
    return {
        "accounts": able,
        "opening": opening,
        "can_write_privately": opening is not None
        and await _can_write_privately(visit, accounts, inbox, opening.account.id),
        "comments_path": COMMENTS_PATH,
    }


@comments_page.form("reply", CommentAnswer, path="/{account_id:str}/reply")
async def reply_to_comment(visit: Visit, account_id: str, data: CommentAnswer, discussion: CommentService) -> Outcome:
    await discussion.create(visit.work, account_id, NewCommentBody(text=data.text, parent_id=data.comment_id))
    return Done("Your reply was posted.")


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
    return Done("The message was sent. You find the conversation in the inbox.")


@comments_page.form("hide", CommentChoice, path="/{account_id:str}/hide")
async def hide_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.hide(visit.work, account_id, CommentVisibility(comment_id=data.comment_id, hidden=True))
    return Done("The comment is hidden. Its author still sees it.")


@comments_page.form("show", CommentChoice, path="/{account_id:str}/show")
async def show_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.hide(visit.work, account_id, CommentVisibility(comment_id=data.comment_id, hidden=False))
    return Done("The comment is visible again.")


@comments_page.form("delete", CommentChoice, path="/{account_id:str}/delete")
async def delete_comment(visit: Visit, account_id: str, data: CommentChoice, discussion: CommentService) -> Outcome:
    await discussion.delete(visit.work, account_id, data.comment_id)
    return Done("The comment was deleted on the platform.")


async def _list_posts(visit: Visit, posts: PostService, account_id: str) -> Sequence[Post]:
    query = PostsQuery(limit=_MAX_POSTS, account_id=account_id, status=PostStatus.PUBLISHED)
    return (await visit.work.read(posts.list, visit.caller, query)).data


async def _sort_by_health(visit: Visit, health: AccountHealthService, accounts: Sequence[Account]) -> Sequence[Account]:
    """Put the accounts first that work."""
    states = await visit.work.read(health.describe, visit.caller, [account.id for account in accounts])
    return sorted(accounts, key=lambda account: _HEALTH_RANKS.index(states[account.id].status))


async def _open(
    visit: Visit,
    params: CommentsPageQuery,
    accounts: Sequence[Account],
    posts: PostService,
    discussion: CommentService,
) -> Opening | None:
    """Open the first account and post whose comments the platform shows, or else say why it does not show the first."""
    closed: list[Opening] = []
    calls_left = _MAX_CALLS
    for account in accounts[:_MAX_ACCOUNTS_TRIED]:
        whole = await _prepare(visit, account, posts, discussion)
        # What is wrong with one post of an account is usually wrong with all.
        for post_id in _list_post_ids(params, whole)[: calls_left if len(accounts) == 1 else min(calls_left, 1)]:
            comments = await _list_comments(visit, params, discussion, account.id, post_id)
            opening = msgspec.structs.replace(whole, post_id=post_id, comments=comments)
            if comments.failure is None:
                return opening
            closed.append(opening)
            calls_left -= 1
        closed.append(whole)
    return max(closed, key=lambda opening: opening.comments.failure is not None, default=None)


async def _prepare(visit: Visit, account: Account, posts: PostService, discussion: CommentService) -> Opening:
    return Opening(
        account=account,
        posts=await _list_posts(visit, posts, account.id),
        lists_whole_account=await discussion.lists_whole_account(visit.work, account.id),
        post_id=None,
        comments=CommentList(),
    )


def _list_post_ids(params: CommentsPageQuery, opening: Opening) -> Sequence[str | None]:
    """List what to show the comments of: the choice, or the whole account where that can be listed, or its posts."""
    if params.post or opening.lists_whole_account:
        return [params.post]
    return [post.id for post in opening.posts]


async def _list_comments(
    visit: Visit, params: CommentsPageQuery, discussion: CommentService, account_id: str, post_id: str | None
) -> CommentList:
    """List the comments. A platform that does not answer is said in the place of its comments."""
    query = CommentsQuery(limit=_COMMENTS_PER_PAGE, cursor=params.cursor, post_id=post_id)
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
