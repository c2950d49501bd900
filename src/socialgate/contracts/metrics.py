"""The metrics of platforms: one set of names for all kinds, each with the platform's own name."""

from datetime import date
from typing import Literal

import msgspec

MetricUnit = Literal["count", "percent", "seconds", "currency"]
# `flow`: days add up to a total. `unique`: they do not, because the same person counts on each day; neither do
# averages. `level`: the number at a point in time.
Aggregation = Literal["flow", "unique", "level"]
UnavailableCode = Literal["too_few_viewers", "permission_missing", "retired", "not_counted_yet", "not_offered"]


class PlatformMetric(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A metric of a platform.

    `vendor` is the platform's own name; several joined by `+` are added up. `daily` says that the platform has it per
    day: for the others it returns one number for a range or, for a level, the current number.
    """

    name: str
    vendor: str
    unit: MetricUnit = "count"
    form: Aggregation = "flow"
    daily: bool = True
    # Metrics of the same group are requested in one call.
    request_group: str = ""
    # What it means if the platform omits it from its response.
    absent: UnavailableCode = "not_counted_yet"
    # The factor that converts the platform's unit to ours.
    scale: float = 1
    # The platform only has it for this many days before today.
    days_back: int | None = None
    # The types of posts that have it; all of them if empty.
    only: tuple[str, ...] = ()
    # Whether it is good news if it falls, as with people who stop following.
    lower_is_better: bool = False


class MetricTable(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of a kind of account, and of its posts.

    `zone` is the time zone of the platform's days. One call covers at most `days_per_call`, and nothing is older than
    `history_days`, including today. The numbers of a day may appear or change until `settles_after_days` days later.
    """

    account_metrics: tuple[PlatformMetric, ...] = ()
    post_metrics: tuple[PlatformMetric, ...] = ()
    zone: str = "UTC"
    days_per_call: int = 90
    history_days: int = 90
    settles_after_days: int = 3
    # The platform has nothing of earlier days: of more than this many days ago, or before its first day.
    max_days_back: int | None = None
    first_day: date | None = None
    # How much of the app's shared quotas one day's snapshot of an account uses.
    snapshot_quota_costs: tuple[tuple[str, int], ...] = ()

    def get_day_timezone(self, default_timezone: str) -> str:
        """Return the time zone of its days: `default_timezone` if the platform only reports current values."""
        return self.zone if any(metric.daily for metric in self.account_metrics) else default_timezone


NO_METRICS = MetricTable()
PACIFIC_TIMEZONE = "America/Los_Angeles"
