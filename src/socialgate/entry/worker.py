"""The background worker: everything that areas run next to the API, and heartbeats."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from socialgate.core.db import Database
from socialgate.core.errors import ServiceError
from socialgate.core.ids import new_id
from socialgate.core.partitions import make_partitions
from socialgate.core.stalled import end_stalled
from socialgate.core.workers import BEAT_EVERY, beat, leave
from socialgate.web.area import Background

_BEGIN_AGAIN_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Worker:
    def __init__(self, db: Database, backgrounds: Sequence[Background]) -> None:
        self._db = db
        self._backgrounds = backgrounds
        self.id = new_id("wrk")
        self._started_at = db.clock.now()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Finish work in progress and take nothing new."""
        self._stopping.set()
        for background in self._backgrounds:
            background.stop()
        log.info("worker_stopping")

    async def begin(self) -> None:
        """Send the first heartbeat, so that a health check right after the start finds a worker."""
        await _guarded(lambda: make_partitions(self._db))
        await self._sign()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for background in self._backgrounds:
                group.create_task(self._kept_running(background))
            group.create_task(self._keep_signing())
        await _guarded(lambda: self._db.write(leave, self.id))

    async def _kept_running(self, background: Background) -> None:
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
            await asyncio.sleep(_BEGIN_AGAIN_SECONDS)

    async def _keep_signing(self) -> None:
        while not self._stopping.is_set():
            await self._sign()
            await _guarded(self._end_stalled)
            try:
                async with asyncio.timeout(BEAT_EVERY.total_seconds()):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _end_stalled(self) -> None:
        """Not a job: the process that holds its lease may be the one that stopped."""
        await self._db.read(end_stalled)

    async def _sign(self) -> None:
        await _guarded(lambda: self._db.write(beat, self.id, self._started_at))


async def _guarded(job: Callable[[], Awaitable[None]]) -> None:
    """A failure must not stop the worker: it is logged and retried."""
    try:
        await job()
    except ServiceError as error:
        log.warning("worker_job_failed", code=error.code, detail=error.detail)
    except Exception:
        log.exception("worker_job_failed")
