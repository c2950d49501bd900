"""What ads spend and earn: a pure function of the ad, the metric and the hour.

A vendor describes an ad account with the structs below (or lets `society/campaigns.py` do it from what it has stored)
and asks it to count:

    account = Account(id="1", campaigns=(Campaign(id="10", ad_sets=(AdSet(id="20", ads=(Ad(id="30"),), ...),)),), ...)
    account.between("clicks", start, end)            # of the whole account
    account.between("spend", start, end, of="20")    # of a campaign, an ad set or an ad, by its id

Nothing is stored. An ad runs while it, its ad set, its campaign and its account are switched on, within the schedule of
the ad set, and while it is approved. In these hours it spends its share of the budgets above it, never more than any of
them allows, and everything else follows from what it spent. So the numbers of a campaign are the sum of those of its
ads, and a range of days is the sum of its hours. What happened in an hour counts once the hour is over, and never
changes afterwards: a changed budget, schedule or status is a `TimedValue` in a history.

Amounts are whole numbers of the smallest unit of the currency: 1234 is 12.34 USD, or 1234 JPY.

An ad set spends less until it has run for `LEARNING_HOURS` hours. A daily budget is for a day in the zone of the
account, and is spent in the rhythm of a day. A lifetime budget is spread over the schedule. `paces` multiply how fast
money is spent, within the budgets.

It has more than 400 lines: the structs and the sums over them are one model, and are only understood together.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from socialgate_sandbox.society.catalogs import count_decimals

T = TypeVar("T")
Goal: TypeAlias = Literal["reach", "traffic", "views", "engagement", "conversions", "leads"]
LEARNING_HOURS = 72
_HOUR = timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
# The longest time over which a lifetime budget is spread.
_MAX_BUDGET_SPREAD = timedelta(days=365)
# How much of its budget an ad set spends while it is learning.
_LEARNING_SPEND_SHARE = 0.6
# Midnight to midnight in the zone of the account, relative to each other.
_HOUR_WEIGHTS = (2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 6, 5, 5, 5, 5, 6, 7, 8, 8, 7, 5, 3)
# What a dollar costs, where that differs much.
_CURRENCY_RATES = {"SEK": 10, "NOK": 10, "DKK": 7, "JPY": 150, "KRW": 1400, "INR": 85, "BRL": 5, "MXN": 18, "NGN": 1500,
          "CLP": 950, "COP": 4000, "PEN": 4, "ARS": 1000, "IDR": 16_000, "VND": 25_000, "HUF": 360}  # fmt: skip
# The price of a thousand impressions and the worth of a conversion, in dollars.
_CPM_RANGE, _CONVERSION_VALUE_RANGE = (4.0, 10.0), (15.0, 60.0)
# Each of these is a part of another metric, in thousandths from, to.
_PARTIAL_METRICS: Mapping[str, tuple[str, float, float]] = {
    "reach": ("impressions", 550, 850),
    "clicks": ("impressions", 8, 25),
    "landings": ("clicks", 600, 900),
    "conversions": ("clicks", 30, 110),
    "plays": ("impressions", 700, 950),
    "plays_2s": ("plays", 400, 650),
    "plays_6s": ("plays_2s", 300, 600),
    "plays_25": ("plays", 350, 600),
    "plays_50": ("plays_25", 500, 700),
    "plays_75": ("plays_50", 600, 800),
    "plays_100": ("plays_75", 600, 800),
    "likes": ("impressions", 5, 20),
    "comments": ("impressions", 0.3, 1.5),
    "shares": ("impressions", 0.5, 2.5),
    "follows": ("impressions", 0.2, 1),
    "profile_visits": ("impressions", 1, 4),
}
# Everything that people do with an ad.
_SUMMED_METRICS: Mapping[str, Sequence[str]] = {"interactions": ("clicks", "likes", "comments", "shares")}
METRICS = ("spend", "impressions", *_PARTIAL_METRICS, *_SUMMED_METRICS, "value")
# What an ad gets more of, because it is optimized for it.
_FAVORED_METRICS: Mapping[Goal, Sequence[str]] = {
    "traffic": ("clicks",),
    "engagement": ("likes", "comments", "shares", "follows"),
    "conversions": ("conversions",),
    "leads": ("conversions",),
}
_FAVOR_FACTOR = 1.6


class TimedValue(msgspec.Struct, Generic[T], frozen=True):
    """From this time on, something has this value. A history is a tuple of marks, the oldest first."""

    at: datetime
    value: T


class TimeSpan(NamedTuple):
    start: datetime
    end: datetime = _FOREVER


ALWAYS = (TimeSpan(_EPOCH),)


class Budget(msgspec.Struct, frozen=True):
    amount: int
    daily: bool = True


class Ad(msgspec.Struct, frozen=True, kw_only=True):
    """`active_spans` is when it is switched on and approved."""

    id: str
    active_spans: tuple[TimeSpan, ...]
    video: bool = True


class AdSet(msgspec.Struct, frozen=True, kw_only=True):
    """`schedule` is when it may run. `budgets` is empty if only its campaign has a budget."""

    id: str
    ads: tuple[Ad, ...]
    active_spans: tuple[TimeSpan, ...]
    schedule: tuple[TimedValue[TimeSpan], ...]
    budgets: tuple[TimedValue[Budget], ...] = ()
    goal: Goal = "reach"


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """`budgets` is empty if only its ad sets have budgets. If both have, both hold."""

    id: str
    ad_sets: tuple[AdSet, ...]
    active_spans: tuple[TimeSpan, ...]
    budgets: tuple[TimedValue[Budget], ...] = ()


class Account(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An ad account as of `now`. Its days begin at midnight in its `zone`."""

    id: str
    campaigns: tuple[Campaign, ...]
    currency: str
    zone: ZoneInfo
    now: datetime
    active_spans: tuple[TimeSpan, ...] = ALWAYS
    paces: tuple[TimedValue[float], ...] = ()

    def count_between(self, metric: str, start: datetime, end: datetime, object_id: str | None = None) -> int:
        """Count from one hour up to, but excluding, another, as far as that is over."""
        first, last = _to_hour(start), min(_to_hour(end), _to_hour(self.now))
        return sum(
            self._count_run(run, metric, first, last)
            for run in self._ad_runs
            if object_id is None or object_id in run.ids
        )

    def count_total(self, metric: str, object_id: str | None = None) -> int:
        return self.count_between(metric, _EPOCH, self.now, object_id)

    def count_on_day(self, metric: str, day: date, object_id: str | None = None) -> int:
        return self.count_between(
            metric, self.compute_midnight(day), self.compute_midnight(day + timedelta(days=1)), object_id
        )

    def compute_midnight(self, day: date) -> datetime:
        return datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    def is_learning(self, ad_set: str) -> bool:
        ends = [self._get_ledger(campaign).learning_end_hours.get(ad_set) for campaign in self.campaigns]
        return not any(end is not None and end < _to_hour(self.now) for end in ends)

    def is_budget_used_up(self, key: str) -> bool:
        """Whether nothing is left of the budget of a campaign or ad set, for today or at all."""
        owners: list[AdSet | Campaign] = [*self.campaigns]
        owners += [ad_set for campaign in self.campaigns for ad_set in campaign.ad_sets]
        budgets = [get_value_at(owner.budgets, self.now) for owner in owners if owner.id == key and owner.budgets]
        return any(
            (self.count_on_day("spend", self.today, key) if budget.daily else self.count_total("spend", key))
            >= budget.amount
            for budget in budgets
        )

    @cached_property
    def _ad_runs(self) -> list["_AdRun"]:
        return [
            _AdRun((campaign.id, ad_set.id, ad.id), ad, ad_set.goal, self._get_ledger(campaign).spend_by_ad[ad.id])
            for campaign in self.campaigns
            for ad_set in campaign.ad_sets
            for ad in ad_set.ads
        ]

    def _count_run(self, run: "_AdRun", metric: str, first: int, last: int) -> int:
        count = _COUNTERS.get(metric, _count_metric)
        return sum(
            count(run.ad.id, run.goal, self.currency, metric, hour, spent)
            for hour, spent in run.spend_by_hour.items()
            if first <= hour < last and (run.ad.video or not metric.startswith("plays"))
        )

    def _get_ledger(self, campaign: Campaign) -> "_SpendLedger":
        return _get_cached_ledger(campaign, self.active_spans, self.zone, self.paces).compute_until(_to_hour(self.now))


class _AdRun(NamedTuple):
    ids: tuple[str, str, str]
    ad: Ad
    goal: Goal
    spend_by_hour: Mapping[int, int]


def find_spans(marks: Sequence[TimedValue[T]], holds: Callable[[T], bool]) -> tuple[TimeSpan, ...]:
    """Return when the value of a history was one for which `holds` is true."""
    ends = [*(mark.at for mark in marks[1:]), _FOREVER]
    return tuple(TimeSpan(mark.at, end) for mark, end in zip(marks, ends, strict=True) if holds(mark.value))


def get_value_at(marks: Sequence[TimedValue[T]], time: datetime) -> T:
    """Return the value at a time; the first one, if that is before the first mark."""
    reached = [mark.value for mark in marks if mark.at <= time]
    return reached[-1] if reached else marks[0].value


def append_value(marks: Sequence[TimedValue[T]], at: datetime, value: T) -> tuple[TimedValue[T], ...]:
    """Change a value, instead of what was still to come."""
    return (*(mark for mark in marks if mark.at < at), TimedValue(at, value))


class _SpendLedger:
    """What each ad of a campaign spent, by hour: computed once, hour after hour, as far as anybody has asked."""

    def __init__(
        self, campaign: Campaign, on: tuple[TimeSpan, ...], zone: ZoneInfo, paces: tuple[TimedValue[float], ...]
    ) -> None:
        self._campaign = campaign
        self._zone = zone
        self._paces = paces
        self._active_spans = {
            ad.id: intersect_spans(
                ad.active_spans, ad_set.active_spans, campaign.active_spans, on, _list_schedule_spans(ad_set.schedule)
            )
            for ad_set in campaign.ad_sets
            for ad in ad_set.ads
        }
        starts = [_to_hour(span.start) for every in self._active_spans.values() for span in every]
        self._next = min(starts, default=None)
        self._day = date.min
        self._spent_today: dict[str, int] = {}
        self._spent_total: dict[str, int] = {}
        self._delivered_hours: dict[str, int] = {}
        # The hour in which each ad set had learned enough.
        self.learning_end_hours: dict[str, int] = {}
        self.spend_by_ad: dict[str, dict[int, int]] = {ad: {} for ad in self._active_spans}

    def compute_until(self, hour: int) -> "_SpendLedger":
        while self._next is not None and self._next < hour:
            self._spend_hour(self._next)
            self._next += 1
        return self

    def _spend_hour(self, hour: int) -> None:
        start = _EPOCH + hour * _HOUR
        # In zones with half hours, an hour belongs to the day on which it ends.
        day = (start + _HOUR - timedelta(seconds=1)).astimezone(self._zone).date()
        if day != self._day:
            self._day, self._spent_today = day, {}
        running = {
            ad_set: result
            for ad_set in self._campaign.ad_sets
            if (result := self._compute_active_shares(ad_set, start))
        }
        reached = [mark.value for mark in self._paces if mark.at < start + _HOUR]
        for ad_set, active in running.items():
            number = (
                self._compute_target_spend(ad_set, len(running), start)
                * self._compute_spend_factor(ad_set.id, hour)
                * [1.0, *reached][-1]
            )
            weights = {ad: share * (0.5 + _hash_to_fraction(ad, "weight")) for ad, share in active.items()}
            for ad, weight in weights.items():
                amount = number * max(active.values()) * weight / sum(weights.values())
                self._record_spend(hour, ad_set, ad, int(amount + _hash_to_fraction(ad, "spend", hour)))

    def _compute_spend_factor(self, ad_set: str, hour: int) -> float:
        delivered = self._delivered_hours[ad_set] = self._delivered_hours.get(ad_set, 0) + 1
        if delivered > LEARNING_HOURS:
            return 1.0
        if delivered == LEARNING_HOURS:
            self.learning_end_hours[ad_set] = hour
        return _LEARNING_SPEND_SHARE

    def _compute_active_shares(self, ad_set: AdSet, start: datetime) -> dict[str, float]:
        """Return for how much of an hour each ad runs; nothing for ads that do not."""
        parts = {
            ad.id: sum(_compute_hour_share(span, start) for span in self._active_spans[ad.id]) for ad in ad_set.ads
        }
        return {ad: part for ad, part in parts.items() if part > 0}

    def _compute_target_spend(self, ad_set: AdSet, sharing_count: int, start: datetime) -> float:
        """Return what an ad set would spend in a full hour. Without a budget of its own it shares its campaign's."""
        owner, sharing = (ad_set, 1) if ad_set.budgets else (self._campaign, sharing_count)
        if not owner.budgets:
            return 0.0
        budget = get_value_at(owner.budgets, start)
        start_at, end_at = get_value_at(ad_set.schedule, start)
        days = 1.0 if budget.daily else max(1.0, min(_MAX_BUDGET_SPREAD, end_at - start_at) / timedelta(days=1))
        share = _HOUR_WEIGHTS[start.astimezone(self._zone).hour] / sum(_HOUR_WEIGHTS)
        # Most days end with a little of the budget left.
        return budget.amount / days * share / sharing * (0.9 + 0.15 * _hash_to_fraction(owner.id, "day", self._day))

    def _record_spend(self, hour: int, ad_set: AdSet, ad: str, target_amount: int) -> None:
        owners = [owner for owner in (ad_set, self._campaign) if owner.budgets]
        amount = min([target_amount, *(self._compute_remaining_budget(owner, hour) for owner in owners)])
        if amount > 0:
            self.spend_by_ad[ad][hour] = amount
            for owner in owners:
                self._spent_today[owner.id] = self._spent_today.get(owner.id, 0) + amount
                self._spent_total[owner.id] = self._spent_total.get(owner.id, 0) + amount

    def _compute_remaining_budget(self, owner: AdSet | Campaign, hour: int) -> int:
        """Return what is left of the smallest budget that was in force during the hour."""
        start = _EPOCH + hour * _HOUR
        within = [mark.value for mark in owner.budgets if start < mark.at < start + _HOUR]
        return min(
            budget.amount - (self._spent_today if budget.daily else self._spent_total).get(owner.id, 0)
            for budget in (get_value_at(owner.budgets, start), *within)
        )


_get_cached_ledger = lru_cache(maxsize=512)(_SpendLedger)


def _list_schedule_spans(schedule: Sequence[TimedValue[TimeSpan]]) -> tuple[TimeSpan, ...]:
    """Return when an ad set may run, each schedule from the time at which it was chosen."""
    ends = [*(mark.at for mark in schedule[1:]), _FOREVER]
    return tuple(
        TimeSpan(max(mark.at, mark.value.start), min(end, mark.value.end))
        for mark, end in zip(schedule, ends, strict=True)
    )


def intersect_spans(*span_lists: Iterable[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return when all of these hold."""
    result: list[TimeSpan] = list(ALWAYS)
    for some in span_lists:
        pairs = [TimeSpan(max(a.start, b.start), min(a.end, b.end)) for a in result for b in some]
        result = [span for span in pairs if span.start < span.end]
    return tuple(result)


def _compute_hour_share(span: TimeSpan, start: datetime) -> float:
    """Return the share of the hour from `start` that lies in a span."""
    return max(timedelta(), min(span.end, start + _HOUR) - max(span.start, start)) / _HOUR


@lru_cache(maxsize=1 << 16)
def _count_metric(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    """Count a metric of one ad in one hour, in which it spent something."""
    if metric == "impressions":
        return int(
            _to_dollars(spent, currency) / _choose_between(ad, metric, *_CPM_RANGE) * 1000
            + _hash_to_fraction(ad, metric, hour)
        )
    value, least, most = _PARTIAL_METRICS[metric]
    favor = _FAVOR_FACTOR if metric in _FAVORED_METRICS.get(goal, ()) else 1.0
    whole = _count_metric(ad, goal, currency, value, hour, spent)
    # A part is below one, so rounding up never makes it more than the whole.
    return int(whole * _choose_between(ad, metric, least, most) * favor / 1000 + _hash_to_fraction(ad, metric, hour))


def _count_spend(_ad: str, _goal: Goal, _currency: str, _metric: str, _hour: int, spent: int) -> int:
    return spent


def _count_sum(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    return sum(_count_metric(ad, goal, currency, part, hour, spent) for part in _SUMMED_METRICS[metric])


def _count_value(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    worth = _choose_between(ad, metric, *_CONVERSION_VALUE_RANGE) * get_currency_rate(currency)
    return int(_count_metric(ad, goal, currency, "conversions", hour, spent) * worth) * get_minor_units(currency)


_COUNTERS: Mapping[str, Callable[[str, Goal, str, str, int, int], int]] = {
    "spend": _count_spend,
    "value": _count_value,
    **dict.fromkeys(_SUMMED_METRICS, _count_sum),
}


def get_currency_rate(currency: str) -> int:
    """Return roughly what a dollar costs."""
    return _CURRENCY_RATES.get(currency, 1)


def get_minor_units(currency: str) -> int:
    """Return how many of its smallest units a unit of the currency has."""
    return (1, 10, 100, 1000)[count_decimals(currency)]


def _to_dollars(amount: int, currency: str) -> float:
    return amount / get_minor_units(currency) / get_currency_rate(currency)


def _choose_between(key: str, about: str, least: float, most: float) -> float:
    return least + (most - least) * _hash_to_fraction(key, about, "rate")


def _hash_to_fraction(*about: object) -> float:
    """Return a number from 0 to 1 that is always the same for the same words."""
    digest = blake2b(" ".join(map(str, about)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def _to_hour(time: datetime) -> int:
    return (time - _EPOCH) // _HOUR
