"""Waiting out an outage."""

from collections.abc import Iterator

_INITIAL_DELAY_SECONDS = 0.1
_MAX_DELAY_SECONDS = 2.0


def iterate_outage_delays() -> Iterator[float]:
    """Yield the seconds to wait between attempts, without end."""
    wait = _INITIAL_DELAY_SECONDS
    while True:
        yield wait
        wait = min(wait * 2, _MAX_DELAY_SECONDS)
