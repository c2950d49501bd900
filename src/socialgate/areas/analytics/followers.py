"""Followers over time, in the time zone of the profile."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import (
    Granularity,
    get_day_start,
    get_local_date,
    get_period_start,
    parse_range,
    split_into_periods,
)
from socialgate.areas.analytics.schemas import FollowersPoint, FollowersQuery, FollowersSeries
from socialgate.areas.analytics.service import InsightsService
from socialgate.areas.analytics.store import FollowerCountRow
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx

_DEFAULT_DAYS = 30
_NO_FOLLOWERS_MESSAGE = "This kind of account has no followers. `metrics` in GET /platforms lists what each kind has."


class FollowerService:
    def __init__(self, of_accounts: AccountService, profiles: ProfileDirectory, insights: InsightsService) -> None:
        self._accounts = of_accounts
        self._profiles = profiles
        self._insights = insights

    async def get_series(self, tx: Tx, caller: Caller, account_id: str, query: FollowersQuery) -> FollowersSeries:
        account = await self._accounts.find(tx, caller, account_id)
        table = self._insights.get_metric_table(account)
        if not any(metric.name == "followers" for metric in table.account_metrics):
            raise NotSupportedError(_NO_FOLLOWERS_MESSAGE, platform=account.platform)
        zone = ZoneInfo(await self._profiles.get_timezone(tx, account.owner_id, account.profile_id))
        days = parse_range(query.since, query.until, get_local_date(tx.now, zone), _DEFAULT_DAYS, query.granularity)
        # The previous period is needed for the first change.
        before = get_period_start(
            get_period_start(days.first, query.granularity) - timedelta(days=1), query.granularity
        )
        since, until = get_day_start(before, zone), get_day_start(days.last + timedelta(days=1), zone)
        counts = await store.list_follower_counts_between(tx, account.owner_id, account.id, since, until)
        return FollowersSeries(
            account_id=account.id,
            timezone=zone.key,
            granularity=query.granularity,
            data=build_follower_points(counts, days, query.granularity, zone, tx.now),
        )


def build_follower_points(
    counts: Sequence[FollowerCountRow], days: DateRange, granularity: Granularity, zone: ZoneInfo, now: datetime
) -> list[FollowersPoint]:
    """Return the last count of each period. Future periods are left out; others without a count are gaps."""
    last: dict[date, int] = {}
    for count in counts:
        day = get_local_date(count.at, zone)
        if day <= days.last:
            last[get_period_start(day, granularity)] = count.followers
    followers_points: list[FollowersPoint] = []
    for span in split_into_periods(days, granularity):
        if get_day_start(span.first, zone) > now:
            break
        period = get_period_start(span.first, granularity)
        followers = last.get(period)
        before = last.get(get_period_start(period - timedelta(days=1), granularity))
        change = None if followers is None or before is None else followers - before
        followers_points.append(FollowersPoint(date=period, followers=followers, change=change, gap=followers is None))
    return followers_points
