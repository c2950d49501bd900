"""Storing what platforms send, many requests in one commit.

A commit costs the same for one row and for a hundred. Whoever comes while one is under way waits for the next, which
takes all who have come by then: each is answered only after its own row is on the disk.
"""

import asyncio
import time

from socialgate.areas.inbound import store
from socialgate.areas.inbound.store import Arrived
from socialgate.core.db import Database, Tx

INBOUND = "inbound"
_MOST_AT_ONCE = 200
# Under load each commit waits so long for company. No platform notices.
_REST_SECONDS = 0.005


class Intake:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: list[tuple[Arrived, asyncio.Future[None]]] = []
        self._storing: asyncio.Task[None] | None = None
        self._rested_at = 0.0

    async def store(self, arrived: Arrived) -> None:
        """Return once it is stored durably."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((arrived, done))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_all())
        await done

    async def _store_all(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(max(0.0, self._rested_at - time.monotonic()))
                batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
                await self._store_batch(batch)
                self._rested_at = time.monotonic() + _REST_SECONDS
        finally:
            self._storing = None

    async def _store_batch(self, batch: list[tuple[Arrived, asyncio.Future[None]]]) -> None:
        try:
            await self._db.write(_insert, [arrived for arrived, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is handed to each who waits
            _finish(batch, error)
        else:
            _finish(batch, None)


def _finish(batch: list[tuple[Arrived, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, done in batch:
        if done.done():
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


async def _insert(tx: Tx, batch: list[Arrived]) -> None:
    await store.insert(tx, batch)
    tx.wake(INBOUND)
