"""Turns at a scarce resource: a few at a time for each owner, and a limited number in total, in order of request.

Places are for callers that must not wait: if all are taken, they get an error at once.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class _OwnerQueue:
    """The turns of one owner, and how many of its callers have one or wait for one."""

    def __init__(self, max_per_owner: int) -> None:
        self.turns = asyncio.Semaphore(max_per_owner)
        self.callers = 0


class OwnerConcurrencyLimiter:
    """One owner never has more than `each` of the `total` turns, so it cannot make others wait by asking often."""

    def __init__(self, *, max_per_owner: int, max_total: int) -> None:
        self._each = max_per_owner
        self._total = asyncio.Semaphore(max_total)
        self._owner_queues: dict[str, _OwnerQueue] = {}

    def count_callers(self, owner_id: str) -> int:
        """Return how many callers of this owner have a turn or wait for one."""
        line = self._owner_queues.get(owner_id)
        return 0 if line is None else line.callers

    @asynccontextmanager
    async def acquire(self, owner_id: str) -> AsyncIterator[None]:
        line = self._owner_queues.setdefault(owner_id, _OwnerQueue(self._each))
        line.callers += 1
        try:
            # The owner's own queue comes first: a caller that waits there takes no place among those of other owners.
            async with line.turns, self._total:
                yield
        finally:
            line.callers -= 1
            if not line.callers:
                del self._owner_queues[owner_id]


class SlotCounter:
    """Counts places that are taken, in total and under the names they were taken for, such as a key and its owner."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def count_taken(self, name: str) -> int:
        return self._taken[name]

    def take_slot(self, *names: str) -> "ConcurrencySlot":
        """Take a place. Whether there is room is for the caller to check, immediately before."""
        self._total += 1
        self._taken.update(names)
        return ConcurrencySlot(self, names)

    def release_slot(self, names: tuple[str, ...]) -> None:
        self._total -= 1
        for name in names:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]


class ConcurrencySlot:
    """One place, given back once, however often it is closed."""

    def __init__(self, places: SlotCounter, names: tuple[str, ...]) -> None:
        self._places = places
        self._names: tuple[str, ...] | None = names

    def close(self) -> None:
        names, self._names = self._names, None
        if names is not None:
            self._places.release_slot(names)
