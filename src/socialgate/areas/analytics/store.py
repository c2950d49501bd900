"""Stored metrics by account and day, and by post and age. Every finder of an owner's rows takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts
from socialgate.contracts.insights import DateRange, Number
from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader
from socialgate.core.statements import is_one_of

Json = sa.JSON(none_as_null=True)
# How long the data of a disconnected account is kept.
_DISCONNECTED_RETENTION = timedelta(days=90)
# The values of a day or of a post, by metric.
MetricValues = Mapping[str, Number]

# The metrics of one day in the platform's time zone, or in the profile's if the platform reports no days. What is
# missing from `metrics` is unknown.
insight_days = sa.Table(
    "insight_days",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("metrics", Json, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
)

# The followers of an account at a point in time. Which day that is depends on the time zone of the query.
follower_counts = sa.Table(
    "follower_counts",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("at", UtcDateTime, primary_key=True),
    sa.Column("followers", sa.BigInteger, nullable=False),
)

# The posts whose metrics are read.
measured_posts = sa.Table(
    "measured_posts",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("object_id", sa.String(300), primary_key=True),
    sa.Column("post_id", Id, nullable=False),
    sa.Column("url", sa.String(2048)),
    sa.Column("published_at", UtcDateTime, nullable=False),
    sa.Index("ix_measured_posts_published_at", "owner_id", "account_id", "published_at"),
)

# The metrics of a post a number of hours after it was published.
post_metrics = sa.Table(
    "post_metrics",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("object_id", sa.String(300), primary_key=True),
    sa.Column("hours", sa.Integer, primary_key=True),
    sa.Column("taken_at", UtcDateTime, nullable=False),
    sa.Column("metrics", Json, nullable=False),
)


class MeasuredPostRow(msgspec.Struct, frozen=True):
    owner_id: str
    account_id: str
    object_id: str
    post_id: str
    url: str | None
    published_at: datetime


class FollowerCountRow(msgspec.Struct, frozen=True):
    at: datetime
    followers: int


class PostWithLatestMetrics(msgspec.Struct, frozen=True):
    """A post with its latest metrics and the age at which they were read, if they were."""

    object_id: str
    post_id: str
    url: str | None
    published_at: datetime
    hours: int | None
    metrics: MetricValues | None


read_measured_post = build_row_reader(MeasuredPostRow, measured_posts)
read_post_with_latest_metrics = build_row_reader(
    PostWithLatestMetrics,
    (
        measured_posts.c.object_id,
        measured_posts.c.post_id,
        measured_posts.c.url,
        measured_posts.c.published_at,
        post_metrics.c.hours,
        post_metrics.c.metrics,
    ),
)
read_follower_count = build_row_reader(FollowerCountRow, (follower_counts.c.at, follower_counts.c.followers))


async def save_day_metrics(tx: Tx, owner_id: str, account_id: str, days: Mapping[date, MetricValues]) -> None:
    """Merge the values of some days into what is stored. Values that are missing now stay as they were."""
    if not days:
        return
    known = await list_day_metrics(tx, owner_id, account_id, DateRange(min(days), max(days)))
    rows = [
        {
            "owner_id": owner_id,
            "account_id": account_id,
            "day": day.isoformat(),
            "metrics": {**known.get(day, {}), **numbers},
            "updated_at": tx.now,
        }
        for day, numbers in days.items()
    ]
    insert = tx.build_upsert(insight_days)
    changed = {"metrics": insert.excluded.metrics, "updated_at": insert.excluded.updated_at}
    await tx.execute(insert.on_conflict_do_update(index_elements=["owner_id", "account_id", "day"], set_=changed), rows)


async def list_day_metrics(tx: Tx, owner_id: str, account_id: str, days: DateRange) -> dict[date, MetricValues]:
    statement = sa.select(insight_days.c.day, insight_days.c.metrics).where(
        insight_days.c.owner_id == owner_id,
        insight_days.c.account_id == account_id,
        insight_days.c.day.between(days.first.isoformat(), days.last.isoformat()),
    )
    return {date.fromisoformat(row.day): row.metrics for row in await tx.all(statement.order_by(insight_days.c.day))}


async def find_last_day_with_metrics(tx: Tx, owner_id: str, account_id: str) -> date | None:
    """Return the last day that has data."""
    statement = sa.select(sa.func.max(insight_days.c.day)).where(
        insight_days.c.owner_id == owner_id, insight_days.c.account_id == account_id
    )
    result = await tx.scalar(statement)
    return None if result is None else date.fromisoformat(result)


async def save_follower_counts(tx: Tx, owner_id: str, account_id: str, counts: Sequence[FollowerCountRow]) -> None:
    if counts:
        insert = tx.build_upsert(follower_counts)
        keys = ["owner_id", "account_id", "at"]
        write = insert.on_conflict_do_update(index_elements=keys, set_={"followers": insert.excluded.followers})
        ids = {"owner_id": owner_id, "account_id": account_id}
        await tx.execute(write, [{**ids, "at": count.at, "followers": count.followers} for count in counts])


async def list_follower_counts_between(
    tx: Tx, owner_id: str, account_id: str, since: datetime, until: datetime
) -> list[FollowerCountRow]:
    statement = sa.select(follower_counts.c.at, follower_counts.c.followers).where(
        follower_counts.c.owner_id == owner_id,
        follower_counts.c.account_id == account_id,
        follower_counts.c.at >= since,
        follower_counts.c.at < until,
    )
    return await tx.all_as(statement.order_by(follower_counts.c.at), read_follower_count)


async def list_account_ids(tx: Tx, owner_id: str, caller: Caller, profile_id: str | None, most: int) -> Sequence[str]:
    """List the accounts of a profile, or of all that the caller covers, those that were connected first first."""
    statement = sa.select(accounts.c.id).where(accounts.c.owner_id == owner_id, accounts.c.status != "disconnected")
    if caller.allowed_profile_ids is not None:
        statement = statement.where(accounts.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if profile_id is not None:
        statement = statement.where(accounts.c.profile_id == profile_id)
    return [row.id for row in await tx.all(statement.order_by(accounts.c.id).limit(most))]


async def list_counts_since(
    tx: Tx, owner_id: str, account_ids: Sequence[str], since: datetime
) -> list[tuple[str, datetime, int]]:
    """List the followers of accounts since a time, oldest first."""
    if not account_ids:
        return []
    statement = sa.select(follower_counts.c.account_id, follower_counts.c.at, follower_counts.c.followers).where(
        follower_counts.c.owner_id == owner_id,
        follower_counts.c.account_id.in_(account_ids),
        follower_counts.c.at >= since,
    )
    rows = await tx.all(statement.order_by(follower_counts.c.at))
    return [(row.account_id, row.at, row.followers) for row in rows]


async def list_metrics_of_days(
    tx: Tx, owner_id: str, account_ids: Sequence[str], days: DateRange
) -> list[tuple[str, date, MetricValues]]:
    """List the metrics of accounts on some days."""
    if not account_ids:
        return []
    statement = sa.select(insight_days.c.account_id, insight_days.c.day, insight_days.c.metrics).where(
        insight_days.c.owner_id == owner_id,
        insight_days.c.account_id.in_(account_ids),
        insight_days.c.day.between(days.first.isoformat(), days.last.isoformat()),
    )
    return [(row.account_id, date.fromisoformat(row.day), row.metrics) for row in await tx.all(statement)]


async def find_last_follower_count(tx: Tx, owner_id: str, account_id: str, before: datetime) -> FollowerCountRow | None:
    statement = sa.select(follower_counts.c.at, follower_counts.c.followers).where(
        follower_counts.c.owner_id == owner_id,
        follower_counts.c.account_id == account_id,
        follower_counts.c.at < before,
    )
    return await tx.first_as(statement.order_by(follower_counts.c.at.desc()).limit(1), read_follower_count)


async def insert_measured_post(tx: Tx, post: MeasuredPostRow) -> bool:
    """Store a post whose metrics will be read. False if it is already stored."""
    return await tx.execute_and_count(tx.build_insert_if_absent(measured_posts), msgspec.structs.asdict(post)) == 1


async def list_recent_object_ids(tx: Tx, owner_id: str, account_id: str, most: int) -> list[str]:
    rows = await tx.all(_SELECT_RECENT_OBJECT_IDS, {"owner": owner_id, "account": account_id, "most": most})
    return [row.object_id for row in rows]


_SELECT_RECENT_OBJECT_IDS = (
    sa.select(measured_posts.c.object_id)
    .where(measured_posts.c.owner_id == sa.bindparam("owner"), measured_posts.c.account_id == sa.bindparam("account"))
    .order_by(measured_posts.c.published_at.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)


async def list_posts_between(
    tx: Tx,
    owner_id: str,
    account_id: str,
    since: datetime,
    until: datetime,
    *,
    after: PostWithLatestMetrics | None,
    most: int,
) -> list[PostWithLatestMetrics]:
    """Return the posts published in a range with their latest metrics, a page at a time, the oldest first.

    An account can have tens of thousands of them, and to read them all at once would hold up every other request.
    """
    statement = sa.select(measured_posts).where(
        measured_posts.c.owner_id == owner_id,
        measured_posts.c.account_id == account_id,
        # With `since` on every page, SQLite searches from there, and each page takes longer than the one before.
        measured_posts.c.published_at >= (since if after is None else after.published_at),
        measured_posts.c.published_at < until,
    )
    order = (measured_posts.c.published_at, measured_posts.c.object_id)
    if after is not None:
        statement = statement.where(sa.tuple_(*order) > sa.tuple_(after.published_at, after.object_id))
    page = statement.order_by(*order).limit(most).subquery()
    shown = (page.c.object_id, page.c.post_id, page.c.url, page.c.published_at)
    latest = (_select_latest(page, post_metrics.c.hours), _select_latest(page, post_metrics.c.metrics))
    return await tx.all_as(
        sa.select(*shown, *latest).order_by(page.c.published_at, page.c.object_id), read_post_with_latest_metrics
    )


def _select_latest(page: sa.Subquery, column: sa.Column[Any]) -> sa.Label[Any]:
    """Look up a column of the latest metrics of each post on a page: by the primary key, on both engines."""
    same = [post_metrics.c[name] == page.c[name] for name in ("owner_id", "account_id", "object_id")]
    select = sa.select(column).where(*same).order_by(post_metrics.c.hours.desc()).limit(1)
    return select.scalar_subquery().label(column.name)


async def find_measured_posts(
    tx: Tx, owner_id: str, account_id: str, object_ids: Sequence[str]
) -> dict[str, MeasuredPostRow]:
    values = {"owner": owner_id, "account": account_id, "objects": object_ids}
    return {row.object_id: row for row in await tx.all_as(_SELECT_MEASURED_BY_IDS, read_measured_post, values)}


_SELECT_MEASURED_BY_IDS = sa.select(measured_posts).where(
    measured_posts.c.owner_id == sa.bindparam("owner"),
    measured_posts.c.account_id == sa.bindparam("account"),
    is_one_of(measured_posts.c.object_id, "objects"),
)


async def save_post_metrics(tx: Tx, post: MeasuredPostRow, hours: int, numbers: MetricValues) -> None:
    insert = tx.build_upsert(post_metrics)
    values: dict[str, Any] = {"taken_at": tx.now, "metrics": dict(numbers)}
    keys = {"owner_id": post.owner_id, "account_id": post.account_id, "object_id": post.object_id, "hours": hours}
    write = insert.values(**keys, **values).on_conflict_do_update(index_elements=list(keys), set_=values)
    await tx.execute(write)


async def purge_metrics_of_disconnected_accounts(tx: Tx, now: datetime) -> int:
    """Delete the data of accounts disconnected long ago: nobody can read it any more."""
    gone = sa.select(accounts.c.id).where(accounts.c.disconnected_at < now - _DISCONNECTED_RETENTION)
    removed = 0
    for table in (insight_days, follower_counts, measured_posts, post_metrics):
        removed += await tx.execute_and_count(sa.delete(table).where(table.c.account_id.in_(gone)))
    return removed
