"""What a platform counts, under its own names, on days that start when the platform says.

A vendor declares one `Metrics` for each kind of account. Its endpoints and `GET /_control/numbers` both read from it,
so that what is served can be compared with the full data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from math import prod
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import Action, ActionRequest, ShownCounts, ShownDay, ShownNumbers, Thing, World
from socialgate_sandbox.society.growth import HOUR, Audience, Piece

PACIFIC = ZoneInfo("America/Los_Angeles")
DAY = timedelta(days=1)
_WHOLE = (0, 100)


class Count(NamedTuple):
    """The sum of some metrics of `growth`, or the part of it between two percentages, multiplied by `times`."""

    of: tuple[str, ...]
    part: tuple[int, int] = _WHOLE
    times: int = 1

    def take(self, number: int) -> int:
        return (number * self.part[1] // 100 - number * self.part[0] // 100) * self.times


class Ratio(NamedTuple):
    """The ratio of one metric to another, multiplied by `times`: a whole number unless it has `digits`."""

    of: str
    per: str
    times: float = 1
    digits: int | None = None

    def take(self, value: Mapping[str, Any]) -> float:
        found = value[self.of] * self.times / (value[self.per] or 1)
        return int(found) if self.digits is None else round(found, self.digits)


class Parts(NamedTuple):
    """Several metrics in one object, with its own names for them. If `sparse`, zeros are left out."""

    names: Mapping[str, str]
    sparse: bool = False

    def take(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value[of] for name, of in self.names.items() if value[of] or not self.sparse}


class Retired(Thing):
    """A metric that the platform no longer knows. Its name is the id."""


class RetireOrder(ActionRequest, frozen=True, kw_only=True):
    """The platform retires a metric without notice, or brings it back."""

    metric: str
    back: bool = False


def _retire(world: World, order: RetireOrder) -> None:
    if order.back:
        world.store.delete(Retired, order.metric)
    else:
        world.store.put(Retired(id=order.metric))


RETIRE = {"retire": Action("Retire a metric", RetireOrder, _retire, listed=False)}


def living(world: World, names: Iterable[str]) -> set[str]:
    """Return the metrics that are not retired."""
    return set(names) - {one.id for one in world.store.find(Retired)}


def counts(*, times: int = 1, **names: str) -> dict[str, Count]:
    """Declare metrics: `total="likes comments"`."""
    return {name: Count(tuple(of.split()), times=times) for name, of in names.items()}


def added(values: Sequence[Any]) -> Any:
    """Add numbers, or objects of numbers by name."""
    if values and isinstance(values[0], Mapping):
        return {name: sum(one[name] for one in values) for name in values[0]}
    return sum(values)


def shared_out(value: int, *shares: Mapping[str, int]) -> dict[tuple[str, ...], int]:
    """Split a number by shares in percent, every combination. The first part gets the rounding remainder."""
    parts = {
        tuple(word for word, _share in chosen): value * prod(share for _word, share in chosen) // 100 ** len(shares)
        for chosen in product(*(of.items() for of in shares))
    }
    parts[next(iter(parts))] += value - sum(parts.values())
    return parts


def split(of: str, **shares: int) -> dict[str, Count]:
    """Declare metrics that divide up another one, in percent: nothing is lost and nothing counts twice."""
    found, begin = {}, 0
    for name, share in shares.items():
        found[name] = Count((of,), (begin, begin + share))
        begin += share
    return found


def days(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += DAY


def midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


@dataclass(frozen=True)
class Metrics:
    """`account` and `post` are what is counted for each, `derived` is computed from that.

    `followers` says whether an account has any; `level` is the platform's name for their number by day, `online` for
    how many of them are online by hour, and `levels` returns the account's other current values. The newest `late` days
    are not reported yet, and days more than `kept` days ago no longer.
    """

    audience: Callable[[World, str], Audience | None]
    account: Mapping[str, Count]
    post: Mapping[str, Count] = field(default_factory=dict)
    zone: ZoneInfo = PACIFIC
    followers: bool = True
    derived: Mapping[str, Ratio | Parts] = field(default_factory=dict)
    level: str = ""
    online: str = ""
    late: int = 0
    kept: int | None = None
    levels: Callable[[World, str], Mapping[str, int]] = lambda _world, _account: {}

    def on(self, audience: Audience, name: str, day: date) -> Any:
        """Count one metric on one day."""
        if name == self.level:
            return self.followers_after(audience, day)
        if name == self.online:
            return {str(hour): audience.online(midnight(day, self.zone) + hour * HOUR) for hour in range(24)}
        if name in self.derived:
            return self._made(name, lambda of: self.on(audience, of, day))
        count = self.account[name]
        return count.take(audience.between(midnight(day, self.zone), midnight(day + DAY, self.zone), *count.of))

    def over(self, audience: Audience, name: str, first: date, last: date) -> Any:
        """Count one metric over a range of days."""
        if name in self.derived:
            return self._made(name, lambda of: self.over(audience, of, first, last))
        begin = max(first, self.day_of(audience.earliest))
        return sum(self.on(audience, name, day) for day in days(begin, last))

    def rolling(self, audience: Audience, name: str, every: Sequence[date], length: int = 1) -> list[Any]:
        """For each of these consecutive days, count over the window that ends with it."""
        before = days(every[0] - (length - 1) * DAY, every[0] - DAY)
        daily = [self.on(audience, name, day) for day in (*before, *every)]
        return [added(daily[number : number + length]) for number in range(len(every))]

    def of_post(self, audience: Audience, piece: Piece, name: str, at: datetime | None = None) -> Any:
        if name in self.derived:
            return self._made(name, lambda of: self.of_post(audience, piece, of, at))
        count = self.post[name]
        return count.take(audience.total(piece, *count.of, at=at))

    def _made(self, name: str, count: Callable[[str], Any]) -> Any:
        made = self.derived[name]
        needed = made.names.values() if isinstance(made, Parts) else (made.of, made.per)
        return made.take({of: count(of) for of in needed})

    def followers_after(self, audience: Audience, day: date) -> int:
        return audience.followers(min(midnight(day + DAY, self.zone), audience.now))

    def today(self, world: World) -> date:
        return self.day_of(world.clock.now())

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def newest(self, world: World) -> date:
        """Return the last day that the platform reports."""
        return self.today(world) - self.late * DAY

    def reported(self, world: World, first: date, last: date) -> list[date]:
        """List those of the days that the platform reports. It may report none of them."""
        begin = first if self.kept is None else max(first, self.today(world) - self.kept * DAY)
        return list(days(begin, min(last, self.newest(world))))

    def shown(self, world: World, account: str, first: date, last: date) -> ShownNumbers:
        audience = self.audience(world, account)
        if audience is None:
            return ShownNumbers(zone=self.zone.key, days=[], totals={})
        rows = [
            ShownDay(
                date=day,
                followers=self.followers_after(audience, day) if self.followers else None,
                metrics={name: self.on(audience, name, day) for name in self.account},
            )
            for day in days(first, min(last, self.today(world)))
        ]
        posts = [
            ShownCounts(
                id=piece.id,
                at=piece.at,
                metrics={name: self.of_post(audience, piece, name) for name in self.post},
            )
            for piece in audience.pieces
        ]
        totals = {name: sum(row.metrics[name] for row in rows) for name in self.account}
        levels = self.levels(world, account)
        return ShownNumbers(zone=self.zone.key, days=rows, totals=totals, posts=posts, levels=levels)
