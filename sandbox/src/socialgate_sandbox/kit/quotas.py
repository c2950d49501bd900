"""Quotas: how much may be done in a time. What was used is stored, so a restart does not reset it.

`spend` and `used` count the uses of the last day, `Quota` units per period of the calendar, and `UsageRate` what is
stored anyway, such as messages. For calls that leave no trace, `world.allow` is enough.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from socialgate_sandbox.kernel.ids import generate_digits
from socialgate_sandbox.kernel.store import StoredObject
from socialgate_sandbox.kernel.vendor_context import VendorContext

DAY_SECONDS = 86_400


class Use(StoredObject):
    """One use in a rolling day. The parent says what was used by whom."""

    at: float


class PeriodUse(StoredObject):
    """What was used in one period. The id consists of the period and the name of the quota."""

    units: int = 0


def count_day_uses(context: VendorContext, key: str) -> int:
    since = context.clock.get_unix_time() - DAY_SECONDS
    return sum(use.at > since for use in context.store.find(Use, parent=key))


def record_use(context: VendorContext, key: str) -> None:
    context.store.put(Use(id=generate_digits(20), parent=key, at=context.clock.get_unix_time()))


@dataclass(frozen=True)
class Quota:
    name: str
    most: int
    get_period: Callable[[datetime], object]

    def get_period_use(self, context: VendorContext) -> PeriodUse:
        key = f"{self.get_period(context.clock.now())} {self.name}"
        return context.store.get(PeriodUse, key) or PeriodUse(id=key)

    def spend(self, context: VendorContext, units: int = 1) -> bool:
        """Use some units. Returns False if there are not enough left."""
        use = self.get_period_use(context)
        if use.units + units > self.most:
            return False
        use.units += units
        context.store.put(use)
        return True

    def set_remaining(self, context: VendorContext, left: int) -> int:
        """Use all but `left` units, and return how many are used now."""
        use = self.get_period_use(context)
        use.units = max(0, self.most - left)
        return context.store.put(use).units


@dataclass(frozen=True)
class UsageRate:
    most: int
    seconds: float

    def compute_wait_seconds(self, ages: Sequence[float], count: int = 1) -> int:
        """Return in how many seconds `count` more uses are allowed, 0 if they are now."""
        place = self.most - count
        recent = place < len(ages) and ages[place] < self.seconds
        return max(1, math.ceil(self.seconds - ages[place])) if recent else 0


def compute_ages(context: VendorContext, times: Iterable[datetime]) -> list[float]:
    """Return how many seconds ago each was, the newest first."""
    # After the clock was moved back, some may be in the future.
    return sorted(age for age in map(context.clock.get_seconds_since, times) if age >= 0)
