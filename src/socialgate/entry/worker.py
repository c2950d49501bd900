"""The background worker: everything that areas run next to the API, and heartbeats."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta

import structlog

from socialgate.core.claims import end_claims, is_own, new_worker_id
from socialgate.core.db import Database
from socialgate.core.errors import ServiceError
from socialgate.core.partitions import create_partitions
from socialgate.core.stalled_sessions import terminate_stalled_sessions
from socialgate.core.table_statistics import analyze_new_tables
from socialgate.core.worker_heartbeats import (
    DEAD_AFTER,
    HEARTBEAT_INTERVAL,
    delete_heartbeat,
    list_dead_workers,
    record_heartbeat,
)
from socialgate.web.area import BackgroundWorker

_RESTART_DELAY_SECONDS = 1.0
_STALLED_CHECK_INTERVAL = timedelta(seconds=5)
_STATISTICS_CHECK_INTERVAL = timedelta(seconds=5)
# How long claims of a dead worker are looked for: some may be locked at first, or just being written.
_CLAIMS_REMAIN_SECONDS = 15.0

log = structlog.get_logger(__name__)


class Worker:
    def __init__(self, db: Database, background_workers: Sequence[BackgroundWorker]) -> None:
        self._db = db
        self._backgrounds = background_workers
        self.id = new_worker_id()
        self._heartbeat_at = self._steady_since = -math.inf
        # Since when other workers are known to be dead.
        self._dead_since: dict[str, float] = {}
        self._started_at = db.clock.now()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Finish work in progress and take nothing new."""
        self._stopping.set()
        for background in self._backgrounds:
            background.stop()
        log.info("worker_stopping")

    async def announce_start(self) -> None:
        """Send the first heartbeat, so that a health check right after the start finds a worker."""
        await _run_guarded(lambda: create_partitions(self._db))
        await _run_guarded(self._send_heartbeat)

    async def run(self) -> None:
        ended = asyncio.Event()
        async with asyncio.TaskGroup() as living:
            # Until the last work has ended, which others must not take over.
            living.create_task(_repeat(HEARTBEAT_INTERVAL, self._send_heartbeat, until=ended))
            async with asyncio.TaskGroup() as group:
                for background in self._backgrounds:
                    group.create_task(self._run_with_restarts(background))
                group.create_task(_repeat(HEARTBEAT_INTERVAL, self._take_over_from_dead, until=self._stopping))
                group.create_task(_repeat(_STALLED_CHECK_INTERVAL, self._end_stalled_sessions, until=self._stopping))
                group.create_task(_repeat(_STATISTICS_CHECK_INTERVAL, self._analyze_new_tables, until=self._stopping))
            ended.set()
        await _run_guarded(lambda: self._db.write(delete_heartbeat, self.id))

    async def _run_with_restarts(self, background: BackgroundWorker) -> None:
        """Restart after an unexpected failure: it must neither stop the others nor stay down."""
        while True:
            try:
                await background.run()
            except Exception:
                log.exception("background_failed", background=type(background).__name__)
            else:
                return
            if self._stopping.is_set():
                return
            await asyncio.sleep(_RESTART_DELAY_SECONDS)

    async def _end_stalled_sessions(self) -> None:
        """Not a job: the process that holds its lease may be the one that stopped."""
        await self._db.read(terminate_stalled_sessions)

    async def _analyze_new_tables(self) -> None:
        if names := await analyze_new_tables(self._db):
            log.info("new_tables_analyzed", tables=names)

    async def _send_heartbeat(self) -> None:
        await self._db.write(record_heartbeat, self.id, self._started_at)
        now = time.monotonic()
        if math.isfinite(self._heartbeat_at) and now - self._heartbeat_at > DEAD_AFTER.total_seconds() / 2:
            self._steady_since = now
        self._heartbeat_at = now

    async def _take_over_from_dead(self) -> None:
        """End the claims of workers that died, so that their work is taken up again without waiting for leases."""
        now = time.monotonic()
        if now - self._steady_since < DEAD_AFTER.total_seconds():
            # The database was unavailable, or this process was frozen: others may just be late, as this one was.
            return
        dead = {worker_id for worker_id in await self._db.read(list_dead_workers) if not is_own(worker_id)}
        self._dead_since = {worker_id: self._dead_since.get(worker_id, now) for worker_id in dead}
        recent = {worker_id for worker_id, since in self._dead_since.items() if now - since < _CLAIMS_REMAIN_SECONDS}
        if recent and (ended := await self._db.write(end_claims, recent)):
            log.warning("claims_taken_over", workers=sorted(recent), claims=ended)


async def _repeat(interval: timedelta, job: Callable[[], Awaitable[None]], *, until: asyncio.Event) -> None:
    while not until.is_set():
        await _run_guarded(job)
        with suppress(TimeoutError):
            async with asyncio.timeout(interval.total_seconds()):
                await until.wait()


async def _run_guarded(job: Callable[[], Awaitable[None]]) -> None:
    """A failure must not stop the worker: it is logged and retried."""
    try:
        await job()
    except ServiceError as error:
        log.warning("worker_job_failed", code=error.code, detail=error.detail)
    except Exception:
        log.exception("worker_job_failed")
