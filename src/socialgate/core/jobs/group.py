"""Group commit: a commit costs the same for one row as for a hundred, so concurrent writes share one."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from socialgate.core.db import Database, Tx

T = TypeVar("T")
R = TypeVar("R")


class GroupCommit(Generic[T, R]):
    def __init__(
        self,
        db: Database,
        unit: Callable[[Tx, Sequence[T]], Awaitable[Sequence[R]]],
        *,
        most: int = 100,
        rest: float = 0.0,
    ) -> None:
        """Take the unit that writes many items and returns one result for each, in order.

        With a rest, in seconds, a commit waits that long after the previous one, so that more items share it.
        """
        self._db = db
        self._unit = unit
        self._most = most
        self._rest = rest
        self._rested_at = 0.0
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, item: T) -> R:
        """Return once the item is durable."""
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(max(0.0, self._rested_at - time.monotonic()))
                batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                await self._write_batch(batch)
                self._rested_at = time.monotonic() + self._rest
        finally:
            self._writing = None

    async def _write_batch(self, batch: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            results: Sequence[Any] = await self._db.write(self._unit, [item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is handed to everyone who waits
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
        else:
            for (_, done), result in zip(batch, results, strict=True):
                if not done.done():
                    done.set_result(result)
