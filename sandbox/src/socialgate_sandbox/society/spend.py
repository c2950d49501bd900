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
changes afterwards: a changed budget, schedule or status is a `Mark` in a history.

Amounts are whole numbers of the smallest unit of the currency: 1234 is 12.34 USD, or 1234 JPY.

An ad set spends less until it has run for `LEARNING` hours. A daily budget is for a day in the zone of the account, and
is spent in the rhythm of a day. A lifetime budget is spread over the schedule. `paces` multiply how fast money is
spent, within the budgets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from socialgate_sandbox.society.catalogs import places_of

T = TypeVar("T")
Goal: TypeAlias = Literal["reach", "traffic", "views", "engagement", "conversions", "leads"]
LEARNING = 72
_HOUR = timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
# The longest time over which a lifetime budget is spread.
_LONGEST = timedelta(days=365)
# How much of its budget an ad set spends while it is learning.
_LEARNS = 0.6
# Midnight to midnight in the zone of the account, relative to each other.
_RHYTHM = (2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 6, 5, 5, 5, 5, 6, 7, 8, 8, 7, 5, 3)
# What a dollar costs, where that differs much.
_RATES = {"SEK": 10, "NOK": 10, "DKK": 7, "JPY": 150, "KRW": 1400, "INR": 85, "BRL": 5, "MXN": 18, "NGN": 1500,
          "CLP": 950, "COP": 4000, "PEN": 4, "ARS": 1000, "IDR": 16_000, "VND": 25_000, "HUF": 360}  # fmt: skip
# The price of a thousand impressions and the worth of a conversion, in dollars.
_CPM, _WORTH = (4.0, 10.0), (15.0, 60.0)
# Each of these is a part of another metric, in thousandths from, to.
_PART_OF: Mapping[str, tuple[str, float, float]] = {
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
_SUM_OF: Mapping[str, Sequence[str]] = {"interactions": ("clicks", "likes", "comments", "shares")}
METRICS = ("spend", "impressions", *_PART_OF, *_SUM_OF, "value")
# What an ad gets more of, because it is optimized for it.
_FAVORS: Mapping[Goal, Sequence[str]] = {
    "traffic": ("clicks",),
    "engagement": ("likes", "comments", "shares", "follows"),
    "conversions": ("conversions",),
    "leads": ("conversions",),
}
_FAVOR = 1.6


class Mark(msgspec.Struct, Generic[T], frozen=True):
    """From this time on, something has this value. A history is a tuple of marks, the oldest first."""

    at: datetime
    value: T


class Span(NamedTuple):
    start: datetime
    end: datetime = _FOREVER


ALWAYS = (Span(_EPOCH),)


class Budget(msgspec.Struct, frozen=True):
    amount: int
    daily: bool = True


class Ad(msgspec.Struct, frozen=True, kw_only=True):
    """`on` is when it is switched on and approved."""

    id: str
    on: tuple[Span, ...]
    video: bool = True


class AdSet(msgspec.Struct, frozen=True, kw_only=True):
    """`schedule` is when it may run. `budgets` is empty if only its campaign has a budget."""

    id: str
    ads: tuple[Ad, ...]
    on: tuple[Span, ...]
    schedule: tuple[Mark[Span], ...]
    budgets: tuple[Mark[Budget], ...] = ()
    goal: Goal = "reach"


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """`budgets` is empty if only its ad sets have budgets. If both have, both hold."""

    id: str
    ad_sets: tuple[AdSet, ...]
    on: tuple[Span, ...]
    budgets: tuple[Mark[Budget], ...] = ()


class Account(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An ad account as of `now`. Its days begin at midnight in its `zone`."""

    id: str
    campaigns: tuple[Campaign, ...]
    currency: str
    zone: ZoneInfo
    now: datetime
    on: tuple[Span, ...] = ALWAYS
    paces: tuple[Mark[float], ...] = ()

    def between(self, metric: str, start: datetime, end: datetime, of: str | None = None) -> int:
        """Count from one hour up to, but excluding, another, as far as that is over."""
        first, last = _hour_of(start), min(_hour_of(end), _hour_of(self.now))
        return sum(self._counted(run, metric, first, last) for run in self._runs if of is None or of in run.ids)

    def total(self, metric: str, of: str | None = None) -> int:
        return self.between(metric, _EPOCH, self.now, of)

    def on_day(self, metric: str, day: date, of: str | None = None) -> int:
        return self.between(metric, self.midnight(day), self.midnight(day + timedelta(days=1)), of)

    def midnight(self, day: date) -> datetime:
        return datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    def is_learning(self, ad_set: str) -> bool:
        ends = [self._ledger(campaign).learned.get(ad_set) for campaign in self.campaigns]
        return not any(end is not None and end < _hour_of(self.now) for end in ends)

    def is_spent(self, key: str) -> bool:
        """Whether nothing is left of the budget of a campaign or ad set, for today or at all."""
        owners: list[AdSet | Campaign] = [*self.campaigns]
        owners += [one for campaign in self.campaigns for one in campaign.ad_sets]
        budgets = [value_at(one.budgets, self.now) for one in owners if one.id == key and one.budgets]
        return any(
            (self.on_day("spend", self.today, key) if budget.daily else self.total("spend", key)) >= budget.amount
            for budget in budgets
        )

    @cached_property
    def _runs(self) -> list["_Run"]:
        return [
            _Run((campaign.id, one.id, ad.id), ad, one.goal, self._ledger(campaign).spent[ad.id])
            for campaign in self.campaigns
            for one in campaign.ad_sets
            for ad in one.ads
        ]

    def _counted(self, run: "_Run", metric: str, first: int, last: int) -> int:
        count = _ENDINGS.get(metric, _count)
        return sum(
            count(run.ad.id, run.goal, self.currency, metric, hour, spent)
            for hour, spent in run.spent.items()
            if first <= hour < last and (run.ad.video or not metric.startswith("plays"))
        )

    def _ledger(self, campaign: Campaign) -> "_Ledger":
        return _ledger(campaign, self.on, self.zone, self.paces).until(_hour_of(self.now))


class _Run(NamedTuple):
    ids: tuple[str, str, str]
    ad: Ad
    goal: Goal
    spent: Mapping[int, int]


def spans(marks: Sequence[Mark[T]], holds: Callable[[T], bool]) -> tuple[Span, ...]:
    """Return when the value of a history was one for which `holds` is true."""
    ends = [*(mark.at for mark in marks[1:]), _FOREVER]
    return tuple(Span(mark.at, end) for mark, end in zip(marks, ends, strict=True) if holds(mark.value))


def value_at(marks: Sequence[Mark[T]], moment: datetime) -> T:
    """Return the value at a time; the first one, if that is before the first mark."""
    reached = [mark.value for mark in marks if mark.at <= moment]
    return reached[-1] if reached else marks[0].value


def marked(marks: Sequence[Mark[T]], at: datetime, value: T) -> tuple[Mark[T], ...]:
    """Change a value, instead of what was still to come."""
    return (*(mark for mark in marks if mark.at < at), Mark(at, value))


class _Ledger:
    """What each ad of a campaign spent, by hour: computed once, hour after hour, as far as anybody has asked."""

    def __init__(
        self, campaign: Campaign, on: tuple[Span, ...], zone: ZoneInfo, paces: tuple[Mark[float], ...]
    ) -> None:
        self._campaign = campaign
        self._zone = zone
        self._paces = paces
        self._on = {
            ad.id: overlap(ad.on, one.on, campaign.on, on, _scheduled(one.schedule))
            for one in campaign.ad_sets
            for ad in one.ads
        }
        starts = [_hour_of(span.start) for every in self._on.values() for span in every]
        self._next = min(starts, default=None)
        self._day = date.min
        self._today: dict[str, int] = {}
        self._total: dict[str, int] = {}
        self._delivered: dict[str, int] = {}
        # The hour in which each ad set had learned enough.
        self.learned: dict[str, int] = {}
        self.spent: dict[str, dict[int, int]] = {ad: {} for ad in self._on}

    def until(self, hour: int) -> "_Ledger":
        while self._next is not None and self._next < hour:
            self._spend_hour(self._next)
            self._next += 1
        return self

    def _spend_hour(self, hour: int) -> None:
        start = _EPOCH + hour * _HOUR
        # In zones with half hours, an hour belongs to the day on which it ends.
        day = (start + _HOUR - timedelta(seconds=1)).astimezone(self._zone).date()
        if day != self._day:
            self._day, self._today = day, {}
        running = {one: found for one in self._campaign.ad_sets if (found := self._active(one, start))}
        reached = [mark.value for mark in self._paces if mark.at < start + _HOUR]
        for one, active in running.items():
            wanted = self._wanted(one, len(running), start) * self._eagerness(one.id, hour) * [1.0, *reached][-1]
            weights = {ad: share * (0.5 + _chance(ad, "weight")) for ad, share in active.items()}
            for ad, weight in weights.items():
                amount = wanted * max(active.values()) * weight / sum(weights.values())
                self._spend(hour, one, ad, int(amount + _chance(ad, "spend", hour)))

    def _eagerness(self, ad_set: str, hour: int) -> float:
        delivered = self._delivered[ad_set] = self._delivered.get(ad_set, 0) + 1
        if delivered > LEARNING:
            return 1.0
        if delivered == LEARNING:
            self.learned[ad_set] = hour
        return _LEARNS

    def _active(self, one: AdSet, start: datetime) -> dict[str, float]:
        """Return for how much of an hour each ad runs; nothing for ads that do not."""
        parts = {ad.id: sum(_part(span, start) for span in self._on[ad.id]) for ad in one.ads}
        return {ad: part for ad, part in parts.items() if part > 0}

    def _wanted(self, one: AdSet, rivals: int, start: datetime) -> float:
        """Return what an ad set would spend in a full hour. Without a budget of its own it shares its campaign's."""
        owner, sharing = (one, 1) if one.budgets else (self._campaign, rivals)
        if not owner.budgets:
            return 0.0
        budget = value_at(owner.budgets, start)
        start_at, end_at = value_at(one.schedule, start)
        days = 1.0 if budget.daily else max(1.0, min(_LONGEST, end_at - start_at) / timedelta(days=1))
        share = _RHYTHM[start.astimezone(self._zone).hour] / sum(_RHYTHM)
        # Most days end with a little of the budget left.
        return budget.amount / days * share / sharing * (0.9 + 0.15 * _chance(owner.id, "day", self._day))

    def _spend(self, hour: int, one: AdSet, ad: str, wanted: int) -> None:
        owners = [owner for owner in (one, self._campaign) if owner.budgets]
        amount = min([wanted, *(self._left(owner, hour) for owner in owners)])
        if amount > 0:
            self.spent[ad][hour] = amount
            for owner in owners:
                self._today[owner.id] = self._today.get(owner.id, 0) + amount
                self._total[owner.id] = self._total.get(owner.id, 0) + amount

    def _left(self, owner: AdSet | Campaign, hour: int) -> int:
        """Return what is left of the smallest budget that was in force during the hour."""
        start = _EPOCH + hour * _HOUR
        within = [mark.value for mark in owner.budgets if start < mark.at < start + _HOUR]
        return min(
            budget.amount - (self._today if budget.daily else self._total).get(owner.id, 0)
            for budget in (value_at(owner.budgets, start), *within)
        )


_ledger = lru_cache(maxsize=512)(_Ledger)


def _scheduled(schedule: Sequence[Mark[Span]]) -> tuple[Span, ...]:
    """Return when an ad set may run, each schedule from the time at which it was chosen."""
    ends = [*(mark.at for mark in schedule[1:]), _FOREVER]
    return tuple(
        Span(max(mark.at, mark.value.start), min(end, mark.value.end)) for mark, end in zip(schedule, ends, strict=True)
    )


def overlap(*every: Iterable[Span]) -> tuple[Span, ...]:
    """Return when all of these hold."""
    found: list[Span] = list(ALWAYS)
    for some in every:
        pairs = [Span(max(a.start, b.start), min(a.end, b.end)) for a in found for b in some]
        found = [span for span in pairs if span.start < span.end]
    return tuple(found)


def _part(span: Span, start: datetime) -> float:
    """Return the share of the hour from `start` that lies in a span."""
    return max(timedelta(), min(span.end, start + _HOUR) - max(span.start, start)) / _HOUR


@lru_cache(maxsize=1 << 16)
def _count(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    """Count a metric of one ad in one hour, in which it spent something."""
    if metric == "impressions":
        return int(_dollars(spent, currency) / _between(ad, metric, *_CPM) * 1000 + _chance(ad, metric, hour))
    of, least, most = _PART_OF[metric]
    favor = _FAVOR if metric in _FAVORS.get(goal, ()) else 1.0
    whole = _count(ad, goal, currency, of, hour, spent)
    # A part is below one, so rounding up never makes it more than the whole.
    return int(whole * _between(ad, metric, least, most) * favor / 1000 + _chance(ad, metric, hour))


def _money(_ad: str, _goal: Goal, _currency: str, _metric: str, _hour: int, spent: int) -> int:
    return spent


def _sum(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    return sum(_count(ad, goal, currency, part, hour, spent) for part in _SUM_OF[metric])


def _value(ad: str, goal: Goal, currency: str, metric: str, hour: int, spent: int) -> int:
    worth = _between(ad, metric, *_WORTH) * rate(currency)
    return int(_count(ad, goal, currency, "conversions", hour, spent) * worth) * units(currency)


_ENDINGS: Mapping[str, Callable[[str, Goal, str, str, int, int], int]] = {
    "spend": _money,
    "value": _value,
    **dict.fromkeys(_SUM_OF, _sum),
}


def rate(currency: str) -> int:
    """Return roughly what a dollar costs."""
    return _RATES.get(currency, 1)


def units(currency: str) -> int:
    """Return how many of its smallest units a unit of the currency has."""
    return (1, 10, 100, 1000)[places_of(currency)]


def _dollars(amount: int, currency: str) -> float:
    return amount / units(currency) / rate(currency)


def _between(key: str, about: str, least: float, most: float) -> float:
    return least + (most - least) * _chance(key, about, "rate")


def _chance(*about: object) -> float:
    """Return a number from 0 to 1 that is always the same for the same words."""
    digest = blake2b(" ".join(map(str, about)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def _hour_of(moment: datetime) -> int:
    return (moment - _EPOCH) // _HOUR
