"""The time, as an argument: whoever needs it is handed a clock."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Tell the time, always aware and in UTC."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
