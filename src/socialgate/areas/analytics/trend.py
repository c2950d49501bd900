"""How a profile does: followers and people reached, day by day over all its accounts, compared with the time before."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import msgspec

from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import get_day_start, get_local_date
from socialgate.contracts.insights import DateRange
from socialgate.core.caller import Caller
from socialgate.core.db import Tx

# The numbers of more accounts take too long to add up for a page. Those that were connected last are left out.
MAX_ACCOUNTS = 50
_REACH = "reach"


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One number by day, what it is now, and what it was before. None if nothing is known."""

    values: Sequence[float]
    now: float | None
    before: float | None


class TrendService:
    async def get_followers(
        self, tx: Tx, caller: Caller, profile_id: str | None, zone: ZoneInfo, *, days: int
    ) -> Trend:
        """Add up the followers at the end of each day. A day without a count has that of the day before."""
        today = get_local_date(tx.now, zone)
        first = today - timedelta(days=days)
        accounts = await store.list_account_ids(tx, caller.owner_id, caller, profile_id, MAX_ACCOUNTS)
        counts = await store.list_counts_since(tx, caller.owner_id, accounts, get_day_start(first, zone))
        by_account: dict[str, dict[date, int]] = {}
        for account_id, at, followers in counts:
            by_account.setdefault(account_id, {})[get_local_date(at, zone)] = followers
        values = _add_up(list(by_account.values()), [first + timedelta(days=number) for number in range(days + 1)])
        if not values:
            return Trend(values=[], now=None, before=None)
        return Trend(values=values, now=values[-1], before=values[0] if len(values) > days else None)

    async def get_reach(self, tx: Tx, caller: Caller, profile_id: str | None, zone: ZoneInfo, *, days: int) -> Trend:
        """Add up the people reached on each complete day, and in the same number of days before."""
        last = get_local_date(tx.now, zone) - timedelta(days=1)
        first, earliest = last - timedelta(days=days - 1), last - timedelta(days=2 * days - 1)
        accounts = await store.list_account_ids(tx, caller.owner_id, caller, profile_id, MAX_ACCOUNTS)
        by_day: dict[date, float] = {}
        for day, metrics in await store.list_metrics_of_days(tx, caller.owner_id, accounts, DateRange(earliest, last)):
            if _REACH in metrics:
                by_day[day] = by_day.get(day, 0) + metrics[_REACH]
        now = {day: value for day, value in by_day.items() if day >= first}
        before = [value for day, value in by_day.items() if day < first]
        return Trend(
            values=[now[day] for day in sorted(now)],
            now=sum(now.values()) if now else None,
            before=sum(before) if before else None,
        )


def _add_up(counts: Sequence[Mapping[date, int]], days: Sequence[date]) -> list[float]:
    """Add up what each account had on each day, from the first day on which one is known."""
    latest: dict[int, int] = {}
    totals: list[float] = []
    for day in days:
        for number, by_day in enumerate(counts):
            if day in by_day:
                latest[number] = by_day[day]
        if latest:
            totals.append(float(sum(latest.values())))
    return totals
