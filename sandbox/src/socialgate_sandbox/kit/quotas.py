"""Quotas: how much may be done in a time. What was used is stored, so a restart does not reset it.

`spend` and `used` count the uses of the last day, `Quota` units per period of the calendar, and `Pace` what is stored
anyway, such as messages. For calls that leave no trace, `world.allow` is enough.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from socialgate_sandbox.kernel.ids import digits
from socialgate_sandbox.kernel.store import Thing
from socialgate_sandbox.kernel.world import World

DAY = 86_400


class Use(Thing):
    """One use in a rolling day. The parent says what was used by whom."""

    at: float


class PeriodUse(Thing):
    """What was used in one period. The id consists of the period and the name of the quota."""

    units: int = 0


def used(world: World, key: str) -> int:
    since = world.clock.time() - DAY
    return sum(use.at > since for use in world.store.find(Use, parent=key))


def spend(world: World, key: str) -> None:
    world.store.put(Use(id=digits(20), parent=key, at=world.clock.time()))


@dataclass(frozen=True)
class Quota:
    name: str
    most: int
    period: Callable[[datetime], object]

    def use(self, world: World) -> PeriodUse:
        key = f"{self.period(world.clock.now())} {self.name}"
        return world.store.get(PeriodUse, key) or PeriodUse(id=key)

    def spend(self, world: World, units: int = 1) -> bool:
        """Use some units. Returns False if there are not enough left."""
        use = self.use(world)
        if use.units + units > self.most:
            return False
        use.units += units
        world.store.put(use)
        return True

    def leave(self, world: World, left: int) -> int:
        """Use all but `left` units, and return how many are used now."""
        use = self.use(world)
        use.units = max(0, self.most - left)
        return world.store.put(use).units


@dataclass(frozen=True)
class Pace:
    most: int
    seconds: float

    def wait(self, ages: Sequence[float], count: int = 1) -> int:
        """Return in how many seconds `count` more uses are allowed, 0 if they are now."""
        place = self.most - count
        recent = place < len(ages) and ages[place] < self.seconds
        return max(1, math.ceil(self.seconds - ages[place])) if recent else 0


def ages_of(world: World, moments: Iterable[datetime]) -> list[float]:
    """Return how many seconds ago each was, the newest first."""
    # After the clock was moved back, some may be in the future.
    return sorted(age for age in map(world.clock.since, moments) if age >= 0)
