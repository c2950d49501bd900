"""A loop over work that is found in rows: woken by hints, and never asleep past the next due time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.wakeups import ANYTHING

# A lost hint delays work by at most this.
_LONGEST_SLEEP_SECONDS = 5.0
# Work that is due but not done belongs to another node or is blocked: look again, but not in a tight loop.
_SHORTEST_SLEEP_SECONDS = 0.25

log = structlog.get_logger(__name__)


class PollLoop:
    def __init__(
        self,
        db: Database,
        hint: str,
        work: Callable[[], Awaitable[bool]],
        next_due: Callable[[Tx], Awaitable[datetime | None]],
        *,
        rest: float = 0.0,
    ) -> None:
        """Take the hint that wakes it, one round of the work (True if there may be more right away), and a function
        that returns when the next work is due.

        Many small pieces are cheaper in batches: with a rest, in seconds, work that arrives soon after a round is
        collected for the next one.
        """
        self._db = db
        self._hint = hint
        self._work = work
        self._next_due = next_due
        self._rest = rest
        self._woken = asyncio.Event()
        self._stopping = False

    def stop(self) -> None:
        """Finish the current round and start no other."""
        self._stopping = True
        self._woken.set()

    def wake(self) -> None:
        """Look again now."""
        self._woken.set()

    async def run(self) -> None:
        leave = self._db.wakeups.listen(self._hear)
        try:
            while not self._stopping:
                self._woken.clear()
                if not await self._round():
                    rested_at = time.monotonic() + self._rest
                    await self._sleep()
                    await asyncio.sleep(max(0.0, rested_at - time.monotonic()))
        finally:
            leave()

    def _hear(self, keys: frozenset[str]) -> None:
        if self._hint in keys or ANYTHING in keys:
            self._woken.set()

    async def _round(self) -> bool:
        """A failed round must not stop the worker: the rows it claimed become due again when their leases expire."""
        try:
            return await self._work()
        except ServiceError as error:
            log.warning("round_failed", work=self._hint, code=error.code, detail=error.detail)
        except Exception:
            log.exception("round_failed", work=self._hint)
        return False

    async def _sleep(self) -> None:
        try:
            async with asyncio.timeout(await self._pause()):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _pause(self) -> float:
        try:
            due = await self._db.read(self._next_due)
        except ServiceError:
            due = None
        if due is None:
            return _LONGEST_SLEEP_SECONDS
        until_due = (due - self._db.clock.now()).total_seconds()
        return min(_LONGEST_SLEEP_SECONDS, max(_SHORTEST_SLEEP_SECONDS, until_due))
