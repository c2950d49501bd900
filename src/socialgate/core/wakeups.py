"""Telling sleeping workers and streams that something was committed, on this node and on the others.

It is a hint and nothing more: whoever sleeps also looks by itself now and then, so a hint that is lost with its
process delays work by some seconds and never loses it. Hints are sent after the commit and many at once, because a
NOTIFY inside a transaction makes PostgreSQL commit one after the other.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import asyncpg
import structlog

from socialgate.core.postgres import LOST, connect

CHANNEL = "socialgate"
ANYTHING = "*"
_LONGEST_PAYLOAD = 7900
_RECONNECT_SECONDS = 1.0
_LOST = (asyncpg.PostgresError, *LOST)

Listener = Callable[[frozenset[str]], None]

log = structlog.get_logger(__name__)


class Wakeups:
    """Hands keys (a hook's id, an owner's id) to whoever listens."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._outgoing: set[str] = set()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of keys. Calling what is returned ends it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def publish(self, keys: Iterable[str]) -> None:
        """Tell this node at once, and the others with the next batch."""
        told = frozenset(keys)
        self._tell(told)
        if self._task is not None:
            self._outgoing |= told
            self._news.set()

    def connect(self, dsn: str) -> None:
        """Join the other nodes of a deployment on one PostgreSQL."""
        self._task = asyncio.create_task(_connected(dsn, self._talk))

    async def close(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _tell(self, keys: frozenset[str]) -> None:
        for listener in list(self._listeners):
            listener(keys)

    async def _talk(self, connection: Any) -> None:
        """Hear and say on one connection: each of its own would wake a second process of the server every time."""
        connection.add_termination_listener(lambda _: self._news.set())
        await connection.add_listener(CHANNEL, self._hear)
        # Whatever was said while nobody listened is made up for by looking at everything once.
        self._tell(frozenset({ANYTHING}))
        # Something may be left that could not be said before.
        self._news.set()
        while True:
            await self._news.wait()
            self._news.clear()
            if connection.is_closed():
                raise ConnectionError("the connection to the other nodes was lost")
            await self._say(connection)

    def _hear(self, connection: Any, sender: int, _channel: str, payload: str) -> None:
        """Pass on what others say: what this node says it has told itself already."""
        if sender != connection.get_server_pid():
            self._tell(frozenset(payload.split(",")))

    async def _say(self, connection: Any) -> None:
        keys, self._outgoing = self._outgoing, set()
        if not keys:
            return
        payload = ",".join(sorted(keys))
        try:
            await connection.execute(
                "SELECT pg_notify($1, $2)", CHANNEL, payload if len(payload) < _LONGEST_PAYLOAD else ANYTHING
            )
        except BaseException:
            # To be said on the next connection: twice does no harm.
            self._outgoing |= keys
            raise


async def _connected(dsn: str, job: Callable[[Any], Any]) -> None:
    """Keep a job running on a connection of its own, through every outage."""
    while True:
        connection = None
        try:
            connection = await connect(dsn)
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
