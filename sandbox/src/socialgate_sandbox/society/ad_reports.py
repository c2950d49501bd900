"""Reports about ads: each row covers a campaign, ad set or ad, a time, and perhaps a share of the people.

A vendor declares its metrics under its own names, as a metric of `spend`, a sum of several, or a `Ratio` of two:

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

from socialgate_sandbox.society.campaigns import MONEY
from socialgate_sandbox.society.spend import Account, units

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class Ratio:
    of: str
    per: str
    times: float = 1


Measure: TypeAlias = str | tuple[str, ...] | Ratio


@dataclass(frozen=True)
class Cell:
    """What one row covers. `part` is its place among the shares of the people, from 0 to 1."""

    of: str | None
    start: datetime
    end: datetime
    part: tuple[float, float] = (0.0, 1.0)

    def count(self, account: Account, metric: str) -> int:
        number = account.between(metric, self.start, self.end, self.of)
        low, high = self.part
        return round(number * high) - round(number * low)

    def value(self, account: Account, measure: Measure) -> float:
        """Return a metric. Amounts are in whole units of the currency."""
        if isinstance(measure, Ratio):
            per = self.value(account, measure.per)
            return self.value(account, measure.of) * measure.times / per if per else 0.0
        if isinstance(measure, tuple):
            return sum(self.count(account, metric) for metric in measure)
        number = self.count(account, measure)
        return number / units(account.currency) if measure in MONEY else number


def periods(
    account: Account, first: date | None, last: date | None, unit: Literal["", "day", "hour"] = ""
) -> Iterator[tuple[datetime | None, datetime, datetime]]:
    """Divide some days of the ad account: into days or hours, each with its time in the zone of the account, or not at
    all. Without days it is the whole life of the account.
    """
    if first is None or last is None:
        marks = [mark for campaign in account.campaigns for one in campaign.ad_sets for mark in one.schedule]
        yield None, min((mark.at for mark in marks), default=account.now) - _DAY, account.now
        return
    start, end = account.midnight(first), account.midnight(last + _DAY)
    if not unit:
        yield None, start, end
        return
    while start < end:
        local = start.astimezone(account.zone)
        after = start + _HOUR if unit == "hour" else account.midnight(local.date() + _DAY)
        yield local, start, after
        start = after


def shared(cell: Cell, *shares: Mapping[str, int]) -> Iterator[tuple[Sequence[str], Cell]]:
    """Divide a cell by shares in percent, or by each combination of several kinds of shares."""
    chosen = list(product(*(one.items() for one in shares)))
    sizes = [prod(percent / 100 for _name, percent in one) for one in chosen]
    ends = [*accumulate(sizes)]
    # Rounding must not lose the last person.
    ends[-1] = 1.0
    for one, low, high in zip(chosen, [0.0, *ends], ends, strict=False):
        yield [name for name, _percent in one], replace(cell, part=(low, high))
