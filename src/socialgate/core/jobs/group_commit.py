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
        max_batch_size: int = 100,
        min_interval_seconds: float = 0.0,
    ) -> None:
        """Take the unit that writes many items and returns one result for each, in order.

        With a rest, in seconds, a commit waits that long after the previous one, so that more items share it.
        """
        self._db = db
        self._unit = unit
        self._most = max_batch_size
        self._rest = min_interval_seconds
        self._next_commit_at = 0.0
        self._pending: list[tuple[T, asyncio.Future[R]]] = []
        self._writer_task: asyncio.Task[None] | None = None

    async def write(self, item: T) -> R:
        """Return once the item is durable."""
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._pending.append((item, done))
        if self._writer_task is None:
            self._writer_task = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        try:
            while self._pending:
                await asyncio.sleep(max(0.0, self._next_commit_at - time.monotonic()))
                batch, self._pending = self._pending[: self._most], self._pending[self._most :]
                await self._write_batch(batch)
                self._next_commit_at = time.monotonic() + self._rest
        finally:
            self._writer_task = None

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
