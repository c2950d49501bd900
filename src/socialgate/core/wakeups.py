"""Telling sleeping workers and streams that something was committed, on this node and on the others.

It is a hint and nothing more: whoever sleeps also looks by itself now and then, so a hint that is lost with its
process delays work by a second and never loses it. Hints are sent after the commit and many at once, because a
NOTIFY inside a transaction makes PostgreSQL commit one after the other.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import asyncpg
import structlog

CHANNEL = "socialgate"
ANYTHING = "*"
_LONGEST_PAYLOAD = 7900
_RECONNECT_SECONDS = 1.0
# What a connection that is lost can end in. The last one is the driver itself stumbling over it.
_LOST = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

Listener = Callable[[frozenset[str]], None]

log = structlog.get_logger(__name__)


class Wakeups:
    """Hands keys (a hook's id, an owner's id) to whoever listens."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._outgoing: set[str] = set()
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of keys. Calling what is returned ends it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def publish(self, keys: Iterable[str]) -> None:
        """Tell this node at once, and the others with the next batch."""
        told = frozenset(keys)
        self._tell(told)
        if self._tasks:
            self._outgoing |= told
            self._news.set()

    def connect(self, dsn: str) -> None:
        """Join the other nodes of a deployment on one PostgreSQL."""
        self._tasks = [asyncio.create_task(self._send(dsn)), asyncio.create_task(self._receive(dsn))]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        self._tasks = []

    def _tell(self, keys: frozenset[str]) -> None:
        for listener in list(self._listeners):
            listener(keys)

    async def _send(self, dsn: str) -> None:
        async def send(connection: Any) -> None:
            while True:
                await self._news.wait()
                self._news.clear()
                keys, self._outgoing = self._outgoing, set()
                payload = ",".join(sorted(keys))
                await connection.execute(
                    "SELECT pg_notify($1, $2)", CHANNEL, payload if len(payload) < _LONGEST_PAYLOAD else ANYTHING
                )

        await _connected(dsn, send)

    async def _receive(self, dsn: str) -> None:
        async def receive(connection: Any) -> None:
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, lambda *message: self._tell(frozenset(message[3].split(","))))
            # Whatever was said while nobody listened is made up for by looking at everything once.
            self._tell(frozenset({ANYTHING}))
            await lost.wait()
            raise ConnectionError("the connection that listens was lost")

        await _connected(dsn, receive)


async def _connected(dsn: str, job: Callable[[Any], Any]) -> None:
    """Keep a job running on a connection of its own, through every outage."""
    while True:
        connection = None
        try:
            connection = await asyncpg.connect(dsn)
            await job(connection)
        except _LOST as error:
            log.warning("wakeups_interrupted", reason=str(error))
            await asyncio.sleep(_RECONNECT_SECONDS)
        finally:
            if connection is not None:
                await _close(connection)


async def _close(connection: Any) -> None:
    """Close in order, also when this task is being cancelled; a server that does not answer is left alone."""
    try:
        await asyncio.shield(asyncio.create_task(connection.close(timeout=1)))
    except _LOST:
        connection.terminate()
