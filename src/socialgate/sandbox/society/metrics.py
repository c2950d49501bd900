"""What a platform counts, by its own names, on days that begin when it says.

A vendor declares one `Metrics` for each kind of account. Its endpoints and `GET /_control/numbers` both read from it,
so that what is served can be compared with what there is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from socialgate.sandbox.kit import Action, ActionRequest, ShownCounts, ShownDay, ShownNumbers, Thing, World
from socialgate.sandbox.society.growth import Audience, Piece

PACIFIC = ZoneInfo("America/Los_Angeles")
DAY = timedelta(days=1)
_WHOLE = (0, 100)


class Count(NamedTuple):
    """The sum of some metrics of `growth`, or the part of it between two percentages."""

    of: tuple[str, ...]
    part: tuple[int, int] = _WHOLE

    def take(self, number: int) -> int:
        return number * self.part[1] // 100 - number * self.part[0] // 100


class Retired(Thing):
    """A metric that the platform does not know any more. Its name is the id."""


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
    """Give those of the metrics that are not retired."""
    return set(names) - {one.id for one in world.store.find(Retired)}


def counts(**names: str) -> dict[str, Count]:
    """Declare metrics: `total="likes comments"`."""
    return {name: Count(tuple(of.split())) for name, of in names.items()}


def split(of: str, **shares: int) -> dict[str, Count]:
    """Declare metrics that share another one, in percent: none is lost and none counts twice."""
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
    """`account` and `post` are what is counted of each. `followers` says whether an account has such."""

    audience: Callable[[World, str], Audience | None]
    account: Mapping[str, Count]
    post: Mapping[str, Count] = field(default_factory=dict)
    zone: ZoneInfo = PACIFIC
    followers: bool = True

    def on(self, audience: Audience, name: str, day: date) -> int:
        """Count one metric on one day."""
        count = self.account[name]
        return count.take(audience.between(midnight(day, self.zone), midnight(day + DAY, self.zone), *count.of))

    def over(self, audience: Audience, name: str, first: date, last: date) -> int:
        """Count one metric on all days from the one to the other."""
        return sum(self.on(audience, name, day) for day in days(first, last))

    def rolling(self, audience: Audience, name: str, every: Sequence[date], length: int = 1) -> list[int]:
        """Count for each of these days, which follow each other, the days that end with it."""
        before = days(every[0] - (length - 1) * DAY, every[0] - DAY)
        daily = [self.on(audience, name, day) for day in (*before, *every)]
        return [sum(daily[number : number + length]) for number in range(len(every))]

    def of_post(self, audience: Audience, piece: Piece, name: str, at: datetime | None = None) -> int:
        count = self.post[name]
        return count.take(audience.total(piece, *count.of, at=at))

    def followers_after(self, audience: Audience, day: date) -> int:
        return audience.followers(min(midnight(day + DAY, self.zone), audience.now))

    def today(self, world: World) -> date:
        return world.clock.now().astimezone(self.zone).date()

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
        return ShownNumbers(zone=self.zone.key, days=rows, totals=totals, posts=posts)
