"""Posts: finding one of many, and what became of one on each account, with the ways to fix it."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.accounts.schemas import AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.media.service import MediaService
from socialgate.areas.posts.published_posts import PostDeletionService
from socialgate.areas.posts.schemas import (
    DeletePostQuery,
    NewPost,
    NewTarget,
    Post,
    PostChanges,
    PostsQuery,
    PostTarget,
    Reconciliation,
    ReconciliationFinding,
)
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus, TargetStatus
from socialgate.console.composing.option_fields import describe_options
from socialgate.console.composing.post_form import build_ref
from socialgate.console.formatting import list_statuses
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.media import get_own_address, is_previewed
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Platform
from socialgate.web.etags import ExpectedVersion
from socialgate.web.schemas import RequestBody

POSTS_PATH = "/console/posts"
_POSTS_PER_PAGE = 25
# A page that shows something in progress reloads itself, but not for hours.
_RELOAD_PERIOD = timedelta(minutes=5)
_RELOAD_SECONDS = 3


class PostsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which posts to show. The days are those of the time zone of the page."""

    status: PostStatus | None = None
    platform: Platform | None = None
    account: Annotated[str, Meta(max_length=40)] | None = None
    since: date | None = None
    until: date | None = None
    text: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class FindingForm(RequestBody, frozen=True, kw_only=True):
    """What a person saw on the platform: whether the post is there, and where."""

    account_id: Annotated[str, Meta(max_length=40)]
    published: Literal["yes", "no"]
    url: Annotated[str, Meta(max_length=2048, pattern="^https?://")] | None = None


class DeletionForm(RequestBody, frozen=True, kw_only=True):
    """Whether a published post is also deleted on its platforms."""

    platforms: Literal["yes", "no"] | None = None


@console_page(
    POSTS_PATH,
    "posts.html",
    query=PostsPageQuery,
    entry=Entry(label="Posts", icon="posts", group=Group.WORK, key="p"),
)
async def posts_page(visit: Visit, params: PostsPageQuery, posts: PostService, accounts: AccountService) -> Values:
    query = PostsQuery(
        limit=_POSTS_PER_PAGE,
        cursor=params.cursor,
        profile_id=params.profile,
        status=params.status,
        platform=params.platform,
        account_id=params.account,
        since=None if params.since is None else _get_day_start(visit, params.since),
        until=None if params.until is None else _get_day_start(visit, params.until + timedelta(days=1)),
        text=params.text,
    )
    listed = await visit.work.read(posts.list, visit.caller, query)
    ids = {target.account_id for post in listed.data for target in post.targets}
    labels = await visit.work.read(accounts.list_labels, visit.caller, sorted({*ids, *filter(None, [params.account])}))
    return {
        "posts": listed,
        "labels": labels,
        "status_names": list_statuses(PostStatus),
        "platform_names": [(platform.value, name) for platform, name in visit.platform_names.items()],
        "can_publish": bool(listed.data) or await has_account(visit, accounts),
        "is_filtered": any((params.status, params.platform, params.account, params.since, params.until, params.text)),
    }


async def has_account(visit: Visit, accounts: AccountService) -> bool:
    """Whether there is an account to publish on: without one, connecting it comes before writing a post."""
    query = AccountsQuery(limit=1, profile_id=visit.query.profile)
    return bool((await visit.work.read(accounts.list, visit.caller, query)).data)


@console_page(POSTS_PATH + "/{post_id:str}", "post.html")
async def post_page(
    visit: Visit,
    post_id: str,
    params: PageQuery,
    posts: PostService,
    accounts: AccountService,
    library: MediaService,
    catalogue: ConnectorRegistry,
) -> Values:
    del params  # it only has the profile
    post = await visit.work.read(posts.show, visit.caller, post_id)
    is_in_progress = post.status in {PostStatus.PREPARING, PostStatus.PUBLISHING}
    if is_in_progress and post.updated_at + _RELOAD_PERIOD > visit.now and not visit.has_failed:
        visit.headers["Refresh"] = str(_RELOAD_SECONDS)
    account_ids = [target.account_id for target in post.targets]
    files = [*post.media, *(file for target in post.targets for file in target.media or ())]
    return {
        "post": post,
        "labels": await visit.work.read(accounts.list_labels, visit.caller, account_ids),
        "files": await visit.work.read(library.list_by_ids, visit.caller, [file.media_id for file in files]),
        "address_of": get_own_address,
        "is_previewed": is_previewed,
        "unconfirmed": [target for target in post.targets if target.status is TargetStatus.UNCONFIRMED],
        "options": {target.account_id: _describe_options(target, catalogue) for target in post.targets},
        "can_retry": any(target.status is TargetStatus.FAILED for target in post.targets),
    }


def _describe_options(target: PostTarget, catalogue: ConnectorRegistry) -> list[tuple[str, str]]:
    return describe_options(catalogue.manifests[target.platform].get_kind_manifest(target.kind).options, target.options)


@post_page.form("retry")
async def retry_post(visit: Visit, post_id: str, posts: PostService) -> Outcome:
    await visit.work.write(posts.retry, visit.caller, post_id)
    return Done("The failed accounts are being published again.")


@post_page.form("publish")
async def publish_post(visit: Visit, post_id: str, posts: PostService) -> Outcome:
    changes = PostChanges(publish_now=True)
    await visit.work.write(posts.change, visit.caller, post_id, changes, ExpectedVersion(None))
    return Done("The post is being published.")


@post_page.form("ask")
async def ask_platforms(visit: Visit, post_id: str, posts: PostService) -> Outcome:
    await visit.work.write(posts.reconcile, visit.caller, post_id, Reconciliation())
    return Done("The platforms are being asked what became of the post.")


@post_page.form("reconcile", FindingForm)
async def reconcile_post(visit: Visit, post_id: str, data: FindingForm, posts: PostService) -> Outcome:
    finding = ReconciliationFinding(account_id=data.account_id, published=data.published == "yes", url=data.url)
    await visit.work.write(posts.reconcile, visit.caller, post_id, Reconciliation(findings=[finding]))
    return Done("The outcome was recorded.")


@post_page.form("delete", DeletionForm)
async def delete_post(visit: Visit, post_id: str, data: DeletionForm, deletions: PostDeletionService) -> Outcome:
    also = None if data.platforms is None else data.platforms == "yes"
    deleted = await deletions.delete(visit.work, post_id, DeletePostQuery(platforms=also))
    left = [result.detail for result in deleted.platforms if not result.deleted and result.detail]
    if left:
        return Done(f"Deleted here, but not everywhere: {' '.join(left)}", to=visit.link(POSTS_PATH), tone="warn")
    message = "The post was cancelled." if deleted.status == "cancelled" else "The post was deleted."
    return Done(message, to=visit.link(POSTS_PATH))


@post_page.form("duplicate")
async def duplicate_post(visit: Visit, post_id: str, posts: PostService) -> Outcome:
    post = await visit.work.read(posts.show, visit.caller, post_id)
    created = await visit.work.write(posts.create, visit.caller, _copy(post))
    return Done("This is a draft with the same content.", to=visit.link(f"{POSTS_PATH}/{created.id}"))


def _copy(post: Post) -> NewPost:
    """Return a draft with the content and the accounts of a post."""
    return NewPost(
        profile_id=post.profile_id,
        content=post.content,
        media=[build_ref(file) for file in post.media],
        targets=[
            NewTarget(
                account_id=target.account_id,
                content=target.content,
                media=None if target.media is None else [build_ref(file) for file in target.media],
                options=target.options,
                fit=target.fit,
            )
            for target in post.targets
        ],
        timezone=post.timezone,
        first_comment=post.first_comment,
        metadata=post.metadata,
        draft=True,
    )


def _get_day_start(visit: Visit, day: date) -> datetime:
    return datetime.combine(day, time(), visit.zone)
