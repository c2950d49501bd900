"""When to retry after a failure. Pure: the randomness is an argument."""

from datetime import timedelta

import msgspec

from socialgate.core.jitter import get_random_jitter

_MAX_EXPONENT = 30


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff: `initial_delay`, then `factor` times as long with each attempt, at most `max_delay`.

    Jitter spreads attempts that failed together: a fraction of the delay that is added or subtracted.
    """

    initial_delay: timedelta
    max_delay: timedelta
    factor: float = 2.0
    jitter: float = 0.2

    def get_delay(
        self, tries: int, *, min_delay: timedelta | None = None, jitter_factor: float | None = None
    ) -> timedelta:
        """Return how long to wait after this many failures (0 after the first); never less than the platform asked for.

        `jitter_factor` is between -1 and 1; random by default.
        """
        pause = min(self.max_delay, self.initial_delay * self.factor ** min(tries, _MAX_EXPONENT))
        wait: timedelta = pause * (1 + self.jitter * (get_random_jitter() if jitter_factor is None else jitter_factor))
        return max(wait, min_delay or timedelta(0))
