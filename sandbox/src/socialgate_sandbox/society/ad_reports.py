"""Reports about ads: each row covers a campaign, ad set or ad, a time, and perhaps a share of the people.

A vendor declares its metrics under its own names, as a metric of `spend`, a sum of several, or a `MetricRatio` of two:

    METRICS = {"spend": "spend", "engagements": ("likes", "shares"), "ctr": Ratio("clicks", "impressions", 100)}
    cell = Cell(of="30", start=start, end=end)
    cell.value(account, METRICS["ctr"])

Shares of the people are exact: the parts of a number always add up to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import accumulate, product
from math import prod
from typing import Literal, TypeAlias

from socialgate_sandbox.society.ad_spend import Account, get_minor_units
from socialgate_sandbox.society.campaigns import MONEY_METRICS

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class MetricRatio:
    numerator: str
    denominator: str
    times: float = 1


AdMetric: TypeAlias = str | tuple[str, ...] | MetricRatio


@dataclass(frozen=True)
class ReportCell:
    """What one row covers. `share_range` is its place among the shares of the people, from 0 to 1."""

    object_id: str | None
    start: datetime
    end: datetime
    share_range: tuple[float, float] = (0.0, 1.0)

    def count_metric(self, account: Account, metric: str) -> int:
        number = account.count_between(metric, self.start, self.end, self.object_id)
        low, high = self.share_range
        return round(number * high) - round(number * low)

    def value(self, account: Account, measure: AdMetric) -> float:
        """Return a metric. Amounts are in whole units of the currency."""
        if isinstance(measure, MetricRatio):
            per = self.value(account, measure.denominator)
            return self.value(account, measure.numerator) * measure.times / per if per else 0.0
        if isinstance(measure, tuple):
            return sum(self.count_metric(account, metric) for metric in measure)
        number = self.count_metric(account, measure)
        return number / get_minor_units(account.currency) if measure in MONEY_METRICS else number


def iterate_periods(
    account: Account, first: date | None, last: date | None, unit: Literal["", "day", "hour"] = ""
) -> Iterator[tuple[datetime | None, datetime, datetime]]:
    """Divide some days of the ad account: into days or hours, each with its time in the zone of the account, or not at
    all. Without days it is the whole life of the account.
    """
    if first is None or last is None:
        marks = [mark for campaign in account.campaigns for ad_set in campaign.ad_sets for mark in ad_set.schedule]
        yield None, min((mark.at for mark in marks), default=account.now) - _DAY, account.now
        return
    start, end = account.compute_midnight(first), account.compute_midnight(last + _DAY)
    if not unit:
        yield None, start, end
        return
    while start < end:
        local = start.astimezone(account.zone)
        after = start + _HOUR if unit == "hour" else account.compute_midnight(local.date() + _DAY)
        yield local, start, after
        start = after


def split_cell_by_shares(cell: ReportCell, *shares: Mapping[str, int]) -> Iterator[tuple[Sequence[str], ReportCell]]:
    """Divide a cell by shares in percent, or by each combination of several kinds of shares."""
    chosen = list(product(*(share.items() for share in shares)))
    sizes = [prod(percent / 100 for _name, percent in item) for item in chosen]
    ends = [*accumulate(sizes)]
    # Rounding must not lose the last person.
    ends[-1] = 1.0
    for current_item, low, high in zip(chosen, [0.0, *ends], ends, strict=False):
        yield [name for name, _percent in current_item], replace(cell, share_range=(low, high))
