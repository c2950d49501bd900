"""How numbers change: each metric by day over one account or several, compared with the days before."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from socialgate.areas.analytics.periods import get_local_date
from socialgate.areas.analytics.schemas import MetricTotal, Number
from socialgate.areas.analytics.store import MetricValues
from socialgate.areas.analytics.summary import aggregate_metric, build_total
from socialgate.contracts.insights import DateRange
from socialgate.contracts.metrics import PlatformMetric

FOLLOWERS = "followers"
# Platforms report the last days late. An account that has reported nothing for longer is not waited for.
_LATE_DAYS = timedelta(days=3)
_ONE_DAY = timedelta(days=1)

MetricsByAccount = Mapping[str, Mapping[date, MetricValues]]


class MetricTrend(msgspec.Struct, frozen=True, kw_only=True):
    """A metric by day, and in the same number of days before. A day that is unknown is None.

    `basis` says what `total` is: the days added up, their average if they cannot be added up, or the last one.
    `not_compared` is how many accounts are in the value of `total`, but not in its change: they have no number in both
    periods, and connecting an account is no growth. `change` is how much the others gained.
    """

    total: MetricTotal
    basis: Literal["sum", "average", "last"]
    values: Sequence[Number | None]
    before: Sequence[Number | None]
    change: Number | None = None
    not_compared: int = 0
    lower_is_better: bool = False

    @property
    def is_improved(self) -> bool | None:
        """Whether it changed for the better. None if it did not change, or there is nothing to compare."""
        return None if not self.change else (self.change > 0) != self.lower_is_better


def group_followers(
    counts: Sequence[tuple[str, datetime, int]], zone: ZoneInfo, last: date
) -> dict[str, dict[date, int]]:
    """Return the last count of each day of each account, until the last day. `counts` have the oldest first."""
    by_account: dict[str, dict[date, int]] = {}
    for account_id, at, followers in counts:
        if (day := get_local_date(at, zone)) <= last:
            by_account.setdefault(account_id, {})[day] = followers
    return by_account


def compare_followers(known: Mapping[date, int], days: DateRange, before: DateRange) -> MetricTotal:
    """Compare the last count of the period with the last one of the period before."""
    now = [known[day] for day in days.list_days() if day in known]
    then = [known[day] for day in before.list_days() if day in known]
    return build_total(FOLLOWERS, "count", now[-1] if now else None, then[-1] if then else None, len(now))


def build_follower_trend(
    by_account: Mapping[str, Mapping[date, int]], totals: Mapping[str, MetricTotal], days: DateRange, before: DateRange
) -> MetricTrend | None:
    """Add up the followers of accounts. Only those that were counted in both periods have grown."""
    if not totals:
        return None
    now = [total.value for total in totals.values() if total.value is not None]
    both = [(each.value, each.previous) for each in totals.values() if None not in (each.value, each.previous)]
    value, previous = sum(value or 0 for value, _ in both), sum(previous or 0 for _, previous in both)
    counted = len({day for known in by_account.values() for day in known if day >= days.first})
    compared = build_total(FOLLOWERS, "count", value if both else None, previous if both else None, counted)
    series = _carry_on(list(by_account.values()), DateRange(before.first, days.last).list_days())
    return MetricTrend(
        total=msgspec.structs.replace(compared, value=sum(now) if now else None),
        basis="last",
        values=series[before.count :],
        before=series[: before.count],
        change=value - previous if both else None,
        not_compared=len(totals) - len(both),
    )


def build_metric_trend(
    metric: PlatformMetric, by_account: MetricsByAccount, days: DateRange, before: DateRange
) -> MetricTrend:
    """Add up a metric of accounts. A day on which one of them has no number yet is unknown, rather than lower."""
    sums = add_up_days(metric.name, by_account)
    late = _list_incomplete_days(metric.name, by_account, days.last)
    complete = {day: values for day, values in sums.items() if day not in late}
    # What is added up is as much as is known. An average, or the last value, of incomplete days would be wrong.
    counted = sums if metric.form == "flow" else complete or sums
    (value, known), (previous, known_before) = (
        aggregate_metric(metric, {day: counted[day] for day in period.list_days() if day in counted})
        for period in (days, before)
    )
    if metric.form == "unique":
        # The same person counts on each day, so that days cannot be added up.
        value, previous = _average(metric, value, known), _average(metric, previous, known_before)
    complete_days = sum(day in complete for day in days.list_days())
    return MetricTrend(
        total=build_total(metric.name, metric.unit, value, previous, complete_days),
        basis="average" if metric.form == "unique" else "last" if metric.form == "level" else "sum",
        values=[complete.get(day, {}).get(metric.name) for day in days.list_days()],
        before=[complete.get(day, {}).get(metric.name) for day in before.list_days()],
        change=None if value is None or previous is None else value - previous,
        lower_is_better=metric.lower_is_better,
    )


def add_up_days(name: str, by_account: MetricsByAccount) -> dict[date, MetricValues]:
    """Add up one metric of accounts on each day on which one of them has it."""
    sums: dict[date, Number] = {}
    for known in by_account.values():
        for day, values in known.items():
            if name in values:
                sums[day] = sums.get(day, 0) + values[name]
    return {day: {name: value} for day, value in sums.items()}


def _list_incomplete_days(name: str, by_account: MetricsByAccount, last: date) -> set[date]:
    """List the days on which an account has no number although it has one before, and after or soon."""
    missing: set[date] = set()
    for known in by_account.values():
        counted = {day for day, values in known.items() if name in values}
        if not counted:
            continue
        first, newest = min(counted), max(counted)
        end = last if newest >= last - _LATE_DAYS else newest
        if len(counted) <= (end - first).days:
            missing |= set(DateRange(first, end).list_days()) - counted
    return missing


def _average(metric: PlatformMetric, total: Number | None, days: int) -> Number | None:
    if total is None:
        return None
    # People are counted in whole numbers, on an average day too.
    return round(total / days) if metric.unit == "count" else round(total / days, 2)


def _carry_on(counts: Sequence[Mapping[date, int]], days: Sequence[date]) -> list[Number | None]:
    """Add up what the accounts had on each day. A day without a count has that of the day before.

    Before its first count, an account has that one: otherwise connecting it would look like growth.
    """
    latest = {number: known[min(known)] for number, known in enumerate(counts) if known}
    first = min((min(known) for known in counts if known), default=None)
    totals: list[Number | None] = []
    for day in days:
        latest |= {number: known[day] for number, known in enumerate(counts) if day in known}
        totals.append(None if first is None or day < first else sum(latest.values()))
    return totals
