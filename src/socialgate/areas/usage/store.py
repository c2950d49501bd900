"""Reading what was counted. Every finder takes the owner first."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.metering import OWNER_PART_ID, UsageMetric, get_last_usage_levels, usage_days, usage_months

# Two years and the current month.
_USAGE_RETENTION = timedelta(days=2 * 366 + 31)
_SUMMED_METRICS = [metric for metric in UsageMetric if metric is not UsageMetric.CONNECTED_ACCOUNTS]

DailyUsage = Mapping[date, Mapping[UsageMetric, int]]


async def sum_daily_counts(tx: Tx, owner_id: str, parts: Collection[str] | None, first: date, last: date) -> DailyUsage:
    """Sum up what was counted on each day, by all parts of an owner or by some."""
    days = usage_days.c
    conditions = [days.owner_id == owner_id, days.metric.in_(_SUMMED_METRICS), days.day >= first, days.day <= last]
    if parts is not None:
        conditions.append(days.part_id.in_(sorted(parts)))
    total = sa.func.sum(days.used).label("used")
    rows = await tx.all(sa.select(days.day, days.metric, total).where(*conditions).group_by(days.day, days.metric))
    result: dict[date, dict[UsageMetric, int]] = {}
    for row in rows:
        # What is returned later than it was used could only make it less than nothing for a moment.
        result.setdefault(row.day, {})[UsageMetric(row.metric)] = max(int(row.used), 0)
    return result


async def list_daily_levels(
    tx: Tx, owner_id: str, profiles: Collection[str] | None, first: date, last: date
) -> dict[date, int]:
    """Return the highest number of connected accounts on each day: of the whole owner, or the sum of some profiles."""
    parts = [OWNER_PART_ID] if profiles is None else sorted(profiles)
    metric = UsageMetric.CONNECTED_ACCOUNTS
    now = await get_last_usage_levels(tx, owner_id, metric, first - timedelta(days=1), parts)
    days = usage_days.c
    conditions = (days.owner_id == owner_id, days.metric == metric, days.day >= first, days.day <= last)
    rows = await tx.all(
        sa.select(days.day, days.part_id, days.used, days.level).where(*conditions, days.part_id.in_(parts))
    )
    changes = {(row.day, row.part_id): row for row in rows}
    result = {}
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        highest = dict(now)
        for part in parts:
            change = changes.get((day, part))
            if change is not None:
                highest[part], now[part] = int(change.used), int(change.level)
        result[day] = sum(highest.values())
    return result


async def purge_daily_usage(tx: Tx, now: datetime) -> int:
    """Levels stay: the last one holds until today, however old it is, and there are few."""
    old = usage_days.c.day < (now - _USAGE_RETENTION).date()
    return await tx.execute_and_count(sa.delete(usage_days).where(old, usage_days.c.level.is_(None)))


async def purge_monthly_usage(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(usage_months).where(usage_months.c.month < (now - _USAGE_RETENTION).date())
    )
