"""The stream of events, which goes on where it stopped when the connection breaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from typing import Any

import httpx
import msgspec

from ._call import Call, read_retry_after
from ._errors import read_error
from ._models import build
from ._resource import AsyncResource, Resource
from ._wire import pack_query
from .types import EventEnvelope

# The service sends something every 15 seconds: after three times this long, the connection is broken.
_SILENCE_SECONDS = 45.0
_FIRST_DELAY, _MAX_DELAY_SECONDS = 0.5, 15.0
_TASK_PROGRESS = "task.progress"
_MAY_PASS = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.CONFLICT})


class _Position:
    """Where a stream is, what its lines say, and how long to wait before it is opened again."""

    def __init__(self, after: str | None, event: str | None) -> None:
        self._cursor = after
        self._event = event
        self._delay = _FIRST_DELAY
        self._name = ""
        self._id: str | None = None
        self._data: list[str] = []

    def call(self) -> Call[Any]:
        return Call(
            method="GET",
            path="/events/stream",
            query=pack_query({"after": self._cursor, "event": self._event}),
            headers={"Accept": "text/event-stream"},
            timeout=_SILENCE_SECONDS,
        )

    def opened(self, response: httpx.Response) -> bool:
        """Return whether a stream was opened. Raises what no retry can help with."""
        if response.is_success:
            self._name, self._id, self._data = "", None, []
            return True
        if response.status_code not in _MAY_PASS and not response.is_server_error:
            raise read_error(response)
        self._delay = max(self._delay, min(read_retry_after(response) or 0, _MAX_DELAY_SECONDS))
        return False

    def pause(self) -> float:
        delay, self._delay = self._delay, min(2 * self._delay, _MAX_DELAY_SECONDS)
        return delay

    def read(self, line: str) -> EventEnvelope | None:
        """Read a line of a stream, and return an event if this was the last line of one."""
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            return self._end_frame()
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id":
            # It counts when the frame is complete: a connection can break in the middle of a line.
            self._id = value
        return None

    def _end_frame(self) -> EventEnvelope | None:
        name, data = self._name, self._data
        self._cursor = self._id or self._cursor
        self._name, self._id, self._data = "", None, []
        self._delay = _FIRST_DELAY
        # Frames without data only say where the stream starts, and the progress of tasks is not an event.
        if not data or name == _TASK_PROGRESS:
            return None
        event: EventEnvelope = build(EventEnvelope, msgspec.json.decode("\n".join(data)))
        event.cursor = self._cursor
        return event


class EventStream(Resource):
    """Adds the stream to the methods of events."""

    def stream(self, *, after: str | None = None, event: str | None = None) -> Iterator[EventEnvelope]:
        """Follow the events as they happen, for as long as you read them.

        If the connection breaks, it is opened again, and continues after the last event: none is missed.

        Args:
            after: Start after this position: the `cursor` of an event, or the `next_cursor` of `events.list`. Without
                it, the stream starts now.
            event: Only events with this name.

        """
        position = _Position(after, event)
        while True:
            try:
                response = self._root.open_stream(position.call())
                try:
                    if not response.is_success:
                        response.read()
                    if position.opened(response):
                        for line in response.iter_lines():
                            envelope = position.read(line)
                            if envelope is not None:
                                yield envelope
                finally:
                    response.close()
            except httpx.TransportError:
                pass
            time.sleep(position.pause())


class AsyncEventStream(AsyncResource):
    """Adds the stream to the methods of events."""

    async def stream(self, *, after: str | None = None, event: str | None = None) -> AsyncIterator[EventEnvelope]:
        """Follow the events as they happen, for as long as you read them.

        If the connection breaks, it is opened again, and continues after the last event: none is missed.

        Args:
            after: Start after this position: the `cursor` of an event, or the `next_cursor` of `events.list`. Without
                it, the stream starts now.
            event: Only events with this name.

        """
        position = _Position(after, event)
        while True:
            try:
                response = await self._root.open_stream(position.call())
                try:
                    if not response.is_success:
                        await response.aread()
                    if position.opened(response):
                        async for line in response.aiter_lines():
                            envelope = position.read(line)
                            if envelope is not None:
                                yield envelope
                finally:
                    await response.aclose()
            except httpx.TransportError:
                pass
            await asyncio.sleep(position.pause())
