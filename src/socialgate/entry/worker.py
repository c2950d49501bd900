"""The background worker: everything that areas run next to the API, and heartbeats."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from socialgate.core.db import Database
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.partitions import create_partitions
from socialgate.core.stalled_sessions import terminate_stalled_sessions
from socialgate.core.worker_heartbeats import HEARTBEAT_INTERVAL, delete_heartbeat, record_heartbeat
from socialgate.web.area import BackgroundWorker

_RESTART_DELAY_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Worker:
    def __init__(self, db: Database, background_workers: Sequence[BackgroundWorker]) -> None:
        self._db = db
        self._backgrounds = background_workers
        self.id = new_id("wrk")
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
        await self._send_heartbeat()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for background in self._backgrounds:
                group.create_task(self._run_with_restarts(background))
            group.create_task(self._send_heartbeats())
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

    async def _send_heartbeats(self) -> None:
        while not self._stopping.is_set():
            await self._send_heartbeat()
            await _run_guarded(self._end_stalled_sessions)
            try:
                async with asyncio.timeout(HEARTBEAT_INTERVAL.total_seconds()):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _end_stalled_sessions(self) -> None:
        """Not a job: the process that holds its lease may be the one that stopped."""
        await self._db.read(terminate_stalled_sessions)

    async def _send_heartbeat(self) -> None:
        await _run_guarded(lambda: self._db.write(record_heartbeat, self.id, self._started_at))


async def _run_guarded(job: Callable[[], Awaitable[None]]) -> None:
    """A failure must not stop the worker: it is logged and retried."""
    try:
        await job()
    except ServiceError as error:
        log.warning("worker_job_failed", code=error.code, detail=error.detail)
    except Exception:
        log.exception("worker_job_failed")
