"""Running the rows of a queue: as many at a time as there is capacity for, each held by its lease while it runs."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.leases import Leases, Renewable
from socialgate.core.jobs.loop import PollLoop
from socialgate.core.jobs.queue import Claimed

T = TypeVar("T")

log = structlog.get_logger(__name__)


class ClaimLost(Exception):
    """Another process took over the row, so nothing was written."""


class Queue(Renewable[T], Protocol[T]):
    async def claim(self, tx: Tx, most: int) -> list[Claimed[T]]:
        """Claim due rows."""

    async def next_due(self, tx: Tx) -> datetime | None:
        """Return when the next row is due."""


class Runner(Generic[T]):
    def __init__(
        self,
        db: Database,
        queue: Queue[T],
        work: Callable[[Claimed[T]], Awaitable[None]],
        *,
        hint: str,
        at_once: int = 100,
        batch: int = 50,
        refill: bool = False,
    ) -> None:
        """With `refill` the queue is polled again whenever a row finishes, because it holds rows back until then."""
        self._db = db
        self._queue = queue
        self._work = work
        self._hint = hint
        self._at_once = at_once
        self._batch = batch
        self._refill = refill
        self._running: set[asyncio.Task[None]] = set()
        self._leases = Leases(db, queue)
        self._loop = PollLoop(db, hint, self._round, queue.next_due)
        self.stopping = asyncio.Event()

    def stop(self) -> None:
        """Claim nothing new. Work in progress sees `stopping` and ends after its current step."""
        self.stopping.set()
        self._loop.stop()

    async def run(self) -> None:
        await self._loop.run()
        if self._running:
            await asyncio.wait(self._running)

    async def _round(self) -> bool:
        room = min(self._batch, self._at_once - len(self._running))
        if room <= 0:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            return True
        claims = await self._db.write(self._queue.claim, room)
        for claimed in claims:
            task = asyncio.create_task(self._guarded(claimed))
            self._running.add(task)
            task.add_done_callback(self._finished)
        return len(claims) == room

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if self._refill:
            self._loop.wake()

    async def _guarded(self, claimed: Claimed[T]) -> None:
        """An unexpected failure must not stop the other work: its row becomes due again when the lease expires."""
        try:
            with self._leases.held(claimed):
                await self._work(claimed)
        except ClaimLost:
            log.info("claim_lost", work=self._hint, key=claimed.key)
        except ServiceError as error:
            log.warning("work_failed", work=self._hint, key=claimed.key, code=error.code, detail=error.detail)
        except Exception:
            log.exception("work_failed", work=self._hint, key=claimed.key)
