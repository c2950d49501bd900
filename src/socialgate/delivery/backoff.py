"""Waiting out an outage of the database."""

from collections.abc import Iterator

from socialgate.core.db import DRIVER_ERRORS
from socialgate.core.errors import ServiceError

DATABASE_AWAY = (ServiceError, *DRIVER_ERRORS)

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0


def backoff() -> Iterator[float]:
    """Yield the seconds to wait between attempts, without end."""
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(wait * 2, _LONGEST_WAIT)
