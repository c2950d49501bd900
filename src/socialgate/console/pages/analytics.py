"""Analytics: whether it got better, per account and per profile, with the best posts and the best times."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Literal

import msgspec
from litestar import Response
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics.csv_tables import build_overview_csv
from socialgate.areas.analytics.overview import MAX_ACCOUNTS, Overview, OverviewService
from socialgate.areas.analytics.schemas import WEEKDAYS, SummaryQuery
from socialgate.areas.analytics.trend import MetricTrend
from socialgate.areas.posts.schemas import Post
from socialgate.areas.posts.service import PostService
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Outcome, Values, console_page
from socialgate.console.rendering import PAGE_HEADERS
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
from socialgate.core.errors import NotFound
from socialgate.web.content_negotiation import CSV

ANALYTICS_PATH = "/console/analytics"
# Of many accounts, the first can be chosen here; the page of each account leads to its numbers as well.
_MAX_CHOICES = 50
_MAX_LARGEST = 10
_LABELS_PER_CHART = 8
_FIRST_METRICS = ("followers", "reach", "views", "impressions", "engagement", "likes", "comments", "shares", "clicks")

Period = Literal["7d", "30d", "90d"]


class AnalyticsQuery(PageQuery, frozen=True, kw_only=True):
    """Whose numbers to show, of how many days, and which one is drawn large."""

    account: Annotated[str, Meta(max_length=40)] | None = None
    period: Period = "30d"
    metric: Annotated[str, Meta(max_length=60)] | None = None


@console_page(
    ANALYTICS_PATH,
    "analytics.html",
    query=AnalyticsQuery,
    entry=Entry(label="Analytics", icon="chart", group=Group.WORK, key="n"),
)
async def analytics_page(
    visit: Visit, params: AnalyticsQuery, accounts: AccountService, overviews: OverviewService, posts: PostService
) -> Values:
    able, are_all = await _list_accounts(visit, accounts)
    overview = _sort_metrics(await _read_overview(visit, params, overviews))
    chosen = next((trend for trend in overview.metrics if trend.total.name == params.metric), None)
    labels = await visit.work.read(accounts.list_labels, visit.caller, _list_ids(params, overview))
    return {
        "accounts": able,
        "are_all": are_all,
        "most": MAX_ACCOUNTS,
        "largest": sorted(overview.followers.items(), key=lambda item: item[1].value or 0, reverse=True)[:_MAX_LARGEST],
        "label": None if params.account is None else labels[params.account],
        "labels": labels,
        "overview": overview,
        "chosen": chosen or next(iter(overview.metrics), None),
        "days": [f"{day.day} {day:%b}" for day in overview.days.list_days()],
        "every": max(overview.days.count // _LABELS_PER_CHART, 1),
        "posts": await _find_posts(visit, posts, overview),
        "heat": [(WEEKDAYS.index(time.weekday), time.hour, time.engagement) for time in overview.times],
        "counts": {(WEEKDAYS.index(time.weekday), time.hour): time.posts for time in overview.times},
        "weekdays": [name.capitalize() for name in WEEKDAYS],
        "analytics_path": ANALYTICS_PATH,
    }


@analytics_page.form("export")
async def export_analytics(visit: Visit, params: AnalyticsQuery, overviews: OverviewService) -> Outcome:
    overview = await _read_overview(visit, params, overviews)
    headers = {**PAGE_HEADERS, "Content-Disposition": 'attachment; filename="analytics.csv"'}
    return Response(build_overview_csv(overview), status_code=HTTPStatus.OK, media_type=CSV, headers=headers)


async def _read_overview(visit: Visit, params: AnalyticsQuery, overviews: OverviewService) -> Overview:
    query = SummaryQuery(period=params.period)
    if params.account is not None:
        return await visit.work.read(overviews.build_for_account, visit.caller, params.account, visit.zone, query)
    return await visit.work.read(overviews.build_for_profile, visit.caller, visit.query.profile, visit.zone, query)


async def _list_accounts(visit: Visit, accounts: AccountService) -> tuple[Sequence[Account], bool]:
    """List the accounts that can be chosen, and whether these are all."""
    query = AccountsQuery(limit=_MAX_CHOICES, profile_id=visit.query.profile)
    page = await visit.work.read(accounts.list, visit.caller, query)
    able = [account for account in page.data if INSIGHTS_CAPABILITY.name in account.capabilities]
    return able, page.next_cursor is None


def _sort_metrics(overview: Overview) -> Overview:
    """Put the numbers first that most people ask for, and those last that are all zero."""

    def rank(trend: MetricTrend) -> tuple[bool, int]:
        name = trend.total.name
        is_zero = not trend.total.value and not trend.total.previous
        return is_zero, _FIRST_METRICS.index(name) if name in _FIRST_METRICS else len(_FIRST_METRICS)

    return msgspec.structs.replace(overview, metrics=sorted(overview.metrics, key=rank))


def _list_ids(params: AnalyticsQuery, overview: Overview) -> list[str]:
    return sorted({*overview.followers, *([params.account] if params.account else ())})


async def _find_posts(visit: Visit, posts: PostService, overview: Overview) -> Mapping[str, Post]:
    """Find the best posts. One that was deleted here still has its numbers."""
    posts_by_id: dict[str, Post] = {}
    for best in overview.best_posts:
        try:
            posts_by_id[best.post_id] = await visit.work.read(posts.show, visit.caller, best.post_id)
        except NotFound:
            continue
    return posts_by_id
