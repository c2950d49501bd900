"""A loop over work that is found in rows: woken by hints, and never asleep past the next due time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.wakeups import ALL_KEYS

# A lost hint delays work by at most this.
_MAX_SLEEP_SECONDS = 5.0
# Work that is due but not done belongs to another node or is blocked: look again, but not in a tight loop.
_MIN_SLEEP_SECONDS = 0.25

log = structlog.get_logger(__name__)


class PollLoop:
    def __init__(
        self,
        db: Database,
        hint: str,
        run_round: Callable[[], Awaitable[bool]],
        next_due: Callable[[Tx], Awaitable[datetime | None]],
        *,
        min_interval_seconds: float = 0.0,
    ) -> None:
        """Take the hint that wakes it, one round of the work (True if there may be more right away), and a function
        that returns when the next work is due.

        Many small pieces are cheaper in batches: with a rest, in seconds, work that arrives soon after a round is
        collected for the next one.
        """
        self._db = db
        self._hint = hint
        self._work = run_round
        self._next_due = next_due
        self._rest = min_interval_seconds
        self._wake_event = asyncio.Event()
        self._stopping = False

    def stop(self) -> None:
        """Finish the current round and start no other."""
        self._stopping = True
        self._wake_event.set()

    def wake(self) -> None:
        """Look again now."""
        self._wake_event.set()

    async def run(self) -> None:
        leave = self._db.wakeups.subscribe(self._on_wakeup)
        try:
            while not self._stopping:
                self._wake_event.clear()
                if not await self._run_guarded_round():
                    rested_at = time.monotonic() + self._rest
                    await self._sleep_until_due()
                    await asyncio.sleep(max(0.0, rested_at - time.monotonic()))
        finally:
            leave()

    def _on_wakeup(self, keys: frozenset[str]) -> None:
        if self._hint in keys or ALL_KEYS in keys:
            self._wake_event.set()

    async def _run_guarded_round(self) -> bool:
        """A failed round must not stop the worker: the rows it claimed become due again when their leases expire."""
        try:
            return await self._work()
        except ServiceError as error:
            log.warning("round_failed", work=self._hint, code=error.code, detail=error.detail)
        except Exception:
            log.exception("round_failed", work=self._hint)
        return False

    async def _sleep_until_due(self) -> None:
        try:
            async with asyncio.timeout(await self._get_sleep_seconds()):
                await self._wake_event.wait()
        except TimeoutError:
            return

    async def _get_sleep_seconds(self) -> float:
        try:
            due = await self._db.read(self._next_due)
        except ServiceError:
            due = None
        if due is None:
            return _MAX_SLEEP_SECONDS
        until_due = (due - self._db.clock.now()).total_seconds()
        return min(_MAX_SLEEP_SECONDS, max(_MIN_SLEEP_SECONDS, until_due))
