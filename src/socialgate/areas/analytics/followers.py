"""Followers over time, in the time zone of the profile."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.service import Accounts
from socialgate.areas.analytics import store
from socialgate.areas.analytics.calendar import Granularity, begins, day_of, midnight, range_of, spans
from socialgate.areas.analytics.schemas import FollowersPoint, FollowersQuery, FollowersSeries
from socialgate.areas.analytics.service import InsightsReader
from socialgate.areas.analytics.store import Count
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.insights import Days
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx

_DAYS = 30
_NONE = "This kind of account has no followers. `metrics` in GET /platforms lists what each kind has."


class Followers:
    def __init__(self, of_accounts: Accounts, profiles: ProfileBook, insights: InsightsReader) -> None:
        self._accounts = of_accounts
        self._profiles = profiles
        self._insights = insights

    async def series(self, tx: Tx, caller: Caller, account_id: str, query: FollowersQuery) -> FollowersSeries:
        account = await self._accounts.find(tx, caller, account_id)
        table = self._insights.table(account)
        if not any(metric.name == "followers" for metric in table.account):
            raise NotSupported(_NONE, platform=account.platform)
        zone = ZoneInfo(await self._profiles.timezone(tx, account.owner_id, account.profile_id))
        days = range_of(query.since, query.until, day_of(tx.now, zone), _DAYS, query.granularity)
        # The previous period is needed for the first change.
        before = begins(begins(days.first, query.granularity) - timedelta(days=1), query.granularity)
        since, until = midnight(before, zone), midnight(days.last + timedelta(days=1), zone)
        counts = await store.counts_between(tx, account.owner_id, account.id, since, until)
        return FollowersSeries(
            account_id=account.id,
            timezone=zone.key,
            granularity=query.granularity,
            data=points(counts, days, query.granularity, zone, tx.now),
        )


def points(
    counts: Sequence[Count], days: Days, granularity: Granularity, zone: ZoneInfo, now: datetime
) -> list[FollowersPoint]:
    """Return the last count of each period. Future periods are left out; others without a count are gaps."""
    last: dict[date, int] = {}
    for count in counts:
        day = day_of(count.at, zone)
        if day <= days.last:
            last[begins(day, granularity)] = count.followers
    found: list[FollowersPoint] = []
    for span in spans(days, granularity):
        if midnight(span.first, zone) > now:
            break
        period = begins(span.first, granularity)
        followers = last.get(period)
        before = last.get(begins(period - timedelta(days=1), granularity))
        change = None if followers is None or before is None else followers - before
        found.append(FollowersPoint(date=period, followers=followers, change=change, gap=followers is None))
    return found
