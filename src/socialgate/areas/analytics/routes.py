from functools import partial
from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS
from socialgate.areas.accounts.session import PlatformNotConfiguredError
from socialgate.areas.analytics import charts, csv_tables
from socialgate.areas.analytics.followers import FollowerService
from socialgate.areas.analytics.schemas import (
    AccountInsights,
    AnalyticsSummary,
    FollowersQuery,
    FollowersSeries,
    InsightsQuery,
    PostInsights,
    PostInsightsQuery,
    SummaryQuery,
)
from socialgate.areas.analytics.service import InsightsService
from socialgate.areas.analytics.summary import SummaryService
from socialgate.contracts.failures import NotSupportedError
from socialgate.core.errors import NotAcceptable
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.content_negotiation import CSV, SVG, build_negotiated_response, bypasses_cache
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Analytics", "Metrics of accounts and posts, live and over time: followers, reach, engagement.")
_STORED_READ_ERRORS = (NotSupportedError, NotAcceptable, PlatformNotConfiguredError)
_LIVE_READ_ERRORS = (*_STORED_READ_ERRORS, *LIVE_READ_ERRORS)


@route(
    "GET",
    "/accounts/{account_id:str}/insights",
    sdk="insights.account",
    tag=TAG,
    query=InsightsQuery,
    raises=_LIVE_READ_ERRORS,
    also_as=(CSV, SVG),
)
async def account_insights(
    account_id: str, params: InsightsQuery, request: Request[Any, Any, Any], work: UnitOfWork, insights: InsightsService
) -> Response[AccountInsights]:
    """Return the insights of an account by day, week, month or as a total.

    By default all metrics of the kind are returned; `GET /platforms` lists them. A metric without a value says why in
    `unavailable` and does not affect the others. Responses are cached for up to a minute, as `Age` says, unless you
    send `Cache-Control: no-cache`.
    """
    result = await insights.read_account(work, account_id, params, fresh=bypasses_cache(request))
    drawn = partial(charts.draw_insights, name=await _find_account_name(request, work, account_id, insights))
    return build_negotiated_response(
        request, result.value, {CSV: csv_tables.build_insights_csv, SVG: drawn}, age_seconds=result.age_seconds
    )


@route(
    "GET",
    "/accounts/{account_id:str}/post-insights",
    sdk="insights.post",
    tag=TAG,
    query=PostInsightsQuery,
    raises=_LIVE_READ_ERRORS,
    also_as=(CSV, SVG),
)
async def post_insights(
    account_id: str,
    params: PostInsightsQuery,
    request: Request[Any, Any, Any],
    work: UnitOfWork,
    insights: InsightsService,
) -> Response[Page[PostInsights]]:
    """Return the insights of one post, or of the newest posts of an account.

    As `image/svg+xml`, it is a chart of the engagement of each post.
    """
    result = await insights.read_posts(work, account_id, params, fresh=bypasses_cache(request))
    drawn = partial(charts.draw_posts, name=await _find_account_name(request, work, account_id, insights))
    return build_negotiated_response(
        request, result.value, {CSV: csv_tables.build_posts_csv, SVG: drawn}, age_seconds=result.age_seconds
    )


@route(
    "GET",
    "/analytics/{account_id:str}/followers",
    sdk="insights.followers",
    tag=TAG,
    query=FollowersQuery,
    raises=_STORED_READ_ERRORS,
    also_as=(CSV, SVG),
)
async def followers(
    account_id: str,
    params: FollowersQuery,
    request: Request[Any, Any, Any],
    work: UnitOfWork,
    followers: FollowerService,
    insights: InsightsService,
) -> Response[FollowersSeries]:
    """Return the number of followers over time, in the time zone of the profile.

    It is read once a day. Days on which it could not be read are gaps, unless the platform itself has a history.
    """
    followers_series = await work.read(followers.get_series, work.caller, account_id, params)
    drawn = partial(charts.draw_followers, name=await _find_account_name(request, work, account_id, insights))
    return build_negotiated_response(request, followers_series, {CSV: csv_tables.build_followers_csv, SVG: drawn})


@route(
    "GET",
    "/analytics/{account_id:str}/summary",
    sdk="insights.summary",
    tag=TAG,
    query=SummaryQuery,
    raises=_STORED_READ_ERRORS,
    also_as=(CSV, SVG),
)
async def summary(
    account_id: str,
    params: SummaryQuery,
    request: Request[Any, Any, Any],
    work: UnitOfWork,
    summaries: SummaryService,
    insights: InsightsService,
) -> Response[AnalyticsSummary]:
    """Summarize a period and compare it with the one before: totals, best posts, best times and posting frequency.

    As `image/svg+xml`, it is a chart of the engagement of posts by weekday and hour.
    """
    summary = await work.read(summaries.build_summary, work.caller, account_id, params)
    drawn = partial(charts.draw_summary, name=await _find_account_name(request, work, account_id, insights))
    return build_negotiated_response(request, summary, {CSV: csv_tables.build_summary_csv, SVG: drawn})


async def _find_account_name(
    request: Request[Any, Any, Any], work: UnitOfWork, account_id: str, insights: InsightsService
) -> str:
    """Find the name of the account, which only charts show."""
    return (
        await insights.get_account_name(work, account_id)
        if "image/" in request.headers.get("accept", "").lower()
        else ""
    )


routes = [account_insights, post_insights, followers, summary]
