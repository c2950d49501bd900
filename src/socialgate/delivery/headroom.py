"""Whether this process has time left. Where it has none, an answer is late because of us and not of the customer."""

import time

_LOOK_EVERY_SECONDS = 0.1
# Of one core: Python cannot use much more.
_BUSY = 0.8


class Headroom:
    def __init__(self) -> None:
        self._looked_at, self._used = time.monotonic(), time.process_time()
        self._free = True

    def is_free(self) -> bool:
        elapsed = time.monotonic() - self._looked_at
        if elapsed >= _LOOK_EVERY_SECONDS:
            used = time.process_time() - self._used
            self._free = used < _BUSY * elapsed
            self._looked_at, self._used = self._looked_at + elapsed, self._used + used
        return self._free
