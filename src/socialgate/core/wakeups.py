"""Telling sleeping workers and streams that something was committed, on this node and on the others.

It is only a hint: sleepers also poll now and then, so a hint that is lost with its process delays work by a few seconds
but never loses it. Hints are sent after the commit and in batches, because a NOTIFY inside a transaction makes
PostgreSQL serialize commits.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import asyncpg
import structlog

from socialgate.core.postgres import CONNECTION_ERRORS, connect_to_postgres

NOTIFY_CHANNEL = "socialgate"
ALL_KEYS = "*"
_MAX_PAYLOAD_LENGTH = 7900
_RECONNECT_SECONDS = 1.0
_CONNECTION_ERRORS = (asyncpg.PostgresError, *CONNECTION_ERRORS)

WakeupListener = Callable[[frozenset[str]], None]

log = structlog.get_logger(__name__)


class WakeupDispatcher:
    """Passes keys (a hook's id, an owner's id) to listeners."""

    def __init__(self) -> None:
        self._listeners: set[WakeupListener] = set()
        self._outgoing: set[str] = set()
        self._outgoing_ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def subscribe(self, listener: WakeupListener) -> Callable[[], None]:
        """Listen to keys. Call the returned function to stop."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def publish(self, keys: Iterable[str]) -> None:
        """Notify this node immediately, and the others with the next batch."""
        hinted = frozenset(keys)
        self._notify_listeners(hinted)
        if self._task is not None:
            self._outgoing |= hinted
            self._outgoing_ready.set()

    def connect(self, dsn: str) -> None:
        """Join the other nodes of a deployment on one PostgreSQL."""
        self._task = asyncio.create_task(_run_connected(dsn, self._exchange_notifications))

    async def close(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _notify_listeners(self, keys: frozenset[str]) -> None:
        for listener in list(self._listeners):
            listener(keys)

    async def _exchange_notifications(self, connection: Any) -> None:
        """Listen and notify on one connection: with two, every notification would wake a second server process."""
        connection.add_termination_listener(lambda _: self._outgoing_ready.set())
        await connection.add_listener(NOTIFY_CHANNEL, self._on_notification)
        # Notifications sent while nobody listened are made up for by checking everything once.
        self._notify_listeners(frozenset({ALL_KEYS}))
        # There may be keys left that could not be sent before.
        self._outgoing_ready.set()
        while True:
            await self._outgoing_ready.wait()
            self._outgoing_ready.clear()
            if connection.is_closed():
                raise ConnectionError("the connection to the other nodes was lost")
            await self._send_outgoing(connection)

    def _on_notification(self, connection: Any, sender: int, _channel: str, payload: str) -> None:
        """Pass on the notifications of others: this node has already delivered its own."""
        if sender != connection.get_server_pid():
            self._notify_listeners(frozenset(payload.split(",")))

    async def _send_outgoing(self, connection: Any) -> None:
        keys, self._outgoing = self._outgoing, set()
        if not keys:
            return
        payload = ",".join(sorted(keys))
        try:
            await connection.execute(
                "SELECT pg_notify($1, $2)", NOTIFY_CHANNEL, payload if len(payload) < _MAX_PAYLOAD_LENGTH else ALL_KEYS
            )
        except BaseException:
            # Sent on the next connection: sending twice does no harm.
            self._outgoing |= keys
            raise


async def _run_connected(dsn: str, job: Callable[[Any], Any]) -> None:
    """Keep a job running on its own connection, through every outage."""
    while True:
        connection = None
        try:
            connection = await connect_to_postgres(dsn)
            await job(connection)
        except _CONNECTION_ERRORS as error:
            log.warning("wakeups_interrupted", reason=str(error))
            await asyncio.sleep(_RECONNECT_SECONDS)
        finally:
            if connection is not None:
                await _close(connection)


async def _close(connection: Any) -> None:
    """Close properly, even if this task is being cancelled; do not wait for a server that is not responding."""
    try:
        await asyncio.shield(asyncio.create_task(connection.close(timeout=1)))
    except _CONNECTION_ERRORS:
        connection.terminate()
