"""Whether a late response is the customer's fault or ours: this process may be overloaded."""

import time
from collections.abc import Callable
from pathlib import Path

# A faster response needs no more requests in flight.
_SLOW_MILLISECONDS = 25
# If this process is busy, a customer is slow only if the others are not. No response counts for more than this: a few
# that hang for seconds must not make all others look fast.
_MAX_COUNTED_MILLISECONDS = 250
_SLOW_FACTOR = 4
# The number of responses whose mean is the usual duration.
_MEAN_SAMPLES = 64
_CPU_CHECK_INTERVAL_SECONDS = 0.1
# Share of one core: Python cannot use much more.
_BUSY_CPU_SHARE = 0.8
_SCHEDULER_FILE = Path("/proc/self/schedstat")
_NANOSECONDS = 1e9


def get_busy_seconds() -> float:
    """Return how long this process has used a core, or waited for one that others had."""
    return time.process_time() + _get_waited_seconds()


def _get_waited_seconds() -> float:
    """How long the main thread, which has the event loop, could have run but did not. Only Linux says that."""
    try:
        return int(_SCHEDULER_FILE.read_text("ascii").split()[1]) / _NANOSECONDS
    except (OSError, IndexError, ValueError):
        return 0.0


class SlownessDetector:
    def __init__(
        self, clock: Callable[[], float] = time.monotonic, processor: Callable[[], float] = get_busy_seconds
    ) -> None:
        self._clock, self._processor = clock, processor
        self._looked_at, self._used = clock(), processor()
        self._has_spare_cpu = True
        self._mean_milliseconds: float | None = None

    def record(self, milliseconds: int) -> None:
        """Count a response: late ones are compared with what is usual."""
        counted = min(milliseconds, _MAX_COUNTED_MILLISECONDS)
        usual = counted if self._mean_milliseconds is None else self._mean_milliseconds
        self._mean_milliseconds = usual + (counted - usual) / _MEAN_SAMPLES

    def is_receiver_slow(self, milliseconds: int) -> bool:
        """Whether more requests in flight would help. Ask before the response itself is recorded."""
        if milliseconds < _SLOW_MILLISECONDS:
            return False
        usual = (
            min(milliseconds, _MAX_COUNTED_MILLISECONDS) if self._mean_milliseconds is None else self._mean_milliseconds
        )
        return self._check_spare_cpu() or milliseconds >= max(_MAX_COUNTED_MILLISECONDS, _SLOW_FACTOR * usual)

    def _check_spare_cpu(self) -> bool:
        """Whether the process had time left when it was last measured, which is ten times a second at most."""
        elapsed = self._clock() - self._looked_at
        if elapsed >= _CPU_CHECK_INTERVAL_SECONDS:
            used = self._processor() - self._used
            self._has_spare_cpu = used < _BUSY_CPU_SHARE * elapsed
            self._looked_at, self._used = self._looked_at + elapsed, self._used + used
        return self._has_spare_cpu
