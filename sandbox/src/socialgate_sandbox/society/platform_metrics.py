"""What a platform counts, under its own names, on days that start when the platform says.

A vendor declares one `PlatformMetrics` for each kind of account. Its endpoints and `GET /_control/numbers` both read
from it, so that what is served can be compared with the full data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import (
    AccountMetricsView,
    Action,
    ActionRequest,
    DayMetricsView,
    PostMetricsView,
    StoredObject,
    VendorContext,
)
from socialgate_sandbox.society.audience_growth import HOUR, Audience, PostActivity

PACIFIC = ZoneInfo("America/Los_Angeles")
DAY = timedelta(days=1)
_FULL_RANGE = (0, 100)


class CountedMetric(NamedTuple):
    """The sum of some metrics of `growth`, or the part of it between two percentages, multiplied by `times`."""

    of: tuple[str, ...]
    part: tuple[int, int] = _FULL_RANGE
    times: int = 1

    def compute(self, number: int) -> int:
        return (number * self.part[1] // 100 - number * self.part[0] // 100) * self.times


class RatioMetric(NamedTuple):
    """The ratio of one metric to another, multiplied by `times`: a whole number unless it has `digits`."""

    numerator: str
    denominator: str
    times: float = 1
    digits: int | None = None

    def compute(self, value: Mapping[str, Any]) -> float:
        result = value[self.numerator] * self.times / (value[self.denominator] or 1)
        return int(result) if self.digits is None else round(result, self.digits)


class CompositeMetric(NamedTuple):
    """Several metrics in one object, with its own names for them. If `omits_zeros`, zeros are left out."""

    names: Mapping[str, str]
    omits_zeros: bool = False

    def compute(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value[parent_value]
            for name, parent_value in self.names.items()
            if value[parent_value] or not self.omits_zeros
        }


class Retired(StoredObject):
    """A metric that the platform no longer knows. Its name is the id."""


class RetireMetricRequest(ActionRequest, frozen=True, kw_only=True):
    """The platform retires a metric without notice, or brings it back."""

    metric: str
    back: bool = False


def _handle_retire(context: VendorContext, request: RetireMetricRequest) -> None:
    if request.back:
        context.store.delete(Retired, request.metric)
    else:
        context.store.put(Retired(id=request.metric))


RETIRE_ACTIONS = {"retire": Action("Retire a metric", RetireMetricRequest, _handle_retire, has_own_form=False)}


def list_active_metrics(context: VendorContext, names: Iterable[str]) -> set[str]:
    """Return the metrics that are not retired."""
    return set(names) - {retired.id for retired in context.store.find(Retired)}


def declare_counts(*, times: int = 1, **names: str) -> dict[str, CountedMetric]:
    """Declare metrics: `total="likes comments"`."""
    return {name: CountedMetric(tuple(value.split()), times=times) for name, value in names.items()}


def add_values(values: Sequence[Any]) -> Any:
    """Add numbers, or objects of numbers by name."""
    if values and isinstance(values[0], Mapping):
        return {name: sum(item[name] for item in values) for name in values[0]}
    return sum(values)


def split_number_by_shares(value: int, *shares: Mapping[str, int]) -> dict[tuple[str, ...], int]:
    """Split a number by shares in percent, every combination. The first part gets the rounding remainder."""
    parts = {
        tuple(word for word, _share in chosen): value * prod(share for _word, share in chosen) // 100 ** len(shares)
        for chosen in product(*(share.items() for share in shares))
    }
    parts[next(iter(parts))] += value - sum(parts.values())
    return parts


def declare_shares(value: str, **shares: int) -> dict[str, CountedMetric]:
    """Declare metrics that divide up another one, in percent: nothing is lost and nothing counts twice."""
    result, begin = {}, 0
    for name, share in shares.items():
        result[name] = CountedMetric((value,), (begin, begin + share))
        begin += share
    return result


def iterate_days(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += DAY


@lru_cache(maxsize=1 << 12)
def compute_midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


@dataclass(frozen=True)
class PlatformMetrics:
    """`account_metrics` and `post` are what is counted for each, `derived_metrics` is computed from that.

    `has_followers` says whether an account has any; `level` is the platform's name for their number by day,
    `online_metric` for how many of them are online by hour, and `read_current_values` returns the account's other
    current values. The newest `delay_days` days are not reported yet, and days more than `retention_days` days ago no
    longer.
    """

    find_audience: Callable[[VendorContext, str], Audience | None]
    account_metrics: Mapping[str, CountedMetric]
    post: Mapping[str, CountedMetric] = field(default_factory=dict)
    zone: ZoneInfo = PACIFIC
    has_followers: bool = True
    derived_metrics: Mapping[str, RatioMetric | CompositeMetric] = field(default_factory=dict)
    level: str = ""
    online_metric: str = ""
    delay_days: int = 0
    retention_days: int | None = None
    read_current_values: Callable[[VendorContext, str], Mapping[str, int]] = lambda _world, _account: {}

    def count_on_day(self, audience: Audience, name: str, day: date) -> Any:
        """Count one metric on one day."""
        if name == self.level:
            return self.count_followers_after(audience, day)
        if name == self.online_metric:
            return {
                str(hour): audience.count_online(compute_midnight(day, self.zone) + hour * HOUR) for hour in range(24)
            }
        if name in self.derived_metrics:
            return self._compute_derived(name, lambda value: self.count_on_day(audience, value, day))
        count = self.account_metrics[name]
        return count.compute(
            audience.count_between(compute_midnight(day, self.zone), compute_midnight(day + DAY, self.zone), *count.of)
        )

    def count_over_days(self, audience: Audience, name: str, first: date, last: date) -> Any:
        """Count one metric over a range of days."""
        if name in self.derived_metrics:
            return self._compute_derived(name, lambda value: self.count_over_days(audience, value, first, last))
        begin = max(first, self.get_day(audience.earliest))
        return sum(self.count_on_day(audience, name, day) for day in iterate_days(begin, last))

    def count_rolling(
        self, audience: Audience, name: str, consecutive_days: Sequence[date], length: int = 1
    ) -> list[Any]:
        """For each of these consecutive days, count over the window that ends with it."""
        before = iterate_days(consecutive_days[0] - (length - 1) * DAY, consecutive_days[0] - DAY)
        daily = [self.count_on_day(audience, name, day) for day in (*before, *consecutive_days)]
        return [add_values(daily[number : number + length]) for number in range(len(consecutive_days))]

    def count_for_post(self, audience: Audience, post: PostActivity, name: str, at: datetime | None = None) -> Any:
        if name in self.derived_metrics:
            return self._compute_derived(name, lambda value: self.count_for_post(audience, post, value, at))
        count = self.post[name]
        return count.compute(audience.count_post_metrics(post, *count.of, at=at))

    def _compute_derived(self, name: str, count: Callable[[str], Any]) -> Any:
        created = self.derived_metrics[name]
        needed = (
            created.names.values() if isinstance(created, CompositeMetric) else (created.numerator, created.denominator)
        )
        return created.compute({value: count(value) for value in needed})

    def count_followers_after(self, audience: Audience, day: date) -> int:
        return audience.count_followers(min(compute_midnight(day + DAY, self.zone), audience.now))

    def get_today(self, context: VendorContext) -> date:
        return self.get_day(context.clock.now())

    def get_day(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def get_last_reported_day(self, context: VendorContext) -> date:
        """Return the last day that the platform reports."""
        return self.get_today(context) - self.delay_days * DAY

    def list_reported_days(self, context: VendorContext, first: date, last: date) -> list[date]:
        """List those of the days that the platform reports. It may report none of them."""
        begin = (
            first if self.retention_days is None else max(first, self.get_today(context) - self.retention_days * DAY)
        )
        return list(iterate_days(begin, min(last, self.get_last_reported_day(context))))

    def build_view(self, context: VendorContext, account: str, first: date, last: date) -> AccountMetricsView:
        audience = self.find_audience(context, account)
        if audience is None:
            return AccountMetricsView(zone=self.zone.key, days=[], totals={})
        rows = [
            DayMetricsView(
                date=day,
                followers=self.count_followers_after(audience, day) if self.has_followers else None,
                metrics={name: self.count_on_day(audience, name, day) for name in self.account_metrics},
            )
            for day in iterate_days(first, min(last, self.get_today(context)))
        ]
        posts = [
            PostMetricsView(
                id=piece.id,
                at=piece.at,
                metrics={name: self.count_for_post(audience, piece, name) for name in self.post},
            )
            for piece in audience.posts
        ]
        totals = {name: sum(row.metrics[name] for row in rows) for name in self.account_metrics}
        levels = self.read_current_values(context, account)
        return AccountMetricsView(zone=self.zone.key, days=rows, totals=totals, posts=posts, levels=levels)
