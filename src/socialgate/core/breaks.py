"""Breaks in long work on the event loop, so that nobody waits for it.

Everything that one process does for its callers runs on one event loop. Work whose length depends on what somebody sent
asks for a break after each piece, however small: most of these calls only look at the clock.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

# Several pieces of work may be due at the same time, and each of them may take this long.
_MAX_SECONDS_BETWEEN_YIELDS = 0.005


class EventLoopYielder:
    def __init__(self) -> None:
        self._until = time.perf_counter() + _MAX_SECONDS_BETWEEN_YIELDS

    async def yield_if_due(self) -> None:
        """Let others run, if this work has had its time."""
        if time.perf_counter() >= self._until:
            await asyncio.sleep(0)
            self._until = time.perf_counter() + _MAX_SECONDS_BETWEEN_YIELDS


async def collect_yielding_to_event_loop(items: Iterable[T]) -> list[T]:
    """Return the items of a generator that computes each of them."""
    existing_items, breaks = list[T](), EventLoopYielder()
    for item in items:
        existing_items.append(item)
        await breaks.yield_if_due()
    return existing_items
