"""Whether a late response is the customer's fault or ours: this process may be overloaded."""

import time
from collections.abc import Callable

# A faster response needs no more requests in flight.
_SLOW_MILLISECONDS = 25
# If this process is busy, a customer is slow only if the others are not. No response counts for more than this: a few
# that hang for seconds must not make all others look fast.
_SURELY_SLOW_MILLISECONDS = 250
_SLOWER_THAN_OTHERS = 4
# The number of responses whose mean is the usual duration.
_REMEMBERED = 64
_LOOK_EVERY_SECONDS = 0.1
# Share of one core: Python cannot use much more.
_BUSY = 0.8


class Headroom:
    def __init__(
        self, clock: Callable[[], float] = time.monotonic, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._clock, self._processor = clock, processor
        self._looked_at, self._used = clock(), processor()
        self._free = True
        self._usual: float | None = None

    def record(self, milliseconds: int) -> None:
        """Count a response: late ones are compared with what is usual."""
        counted = min(milliseconds, _SURELY_SLOW_MILLISECONDS)
        usual = counted if self._usual is None else self._usual
        self._usual = usual + (counted - usual) / _REMEMBERED

    def is_receiver_slow(self, milliseconds: int) -> bool:
        """Whether more requests in flight would help. Ask before the response itself is recorded."""
        if milliseconds < _SLOW_MILLISECONDS:
            return False
        usual = min(milliseconds, _SURELY_SLOW_MILLISECONDS) if self._usual is None else self._usual
        return self._is_free() or milliseconds >= max(_SURELY_SLOW_MILLISECONDS, _SLOWER_THAN_OTHERS * usual)

    def _is_free(self) -> bool:
        """Whether the process had time left when it was last measured, which is ten times a second at most."""
        elapsed = self._clock() - self._looked_at
        if elapsed >= _LOOK_EVERY_SECONDS:
            used = self._processor() - self._used
            self._free = used < _BUSY * elapsed
            self._looked_at, self._used = self._looked_at + elapsed, self._used + used
        return self._free
