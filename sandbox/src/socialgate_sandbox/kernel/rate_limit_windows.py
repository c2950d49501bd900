"""Sliding windows for limits of a number of calls per time. Held in memory: a restart resets them."""

from collections import deque


class RateLimitWindows:
    def __init__(self) -> None:
        self._uses: dict[str, deque[float]] = {}

    def try_use(self, name: str, max_uses: int, seconds: float, now: float) -> bool:
        """Count a use at this time, unless there were too many recently."""
        uses = self._uses.setdefault(name, deque())
        # After the clock was moved back, there may be uses in the future.
        while uses and not now - seconds < uses[0] <= now:
            uses.popleft()
        if len(uses) >= max_uses:
            return False
        uses.append(now)
        return True

    def count_uses(self, name: str, seconds: float, now: float) -> int:
        """Return how many uses there were recently."""
        return sum(now - seconds < use <= now for use in self._uses.get(name, ()))

    def clear(self) -> None:
        """Delete all uses."""
        self._uses.clear()
