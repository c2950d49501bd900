from functools import partial
from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import READING
from socialgate.areas.accounts.session import PlatformNotConfigured
from socialgate.areas.analytics import charts, tables
from socialgate.areas.analytics.followers import Followers
from socialgate.areas.analytics.schemas import (
    AccountInsights,
    FollowersQuery,
    FollowersSeries,
    InsightsQuery,
    PostInsights,
    PostInsightsQuery,
    Summary,
    SummaryQuery,
)
from socialgate.areas.analytics.service import InsightsReader
from socialgate.areas.analytics.summary import Summaries
from socialgate.contracts.failures import NotSupported
from socialgate.core.errors import NotAcceptable
from socialgate.core.work import Work
from socialgate.web.answers import CSV, SVG, answer, wants_fresh
from socialgate.web.route import Tag, route
from socialgate.web.schema import Page

TAG = Tag("Analytics", "Metrics of accounts and posts, live and over time: followers, reach, engagement.")
_RAISES = (NotSupported, NotAcceptable, PlatformNotConfigured)
_LIVE = (*_RAISES, *READING)


@route("GET", "/accounts/{account_id:str}/insights", tag=TAG, query=InsightsQuery, raises=_LIVE, also_as=(CSV, SVG))
async def account_insights(
    account_id: str, params: InsightsQuery, request: Request[Any, Any, Any], work: Work, insights: InsightsReader
) -> Response[AccountInsights]:
    """Return the insights of an account by day, week, month or as a total.

    By default all metrics of the kind are returned; `GET /platforms` lists them. A metric without a value says why in
    `unavailable` and does not affect the others. Responses are cached for up to a minute, as `Age` says, unless you
    send `Cache-Control: no-cache`.
    """
    found = await insights.of_account(work, account_id, params, fresh=wants_fresh(request))
    drawn = partial(charts.insights, name=await _name(request, work, account_id, insights))
    return answer(request, found.value, {CSV: tables.insights, SVG: drawn}, age=found.age)


@route(
    "GET",
    "/accounts/{account_id:str}/post-insights",
    tag=TAG,
    query=PostInsightsQuery,
    raises=_LIVE,
    also_as=(CSV, SVG),
)
async def post_insights(
    account_id: str, params: PostInsightsQuery, request: Request[Any, Any, Any], work: Work, insights: InsightsReader
) -> Response[Page[PostInsights]]:
    """Return the insights of one post, or of the newest posts of an account.

    As `image/svg+xml`, it is a chart of the engagement of each post.
    """
    found = await insights.of_posts(work, account_id, params, fresh=wants_fresh(request))
    drawn = partial(charts.posts, name=await _name(request, work, account_id, insights))
    return answer(request, found.value, {CSV: tables.posts, SVG: drawn}, age=found.age)


@route(
    "GET", "/analytics/{account_id:str}/followers", tag=TAG, query=FollowersQuery, raises=_RAISES, also_as=(CSV, SVG)
)
async def followers(
    account_id: str,
    params: FollowersQuery,
    request: Request[Any, Any, Any],
    work: Work,
    followers: Followers,
    insights: InsightsReader,
) -> Response[FollowersSeries]:
    """Return the number of followers over time, in the time zone of the profile.

    It is read once a day. Days on which it could not be read are gaps, unless the platform itself has a history.
    """
    found = await work.read(followers.series, work.caller, account_id, params)
    drawn = partial(charts.followers, name=await _name(request, work, account_id, insights))
    return answer(request, found, {CSV: tables.followers, SVG: drawn})


@route("GET", "/analytics/{account_id:str}/summary", tag=TAG, query=SummaryQuery, raises=_RAISES, also_as=(CSV, SVG))
async def summary(
    account_id: str,
    params: SummaryQuery,
    request: Request[Any, Any, Any],
    work: Work,
    summaries: Summaries,
    insights: InsightsReader,
) -> Response[Summary]:
    """Summarize a period and compare it with the one before: totals, best posts, best times and posting frequency.

    As `image/svg+xml`, it is a chart of the engagement of posts by weekday and hour.
    """
    found = await work.read(summaries.of, work.caller, account_id, params)
    drawn = partial(charts.summary, name=await _name(request, work, account_id, insights))
    return answer(request, found, {CSV: tables.summary, SVG: drawn})


async def _name(request: Request[Any, Any, Any], work: Work, account_id: str, insights: InsightsReader) -> str:
    """Find the name of the account, which only charts show."""
    return await insights.name_of(work, account_id) if "image/" in request.headers.get("accept", "").lower() else ""


routes = [account_insights, post_insights, followers, summary]
