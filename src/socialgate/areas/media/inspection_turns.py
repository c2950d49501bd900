"""Turns at inspecting files, so that neither many files nor slow ones keep other owners waiting for long.

Each owner has one turn at a time. But a few owners whose files all take as long as they may would still fill every
turn, one after the other. So an owner with a slow file then waits for a turn among such owners, until a file was fast.
"""

import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from socialgate.core.concurrency import OwnerConcurrencyLimiter

_MAX_CONCURRENT_SLOW_FILES = 1
# So long an owner counts as slow, if no file of theirs shows otherwise.
_SLOW_SECONDS = 300.0
_MAX_SLOW_OWNERS = 1_000


class InspectionTurns:
    def __init__(self, *, max_concurrent: int, fast_seconds: float) -> None:
        """A file that takes `fast_seconds` is slow."""
        self._fast_seconds = fast_seconds
        self._turns = OwnerConcurrencyLimiter(max_per_owner=1, max_total=max_concurrent)
        self._slow_turns = OwnerConcurrencyLimiter(max_per_owner=1, max_total=_MAX_CONCURRENT_SLOW_FILES)
        # Until when.
        self._slow_owners: OrderedDict[str, float] = OrderedDict()

    def is_slow(self, owner_id: str) -> bool:
        return self._slow_owners.get(owner_id, 0.0) > time.monotonic()

    @asynccontextmanager
    async def acquire(self, owner_id: str, *, is_slow: bool) -> AsyncIterator[None]:
        """Wait for a turn. How long it takes decides about the next turn of the owner."""
        async with (self._slow_turns if is_slow else self._turns).acquire(owner_id):
            started_at = time.monotonic()
            try:
                yield
            finally:
                self._remember(owner_id, time.monotonic() - started_at)

    def _remember(self, owner_id: str, seconds: float) -> None:
        self._slow_owners.pop(owner_id, None)
        if seconds >= self._fast_seconds:
            self._slow_owners[owner_id] = time.monotonic() + _SLOW_SECONDS
            if len(self._slow_owners) > _MAX_SLOW_OWNERS:
                self._slow_owners.popitem(last=False)
