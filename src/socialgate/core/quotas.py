"""Platform quotas, counted before each call, for all nodes of a deployment.

Usage is stored under the time from which it no longer counts: a sliding window is split into slices, and what is used
in a slice counts until all of it is older than the window. So a quota is never exceeded, and capacity becomes available
at most one slice late. A quota that resets at midnight has one such time a day.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.core.db import Database, Tx, UtcDateTime, metadata
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.group_commit import GroupCommit
from socialgate.core.metrics import Metrics

log = structlog.get_logger(__name__)

# With the one that has just started, 24 are in use at a time.
_SLICES_PER_WINDOW = 23
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

quota_use = sa.Table(
    "quota_use",
    metadata,
    sa.Column("budget", sa.String(400), primary_key=True),
    sa.Column("frees_at", UtcDateTime, primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
    sa.Index("ix_quota_use_frees_at", "frees_at"),
)


class QuotaBudget(msgspec.Struct, frozen=True, kw_only=True):
    """One quota of one account, app, chat or endpoint. `reset_timezone` names the time zone at whose midnight it
    resets; without it the window slides.
    """

    platform: str
    quota: str
    subject: str
    limit: int
    window_seconds: int
    reset_timezone: str | None = None

    @property
    def key(self) -> str:
        return f"{self.platform}:{self.quota}/{self.window_seconds}:{self.subject}"

    def frees_at(self, now: datetime) -> datetime:
        """Return from when on current usage no longer counts."""
        if self.reset_timezone is not None:
            return get_next_midnight(now, self.reset_timezone)
        span = timedelta(seconds=self.window_seconds)
        slice_ = span / _SLICES_PER_WINDOW
        return _EPOCH + ((now - _EPOCH) // slice_ + 1) * slice_ + span


class SpentUnits(NamedTuple):
    budget: str
    frees_at: datetime
    units: int


class BudgetUsage(NamedTuple):
    """How much of a budget is used, and when capacity becomes available again."""

    used: int
    frees_at: datetime


class QuotaExceededError(Exception):
    """A quota is used up. `frees_at` is when it allows the call, if nobody else takes it."""

    def __init__(self, budget: QuotaBudget, used: int, frees_at: datetime, now: datetime) -> None:
        super().__init__(f"{used} of {budget.limit} {budget.quota} are used")
        self.budget = budget
        self.used = used
        self.frees_at = frees_at
        self.wait_seconds = max(math.ceil((frees_at - now).total_seconds()), 1)


# What one call spends, each budget with its units.
CallQuotaCosts = Sequence[tuple[QuotaBudget, int]]


class Quotas:
    def __init__(self, db: Database, metrics: Metrics) -> None:
        self._db = db
        self._metrics = metrics
        self._spend_batcher: GroupCommit[CallQuotaCosts, Sequence[SpentUnits] | QuotaExceededError] = GroupCommit(
            db, _spend_all
        )

    async def spend(self, expected: CallQuotaCosts) -> Sequence[SpentUnits]:
        """Take units of each budget, of all or of none; QuotaUsedUp if one is used up."""
        units = Counter[QuotaBudget]()
        for budget, number in expected:
            units[budget] += number
            if units[budget] > budget.limit:
                raise ValueError(f"no call can spend so much of {budget.limit} {budget.quota} on {budget.platform}")
        outcome = await self._spend_batcher.write(list(units.items()))
        if isinstance(outcome, QuotaExceededError):
            self._metrics.quota_refusals.labels(outcome.budget.platform, outcome.budget.quota).inc()
            raise outcome
        return outcome

    async def refund(self, spent: Sequence[SpentUnits]) -> None:
        """Return what was spent on a call that was never sent. If this fails, it counts until its window is over."""
        try:
            await self._db.write(_refund, spent)
        except ServiceError as error:
            log.warning("quota_not_given_back", code=error.code, detail=error.detail)


class _QuotaLedger:
    """The usage of some budgets, and what is added to it, in a transaction that holds their locks."""

    def __init__(self, now: datetime, rows: Sequence[SpentUnits]) -> None:
        self.added: dict[tuple[str, datetime], int] = {}
        self.expired_budgets = {row.budget for row in rows if row.frees_at <= now}
        self._now = now
        self._used: dict[str, dict[datetime, int]] = {}
        for row in rows:
            if row.frees_at > now:
                self._used.setdefault(row.budget, {})[row.frees_at] = row.units

    def spend(self, expected: CallQuotaCosts) -> Sequence[SpentUnits] | QuotaExceededError:
        for budget, units in expected:
            used = self._used.get(budget.key, {})
            excess = sum(used.values()) + units - budget.limit
            if excess > 0:
                return QuotaExceededError(
                    budget, sum(used.values()), _find_quota_available_time(used, excess), self._now
                )
        return [self._add(SpentUnits(budget.key, budget.frees_at(self._now), units)) for budget, units in expected]

    def _add(self, spent: SpentUnits) -> SpentUnits:
        place = (spent.budget, spent.frees_at)
        self.added[place] = self.added.get(place, 0) + spent.units
        used = self._used.setdefault(spent.budget, {})
        used[spent.frees_at] = used.get(spent.frees_at, 0) + spent.units
        return spent


def _find_quota_available_time(used: Mapping[datetime, int], number: int) -> datetime:
    """Find when this many units are available again. No call needs more than the limit, so there is such a time."""
    ends = sorted(used)
    freed = accumulate(used[end] for end in ends)
    return next(end for end, free in zip(ends, freed, strict=True) if free >= number)


async def _spend_all(tx: Tx, calls: Sequence[CallQuotaCosts]) -> Sequence[Sequence[SpentUnits] | QuotaExceededError]:
    """Spend for many calls in one transaction. A call that is refused does not affect the others."""
    # Everybody takes the locks in the same order. Rows of slices cannot be used as locks: at the border of two slices,
    # two callers would each lock a different one.
    keys = sorted({budget.key for expected in calls for budget, _ in expected})
    await tx.lock(*(f"quota:{key}" for key in keys))
    result = await tx.all(sa.select(quota_use).where(quota_use.c.budget.in_(keys)))
    ledger = _QuotaLedger(tx.now, [SpentUnits(row.budget, row.frees_at, row.used) for row in result])
    outcomes = [ledger.spend(expected) for expected in calls]
    if ledger.expired_budgets:
        over = (quota_use.c.budget.in_(sorted(ledger.expired_budgets)), quota_use.c.frees_at <= tx.now)
        await tx.execute(sa.delete(quota_use).where(*over))
    if ledger.added:
        insert = tx.build_upsert(quota_use)
        added = {"used": quota_use.c.used + insert.excluded.used}
        upsert = insert.on_conflict_do_update(index_elements=["budget", "frees_at"], set_=added)
        rows = [{"budget": key, "frees_at": end, "used": units} for (key, end), units in ledger.added.items()]
        await tx.execute(upsert, rows)
    return outcomes


async def _refund(tx: Tx, spent: Sequence[SpentUnits]) -> None:
    for item in spent:
        place = (quota_use.c.budget == item.budget, quota_use.c.frees_at == item.frees_at)
        await tx.execute(sa.update(quota_use).where(*place).values(used=quota_use.c.used - item.units))


async def get_budget_usage(tx: Tx, keys: Sequence[str]) -> dict[str, BudgetUsage]:
    """Read the usage of these budgets. Unused ones are omitted."""
    select = (
        sa.select(
            quota_use.c.budget,
            sa.func.sum(quota_use.c.used).label("used"),
            sa.func.min(quota_use.c.frees_at).label("frees_at"),
        )
        .where(quota_use.c.budget.in_(keys), quota_use.c.frees_at > tx.now, quota_use.c.used > 0)
        .group_by(quota_use.c.budget)
    )
    return {row.budget: BudgetUsage(int(row.used), row.frees_at) for row in (await tx.all(select) if keys else ())}


async def purge_quotas(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(quota_use).where(quota_use.c.frees_at <= now))


def get_next_midnight(now: datetime, zone: str) -> datetime:
    """Return the next midnight of a time zone. Days on which its clocks change have 23 or 25 hours."""
    place = ZoneInfo(zone)
    tomorrow = now.astimezone(place).date() + timedelta(days=1)
    return datetime.combine(tomorrow, datetime.min.time(), place).astimezone(UTC)
