"""Polls: each person of the sandbox chooses an option, one per hour, while the poll is open."""

from datetime import datetime, timedelta
from hashlib import sha256

from socialgate_sandbox.kernel.people import FOLLOWERS

OPEN = timedelta(days=1)


def votes(poll: str, made: datetime, now: datetime, choices: int) -> list[int]:
    """Count the votes for each option so far: a pure function of the poll and the time."""
    due = [person for hours, person in enumerate(FOLLOWERS, 1) if made + timedelta(hours=hours) <= now]
    chosen = [sha256(f"{poll} {person.key}".encode()).digest()[0] % choices for person in due]
    return [chosen.count(option) for option in range(choices)]
