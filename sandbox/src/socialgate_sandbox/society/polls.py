"""Polls: each person of the sandbox chooses an option, one per hour, while the poll is open."""

from datetime import datetime, timedelta
from hashlib import sha256

from socialgate_sandbox.kernel.people import FOLLOWERS

OPEN_DURATION = timedelta(days=1)


def count_votes(poll: str, created_at: datetime, now: datetime, option_count: int) -> list[int]:
    """Count the votes for each option so far: a pure function of the poll and the time."""
    due = [person for hours, person in enumerate(FOLLOWERS, 1) if created_at + timedelta(hours=hours) <= now]
    chosen = [sha256(f"{poll} {person.key}".encode()).digest()[0] % option_count for person in due]
    return [chosen.count(option) for option in range(option_count)]
