"""Summaries of a period, from the stored metrics of days and posts."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.service import Accounts
from socialgate.areas.analytics import store
from socialgate.areas.analytics.calendar import day_of, midnight, range_of, runs
from socialgate.areas.analytics.schemas import (
    WEEKDAYS,
    BestPost,
    BestTime,
    Number,
    Period,
    Summary,
    SummaryQuery,
    Total,
)
from socialgate.areas.analytics.service import InsightsReader
from socialgate.areas.analytics.store import LatestPost, Numbers
from socialgate.areas.analytics.values import engagement_of
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.insights import Days
from socialgate.contracts.metrics import Metric, MetricTable
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid

# A page of posts takes a few milliseconds, during which no other request is answered.
PAGE = 200
_BEST_POSTS = 5
_BEST_TIMES = 24
_WEEK = 7
_DAY = timedelta(days=1)


class Summaries:
    def __init__(self, of_accounts: Accounts, profiles: ProfileBook, insights: InsightsReader) -> None:
        self._accounts = of_accounts
        self._profiles = profiles
        self._insights = insights

    async def of(self, tx: Tx, caller: Caller, account_id: str, query: SummaryQuery) -> Summary:
        account = await self._accounts.find(tx, caller, account_id)
        table = self._insights.table(account)
        zone = ZoneInfo(await self._profiles.timezone(tx, account.owner_id, account.profile_id))
        calendar = ZoneInfo(table.calendar(zone.key))
        days = _days(query, day_of(tx.now, zone))
        before = Days(days.first - timedelta(days=days.count), days.first - _DAY)
        now, then = await self._numbers(tx, account, days), await self._numbers(tx, account, before)
        since, until = midnight(days.first, zone), midnight(days.last + _DAY, zone)
        posts = await _counted(tx, account, since, until, zone)
        counts = await store.counts_between(tx, account.owner_id, account.id, since, until)
        counted_on = {day_of(count.at, zone) for count in counts}
        followers = await self._followers(tx, account, days, before, zone, len(counted_on))
        return Summary(
            account_id=account.id,
            timezone=zone.key,
            period=_period(days),
            previous=_period(before),
            totals=[*followers, *_totals(table, now, then)],
            best_posts=posts.best,
            best_times=posts.best_times,
            posts_published=posts.published,
            posts_per_week=round(posts.published * _WEEK / days.count, 2),
            gaps=[_period(gap) for gap in runs(_missing(table, days, now, counted_on, day_of(tx.now, calendar)))],
        )

    async def _numbers(self, tx: Tx, account: AccountRow, days: Days) -> dict[date, Numbers]:
        return await store.numbers_by_day(tx, account.owner_id, account.id, days)

    async def _followers(
        self, tx: Tx, account: AccountRow, days: Days, before: Days, zone: ZoneInfo, known: int
    ) -> list[Total]:
        """Compare the last count of the period with the last one before it. Counts older than that are ignored."""
        ends = [midnight(before.first, zone), midnight(days.first, zone), midnight(days.last + _DAY, zone)]
        last = await store.last_count(tx, account.owner_id, account.id, ends[2])
        previous = await store.last_count(tx, account.owner_id, account.id, ends[1])
        value = last.followers if last is not None and last.at >= ends[1] else None
        compared = previous.followers if previous is not None and previous.at >= ends[0] else None
        return [_total("followers", "count", value, compared, known)] if last is not None else []


def _days(query: SummaryQuery, today: date) -> Days:
    """Read the period. A named one ends yesterday: today is not over."""
    if query.period is None and (query.since is not None or query.until is not None):
        return range_of(query.since, query.until, today, 30, ends=today - _DAY)
    if query.since is not None or query.until is not None:
        raise Invalid.at("?period", "contradiction", "Send a `period`, or a range with `since` and `until`, not both.")
    length = int((query.period or "30d").removesuffix("d"))
    return range_of(None, today - _DAY, today, length)


def _totals(table: MetricTable, now: Mapping[date, Numbers], then: Mapping[date, Numbers]) -> list[Total]:
    """Add up what can be added up. For levels other than followers, the last value counts."""
    found = []
    for metric in table.account:
        value, days = _summed(metric, now)
        previous, _ = _summed(metric, then)
        if metric.name != "followers" and metric.form != "unique" and (days or previous is not None):
            found.append(_total(metric.name, metric.unit, value, previous, days))
    return found


def _summed(metric: Metric, days: Mapping[date, Numbers]) -> tuple[Number | None, int]:
    values = [numbers[metric.name] for _, numbers in sorted(days.items()) if metric.name in numbers]
    if not values:
        return None, 0
    return values[-1] if metric.form == "level" else sum(values), len(values)


def _total(name: str, unit: str, value: Number | None, previous: Number | None, days: int) -> Total:
    change = None if value is None or not previous else round(100 * (value - previous) / previous, 2)
    return Total(name=name, unit=unit, value=value, previous=previous, change_percent=change, days=days)  # type: ignore[arg-type]


def _missing(
    table: MetricTable, days: Days, now: Mapping[date, Numbers], counted_on: Collection[date], today: date
) -> list[date]:
    """List the days that should have data by now but do not. If nothing is reported by day, followers count as data."""
    flows = {metric.name for metric in table.account if metric.form == "flow"}
    latest = today - timedelta(days=table.settled_after)

    def is_known(day: date) -> bool:
        return bool(flows & set(now.get(day, {}))) if flows else bool(now.get(day)) or day in counted_on

    return [day for day in days.each() if day < latest and not is_known(day)]


class _Posts:
    """What a summary says about posts, added up page by page."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        # The sum of the engagement of posts, and their number, by the hour of the week in which they were published.
        self._hours: dict[tuple[int, int], tuple[Number, int]] = {}
        self.published = 0
        self.best: list[BestPost] = []

    def add(self, posts: Sequence[LatestPost]) -> None:
        self.published += len(posts)
        counted = [best for post in posts if (best := _best(post))]
        for post in counted:
            local = post.published_at.astimezone(self._zone)
            total, number = self._hours.get((local.weekday(), local.hour), (0, 0))
            self._hours[local.weekday(), local.hour] = total + post.engagement, number + 1
        ranked = sorted([*self.best, *counted], key=lambda one: (-one.engagement, one.object_id))
        self.best = ranked[:_BEST_POSTS]

    @property
    def best_times(self) -> list[BestTime]:
        """The average engagement by hour of the week, best first."""
        found = [
            BestTime(weekday=WEEKDAYS[weekday], hour=hour, posts=number, engagement=round(total / number, 2))
            for (weekday, hour), (total, number) in sorted(self._hours.items())
        ]
        return sorted(found, key=lambda one: (-one.engagement, -one.posts))[:_BEST_TIMES]


async def _counted(tx: Tx, account: AccountRow, since: datetime, until: datetime, zone: ZoneInfo) -> _Posts:
    """Read the posts of a period. Other requests get their turn after each page."""
    posts = _Posts(zone)
    after: LatestPost | None = None
    while True:
        page = await store.posts_between(tx, account.owner_id, account.id, since, until, after=after, most=PAGE)
        posts.add(page)
        if len(page) < PAGE:
            return posts
        after = page[-1]
        # A short query on SQLite runs on the event loop itself and never lets others take their turn.
        await asyncio.sleep(0)


def _best(post: LatestPost) -> BestPost | None:
    engagement = None if post.metrics is None else engagement_of(post.metrics)
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


def _period(days: Days) -> Period:
    return Period(since=days.first, until=days.last)
