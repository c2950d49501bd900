"""Boosting: a published post becomes an ad, with its campaign and its ad set in one go."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from socialgate.areas.accounts.schemas import AdAccount
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.ads.audiences import AudienceService
from socialgate.areas.ads.creative_schemas import BoostBody, PromotedPost
from socialgate.areas.ads.service import AdService
from socialgate.areas.posts.schemas import Post, PostsQuery, PostTarget
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus, TargetStatus
from socialgate.console.advertising.ad_accounts import choose_account, list_ad_accounts
from socialgate.console.advertising.ad_choices import list_audience_choices
from socialgate.console.advertising.ad_forms import BUDGET_TYPES, BUTTONS, GOALS, read_body
from socialgate.console.forms import read_form
from socialgate.console.keyed_work import run_once
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.ads import ADS_PATH, AdAccountChoice
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.ads import ADVERTISING_CAPABILITY
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.errors import NotFound

BOOST_PATH = "/console/ads/boost"
_MAX_POSTS = 25


class BoostQuery(PageQuery, frozen=True, kw_only=True):
    """Which post, and with which ad account."""

    post: Annotated[str, Meta(max_length=40)] | None = None
    account: AdAccountChoice | None = None


@console_page(BOOST_PATH, "boost.html", query=BoostQuery)
async def boost_page(
    visit: Visit,
    params: BoostQuery,
    accounts: AccountService,
    posts: PostService,
    audiences: AudienceService,
    catalogue: ConnectorRegistry,
) -> Values:
    post = None if params.post is None else await visit.work.read(posts.show, visit.caller, params.post)
    listed = await list_ad_accounts(visit, accounts, ADVERTISING_CAPABILITY.name)
    able = [account for account in listed if post is None or _list_targets(post, account, catalogue)]
    # The ad account in the address may be one for other platforms than those where the post is live.
    fits = any(account.id == params.account for account in able)
    chosen = choose_account(able, params.account if fits else None)
    targets = [] if post is None or chosen is None else _list_targets(post, chosen, catalogue)
    ids = [target.account_id for target in targets]
    return {
        "has_ad_accounts": bool(listed),
        "accounts": able,
        "account": chosen,
        "post": post,
        "posts": () if post is not None else await _list_posts(visit, posts),
        "targets": targets,
        "labels": await visit.work.read(accounts.list_labels, visit.caller, ids),
        "audiences": () if chosen is None or post is None else await list_audience_choices(visit, audiences, chosen),
        "goals": GOALS,
        "buttons": BUTTONS,
        "budget_types": BUDGET_TYPES,
        "ads_path": ADS_PATH,
    }


@boost_page.form("boost", None, path="")
async def boost_post(
    visit: Visit, params: BoostQuery, request: AnyRequest, accounts: AccountService, ads: AdService
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("boost", form)
    account = choose_account(await list_ad_accounts(visit, accounts, ADVERTISING_CAPABILITY.name), params.account)
    if account is None or params.post is None:
        raise NotFound("Choose a post and an ad account first.")
    body = read_body(form, account, visit.zone, BoostBody, postId=params.post)
    boosted = await run_once(visit, form, f"boost {params.post}", PromotedPost, lambda work: ads.boost_post(work, body))
    to = visit.link(ADS_PATH, account=account.id, campaign=boosted.campaign_id)
    if body.status == "active":
        return Done(f"{boosted.name} is on. The platform reviews it before it runs.", to=to)
    return Done(f"{boosted.name} was created as paused.", to=to)


async def _list_posts(visit: Visit, posts: PostService) -> Sequence[Post]:
    query = PostsQuery(limit=_MAX_POSTS, profile_id=visit.query.profile, status=PostStatus.PUBLISHED)
    return (await visit.work.read(posts.list, visit.caller, query)).data


def _list_targets(post: Post, account: AdAccount, catalogue: ConnectorRegistry) -> list[PostTarget]:
    """List where the post is published, if the ads of the ad account can come from there."""
    able = catalogue.manifests[account.platform].get_kind_manifest(account.kind).publishers
    return [target for target in post.targets if target.status is TargetStatus.PUBLISHED and target.kind in able]
