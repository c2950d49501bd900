"""Waiting out an outage of the database."""

import sqlite3
from collections.abc import Iterator

import asyncpg

from socialgate.core.errors import ServiceError

DATABASE_AWAY = (
    ServiceError,
    sqlite3.Error,
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    # What the driver stumbles over when a connection is lost while it is given back to the pool.
    asyncpg.InternalClientError,
)

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0


def backoff() -> Iterator[float]:
    """Give the seconds to wait between tries, without end."""
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(wait * 2, _LONGEST_WAIT)
