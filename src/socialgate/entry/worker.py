"""The background worker: delivering events, signs of life, and removing what has expired."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from socialgate.areas.accounts.jobs import Care
from socialgate.areas.accounts.store import purge_states
from socialgate.areas.identity.store import purge_sessions
from socialgate.areas.inbound.jobs import InboundWorker
from socialgate.areas.inbound.store import purge_facts
from socialgate.areas.media.service import Library
from socialgate.areas.posts.engine import Publisher
from socialgate.areas.posts.ledger import Ledger
from socialgate.areas.posts.run import Means
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import purge_deleted_hooks
from socialgate.core.partitions import drop_before, make_partitions
from socialgate.core.pauses import purge_pauses
from socialgate.core.secrets import Keyring
from socialgate.core.settings import Settings
from socialgate.core.workers import BEAT_EVERY, beat, leave, purge_workers
from socialgate.delivery.send import Sender
from socialgate.delivery.store import LaneStore
from socialgate.delivery.store_postgres import PostgresLanes
from socialgate.delivery.store_sqlite import SqliteLanes
from socialgate.delivery.worker import Engine
from socialgate.entry.outgoing import Outgoing
from socialgate.entry.platforms import Platforms
from socialgate.web.idempotency import purge_idempotency_keys
from socialgate.web.limits import purge_rate_windows

PURGE_EVERY = timedelta(minutes=10)
INBOUND_KEPT = timedelta(days=7)

Purge = Callable[[Tx, datetime], Awaitable[int]]
PURGES: dict[str, Purge] = {
    "connect_states": purge_states,
    "idempotency_keys": purge_idempotency_keys,
    "inbound_facts": purge_facts,
    "pauses": purge_pauses,
    "rate_windows": purge_rate_windows,
    "sessions": purge_sessions,
    "workers": purge_workers,
}

log = structlog.get_logger(__name__)


class Job(Protocol):
    """Something that runs until it is told to stop, and then finishes what it is doing."""

    def run(self) -> Coroutine[Any, Any, None]: ...

    def stop(self) -> None: ...


class Worker:
    def __init__(self, db: Database, metrics: Metrics, jobs: Sequence[Job], kept: timedelta, library: Library) -> None:
        self._db = db
        self._library = library
        self._metrics = metrics
        self._jobs = jobs
        self._kept = kept
        self._id = new_id("wrk")
        self._started_at = db.clock.now()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Finish what is in flight and take nothing new."""
        self._stopping.set()
        for job in self._jobs:
            job.stop()
        log.info("worker_stopping")

    async def begin(self) -> None:
        """Give the first sign of life, so that nobody who asks at once is told that no worker runs."""
        await self._guarded(lambda: self._db.write(make_partitions))
        await self._guarded(self._beat)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for job in self._jobs:
                group.create_task(job.run())
            group.create_task(self._every(BEAT_EVERY, self._beat))
            group.create_task(self._every(PURGE_EVERY, self._purge))
        await self._guarded(lambda: self._db.write(leave, self._id))

    async def _beat(self) -> None:
        await self._db.write(beat, self._id, self._started_at)

    async def _every(self, interval: timedelta, job: Callable[[], Awaitable[None]]) -> None:
        while not self._stopping.is_set():
            await self._guarded(job)
            try:
                async with asyncio.timeout(interval.total_seconds()):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _guarded(self, job: Callable[[], Awaitable[None]]) -> None:
        """A job that fails must not end the worker: it says so and tries again."""
        try:
            await job()
        except ServiceError as error:
            log.warning("worker_job_failed", code=error.code, detail=error.detail)
        except Exception:
            log.exception("worker_job_failed")

    async def _purge(self) -> None:
        for table, purge in PURGES.items():
            removed = await self._db.write(purge, self._db.clock.now())
            self._metrics.maintenance_rows.labels(table).inc(removed)
        await self._db.write(make_partitions)
        removed = await self._db.write(purge_deleted_hooks, self._db.clock.now() - self._kept - timedelta(days=7))
        self._metrics.maintenance_rows.labels("hooks").inc(removed)
        await self._drop(("events", "deliveries"), self._kept)
        await self._drop(("inbound",), INBOUND_KEPT)
        while removed := await self._library.purge():
            self._metrics.maintenance_rows.labels("media").inc(removed)

    async def _drop(self, tables: Sequence[str], kept: timedelta) -> None:
        while dropped := await self._db.write(drop_before, self._db.clock.now() - kept, tables):
            self._metrics.maintenance_rows.labels(" and ".join(tables)).inc(dropped)


def build_worker(
    settings: Settings,
    db: Database,
    metrics: Metrics,
    keyring: Keyring,
    outgoing: Outgoing,
    platforms: Platforms,
    library: Library,
) -> Worker:
    store: LaneStore = (
        SqliteLanes(settings.sqlite_path, db.writing)
        if settings.database_url is None
        else PostgresLanes(settings.database_url)
    )
    engine = Engine(
        store=store,
        sender=Sender(outgoing.door, db.clock, settings.hook_deadline_seconds),
        keyring=keyring,
        wakeups=db.wakeups,
        clock=db.clock,
        metrics=metrics,
        schedule=outgoing.schedule,
        lease=timedelta(seconds=settings.hook_lease_seconds),
    )
    care = Care(db, platforms.keeper, platforms.health, platforms.subscriber)
    inbound = InboundWorker(db, platforms.catalogue, platforms.life, metrics)
    means = Means(
        db=db,
        keeper=platforms.keeper,
        life=platforms.life,
        library=library,
        ledger=Ledger(db),
        keyring=keyring,
    )
    publisher = Publisher(means)
    jobs: list[Job] = [engine, care, inbound, publisher]
    return Worker(db, metrics, jobs, timedelta(days=settings.retention_days), library)
