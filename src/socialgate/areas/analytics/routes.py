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

TAG = Tag("Analytics", "What platforms count, live and over time: followers, reach, and how posts did.")
_RAISES = (NotSupported, NotAcceptable, PlatformNotConfigured)
_LIVE = (*_RAISES, *READING)


@route("GET", "/accounts/{account_id:str}/insights", tag=TAG, query=InsightsQuery, raises=_LIVE, also_as=(CSV, SVG))
async def account_insights(
    account_id: str, params: InsightsQuery, request: Request[Any, Any, Any], work: Work, insights: InsightsReader
) -> Response[AccountInsights]:
    """Read what the platform has counted for an account, by day, week, month or as a total.

    Without `metrics` all that the kind has are read; `GET /platforms` lists them. A metric that cannot be had says why
    in `unavailable`, and keeps no other from being read. Answers are up to a minute old, as `Age` says, unless
    `Cache-Control: no-cache` is sent.
    """
    found = await insights.of_account(work, account_id, params, fresh=wants_fresh(request))
    return answer(request, found.value, {CSV: tables.insights, SVG: charts.insights}, age=found.age)


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
    """Read what the platform has counted for one post, or for the newest posts of an account.

    As `image/svg+xml` it shows the engagement of each post.
    """
    found = await insights.of_posts(work, account_id, params, fresh=wants_fresh(request))
    return answer(request, found.value, {CSV: tables.posts, SVG: charts.posts}, age=found.age)


@route(
    "GET", "/analytics/{account_id:str}/followers", tag=TAG, query=FollowersQuery, raises=_RAISES, also_as=(CSV, SVG)
)
async def followers(
    account_id: str, params: FollowersQuery, request: Request[Any, Any, Any], work: Work, followers: Followers
) -> Response[FollowersSeries]:
    """Show how the number of followers went, on the calendar of the profile.

    It is read once a day. Days on which that was not possible are gaps, unless the platform itself has a history.
    """
    found = await work.read(followers.series, work.caller, account_id, params)
    return answer(request, found, {CSV: tables.followers, SVG: charts.followers})


@route("GET", "/analytics/{account_id:str}/summary", tag=TAG, query=SummaryQuery, raises=_RAISES, also_as=(CSV, SVG))
async def summary(
    account_id: str, params: SummaryQuery, request: Request[Any, Any, Any], work: Work, summaries: Summaries
) -> Response[Summary]:
    """Sum up a period and compare it to the one before: totals, best posts, best times, and how often was posted.

    As `image/svg+xml` it shows the engagement of posts by weekday and hour.
    """
    found = await work.read(summaries.of, work.caller, account_id, params)
    return answer(request, found, {CSV: tables.summary, SVG: charts.summary})


routes = [account_insights, post_insights, followers, summary]
