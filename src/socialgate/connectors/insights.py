"""Requesting metrics in as few calls as the platform allows, so that a retired metric does not affect the others.

Platforms reject a whole call because of one name that they no longer know. The metrics of a rejected call are split in
half and requested again until the name is isolated; it is then skipped for some hours.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    NotSupportedError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.insights import (
    DateRange,
    MetricReading,
    MetricReadings,
    MissingMetricReason,
    Number,
    PostMetricReadings,
)
from socialgate.contracts.metrics import MetricTable, PlatformMetric, UnavailableCode
from socialgate.core.clock import Clock

AccountMetricsRequester: TypeAlias = Callable[[Sequence[PlatformMetric], DateRange], Awaitable[MetricReadings]]
PostMetricsRequester: TypeAlias = Callable[[Sequence[PlatformMetric]], Awaitable[MetricReadings]]

_RETIRED_METRIC_TTL = timedelta(hours=6)
_MAX_CONCURRENT_CALLS = 5
_DEFAULT_RETRY_SECONDS = 600
_FUTURE_DETAIL = "These days are in the future. Use an earlier `since`."
_TOO_OLD_DETAIL = "The platform has this only for recent days. Use a later `since`."
_UNAVAILABLE_DETAILS: Mapping[UnavailableCode, str] = {
    "too_few_viewers": "The platform shows this only for larger audiences.",
    "permission_missing": "The platform shows this only with a permission that is missing. Connect the account again "
    "and leave every permission switched on.",
    "retired": "The platform no longer has this metric.",
    "not_counted_yet": "The platform has not counted this yet. Some metrics are up to five days late.",
    "not_offered": "The platform does not offer this here.",
}


class MetricRequester:
    """Requests the metrics of one kind of account. `is_small` recognizes a rejection that means too few people."""

    def __init__(
        self,
        clock: Clock,
        table: MetricTable,
        is_audience_too_small: Callable[[PlatformFailure], bool] = lambda _: False,
    ) -> None:
        self._clock = clock
        self._table = table
        self._is_small = is_audience_too_small
        self._retired_until: dict[str, datetime] = {}

    async def request_account_metrics(
        self, metrics: Sequence[PlatformMetric], days: DateRange, ask: AccountMetricsRequester
    ) -> MetricReadings:
        """Request a range, in as many pieces as the platform requires, and merge the pieces."""
        if days.first > self.get_today():
            return {metric.name: _build_unavailable_reading("not_counted_yet", _FUTURE_DETAIL) for metric in metrics}
        metric_readings: dict[str, MetricReading] = {}
        pieces = list(_split_days(days, self._table.days_per_call))
        for metric in metrics:
            if metric.form == "level" and not metric.daily and days.last < self.get_today():
                metric_readings[metric.name] = _build_unavailable_reading(
                    "not_offered", "The platform only reports the current number."
                )
        platform_metrics = [metric for metric in metrics if metric.name not in metric_readings]
        # A current number is the same in each piece.
        now = [metric for metric in platform_metrics if metric.form == "level" and not metric.daily]
        read = [await self._request_groups(platform_metrics, pieces[-1], ask)]
        read += [
            await self._request_groups(
                [platform_metric for platform_metric in platform_metrics if platform_metric not in now], piece, ask
            )
            for piece in pieces[-2::-1]
        ]
        return metric_readings | {
            platform_metric.name: merge_readings(
                platform_metric, [part[platform_metric.name] for part in read[::-1] if platform_metric.name in part]
            )
            for platform_metric in platform_metrics
        }

    async def request_post_metrics(
        self, object_id: str, metrics: Sequence[PlatformMetric], ask: PostMetricsRequester
    ) -> PostMetricReadings | None:
        """Request the metrics of a post; None if the platform does not show it."""
        today = self.get_today()

        async def function(some: Sequence[PlatformMetric], _: DateRange) -> MetricReadings:
            return await ask(some)

        try:
            return PostMetricReadings(
                object_id=object_id, readings=await self._request_groups(metrics, DateRange(today, today), function)
            )
        except PlatformNotFoundError:
            return None

    def get_today(self) -> date:
        return self._clock.now().astimezone(ZoneInfo(self._table.zone)).date()

    async def _request_groups(
        self, metrics: Sequence[PlatformMetric], days: DateRange, ask: AccountMetricsRequester
    ) -> dict[str, MetricReading]:
        metric_readings = {
            metric.name: _build_unavailable_reading("not_offered", _TOO_OLD_DETAIL)
            for metric in metrics
            if self._is_too_old(metric, days)
        }
        metrics = [metric for metric in metrics if metric.name not in metric_readings]
        failed: list[tuple[Sequence[PlatformMetric], PlatformFailure]] = []
        for group in _group_by_request(metrics):
            try:
                metric_readings |= await self._request_group(group, days, ask)
            except (NeedsReconnectionError, PlatformNotFoundError):
                raise
            except PlatformFailure as failure:
                failed.append((group, failure))
        if failed and len(failed) == len(_group_by_request(metrics)):
            raise failed[0][1]
        for metrics_of, why in failed:
            later = (why.retry_after or _DEFAULT_RETRY_SECONDS) if why.retryable else None
            without = MetricReading(unavailable=MissingMetricReason(why.code, why.detail), retry_after=later)
            metric_readings |= dict.fromkeys((metric.name for metric in metrics_of), without)
        return metric_readings

    def _is_too_old(self, metric: PlatformMetric, days: DateRange) -> bool:
        back = [count for count in (metric.days_back, self._table.max_days_back) if count is not None]
        if back and days.first < self.get_today() - timedelta(days=min(back)):
            return True
        return self._table.first_day is not None and days.first < self._table.first_day

    async def _request_group(
        self, metrics: Sequence[PlatformMetric], days: DateRange, ask: AccountMetricsRequester
    ) -> dict[str, MetricReading]:
        now = self._clock.now()
        live = [metric for metric in metrics if self._retired_until.get(metric.vendor, now) <= now]
        gone = {metric.name: _build_unavailable_reading("retired") for metric in metrics if metric not in live}
        if not live:
            return gone
        answered, refused = await self._request_bisecting(live, days, ask)
        if refused and len(refused) == len(live) > 1:
            # The names are not the problem, but something else about the call.
            raise next(iter(refused.values()))
        if len(live) > 1:
            self._retired_until.update(
                {metric.vendor: now + _RETIRED_METRIC_TTL for metric in live if metric.name in refused}
            )
        return (
            gone
            | {
                platform_metric.name: _build_unavailable_reading("retired")
                for platform_metric in live
                if platform_metric.name in refused
            }
            | answered
        )

    async def _request_bisecting(
        self, metrics: Sequence[PlatformMetric], days: DateRange, ask: AccountMetricsRequester
    ) -> tuple[dict[str, MetricReading], dict[str, PlatformRejectedError]]:
        try:
            metric_readings = await ask(metrics, days)
        except (PermissionMissingError, NotSupportedError) as failure:
            return dict.fromkeys((metric.name for metric in metrics), self._explain_failure(failure)), {}
        except PlatformRejectedError as failure:
            if len(metrics) == 1:
                return {}, {metrics[0].name: failure}
            middle = len(metrics) // 2
            answered, refused = await self._request_bisecting(metrics[:middle], days, ask)
            more, others = await self._request_bisecting(metrics[middle:], days, ask)
            return answered | more, refused | others
        return {
            metric.name: self._fill_missing_reading(metric, metric_readings.get(metric.name), days)
            for metric in metrics
        }, {}

    def _fill_missing_reading(
        self, metric: PlatformMetric, metric_reading: MetricReading | None, days: DateRange
    ) -> MetricReading:
        if metric_reading is not None and (
            metric_reading.unavailable or metric_reading.series or metric_reading.total is not None
        ):
            return metric_reading
        late = days.last >= self.get_today() - timedelta(days=self._table.settles_after_days)
        return _build_unavailable_reading(
            "not_counted_yet" if late and days.count <= self._table.settles_after_days else metric.absent
        )

    def _explain_failure(self, failure: PlatformFailure) -> MetricReading:
        if self._is_small(failure):
            return _build_unavailable_reading("too_few_viewers")
        code: UnavailableCode = "not_offered" if isinstance(failure, NotSupportedError) else "permission_missing"
        return _build_unavailable_reading(code, failure.detail)


class InsightsAdapterBase(ABC):
    """Base class of insights for a kind of account: a connector adds its table and the calls."""

    table: MetricTable
    posts_per_call = 1

    def __init__(self, clock: Clock) -> None:
        self.requester = MetricRequester(clock, self.table, self.is_too_few_viewers_error)

    def is_too_few_viewers_error(self, failure: PlatformFailure) -> bool:
        """Whether a rejection means too few people rather than a missing permission."""
        del failure
        return False

    @abstractmethod
    async def fetch_account_metrics(
        self, credentials: AccountCredentials, metrics: Sequence[PlatformMetric], days: DateRange
    ) -> MetricReadings:
        """Make one call for a group of metrics."""

    async def fetch_post_metrics(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Mapping[str, MetricReadings]:
        """Make one call for a group of metrics of posts. Posts that the platform does not show are left out; if it has
        no metrics of posts, that is all of them.
        """
        del credentials, posts, metrics
        return {}

    async def read_account_metrics(
        self,
        credentials: AccountCredentials,
        metrics: Sequence[PlatformMetric],
        days: DateRange,
        post_ids: Sequence[str],
    ) -> MetricReadings:
        del post_ids
        return await self.requester.request_account_metrics(
            metrics, days, partial(self.fetch_account_metrics, credentials)
        )

    async def read_post_metrics(
        self, credentials: AccountCredentials, object_ids: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> Sequence[PostMetricReadings]:
        """Read posts, as many per call as the platform allows, with several calls at once."""
        turns = asyncio.Semaphore(_MAX_CONCURRENT_CALLS)
        size = self.posts_per_call

        async def in_turn(posts: Sequence[str]) -> list[PostMetricReadings]:
            async with turns:
                return await self._read_post_chunk(credentials, posts, metrics)

        chunks = [object_ids[start : start + size] for start in range(0, len(object_ids), size)]
        reading_groups = await asyncio.gather(*(in_turn(chunk) for chunk in chunks))
        return [post for some in reading_groups for post in some]

    async def _read_post_chunk(
        self, credentials: AccountCredentials, posts: Sequence[str], metrics: Sequence[PlatformMetric]
    ) -> list[PostMetricReadings]:
        created: dict[tuple[str, ...], Mapping[str, MetricReadings] | PlatformFailure] = {}

        async def ask(post: str, some: Sequence[PlatformMetric]) -> MetricReadings:
            key = tuple(metric.vendor for metric in some)
            if key not in created:
                try:
                    created[key] = await self.fetch_post_metrics(credentials, posts, some)
                except PlatformFailure as failure:
                    created[key] = failure
            answer = created[key]
            if isinstance(answer, PlatformFailure):
                raise answer
            if post not in answer:
                raise PlatformNotFoundError("The platform does not show this post.", platform=credentials.kind)
            return answer[post]

        read = [await self.requester.request_post_metrics(post, metrics, partial(ask, post)) for post in posts]
        return [metric_readings for metric_readings in read if metric_readings is not None]


def convert_value(metric: PlatformMetric, input_value: Any) -> Number | None:
    """Convert a platform's number to our unit. It may be a string, or an object whose parts are added up."""
    if isinstance(input_value, dict):
        parts = [part for value in input_value.values() if (part := convert_value(metric, value)) is not None]
        return sum(parts) if parts else None
    if isinstance(input_value, bool):
        return None
    try:
        read = float(input_value) * metric.scale
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(read):
        return None
    return int(read) if read.is_integer() else round(read, 4)


def build_daily_reading(metric: PlatformMetric, values: Sequence[tuple[date, Any]], days: DateRange) -> MetricReading:
    """Build a reading from values by day, without those outside the range."""
    read = [
        (day, existing_number, value)
        for day, value in sorted(values, key=lambda item: item[0])
        if day in days and (existing_number := convert_value(metric, value)) is not None
    ]
    if not read:
        return MetricReading()
    return MetricReading(
        series=tuple((day, number) for day, number, _ in read),
        total=compute_total(metric, [number for _, number, _ in read]),
        value=read[-1][2] if metric.form == "level" or len(read) == 1 else None,
    )


def compute_total(metric: PlatformMetric, values: Sequence[Number]) -> Number | None:
    """Add up what can be added up; for a level, the last value counts."""
    if not values:
        return None
    if metric.form == "level" or len(values) == 1:
        return values[-1]
    return sum(values) if metric.form == "flow" else None


def build_single_reading(metric: PlatformMetric, value: Any) -> MetricReading:
    """Build a reading from the single value of a range or of a post."""
    return MetricReading(total=convert_value(metric, value), value=value)


def merge_readings(metric: PlatformMetric, parts: Sequence[MetricReading]) -> MetricReading:
    """Merge the pieces of a range. The days of a piece without data are left out."""
    counted = [part for part in parts if part.unavailable is None]
    if not counted or len(parts) == 1:
        return parts[-1]
    totals = [part.total for part in counted if part.total is not None]
    complete = len(counted) == len(parts) or metric.form == "level"
    return replace(
        counted[-1],
        series=tuple(pair for part in counted for pair in part.series),
        total=compute_total(metric, totals) if complete or metric.daily else None,
        value=counted[-1].value if len(counted) == 1 or metric.form == "level" else None,
        retry_after=max((part.retry_after for part in parts if part.retry_after), default=None),
    )


def _build_unavailable_reading(code: UnavailableCode, detail: str | None = None) -> MetricReading:
    return MetricReading(unavailable=MissingMetricReason(code, detail or _UNAVAILABLE_DETAILS[code]))


def build_not_offered_reading(kind: str) -> MetricReading:
    """Return a reading for a metric that a type of post does not have."""
    return _build_unavailable_reading("not_offered", f"The platform does not offer this for a {kind}.")


async def request_individually(ask: PostMetricsRequester, metrics: Sequence[PlatformMetric]) -> MetricReadings:
    """Request all at once, or one by one if that is rejected. A metric rejected on its own is retired.

    For names that replace those of the table: if one is rejected, the metric must not be skipped elsewhere.
    """
    try:
        return await ask(metrics)
    except PlatformRejectedError:
        if len(metrics) == 1:
            return {metrics[0].name: _build_unavailable_reading("retired")}
    metric_readings: dict[str, MetricReading] = {}
    for metric in metrics:
        metric_readings |= await request_individually(ask, [metric])
    return metric_readings


def _group_by_request(metrics: Sequence[PlatformMetric]) -> list[list[PlatformMetric]]:
    groups: dict[str, list[PlatformMetric]] = {}
    for metric in metrics:
        groups.setdefault(metric.request_group, []).append(metric)
    return list(groups.values())


def _split_days(days: DateRange, most: int) -> Iterator[DateRange]:
    first = days.first
    while first <= days.last:
        last = min(first + timedelta(days=most - 1), days.last)
        yield DateRange(first, last)
        first = last + timedelta(days=1)
