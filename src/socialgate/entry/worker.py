"""The background worker: signs of life, and removing what has expired."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from socialgate.areas.identity.store import purge_sessions
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.core.workers import BEAT_EVERY, beat, leave, purge_workers
from socialgate.web.idempotency import purge_idempotency_keys
from socialgate.web.limits import purge_rate_windows

PURGE_EVERY = timedelta(minutes=10)

Purge = Callable[[Tx, datetime], Awaitable[int]]
PURGES: dict[str, Purge] = {
    "idempotency_keys": purge_idempotency_keys,
    "rate_windows": purge_rate_windows,
    "sessions": purge_sessions,
    "workers": purge_workers,
}

log = structlog.get_logger(__name__)


class Worker:
    def __init__(self, db: Database, metrics: Metrics) -> None:
        self._db = db
        self._metrics = metrics
        self._id = new_id("wrk")
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Finish what is in flight and take nothing new."""
        self._stopping.set()

    async def run(self) -> None:
        started_at = self._db.clock.now()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._every(BEAT_EVERY, lambda: self._db.write(beat, self._id, started_at)))
            group.create_task(self._every(PURGE_EVERY, self._purge))
        await self._guarded(lambda: self._db.write(leave, self._id))

    async def _every(self, interval: timedelta, job: Callable[[], Awaitable[None]]) -> None:
        while not self._stopping.is_set():
            await self._guarded(job)
            try:
                async with asyncio.timeout(interval.total_seconds()):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _guarded(self, job: Callable[[], Awaitable[None]]) -> None:
        """A database that is away must not end the worker: it says so and tries again."""
        try:
            await job()
        except ServiceError as error:
            log.warning("worker_job_failed", code=error.code, detail=error.detail)

    async def _purge(self) -> None:
        for table, purge in PURGES.items():
            removed = await self._db.write(purge, self._db.clock.now())
            self._metrics.maintenance_rows.labels(table).inc(removed)
