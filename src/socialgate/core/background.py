"""Work that goes on when whoever began it has gone, and that somebody waits for before the process ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundTasks:
    def __init__(self) -> None:
        # The loop itself holds tasks by weak references only.
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, job: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(job)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def finish(self) -> None:
        """Wait until all have come to their end, whatever that is."""
        while self._running:
            await asyncio.wait(self._running)

    async def give_up(self) -> None:
        """End all of them now."""
        for task in self._running:
            task.cancel()
        await self.finish()
