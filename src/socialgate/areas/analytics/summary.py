"""Summaries of a period, from the stored metrics of days and posts."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import get_day_start, get_local_date, join_consecutive_days, parse_range
from socialgate.areas.analytics.schemas import (
    WEEKDAYS,
    AnalyticsSummary,
    BestPost,
    BestTime,
    MetricTotal,
    Number,
    Period,
    SummaryQuery,
)
from socialgate.areas.analytics.service import InsightsService
from socialgate.areas.analytics.store import MetricValues, PostWithLatestMetrics
from socialgate.areas.analytics.values import compute_engagement
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.insights import DateRange
from socialgate.contracts.metrics import MetricTable, PlatformMetric
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest

# A page of posts takes a few milliseconds, during which no other request is answered.
SUMMARY_POSTS_PAGE_SIZE = 200
_MAX_BEST_POSTS = 5
_MAX_BEST_TIMES = 24
_DAYS_PER_WEEK = 7
_ONE_DAY = timedelta(days=1)


class SummaryService:
    def __init__(self, of_accounts: AccountService, profiles: ProfileDirectory, insights: InsightsService) -> None:
        self._accounts = of_accounts
        self._profiles = profiles
        self._insights = insights

    async def build_summary(self, tx: Tx, caller: Caller, account_id: str, query: SummaryQuery) -> AnalyticsSummary:
        account = await self._accounts.find(tx, caller, account_id)
        table = self._insights.get_metric_table(account)
        zone = ZoneInfo(await self._profiles.get_timezone(tx, account.owner_id, account.profile_id))
        calendar = ZoneInfo(table.get_day_timezone(zone.key))
        days = parse_period(query, get_local_date(tx.now, zone))
        before = DateRange(days.first - timedelta(days=days.count), days.first - _ONE_DAY)
        now, then = await self._list_day_metrics(tx, account, days), await self._list_day_metrics(tx, account, before)
        since, until = get_day_start(days.first, zone), get_day_start(days.last + _ONE_DAY, zone)
        posts = PostStatistics(zone)
        await collect_post_statistics(tx, posts, account, since, until)
        counts = await store.list_follower_counts_between(tx, account.owner_id, account.id, since, until)
        counted_on = {get_local_date(count.at, zone) for count in counts}
        followers = await self._build_follower_totals(tx, account, days, before, zone, len(counted_on))
        return AnalyticsSummary(
            account_id=account.id,
            timezone=zone.key,
            period=_build_period(days),
            previous=_build_period(before),
            totals=[*followers, *_build_totals(table, now, then)],
            best_posts=posts.best,
            best_times=posts.times[:_MAX_BEST_TIMES],
            posts_published=posts.published,
            posts_per_week=round(posts.published * _DAYS_PER_WEEK / days.count, 2),
            gaps=[
                _build_period(gap)
                for gap in join_consecutive_days(
                    _list_missing_days(table, days, now, counted_on, get_local_date(tx.now, calendar))
                )
            ],
        )

    async def _list_day_metrics(self, tx: Tx, account: AccountRow, days: DateRange) -> dict[date, MetricValues]:
        return await store.list_day_metrics(tx, account.owner_id, account.id, days)

    async def _build_follower_totals(
        self, tx: Tx, account: AccountRow, days: DateRange, before: DateRange, zone: ZoneInfo, known: int
    ) -> list[MetricTotal]:
        """Compare the last count of the period with the last one before it. Counts older than that are ignored."""
        ends = [
            get_day_start(before.first, zone),
            get_day_start(days.first, zone),
            get_day_start(days.last + _ONE_DAY, zone),
        ]
        last = await store.find_last_follower_count(tx, account.owner_id, account.id, ends[2])
        previous = await store.find_last_follower_count(tx, account.owner_id, account.id, ends[1])
        value = last.followers if last is not None and last.at >= ends[1] else None
        compared = previous.followers if previous is not None and previous.at >= ends[0] else None
        return [build_total("followers", "count", value, compared, known)] if last is not None else []


def parse_period(query: SummaryQuery, today: date) -> DateRange:
    """Read the period. A named one ends yesterday: today is not over."""
    if query.period is None and (query.since is not None or query.until is not None):
        return parse_range(query.since, query.until, today, 30, default_end=today - _ONE_DAY)
    if query.since is not None or query.until is not None:
        raise InvalidRequest.for_field(
            "?period", "contradiction", "Send a `period`, or a range with `since` and `until`, not both."
        )
    length = int((query.period or "30d").removesuffix("d"))
    return parse_range(None, today - _ONE_DAY, today, length)


def _build_totals(
    table: MetricTable, now: Mapping[date, MetricValues], then: Mapping[date, MetricValues]
) -> list[MetricTotal]:
    """Add up what can be added up. For levels other than followers, the last value counts."""
    totals = []
    for metric in table.account_metrics:
        value, days = aggregate_metric(metric, now)
        previous, _ = aggregate_metric(metric, then)
        if metric.name != "followers" and metric.form != "unique" and (days or previous is not None):
            totals.append(build_total(metric.name, metric.unit, value, previous, days))
    return totals


def aggregate_metric(metric: PlatformMetric, days: Mapping[date, MetricValues]) -> tuple[Number | None, int]:
    values = [numbers[metric.name] for _, numbers in sorted(days.items()) if metric.name in numbers]
    if not values:
        return None, 0
    return values[-1] if metric.form == "level" else sum(values), len(values)


def build_total(name: str, unit: str, value: Number | None, previous: Number | None, days: int) -> MetricTotal:
    change = None if value is None or not previous else round(100 * (value - previous) / previous, 2)
    return MetricTotal(name=name, unit=unit, value=value, previous=previous, change_percent=change, days=days)  # type: ignore[arg-type]


def _list_missing_days(
    table: MetricTable, days: DateRange, now: Mapping[date, MetricValues], counted_on: Collection[date], today: date
) -> list[date]:
    """List the days that should have data by now but do not. If nothing is reported by day, followers count as data."""
    flows = {metric.name for metric in table.account_metrics if metric.form == "flow"}
    latest = today - timedelta(days=table.settles_after_days)

    def is_known(day: date) -> bool:
        return bool(flows & set(now.get(day, {}))) if flows else bool(now.get(day)) or day in counted_on

    return [day for day in days.list_days() if day < latest and not is_known(day)]


class PostStatistics:
    """What a summary says about posts, added up page by page."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        # The sum of the engagement of posts, and their number, by the hour of the week in which they were published.
        self._hours: dict[tuple[int, int], tuple[Number, int]] = {}
        self.published = 0
        self.best: list[BestPost] = []

    def add(self, posts: Sequence[PostWithLatestMetrics]) -> None:
        self.published += len(posts)
        counted = [best for post in posts if (best := _build_best_post(post))]
        for post in counted:
            local = post.published_at.astimezone(self._zone)
            total, number = self._hours.get((local.weekday(), local.hour), (0, 0))
            self._hours[local.weekday(), local.hour] = total + post.engagement, number + 1
        ranked = sorted([*self.best, *counted], key=lambda best_post: (-best_post.engagement, best_post.object_id))
        self.best = ranked[:_MAX_BEST_POSTS]

    @property
    def times(self) -> list[BestTime]:
        """The average engagement of each hour of the week with posts, best first."""
        times = [
            BestTime(weekday=WEEKDAYS[weekday], hour=hour, posts=number, engagement=round(total / number, 2))
            for (weekday, hour), (total, number) in sorted(self._hours.items())
        ]
        return sorted(times, key=lambda best_time: (-best_time.engagement, -best_time.posts))


async def collect_post_statistics(
    tx: Tx, posts: PostStatistics, account: AccountRow, since: datetime, until: datetime
) -> None:
    """Add the posts of a period. Other requests get their turn after each page."""
    after: PostWithLatestMetrics | None = None
    while True:
        page = await store.list_posts_between(
            tx, account.owner_id, account.id, since, until, after=after, most=SUMMARY_POSTS_PAGE_SIZE
        )
        posts.add(page)
        if len(page) < SUMMARY_POSTS_PAGE_SIZE:
            return
        after = page[-1]
        # A short query on SQLite runs on the event loop itself and never lets others take their turn.
        await asyncio.sleep(0)


def _build_best_post(post: PostWithLatestMetrics) -> BestPost | None:
    engagement = None if post.metrics is None else compute_engagement(post.metrics)
    if post.metrics is None or post.hours is None or engagement is None:
        return None
    return BestPost(
        object_id=post.object_id,
        post_id=post.post_id,
        url=post.url,
        published_at=post.published_at,
        engagement=engagement,
        age_hours=post.hours,
        metrics=dict(post.metrics),
    )


def _build_period(days: DateRange) -> Period:
    return Period(since=days.first, until=days.last)
