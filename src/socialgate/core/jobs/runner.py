"""Running the rows of a queue: as many at a time as there is capacity for, each held by its lease while it runs."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.leases import LeaseQueue, LeaseRenewer
from socialgate.core.jobs.poll_loop import PollLoop
from socialgate.core.jobs.queue import ClaimedRow

T = TypeVar("T")

log = structlog.get_logger(__name__)


class ClaimLost(Exception):
    """Another process took over the row, so nothing was written."""


class ClaimQueue(LeaseQueue[T], Protocol[T]):
    async def claim(self, tx: Tx, most: int) -> list[ClaimedRow[T]]:
        """Claim due rows."""

    async def next_due(self, tx: Tx) -> datetime | None:
        """Return when the next row is due."""


class QueueRunner(Generic[T]):
    def __init__(
        self,
        db: Database,
        queue: ClaimQueue[T],
        handle_row: Callable[[ClaimedRow[T]], Awaitable[None]],
        *,
        hint: str,
        max_concurrent: int = 100,
        max_claims_per_round: int = 50,
        poll_after_each_row: bool = False,
    ) -> None:
        """With `poll_after_each_row` the queue is polled again whenever a row finishes, because it holds rows back
        until then.
        """
        self._db = db
        self._queue = queue
        self._work = handle_row
        self._hint = hint
        self._at_once = max_concurrent
        self._batch = max_claims_per_round
        self._refill = poll_after_each_row
        self._running: set[asyncio.Task[None]] = set()
        self._leases = LeaseRenewer(db, queue)
        self._loop = PollLoop(db, hint, self._claim_and_start, queue.next_due)
        self.stopping = asyncio.Event()

    def stop(self) -> None:
        """Claim nothing new. Work in progress sees `stopping` and ends after its current step."""
        self.stopping.set()
        self._loop.stop()

    async def run(self) -> None:
        await self._loop.run()
        if self._running:
            await asyncio.wait(self._running)

    async def _claim_and_start(self) -> bool:
        room = min(self._batch, self._at_once - len(self._running))
        if room <= 0:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            return True
        claims = await self._db.write(self._queue.claim, room)
        for claimed in claims:
            task = asyncio.create_task(self._handle_guarded(claimed))
            self._running.add(task)
            task.add_done_callback(self._on_row_done)
        return len(claims) == room

    def _on_row_done(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if self._refill:
            self._loop.wake()

    async def _handle_guarded(self, claimed: ClaimedRow[T]) -> None:
        """An unexpected failure must not stop the other work: its row becomes due again when the lease expires."""
        try:
            with self._leases.keep_renewed(claimed):
                await self._work(claimed)
        except ClaimLost:
            log.info("claim_lost", work=self._hint, key=claimed.key)
        except ServiceError as error:
            log.warning("work_failed", work=self._hint, key=claimed.key, code=error.code, detail=error.detail)
        except Exception:
            log.exception("work_failed", work=self._hint, key=claimed.key)
