"""The time is always passed in as a clock."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the current time, always timezone-aware and in UTC."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
