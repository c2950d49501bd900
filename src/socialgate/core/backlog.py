"""How much work is waiting, for the metrics: measured when somebody asks, and at most every ten seconds per process.

The statements use the indexes that the queues themselves use, and count up to a limit, so that they take milliseconds
however much has piled up.
"""

import asyncio
import time
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.core.db import DRIVER_ERRORS, Database, Tx, inline_literal
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.job_store import jobs
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import deliveries, hooks, lanes

MAX_COUNTED_ROWS = 100_000
_MAX_SCANNED_HOOKS = 10_000
_MEASUREMENT_CACHE_SECONDS = 10.0

log = structlog.get_logger(__name__)


class QueueDepth(msgspec.Struct, frozen=True):
    """How many rows are due, and since when the oldest one."""

    count: int
    oldest: datetime | None


class Backlog(msgspec.Struct, frozen=True):
    deliveries: QueueDepth
    posts: QueueDepth
    jobs: dict[str, QueueDepth]


class BacklogMonitor:
    """`targets` is the table of what is to be published."""

    def __init__(self, db: Database, metrics: Metrics, targets: sa.Table) -> None:
        self._db = db
        self._gauges = metrics.backlog
        self._targets = targets
        self._measured_at = -_MEASUREMENT_CACHE_SECONDS
        self._measuring = asyncio.Lock()

    async def refresh(self) -> None:
        """Measure again unless that was done a moment ago. Metrics are shown even if the database cannot be read."""
        async with self._measuring:
            if time.monotonic() < self._measured_at + _MEASUREMENT_CACHE_SECONDS:
                return
            try:
                self._update_gauges(await self._db.read(measure_backlog, self._targets), self._db.clock.now())
            except (ServiceError, *DRIVER_ERRORS) as error:
                log.warning("backlog_not_measured", reason=type(error).__name__)
                self._gauges.mark_unknown()
            self._measured_at = time.monotonic()

    def _update_gauges(self, waiting: Backlog, now: datetime) -> None:
        self._gauges.deliveries_pending.set(waiting.deliveries.count)
        self._gauges.oldest_delivery.set(_get_age_seconds(waiting.deliveries, now))
        self._gauges.posts_due.set(waiting.posts.count)
        self._gauges.oldest_post.set(_get_age_seconds(waiting.posts, now))
        self._gauges.jobs_due.clear()
        self._gauges.oldest_job.clear()
        for kind, depth in waiting.jobs.items():
            self._gauges.jobs_due.labels(kind).set(depth.count)
            self._gauges.oldest_job.labels(kind).set(_get_age_seconds(depth, now))


async def measure_backlog(tx: Tx, targets: sa.Table) -> Backlog:
    due_targets = _select_due_rows(targets, tx.now).subquery()
    due_jobs = _select_due_rows(jobs, tx.now, jobs.c.type).subquery()
    posts = await tx.one(sa.select(*_build_depth_columns(due_targets)))
    by_type = sa.select(due_jobs.c.type, *_build_depth_columns(due_jobs)).group_by(due_jobs.c.type)
    return Backlog(
        deliveries=QueueDepth(
            int(await tx.scalar(_COUNT_PENDING_DELIVERIES)), await tx.scalar(_SELECT_OLDEST_DELIVERY, {"now": tx.now})
        ),
        posts=QueueDepth(posts.due, posts.oldest),
        jobs={row.type: QueueDepth(row.due, row.oldest) for row in await tx.all(by_type)},
    )


def _build_depth_columns(rows: sa.Subquery) -> tuple[sa.Label[Any], sa.Label[Any]]:
    return sa.func.count().label("due"), sa.func.min(rows.c.due_at).label("oldest")


def _select_due_rows(table: sa.Table, now: datetime, *more: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return the due rows of a queue that nobody has claimed, oldest first, in the order of its index."""
    free = table.c.claim_until.is_(None) | (table.c.claim_until < now)
    select = sa.select(table.c.due_at, *more).where(table.c.due_at.is_not(None), table.c.due_at <= now, free)
    return select.order_by(table.c.due_at).limit(MAX_COUNTED_ROWS)


def _get_age_seconds(depth: QueueDepth, now: datetime) -> float:
    return 0.0 if depth.oldest is None else max(0.0, (now - depth.oldest).total_seconds())


def _build_pending_deliveries_query() -> sa.Select[Any]:
    pending: sa.Select[Any] = (
        sa.select(sa.literal_column("1"))
        .where(deliveries.c.status == inline_literal("pending"))
        .limit(MAX_COUNTED_ROWS)
    )
    return sa.select(sa.func.count()).select_from(pending.subquery())


def _build_oldest_delivery_query() -> sa.Select[Any]:
    """Leap from hook to hook through the index: the time depends on the number of hooks, not on that of deliveries."""
    pending = deliveries.c.status == inline_literal("pending")
    now = sa.bindparam("now", type_=deliveries.c.due_at.type)
    first = sa.select(deliveries.c.hook_id).where(pending).order_by(deliveries.c.hook_id).limit(1).subquery()
    leap = sa.select(first.c.hook_id).cte("leap", recursive=True)
    later = sa.select(deliveries.c.hook_id).where(pending, deliveries.c.hook_id > leap.c.hook_id)
    following = later.order_by(deliveries.c.hook_id).limit(1).scalar_subquery()
    leap = leap.union_all(sa.select(following).where(leap.c.hook_id.is_not(None)))
    of_hook = sa.select(deliveries.c.due_at).where(pending, deliveries.c.hook_id == leap.c.hook_id)
    oldest = of_hook.order_by(deliveries.c.due_at).limit(1).scalar_subquery()
    can_be_sent = sa.and_(
        hooks.c.active,
        hooks.c.deleted_at.is_(None),
        lanes.c.paused_until.is_(None) | (lanes.c.paused_until <= now),
    )
    lane = lanes.join(hooks, sa.and_(hooks.c.owner_id == lanes.c.owner_id, hooks.c.id == lanes.c.hook_id))
    each = (
        sa.select(oldest.label("due_at"))
        .select_from(leap.join(lane, lanes.c.hook_id == leap.c.hook_id))
        .where(can_be_sent)
        .limit(_MAX_SCANNED_HOOKS)
        .subquery()
    )
    return sa.select(sa.func.min(each.c.due_at)).where(each.c.due_at <= now)


_COUNT_PENDING_DELIVERIES = _build_pending_deliveries_query()
_SELECT_OLDEST_DELIVERY = _build_oldest_delivery_query()
