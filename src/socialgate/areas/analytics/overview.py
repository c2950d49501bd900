"""How one account does, or all of a profile together: each metric by day, compared with the days before."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import msgspec

from socialgate.areas.accounts import account_lookup
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import get_day_start, get_local_date
from socialgate.areas.analytics.schemas import BestPost, BestTime, MetricTotal, SummaryQuery
from socialgate.areas.analytics.service import InsightsService
from socialgate.areas.analytics.store import MetricValues
from socialgate.areas.analytics.summary import PostStatistics, collect_post_statistics, parse_period
from socialgate.areas.analytics.trend import (
    FOLLOWERS,
    MetricTrend,
    build_follower_trend,
    build_metric_trend,
    compare_followers,
    group_followers,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.metrics import PlatformMetric
from socialgate.core.caller import Caller
from socialgate.core.db import Tx

# The numbers of more accounts take too long to add up for a page. Those that were connected last are left out.
MAX_ACCOUNTS = 50
_ONE_DAY = timedelta(days=1)


class Trends(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of one account or of several together. `followers` are those of each account, now and before."""

    days: DateRange
    before: DateRange
    metrics: Sequence[MetricTrend]
    followers: Mapping[str, MetricTotal]

    def find(self, name: str) -> MetricTrend | None:
        return next((trend for trend in self.metrics if trend.total.name == name), None)


class Overview(Trends, frozen=True, kw_only=True):
    """The metrics, and which posts and times did best."""

    best_posts: Sequence[BestPost]
    times: Sequence[BestTime]
    posts_published: int


class OverviewService:
    def __init__(self, of_accounts: AccountService, insights: InsightsService) -> None:
        self._accounts = of_accounts
        self._insights = insights

    async def build_for_account(
        self, tx: Tx, caller: Caller, account_id: str, zone: ZoneInfo, query: SummaryQuery
    ) -> Overview:
        account = await self._accounts.find(tx, caller, account_id)
        metrics = self._insights.get_metric_table(account).account_metrics
        trends = await _build_trends(tx, caller, [account], {metric.name: metric for metric in metrics}, zone, query)
        return await _add_posts(tx, trends, [account], zone)

    async def build_for_profile(
        self, tx: Tx, caller: Caller, profile_id: str | None, zone: ZoneInfo, query: SummaryQuery
    ) -> Overview:
        """Add up the accounts of a profile, or of all profiles. Only counts can be added up."""
        accounts = await self._list_accounts(tx, caller, profile_id)
        trends = await _build_trends(tx, caller, accounts, self._list_counts(accounts), zone, query)
        return await _add_posts(tx, trends, accounts, zone)

    async def build_trends(
        self, tx: Tx, caller: Caller, profile_id: str | None, zone: ZoneInfo, query: SummaryQuery, names: Sequence[str]
    ) -> Trends:
        """Add up some metrics of a profile, the same way as in its overview."""
        accounts = await self._list_accounts(tx, caller, profile_id)
        counts = {name: metric for name, metric in self._list_counts(accounts).items() if name in names}
        return await _build_trends(tx, caller, accounts, counts, zone, query)

    async def _list_accounts(self, tx: Tx, caller: Caller, profile_id: str | None) -> Sequence[AccountRow]:
        ids = await store.list_account_ids(tx, caller.owner_id, caller, profile_id, MAX_ACCOUNTS)
        return await account_lookup.list_rows(tx, caller.owner_id, ids)

    def _list_counts(self, accounts: Sequence[AccountRow]) -> Mapping[str, PlatformMetric]:
        counts: dict[str, PlatformMetric] = {}
        for account in accounts:
            try:
                table = self._insights.get_metric_table(account)
            except NotSupportedError:
                continue
            counts = {**{each.name: each for each in table.account_metrics if each.unit == "count"}, **counts}
        return counts


async def _build_trends(
    tx: Tx,
    caller: Caller,
    accounts: Sequence[AccountRow],
    metrics: Mapping[str, PlatformMetric],
    zone: ZoneInfo,
    query: SummaryQuery,
) -> Trends:
    days = parse_period(query, get_local_date(tx.now, zone))
    before = DateRange(days.first - timedelta(days=days.count), days.first - _ONE_DAY)
    ids = [account.id for account in accounts]
    counts = await store.list_counts_since(tx, caller.owner_id, ids, get_day_start(before.first, zone))
    followers = group_followers(counts, zone, days.last)
    totals = {account_id: compare_followers(known, days, before) for account_id, known in followers.items()}
    by_account: dict[str, dict[date, MetricValues]] = {}
    every_day = DateRange(before.first, days.last)
    for account_id, day, values in await store.list_metrics_of_days(tx, caller.owner_id, ids, every_day):
        by_account.setdefault(account_id, {})[day] = values
    follower_trend = build_follower_trend(followers, totals, days, before)
    trends = [build_metric_trend(each, by_account, days, before) for name, each in metrics.items() if name != FOLLOWERS]
    return Trends(
        days=days,
        before=before,
        metrics=[
            *([] if follower_trend is None else [follower_trend]),
            *(trend for trend in trends if trend.total.value is not None or trend.total.previous is not None),
        ],
        followers=totals,
    )


async def _add_posts(tx: Tx, trends: Trends, accounts: Sequence[AccountRow], zone: ZoneInfo) -> Overview:
    since, until = get_day_start(trends.days.first, zone), get_day_start(trends.days.last + _ONE_DAY, zone)
    posts = PostStatistics(zone)
    for account in accounts:
        await collect_post_statistics(tx, posts, account, since, until)
    return Overview(
        days=trends.days,
        before=trends.before,
        metrics=trends.metrics,
        followers=trends.followers,
        best_posts=posts.best,
        times=posts.times,
        posts_published=posts.published,
    )
