"""Sliding windows for limits of so many calls in so many seconds. Held in memory: a restart opens them."""

from collections import deque


class Windows:
    def __init__(self) -> None:
        self._uses: dict[str, deque[float]] = {}

    def allow(self, name: str, most: int, seconds: float, now: float) -> bool:
        """Count a use at this time, unless there were too many of late."""
        uses = self._uses.setdefault(name, deque())
        # A clock that was moved back leaves uses that lie in the future.
        while uses and not now - seconds < uses[0] <= now:
            uses.popleft()
        if len(uses) >= most:
            return False
        uses.append(now)
        return True

    def clear(self) -> None:
        """Forget all uses."""
        self._uses.clear()
