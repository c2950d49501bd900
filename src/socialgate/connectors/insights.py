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

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    NeedsReconnection,
    NotSupported,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.insights import Days, Missing, Number, PostReadings, Reading, Readings
from socialgate.contracts.metrics import Metric, MetricTable, UnavailableCode
from socialgate.core.clock import Clock

Ask: TypeAlias = Callable[[Sequence[Metric], Days], Awaitable[Readings]]
AskPost: TypeAlias = Callable[[Sequence[Metric]], Awaitable[Readings]]

_LEFT_OUT_FOR = timedelta(hours=6)
_CALLS_AT_ONCE = 5
_LATER_SECONDS = 600
_FUTURE = "These days are in the future. Use an earlier `since`."
_TOO_OLD = "The platform has this only for recent days. Use a later `since`."
_DETAILS: Mapping[UnavailableCode, str] = {
    "too_few_viewers": "The platform shows this only for larger audiences.",
    "permission_missing": "The platform shows this only with a permission that is missing. Connect the account again "
    "and leave every permission switched on.",
    "retired": "The platform no longer has this metric.",
    "not_counted_yet": "The platform has not counted this yet. Some metrics are up to five days late.",
    "not_offered": "The platform does not offer this here.",
}


class Asking:
    """Requests the metrics of one kind of account. `is_small` recognizes a rejection that means too few people."""

    def __init__(
        self, clock: Clock, table: MetricTable, is_small: Callable[[PlatformFailure], bool] = lambda _: False
    ) -> None:
        self._clock = clock
        self._table = table
        self._is_small = is_small
        self._gone: dict[str, datetime] = {}

    async def account(self, metrics: Sequence[Metric], days: Days, ask: Ask) -> Readings:
        """Request a range, in as many pieces as the platform requires, and merge the pieces."""
        if days.first > self.today():
            return {metric.name: _without("not_counted_yet", _FUTURE) for metric in metrics}
        found: dict[str, Reading] = {}
        pieces = list(_pieces(days, self._table.days_per_call))
        for metric in metrics:
            if metric.form == "level" and not metric.daily and days.last < self.today():
                found[metric.name] = _without("not_offered", "The platform only reports the current number.")
        wanted = [metric for metric in metrics if metric.name not in found]
        # A current number is the same in each piece.
        now = [metric for metric in wanted if metric.form == "level" and not metric.daily]
        read = [await self._all(wanted, pieces[-1], ask)]
        read += [await self._all([one for one in wanted if one not in now], piece, ask) for piece in pieces[-2::-1]]
        return found | {
            one.name: merged(one, [part[one.name] for part in read[::-1] if one.name in part]) for one in wanted
        }

    async def post(self, object_id: str, metrics: Sequence[Metric], ask: AskPost) -> PostReadings | None:
        """Request the metrics of a post; None if the platform does not show it."""
        today = self.today()

        async def asked(some: Sequence[Metric], _: Days) -> Readings:
            return await ask(some)

        try:
            return PostReadings(object_id=object_id, readings=await self._all(metrics, Days(today, today), asked))
        except PlatformNotFound:
            return None

    def today(self) -> date:
        return self._clock.now().astimezone(ZoneInfo(self._table.zone)).date()

    async def _all(self, metrics: Sequence[Metric], days: Days, ask: Ask) -> dict[str, Reading]:
        found = {metric.name: _without("not_offered", _TOO_OLD) for metric in metrics if self._is_too_old(metric, days)}
        metrics = [metric for metric in metrics if metric.name not in found]
        failed: list[tuple[Sequence[Metric], PlatformFailure]] = []
        for group in _groups(metrics):
            try:
                found |= await self._group(group, days, ask)
            except (NeedsReconnection, PlatformNotFound):
                raise
            except PlatformFailure as failure:
                failed.append((group, failure))
        if failed and len(failed) == len(_groups(metrics)):
            raise failed[0][1]
        for metrics_of, why in failed:
            later = (why.retry_after or _LATER_SECONDS) if why.retryable else None
            without = Reading(unavailable=Missing(why.code, why.detail), retry_after=later)
            found |= dict.fromkeys((metric.name for metric in metrics_of), without)
        return found

    def _is_too_old(self, metric: Metric, days: Days) -> bool:
        back = [count for count in (metric.days_back, self._table.days_back) if count is not None]
        if back and days.first < self.today() - timedelta(days=min(back)):
            return True
        return self._table.first_day is not None and days.first < self._table.first_day

    async def _group(self, metrics: Sequence[Metric], days: Days, ask: Ask) -> dict[str, Reading]:
        now = self._clock.now()
        live = [metric for metric in metrics if self._gone.get(metric.vendor, now) <= now]
        gone = {metric.name: _without("retired") for metric in metrics if metric not in live}
        if not live:
            return gone
        answered, refused = await self._halves(live, days, ask)
        if refused and len(refused) == len(live) > 1:
            # The names are not the problem, but something else about the call.
            raise next(iter(refused.values()))
        if len(live) > 1:
            self._gone.update({metric.vendor: now + _LEFT_OUT_FOR for metric in live if metric.name in refused})
        return gone | {one.name: _without("retired") for one in live if one.name in refused} | answered

    async def _halves(
        self, metrics: Sequence[Metric], days: Days, ask: Ask
    ) -> tuple[dict[str, Reading], dict[str, Rejected]]:
        try:
            found = await ask(metrics, days)
        except (PermissionMissing, NotSupported) as failure:
            return dict.fromkeys((one.name for one in metrics), self._why(failure)), {}
        except Rejected as failure:
            if len(metrics) == 1:
                return {}, {metrics[0].name: failure}
            middle = len(metrics) // 2
            answered, refused = await self._halves(metrics[:middle], days, ask)
            more, others = await self._halves(metrics[middle:], days, ask)
            return answered | more, refused | others
        return {one.name: self._present(one, found.get(one.name), days) for one in metrics}, {}

    def _present(self, metric: Metric, found: Reading | None, days: Days) -> Reading:
        if found is not None and (found.unavailable or found.series or found.total is not None):
            return found
        late = days.last >= self.today() - timedelta(days=self._table.settled_after)
        return _without("not_counted_yet" if late and days.count <= self._table.settled_after else metric.absent)

    def _why(self, failure: PlatformFailure) -> Reading:
        if self._is_small(failure):
            return _without("too_few_viewers")
        code: UnavailableCode = "not_offered" if isinstance(failure, NotSupported) else "permission_missing"
        return _without(code, failure.detail)


class InsightsPart(ABC):
    """Base class of insights for a kind of account: a connector adds its table and the calls."""

    table: MetricTable
    posts_per_call = 1

    def __init__(self, clock: Clock) -> None:
        self.asking = Asking(clock, self.table, self.is_small)

    def is_small(self, failure: PlatformFailure) -> bool:
        """Whether a rejection means too few people rather than a missing permission."""
        del failure
        return False

    @abstractmethod
    async def ask(self, held: AccountCredentials, metrics: Sequence[Metric], days: Days) -> Readings:
        """Make one call for a group of metrics."""

    async def ask_posts(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> Mapping[str, Readings]:
        """Make one call for a group of metrics of posts. Posts that the platform does not show are left out; if it has
        no metrics of posts, that is all of them.
        """
        del held, posts, metrics
        return {}

    async def of_account(
        self, held: AccountCredentials, metrics: Sequence[Metric], days: Days, objects: Sequence[str]
    ) -> Readings:
        del objects
        return await self.asking.account(metrics, days, partial(self.ask, held))

    async def of_posts(
        self, held: AccountCredentials, object_ids: Sequence[str], metrics: Sequence[Metric]
    ) -> Sequence[PostReadings]:
        """Read posts, as many per call as the platform allows, with several calls at once."""
        turns = asyncio.Semaphore(_CALLS_AT_ONCE)
        size = self.posts_per_call

        async def in_turn(posts: Sequence[str]) -> list[PostReadings]:
            async with turns:
                return await self._of_some(held, posts, metrics)

        chunks = [object_ids[start : start + size] for start in range(0, len(object_ids), size)]
        found = await asyncio.gather(*(in_turn(chunk) for chunk in chunks))
        return [post for some in found for post in some]

    async def _of_some(
        self, held: AccountCredentials, posts: Sequence[str], metrics: Sequence[Metric]
    ) -> list[PostReadings]:
        made: dict[tuple[str, ...], Mapping[str, Readings] | PlatformFailure] = {}

        async def ask(post: str, some: Sequence[Metric]) -> Readings:
            key = tuple(metric.vendor for metric in some)
            if key not in made:
                try:
                    made[key] = await self.ask_posts(held, posts, some)
                except PlatformFailure as failure:
                    made[key] = failure
            answer = made[key]
            if isinstance(answer, PlatformFailure):
                raise answer
            if post not in answer:
                raise PlatformNotFound("The platform does not show this post.", platform=held.kind)
            return answer[post]

        read = [await self.asking.post(post, metrics, partial(ask, post)) for post in posts]
        return [one for one in read if one is not None]


def number(metric: Metric, given: Any) -> Number | None:
    """Convert a platform's number to our unit. It may be a string, or an object whose parts are added up."""
    if isinstance(given, dict):
        parts = [part for value in given.values() if (part := number(metric, value)) is not None]
        return sum(parts) if parts else None
    if isinstance(given, bool):
        return None
    try:
        read = float(given) * metric.scale
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(read):
        return None
    return int(read) if read.is_integer() else round(read, 4)


def daily(metric: Metric, values: Sequence[tuple[date, Any]], days: Days) -> Reading:
    """Build a reading from values by day, without those outside the range."""
    read = [
        (day, found, value)
        for day, value in sorted(values, key=lambda one: one[0])
        if day in days and (found := number(metric, value)) is not None
    ]
    if not read:
        return Reading()
    return Reading(
        series=tuple((day, found) for day, found, _ in read),
        total=total_of(metric, [found for _, found, _ in read]),
        value=read[-1][2] if metric.form == "level" or len(read) == 1 else None,
    )


def total_of(metric: Metric, values: Sequence[Number]) -> Number | None:
    """Add up what can be added up; for a level, the last value counts."""
    if not values:
        return None
    if metric.form == "level" or len(values) == 1:
        return values[-1]
    return sum(values) if metric.form == "flow" else None


def single(metric: Metric, value: Any) -> Reading:
    """Build a reading from the single value of a range or of a post."""
    return Reading(total=number(metric, value), value=value)


def merged(metric: Metric, parts: Sequence[Reading]) -> Reading:
    """Merge the pieces of a range. The days of a piece without data are left out."""
    counted = [part for part in parts if part.unavailable is None]
    if not counted or len(parts) == 1:
        return parts[-1]
    totals = [part.total for part in counted if part.total is not None]
    complete = len(counted) == len(parts) or metric.form == "level"
    return replace(
        counted[-1],
        series=tuple(pair for part in counted for pair in part.series),
        total=total_of(metric, totals) if complete or metric.daily else None,
        value=counted[-1].value if len(counted) == 1 or metric.form == "level" else None,
        retry_after=max((part.retry_after for part in parts if part.retry_after), default=None),
    )


def _without(code: UnavailableCode, detail: str | None = None) -> Reading:
    return Reading(unavailable=Missing(code, detail or _DETAILS[code]))


def not_of(kind: str) -> Reading:
    """Return a reading for a metric that a type of post does not have."""
    return _without("not_offered", f"The platform does not offer this for a {kind}.")


async def each_alone(ask: AskPost, metrics: Sequence[Metric]) -> Readings:
    """Request all at once, or one by one if that is rejected. A metric rejected on its own is retired.

    For names that replace those of the table: if one is rejected, the metric must not be skipped elsewhere.
    """
    try:
        return await ask(metrics)
    except Rejected:
        if len(metrics) == 1:
            return {metrics[0].name: _without("retired")}
    found: dict[str, Reading] = {}
    for metric in metrics:
        found |= await each_alone(ask, [metric])
    return found


def _groups(metrics: Sequence[Metric]) -> list[list[Metric]]:
    groups: dict[str, list[Metric]] = {}
    for metric in metrics:
        groups.setdefault(metric.asked, []).append(metric)
    return list(groups.values())


def _pieces(days: Days, most: int) -> Iterator[Days]:
    first = days.first
    while first <= days.last:
        last = min(first + timedelta(days=most - 1), days.last)
        yield Days(first, last)
        first = last + timedelta(days=1)
