"""What a platform counts: one vocabulary of names over all kinds, and beside each name the platform's own."""

from typing import Literal

import msgspec

Unit = Literal["count", "percent", "seconds", "currency"]
# `flow`: days add up to a total. `unique`: they do not, because the same person counts on each day; averages neither.
# `level`: how many there are at a moment.
Form = Literal["flow", "unique", "level"]
UnavailableCode = Literal["too_few_viewers", "permission_missing", "retired", "not_counted_yet", "not_offered"]


class Metric(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A number that a platform has.

    `vendor` is the platform's own name; several joined by `+` are added up. `daily` tells that the platform has it by
    day: of the others it gives one number for a range, or, of a level, the number now.
    """

    name: str
    vendor: str
    unit: Unit = "count"
    form: Form = "flow"
    daily: bool = True
    # Metrics of the same word are asked for in one call.
    asked: str = ""
    # What it means that the platform leaves it out of its answer.
    absent: UnavailableCode = "not_counted_yet"
    # What theirs is multiplied with to be in our unit.
    scale: float = 1
    # The platform has it of so many days before today at most.
    days_back: int | None = None
    # The types of posts that have it; all of them if empty.
    only: tuple[str, ...] = ()


class MetricTable(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of a kind of account, and of its posts.

    `zone` is where the platform's days begin and end. One call covers `days_per_call` at most, and nothing is older
    than `history_days`, today included. The numbers of a day may come or change until `settled_after` days later.
    """

    account: tuple[Metric, ...] = ()
    post: tuple[Metric, ...] = ()
    zone: str = "UTC"
    days_per_call: int = 90
    history_days: int = 90
    settled_after: int = 3
    # What one day's snapshot of an account uses of the quotas of the manifest that the whole app shares.
    spends: tuple[tuple[str, int], ...] = ()

    def calendar(self, place: str) -> str:
        """Name the zone whose days its numbers are of: that of a place if the platform only tells what there is now."""
        return self.zone if any(metric.daily for metric in self.account) else place


NO_METRICS = MetricTable()
PACIFIC = "America/Los_Angeles"
