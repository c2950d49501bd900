"""When to retry after a failure. Pure: the randomness is an argument."""

from datetime import timedelta

import msgspec

from socialgate.core.jitter import jitter

_MOST_DOUBLINGS = 30


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff: `first`, then `factor` times as long with each attempt, at most `longest`.

    Jitter spreads attempts that failed together: a fraction of the delay that is added or subtracted.
    """

    first: timedelta
    longest: timedelta
    factor: float = 2.0
    jitter: float = 0.2

    def after(self, tries: int, *, at_least: timedelta | None = None, spread: float | None = None) -> timedelta:
        """Return how long to wait after this many failures (0 after the first); never less than the platform asked for.

        `spread` is between -1 and 1; random by default.
        """
        pause = min(self.longest, self.first * self.factor ** min(tries, _MOST_DOUBLINGS))
        wait: timedelta = pause * (1 + self.jitter * (jitter() if spread is None else spread))
        return max(wait, at_least or timedelta(0))
