"""Reading for several lanes in one statement: most of the cost of a small read is that of a statement.

A lane that comes while nothing is read is read at once, alone. Those that come meanwhile share the next statement,
which starts when the previous one ends: the more there is to do, the more of them share one. None waits for long, so a
statement that hangs delays no other lane.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

# More is read by a statement of its own.
MAX_ROWS_PER_LANE = 8
_MAX_LANES_PER_STATEMENT = 16
# How long a lane waits for the statement before.
_MAX_WAIT_SECONDS = 0.005


class LaneRead(msgspec.Struct, frozen=True, gc=False):
    """What a lane asks for: the deliveries that are due after a place in its order."""

    hook_id: str
    claim_id: str
    now: datetime
    due_after: datetime
    id_after: str
    limit: int


class SharedReads:
    def __init__(self, fetch: Callable[[Sequence[LaneRead]], Awaitable[dict[str, Any]]]) -> None:
        """`fetch` returns a row for each hook whose claim holds."""
        self._fetch = fetch
        self._in_flight = 0
        self._waiting: list[tuple[LaneRead, asyncio.Future[Any]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, read: LaneRead) -> Any:
        """Return the row of the lane, or None if its claim is lost."""
        if not self._in_flight:
            return (await self._fetch_and_go_on([read])).get(read.hook_id)
        loop = asyncio.get_running_loop()
        row: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((read, row))
        if self._timer is None:
            self._timer = loop.call_later(_MAX_WAIT_SECONDS, self._read_waiting)
        return await row

    async def _fetch_and_go_on(self, reads: Sequence[LaneRead]) -> dict[str, Any]:
        self._in_flight += 1
        try:
            return await self._fetch(reads)
        finally:
            self._in_flight -= 1
            self._read_waiting()

    def _read_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            batch = self._waiting[:_MAX_LANES_PER_STATEMENT]
            del self._waiting[:_MAX_LANES_PER_STATEMENT]
            task = asyncio.create_task(self._read_batch(batch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _read_batch(self, batch: Sequence[tuple[LaneRead, "asyncio.Future[Any]"]]) -> None:
        try:
            rows = await self._fetch_and_go_on([read for read, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is raised where each of them waits
            for _, row in batch:
                if not row.done():
                    row.set_exception(error)
        else:
            for read, row in batch:
                if not row.done():
                    row.set_result(rows.get(read.hook_id))
