"""What platforms allow within a span of time, counted before each call, for all nodes of a deployment.

What is used is stored under the instant from which it no longer counts: a sliding span is cut into slices, and what is
used in a slice counts until all of it is older than the span. So a quota is never exceeded, and is free again at most
one slice late. A quota that starts again at midnight has one such instant a day.
"""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.core.db import Database, Tx, Utc, metadata
from socialgate.core.errors import ServiceError
from socialgate.core.metrics import Metrics

log = structlog.get_logger(__name__)

# With the one that has just begun, 24 are in force at a time.
_WHOLE_SLICES = 23
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

quota_use = sa.Table(
    "quota_use",
    metadata,
    sa.Column("budget", sa.String(400), primary_key=True),
    sa.Column("frees_at", Utc, primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
    sa.Index("ix_quota_use_frees_at", "frees_at"),
)


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """One quota of one account, app, chat or endpoint. `resets` names the time zone whose midnight starts it again;
    without it the span slides.
    """

    platform: str
    quota: str
    whose: str
    limit: int
    seconds: int
    resets: str | None = None

    @property
    def key(self) -> str:
        return f"{self.platform}:{self.quota}/{self.seconds}:{self.whose}"

    def frees_at(self, now: datetime) -> datetime:
        """Tell from when on what is used now no longer counts."""
        if self.resets is not None:
            return midnight_after(now, self.resets)
        span = timedelta(seconds=self.seconds)
        slice_ = span / _WHOLE_SLICES
        return _EPOCH + ((now - _EPOCH) // slice_ + 1) * slice_ + span


class Spent(NamedTuple):
    budget: str
    frees_at: datetime
    units: int


class Use(NamedTuple):
    """How much of a budget is used, and when the first of it is free again."""

    used: int
    frees_at: datetime


class QuotaUsedUp(Exception):
    """There is no room for a call. `frees_at` is when there is, if nobody else takes it."""

    def __init__(self, budget: Budget, used: int, frees_at: datetime, now: datetime) -> None:
        super().__init__(f"{used} of {budget.limit} {budget.quota} are used")
        self.budget = budget
        self.used = used
        self.frees_at = frees_at
        self.wait = max(math.ceil((frees_at - now).total_seconds()), 1)


class Quotas:
    def __init__(self, db: Database, metrics: Metrics) -> None:
        self._db = db
        self._metrics = metrics

    async def spend(self, wanted: Sequence[tuple[Budget, int]]) -> Sequence[Spent]:
        """Take so many units of each budget, of all or of none; QuotaUsedUp where one has no room."""
        # Everybody takes the locks in the same order.
        ordered = sorted(wanted, key=lambda one: one[0].key)
        try:
            return await self._db.write(_spend, ordered)
        except QuotaUsedUp as refused:
            self._metrics.quota_refusals.labels(refused.budget.platform, refused.budget.quota).inc()
            raise

    async def give_back(self, spent: Sequence[Spent]) -> None:
        """Take back what was spent on a call that never left. If this fails, it counts until its span is over."""
        try:
            await self._db.write(_give_back, spent)
        except ServiceError as error:
            log.warning("quota_not_given_back", code=error.code, detail=error.detail)


async def _spend(tx: Tx, wanted: Sequence[tuple[Budget, int]]) -> Sequence[Spent]:
    spent = []
    for budget, units in wanted:
        if units > budget.limit:
            raise ValueError(f"no call can spend {units} of {budget.limit} {budget.quota} on {budget.platform}")
        # Rows of slices would not do as locks: at the border of two, each of two spenders has one of its own.
        await tx.lock(f"quota:{budget.key}")
        rows = await _rows(tx, budget.key)
        in_force = [row for row in rows if row.frees_at > tx.now]
        used = sum(row.units for row in in_force)
        if used + units > budget.limit:
            raise QuotaUsedUp(budget, used, _room_at(in_force, used + units - budget.limit), tx.now)
        if len(in_force) < len(rows):
            await tx.execute(
                sa.delete(quota_use).where(quota_use.c.budget == budget.key, quota_use.c.frees_at <= tx.now)
            )
        spent.append(Spent(budget.key, budget.frees_at(tx.now), units))
        await _add(tx, spent[-1])
    return spent


async def _rows(tx: Tx, key: str) -> list[Spent]:
    found = sa.select(quota_use).where(quota_use.c.budget == key).order_by(quota_use.c.frees_at)
    return [Spent(row.budget, row.frees_at, row.used) for row in await tx.all(found)]


def _room_at(in_force: Sequence[Spent], wanted: int) -> datetime:
    """Find when so many units are free again."""
    free = 0
    for row in in_force:
        free += row.units
        if free >= wanted:
            return row.frees_at
    raise AssertionError("no call wants more than the limit")


async def _add(tx: Tx, spent: Spent) -> None:
    insert = tx.upsert(quota_use).values(budget=spent.budget, frees_at=spent.frees_at, used=spent.units)
    added = {"used": quota_use.c.used + insert.excluded.used}
    await tx.execute(insert.on_conflict_do_update(index_elements=["budget", "frees_at"], set_=added))


async def _give_back(tx: Tx, spent: Sequence[Spent]) -> None:
    for one in spent:
        place = (quota_use.c.budget == one.budget, quota_use.c.frees_at == one.frees_at)
        await tx.execute(sa.update(quota_use).where(*place).values(used=quota_use.c.used - one.units))


async def use_of(tx: Tx, keys: Sequence[str]) -> dict[str, Use]:
    """Read how much is used of these budgets. Those that nobody has used are left out."""
    found = (
        sa.select(
            quota_use.c.budget,
            sa.func.sum(quota_use.c.used).label("used"),
            sa.func.min(quota_use.c.frees_at).label("frees_at"),
        )
        .where(quota_use.c.budget.in_(keys), quota_use.c.frees_at > tx.now, quota_use.c.used > 0)
        .group_by(quota_use.c.budget)
    )
    return {row.budget: Use(int(row.used), row.frees_at) for row in (await tx.all(found) if keys else ())}


async def purge_quotas(tx: Tx, now: datetime) -> int:
    return await tx.changed(sa.delete(quota_use).where(quota_use.c.frees_at <= now))


def midnight_after(now: datetime, zone: str) -> datetime:
    """Give the next midnight of a time zone. The days on which its clocks change have 23 and 25 hours."""
    place = ZoneInfo(zone)
    tomorrow = now.astimezone(place).date() + timedelta(days=1)
    return datetime.combine(tomorrow, datetime.min.time(), place).astimezone(UTC)
