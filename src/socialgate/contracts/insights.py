"""Insights: a platform's metrics for an account and for its posts."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Protocol, TypeAlias

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.metrics import PlatformMetric
from socialgate.contracts.platforms import Capability
from socialgate.core.shapes import ResponseModel

Number: TypeAlias = int | float


class DateRange(msgspec.Struct, frozen=True):
    """Days in the platform's time zone, including the first and the last."""

    first: date
    last: date

    @property
    def count(self) -> int:
        return (self.last - self.first).days + 1

    def __contains__(self, day: object) -> bool:
        return isinstance(day, date) and self.first <= day <= self.last

    def list_days(self) -> "list[date]":
        return [self.first + timedelta(days=number) for number in range(self.count)]


class MissingMetricReason(ResponseModel, frozen=True):
    """Why there is no value.

    `too_few_viewers`, `permission_missing`, `retired`, `not_counted_yet`, `not_offered`, or the error code of the
    failed platform call.
    """

    code: str
    """Why, for programs."""
    detail: str
    """Why, for people to read."""


class MetricReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the platform reports for one metric. `value` is the total exactly as reported, and `name` the platform's own
    name if that is not the usual one.

    Missing days are not zero: the platform has not counted them, or does not report them. If a call failed that may
    succeed later, `retry_after` says in how many seconds.
    """

    total: Number | None = None
    series: tuple[tuple[date, Number], ...] = ()
    value: Any = None
    name: str | None = None
    unavailable: MissingMetricReason | None = None
    retry_after: int | None = None


# By our name for the metric.
MetricReadings: TypeAlias = Mapping[str, MetricReading]


class PostMetricReadings(msgspec.Struct, frozen=True, kw_only=True):
    object_id: str
    readings: MetricReadings


class InsightsAdapter(Protocol):
    """A metric without a value says why and does not affect the others. A failure is raised only if nothing could be
    read at all.
    """

    async def read_account_metrics(
        self,
        credentials: AccountCredentials,
        metrics: Sequence[PlatformMetric],
        days: DateRange,
        post_ids: Sequence[str],
    ) -> MetricReadings:
        """Read metrics of an account. `post_ids` are posts of the account, for platforms where only posts show which
        chats belong to it.
        """

    async def read_post_metrics(
        self, credentials: AccountCredentials, object_ids: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Sequence[PostMetricReadings]:
        """Read metrics of posts since they were published. Posts that the platform does not show are left out."""


INSIGHTS_CAPABILITY: Capability[InsightsAdapter] = Capability("readInsights")
