"""Summaries of a period, from the stored metrics of days and posts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
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
from socialgate.areas.analytics.store import MeasuredPost, Numbers
from socialgate.areas.analytics.values import engagement_of
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.insights import Days
from socialgate.contracts.metrics import Metric, MetricTable
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid

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
        posts = await store.posts_between(tx, account.owner_id, account.id, since, until)
        latest = await store.latest_of_posts(tx, account.owner_id, account.id, since, until)
        counted = [best for post in posts if (best := _best(post, latest.get(post.object_id)))]
        counts = await store.counts_between(tx, account.owner_id, account.id, since, until)
        counted_on = {day_of(count.at, zone) for count in counts}
        followers = await self._followers(tx, account, days, before, zone, len(counted_on))
        return Summary(
            account_id=account.id,
            timezone=zone.key,
            period=_period(days),
            previous=_period(before),
            totals=[*followers, *_totals(table, now, then)],
            best_posts=sorted(counted, key=lambda one: (-one.engagement, one.object_id))[:_BEST_POSTS],
            best_times=_best_times(counted, zone),
            posts_published=len(posts),
            posts_per_week=round(len(posts) * _WEEK / days.count, 2),
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
        return range_of(query.since, query.until, today - _DAY, 30)
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


def _best(post: MeasuredPost, latest: tuple[int, Numbers] | None) -> BestPost | None:
    if latest is None:
        return None
    hours, numbers = latest
    engagement = engagement_of(numbers)
    if engagement is None:
        return None
    return BestPost(
        object_id=post.object_id,
        post_id=post.post_id,
        url=post.url,
        published_at=post.published_at,
        engagement=engagement,
        age_hours=hours,
        metrics=dict(numbers),
    )


def _best_times(posts: Sequence[BestPost], zone: ZoneInfo) -> list[BestTime]:
    """Average the engagement of posts by the hour of the week in which they were published, best first."""
    hours: dict[tuple[int, int], list[Number]] = {}
    for post in posts:
        local = post.published_at.astimezone(zone)
        hours.setdefault((local.weekday(), local.hour), []).append(post.engagement)
    found = [
        BestTime(weekday=WEEKDAYS[weekday], hour=hour, posts=len(many), engagement=round(sum(many) / len(many), 2))
        for (weekday, hour), many in sorted(hours.items())
    ]
    return sorted(found, key=lambda one: (-one.engagement, -one.posts))[:_BEST_TIMES]


def _period(days: Days) -> Period:
    return Period(since=days.first, until=days.last)
