"""From a page of the sandbox to what it is about in the console: an account, a post, or the messages of an account."""

from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.posts.schemas import PostsQuery
from socialgate.areas.posts.service import PostService
from socialgate.console.pages.accounts import ACCOUNTS_PATH
from socialgate.console.pages.inbox import INBOX_PATH
from socialgate.console.pages.posts import POSTS_PATH
from socialgate.console.rendering import HtmlResponse, build_redirect, page_route
from socialgate.console.visit import Flash, VisitFactory, build_address
from socialgate.contracts.platforms import Platform
from socialgate.contracts.sandbox_info import SANDBOX_PATH
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import QueryParameters

SandboxPage = Literal[
    "account", "feed", "chat", "reviews", "leads", "calendar", "ads", "catalog", "numbers", "calls", "webhooks"
]
# What belongs to a page there. The others lead to the account.
_PAGES = {
    "feed": POSTS_PATH,
    "chat": INBOX_PATH,
    "leads": "/console/leads",
    "ads": "/console/ads",
    "catalog": "/console/catalogs",
    "numbers": "/console/analytics",
}


_NOT_CONNECTED = Flash("warn", "This account of the sandbox is not connected yet. Connect it here.")


class SandboxPageQuery(QueryParameters, frozen=True, kw_only=True):
    """What a page of the sandbox is about, in the words of the platform."""

    platform: Platform
    account: Annotated[str, Meta(max_length=300)]
    page: SandboxPage = "account"
    url: Annotated[str, Meta(max_length=2048)] | None = None


@page_route("GET", SANDBOX_PATH, query=SandboxPageQuery)
async def lead_to_page(
    params: SandboxPageQuery, work: UnitOfWork, visits: VisitFactory, accounts: AccountService, posts: PostService
) -> HtmlResponse:
    """Redirect to the page for what is shown in the sandbox."""
    account = await work.read(accounts.find_by_platform_id, work.caller, params.platform, params.account)
    if account is None:
        response = build_redirect(f"{ACCOUNTS_PATH}/connect")
        response.cookies = [visits.build_flash_cookie(_NOT_CONNECTED)]
        return response
    if params.url is not None:
        post_id = await _find_post(work, posts, account.id, params.url)
        if post_id is not None:
            return build_redirect(f"{POSTS_PATH}/{post_id}")
    if params.page in _PAGES:
        return build_redirect(build_address(_PAGES[params.page], {"account": account.id}))
    return build_redirect(f"{ACCOUNTS_PATH}/{account.id}")


async def _find_post(work: UnitOfWork, posts: PostService, account_id: str, url: str) -> str | None:
    """Find a post by its URL on the platform, among the newest of the account."""
    query = PostsQuery(limit=MAX_PAGE_LIMIT, account_id=account_id)
    listed = await work.read(posts.list, work.caller, query)
    return next((post.id for post in listed.data for target in post.targets if target.url == url), None)


routes = [lead_to_page]
