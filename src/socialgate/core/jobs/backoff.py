"""When to try again after a failure. Pure: the randomness is an argument."""

from datetime import timedelta

import msgspec

from socialgate.core.jitter import jitter

_MOST_DOUBLINGS = 30


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff: `first`, then `factor` times as long with each try, never longer than `longest`.

    Jitter spreads tries that failed together: a share of the wait that is added or taken away.
    """

    first: timedelta
    longest: timedelta
    factor: float = 2.0
    jitter: float = 0.2

    def after(self, tries: int, *, at_least: timedelta | None = None, spread: float | None = None) -> timedelta:
        """Say how long to wait after so many failed tries (0 after the first); never less than the platform asked.

        `spread` is between -1 and 1; random unless a test says otherwise.
        """
        pause = min(self.longest, self.first * self.factor ** min(tries, _MOST_DOUBLINGS))
        wait: timedelta = pause * (1 + self.jitter * (jitter() if spread is None else spread))
        return max(wait, at_least or timedelta(0))
