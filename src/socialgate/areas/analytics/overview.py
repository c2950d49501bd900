"""How one account does, or all of a profile together: each metric by day, compared with the days before."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from socialgate.areas.accounts import account_lookup
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import get_day_start, get_local_date
from socialgate.areas.analytics.schemas import BestPost, BestTime, MetricTotal, Number, SummaryQuery
from socialgate.areas.analytics.service import InsightsService
from socialgate.areas.analytics.store import MetricValues
from socialgate.areas.analytics.summary import (
    PostStatistics,
    aggregate_metric,
    build_total,
    collect_post_statistics,
    parse_period,
)
from socialgate.areas.analytics.trend import MAX_ACCOUNTS
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.metrics import PlatformMetric
from socialgate.core.caller import Caller
from socialgate.core.db import Tx

FOLLOWERS = "followers"
_ONE_DAY = timedelta(days=1)


class MetricTrend(msgspec.Struct, frozen=True, kw_only=True):
    """A metric by day, and in the same number of days before. A day that is unknown is None.

    `basis` says what `total` is: the days added up, their average if they cannot be added up, or the last one.
    """

    total: MetricTotal
    basis: Literal["sum", "average", "last"]
    values: Sequence[Number | None]
    before: Sequence[Number | None]


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """`followers` are those of each account, now and before."""

    days: DateRange
    before: DateRange
    metrics: Sequence[MetricTrend]
    followers: Mapping[str, MetricTotal]
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
        return await _build(tx, caller, [account], {metric.name: metric for metric in metrics}, zone, query)

    async def build_for_profile(
        self, tx: Tx, caller: Caller, profile_id: str | None, zone: ZoneInfo, query: SummaryQuery
    ) -> Overview:
        """Add up the accounts of a profile, or of all profiles. Only counts can be added up."""
        ids = await store.list_account_ids(tx, caller.owner_id, caller, profile_id, MAX_ACCOUNTS)
        rows = await account_lookup.list_rows(tx, caller.owner_id, ids)
        metrics: dict[str, PlatformMetric] = {}
        for row in rows:
            metrics = {**{metric.name: metric for metric in self._list_counts(row)}, **metrics}
        return await _build(tx, caller, rows, metrics, zone, query)

    def _list_counts(self, account: AccountRow) -> list[PlatformMetric]:
        try:
            table = self._insights.get_metric_table(account)
        except NotSupportedError:
            return []
        return [metric for metric in table.account_metrics if metric.unit == "count"]


async def _build(
    tx: Tx,
    caller: Caller,
    accounts: Sequence[AccountRow],
    metrics: Mapping[str, PlatformMetric],
    zone: ZoneInfo,
    query: SummaryQuery,
) -> Overview:
    days = parse_period(query, get_local_date(tx.now, zone))
    before = DateRange(days.first - timedelta(days=days.count), days.first - _ONE_DAY)
    ids = [account.id for account in accounts]
    since, until = get_day_start(days.first, zone), get_day_start(days.last + _ONE_DAY, zone)
    counts = await store.list_counts_since(tx, caller.owner_id, ids, get_day_start(before.first, zone))
    by_account: dict[str, dict[date, int]] = {}
    for account_id, at, followers in counts:
        by_account.setdefault(account_id, {})[get_local_date(at, zone)] = followers
    by_day = await _add_up_days(tx, caller.owner_id, ids, DateRange(before.first, days.last))
    posts = PostStatistics(zone)
    for account in accounts:
        await collect_post_statistics(tx, posts, account, since, until)
    followers_by_account = {
        account_id: _compare_followers(known, days, before) for account_id, known in by_account.items()
    }
    trends = [_build_trend(metric, by_day, days, before) for name, metric in metrics.items() if name != FOLLOWERS]
    return Overview(
        days=days,
        before=before,
        metrics=[
            *_build_follower_trend(by_account, followers_by_account, days, before),
            *(trend for trend in trends if trend.total.value is not None or trend.total.previous is not None),
        ],
        followers=followers_by_account,
        best_posts=posts.best,
        times=posts.times,
        posts_published=posts.published,
    )


async def _add_up_days(
    tx: Tx, owner_id: str, account_ids: Sequence[str], days: DateRange
) -> dict[date, dict[str, Number]]:
    by_day: dict[date, dict[str, Number]] = {}
    for day, metrics in await store.list_metrics_of_days(tx, owner_id, account_ids, days):
        known = by_day.setdefault(day, {})
        for name, value in metrics.items():
            known[name] = known.get(name, 0) + value
    return by_day


def _build_trend(
    metric: PlatformMetric, by_day: Mapping[date, MetricValues], days: DateRange, before: DateRange
) -> MetricTrend:
    now = {day: by_day[day] for day in days.list_days() if day in by_day}
    then = {day: by_day[day] for day in before.list_days() if day in by_day}
    (value, known), (previous, known_before) = aggregate_metric(metric, now), aggregate_metric(metric, then)
    if metric.form == "unique":
        # The same person counts on each day, so that days cannot be added up.
        value = None if value is None else round(value / known, 2)
        previous = None if previous is None else round(previous / known_before, 2)
    return MetricTrend(
        total=build_total(metric.name, metric.unit, value, previous, known),
        basis="average" if metric.form == "unique" else "last" if metric.form == "level" else "sum",
        values=[by_day.get(day, {}).get(metric.name) for day in days.list_days()],
        before=[by_day.get(day, {}).get(metric.name) for day in before.list_days()],
    )


def _compare_followers(known: Mapping[date, int], days: DateRange, before: DateRange) -> MetricTotal:
    """Compare the last count of the period with the last one of the period before."""
    now = [known[day] for day in days.list_days() if day in known]
    then = [known[day] for day in before.list_days() if day in known]
    return build_total(FOLLOWERS, "count", now[-1] if now else None, then[-1] if then else None, len(now))


def _build_follower_trend(
    by_account: Mapping[str, Mapping[date, int]], totals: Mapping[str, MetricTotal], days: DateRange, before: DateRange
) -> list[MetricTrend]:
    now = [total.value for total in totals.values() if total.value is not None]
    then = [total.previous for total in totals.values() if total.previous is not None]
    if not now and not then:
        return []
    series = _carry_on(list(by_account.values()), DateRange(before.first, days.last).list_days())
    counted = len({day for known in by_account.values() for day in known if day >= days.first})
    total = build_total(FOLLOWERS, "count", sum(now) if now else None, sum(then) if then else None, counted)
    return [MetricTrend(total=total, basis="last", values=series[before.count :], before=series[: before.count])]


def _carry_on(counts: Sequence[Mapping[date, int]], days: Sequence[date]) -> list[Number | None]:
    """Add up what the accounts had on each day. A day without a count has that of the day before."""
    latest: dict[int, int] = {}
    totals: list[Number | None] = []
    for day in days:
        latest |= {number: known[day] for number, known in enumerate(counts) if day in known}
        totals.append(sum(latest.values()) if latest else None)
    return totals
