"""The sandbox's clock: the machine's time plus an offset that can be set.

Anything that becomes ready after a while is computed from this clock when it is read (`clock.since(video.created_at) >
5`), never by sleeping, so a test can make a token two months old instantly.
"""

from datetime import UTC, datetime, timedelta

from socialgate_sandbox.kernel.store import Store, StoredObject


class ClockOffset(StoredObject):
    seconds: float = 0.0


class SandboxClock:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._offset = store.get(ClockOffset, "clock") or ClockOffset(id="clock")

    @property
    def offset(self) -> float:
        return self._offset.seconds

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self._offset.seconds)

    def get_unix_time(self) -> float:
        """Return the Unix time, which most vendors use."""
        return self.now().timestamp()

    def get_seconds_since(self, start_time: datetime) -> float:
        """Return the seconds that have passed."""
        return (self.now() - start_time).total_seconds()

    def compute_offset_for(self, time: datetime) -> float:
        """Return the offset, in seconds, at which this clock would show that moment."""
        return (time - datetime.now(UTC)).total_seconds()

    def advance(self, seconds: float) -> None:
        self._store_offset(self._offset.seconds + seconds)

    def reset(self) -> None:
        self._store_offset(0.0)

    def _store_offset(self, seconds: float) -> None:
        self._offset.seconds = seconds
        self._store.put(self._offset)
