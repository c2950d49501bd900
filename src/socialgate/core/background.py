"""Tasks that outlive the code that started them, and that the process waits for before it exits."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundTasks:
    def __init__(self) -> None:
        # The event loop itself only holds weak references to tasks.
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def wait_all(self) -> None:
        """Wait until all tasks have finished, failed or not."""
        while self._running:
            await asyncio.wait(self._running)

    async def cancel_all(self) -> None:
        """Cancel all tasks now."""
        for task in self._running:
            task.cancel()
        await self.wait_all()
