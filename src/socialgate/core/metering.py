"""What owners use, counted in the transaction of the change itself.

`meter(tx, owner_id, profile_id, Metric.POSTS)` anywhere in a write unit counts one. Nothing is written until the unit
ends: then all that it counted is one upsert, always in the same order, so that counters are locked for a moment only
and never cause a deadlock. What was rolled back was never counted, and what was committed always is.

There are two tables. `usage_days` says what was used on which UTC day, by which profile; it is what `GET /usage` shows.
`usage_months` has one row per owner, month and metric that a plan can limit. Counting returns the new total, and
everybody who counts waits for the row, so a limit holds exactly however many requests arrive at once: the listener for
`UsageCounted` compares the total with the plan, and its error rolls back the whole unit.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from socialgate.core.db import Id, Tx, build_upsert, metadata
from socialgate.core.facts import FactAbout


class UsageMetric(StrEnum):
    POSTS = "posts"
    DELIVERIES = "deliveries"
    MESSAGES_SENT = "messagesSent"
    MESSAGES_RECEIVED = "messagesReceived"
    AI_GENERATIONS = "aiGenerations"
    UPLOAD_BYTES = "uploadBytes"
    CONNECTED_ACCOUNTS = "connectedAccounts"
    API_CALLS = "apiCalls"


# What a plan can limit by the month. The others report what happens to an owner, or has its own limit.
MONTHLY_LIMITED_METRICS = frozenset(
    {UsageMetric.POSTS, UsageMetric.MESSAGES_SENT, UsageMetric.AI_GENERATIONS, UsageMetric.UPLOAD_BYTES}
)
# What belongs to no profile.
OWNER_PART_ID = ""

usage_days = sa.Table(
    "usage_days",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("metric", sa.String(20), primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    # The profile; for API calls the API key. Empty for what belongs to neither.
    sa.Column("part_id", Id, primary_key=True),
    # For a level, such as the number of connected accounts, the highest of the day.
    sa.Column("used", sa.BigInteger, nullable=False),
    # The last value of a level on this day, which holds until the next row; null for what is counted.
    sa.Column("level", sa.BigInteger),
    sa.Index("ix_usage_days_day", "day"),
)

usage_months = sa.Table(
    "usage_months",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("metric", sa.String(20), primary_key=True),
    # The first day of the month.
    sa.Column("month", sa.Date, primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
    sa.Index("ix_usage_months_month", "month"),
)


class UsageCounted(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """Something that a plan can limit was used: `used` is the new total, of which `amount` was just added. Published
    with the owner.
    """

    metric: UsageMetric
    used: int
    amount: int


class UsageKey(NamedTuple):
    owner_id: str
    metric: UsageMetric
    day: date
    part_id: str


def count_usage(
    tx: Tx, owner_id: str, profile_id: str | None, metric: UsageMetric, amount: int = 1, *, at: datetime | None = None
) -> None:
    """Count what an owner uses, in the transaction of the change.

    If the plan does not allow it, the whole unit fails with 402 `plan_limit_reached` when it ends, before its commit.
    To return something that did not happen after all, count a negative amount `at` the time of the transaction that
    counted it.
    """
    place = UsageKey(owner_id, metric, (at or tx.now).date(), profile_id or OWNER_PART_ID)
    tx.get_commit_batch(_write_usage, Counter[UsageKey])[place] += amount


async def require_within_plan(tx: Tx, owner_id: str, metric: UsageMetric, amount: int) -> None:
    """Fail with 402 now if this much more would exceed the plan. It is not counted: `meter` still decides later.

    For what takes long before it is counted, such as an upload.
    """
    here = {"owner": owner_id, "metric": metric, "month": tx.now.date().replace(day=1)}
    used = int(await tx.scalar(_SELECT_MONTHLY_USAGE, here) or 0)
    await tx.publish_fact(UsageCounted(metric=metric, used=used + amount, amount=amount), owner_id)


_SELECT_MONTHLY_USAGE = sa.select(usage_months.c.used).where(
    usage_months.c.owner_id == sa.bindparam("owner"),
    usage_months.c.metric == sa.bindparam("metric"),
    usage_months.c.month == sa.bindparam("month"),
)


async def _write_usage(tx: Tx, counted: Mapping[UsageKey, int]) -> None:
    months = Counter[_MonthKey]()
    for place, amount in counted.items():
        if place.metric in MONTHLY_LIMITED_METRICS:
            months[_MonthKey(place.owner_id, place.metric, place.day.replace(day=1))] += amount
    if not months:
        await add_daily_usage(tx, counted)
        return
    for key, used in sorted((await _add_daily_and_monthly_usage(tx, counted, months)).items()):
        if months[key] > 0:
            fact = UsageCounted(metric=key.metric, used=used, amount=months[key])
            await tx.publish_fact(fact, key.owner_id)


async def add_daily_usage(tx: Tx, counted: Mapping[UsageKey, int]) -> None:
    """Add to the days."""
    await tx.execute(_build_add_usage_statement(usage_days, tx.dialect_name), _build_usage_rows(counted))


async def _add_daily_and_monthly_usage(
    tx: Tx, counted: Mapping[UsageKey, int], months: "Mapping[_MonthKey, int]"
) -> "dict[_MonthKey, int]":
    """Add to the days and to the months, and return the new totals of the months: on PostgreSQL in one round trip."""
    if tx.dialect_name == "postgresql":
        values = {
            **_build_column_arrays("day", usage_days, _build_usage_rows(counted)),
            **_build_column_arrays("month", usage_months, _build_usage_rows(months)),
        }
        rows = await tx.all(_build_add_daily_and_monthly_usage_statement(), values)
    else:
        await add_daily_usage(tx, counted)
        rows = await tx.all(_build_add_usage_statement(usage_months, tx.dialect_name), _build_usage_rows(months))
    return {_MonthKey(row.owner_id, UsageMetric(row.metric), row.month): int(row.used) for row in rows}


class _MonthKey(NamedTuple):
    owner_id: str
    metric: UsageMetric
    month: date


def _build_usage_rows(counted: Mapping[Any, int]) -> list[dict[str, Any]]:
    """Return what is added, always in the same order."""
    return [{**place._asdict(), "used": amount} for place, amount in sorted(counted.items()) if amount]


def _build_column_arrays(prefix: str, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = [*table.primary_key.columns.keys(), "used"]
    return {f"{prefix}_{name}": [row[name] for row in rows] for name in names}


@cache
def _build_add_usage_statement(table: sa.Table, dialect: str) -> Any:
    statement = _build_on_conflict_add(table, build_upsert(table, dialect))
    return statement.returning(*table.c) if table is usage_months else statement


@cache
def _build_add_daily_and_monthly_usage_statement() -> Any:
    days = _build_on_conflict_add(usage_days, _build_insert_from_arrays("day", usage_days)).cte("days")
    months = _build_on_conflict_add(usage_months, _build_insert_from_arrays("month", usage_months)).returning(
        *usage_months.c
    )
    return months.add_cte(days)


def _build_insert_from_arrays(prefix: str, table: sa.Table) -> Any:
    """Insert rows that are given as one array for each column."""
    columns = [*table.primary_key.columns, table.c.used]
    arrays = [
        sa.bindparam(f"{prefix}_{column.name}", type_=postgresql.ARRAY(sa.Text if column.type is Id else column.type))
        for column in columns
    ]
    names = [column.name for column in columns]
    array_rows = sa.func.unnest(*arrays).table_valued(*names).render_derived()
    return build_upsert(table, "postgresql").from_select(names, sa.select(*array_rows.c))


def _build_on_conflict_add(table: sa.Table, insert: Any) -> Any:
    return insert.on_conflict_do_update(
        index_elements=list(table.primary_key.columns), set_={"used": table.c.used + insert.excluded.used}
    )


async def record_usage_levels(tx: Tx, owner_id: str, metric: UsageMetric, levels: Mapping[str, int]) -> None:
    """Record levels that changed, by profile, and `OWNER_PART_ID` for the whole owner. The highest of each day counts.

    The caller holds a lock under which it read them. Each level holds until the next one is recorded.
    """
    today = tx.now.date()
    before = await get_last_usage_levels(tx, owner_id, metric, today, sorted(levels))
    insert = tx.build_upsert(usage_days)
    higher = sa.case((insert.excluded.used > usage_days.c.used, insert.excluded.used), else_=usage_days.c.used)
    upsert = insert.on_conflict_do_update(
        index_elements=["owner_id", "metric", "day", "part_id"],
        set_={"used": higher, "level": insert.excluded.level},
    )
    rows = [
        # The day began with the level of the day before.
        {
            **UsageKey(owner_id, metric, today, part_id)._asdict(),
            "used": max(level, before.get(part_id, 0)),
            "level": level,
        }
        for part_id, level in sorted(levels.items())
    ]
    await tx.execute(upsert, rows)
    used = levels[OWNER_PART_ID]
    if used > before.get(OWNER_PART_ID, 0):
        await tx.publish_fact(
            UsageCounted(metric=metric, used=used, amount=used - before.get(OWNER_PART_ID, 0)), owner_id
        )


async def get_last_usage_levels(
    tx: Tx, owner_id: str, metric: UsageMetric, day: date, part_ids: Sequence[str] | None = None
) -> dict[str, int]:
    """Return the last levels that were recorded on a day or before; of all parts if none are named."""
    days = usage_days.c
    here = [days.owner_id == owner_id, days.metric == metric, days.day <= day]
    if part_ids is not None:
        here.append(days.part_id.in_(part_ids))
    newest = sa.select(days.part_id, sa.func.max(days.day).label("day")).where(*here).group_by(days.part_id).subquery()
    same = sa.and_(newest.c.part_id == days.part_id, newest.c.day == days.day)
    select = sa.select(days.part_id, days.level).join(newest, same)
    rows = await tx.all(select.where(days.owner_id == owner_id, days.metric == metric))
    return {row.part_id: int(row.level) for row in rows}
