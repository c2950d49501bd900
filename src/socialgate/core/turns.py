"""Turns at a scarce resource: a few at a time for each owner, and a limited number in total, in order of request.

Places are for those who must not wait: whoever finds them all taken is told so at once.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class _Line:
    """The turns of one owner, and how many of its callers have one or wait for one."""

    def __init__(self, each: int) -> None:
        self.turns = asyncio.Semaphore(each)
        self.callers = 0


class Turns:
    """One owner never has more than `each` of the `total` turns, so it cannot make others wait by asking often."""

    def __init__(self, *, each: int, total: int) -> None:
        self._each = each
        self._total = asyncio.Semaphore(total)
        self._lines: dict[str, _Line] = {}

    def asked_by(self, owner_id: str) -> int:
        """Return how many callers of this owner have a turn or wait for one."""
        line = self._lines.get(owner_id)
        return 0 if line is None else line.callers

    @asynccontextmanager
    async def turn(self, owner_id: str) -> AsyncIterator[None]:
        line = self._lines.setdefault(owner_id, _Line(self._each))
        line.callers += 1
        try:
            # The owner's own queue comes first: a caller that waits there takes no place among those of other owners.
            async with line.turns, self._total:
                yield
        finally:
            line.callers -= 1
            if not line.callers:
                del self._lines[owner_id]


class Places:
    """Counts places that are taken, in total and under the names they were taken for, such as a key and its owner."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def taken_by(self, name: str) -> int:
        return self._taken[name]

    def take(self, *names: str) -> "Place":
        """Take a place. Whether there is room is for the caller to check, immediately before."""
        self._total += 1
        self._taken.update(names)
        return Place(self, names)

    def give_back(self, names: tuple[str, ...]) -> None:
        self._total -= 1
        for name in names:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]


class Place:
    """One place, given back once, however often it is closed."""

    def __init__(self, places: Places, names: tuple[str, ...]) -> None:
        self._places = places
        self._names: tuple[str, ...] | None = names

    def close(self) -> None:
        names, self._names = self._names, None
        if names is not None:
            self._places.give_back(names)
