"""Waiting out an outage."""

from collections.abc import Iterator

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0


def backoff() -> Iterator[float]:
    """Yield the seconds to wait between attempts, without end."""
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(wait * 2, _LONGEST_WAIT)
