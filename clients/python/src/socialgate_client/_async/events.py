"""The stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import httpx

from .._resource import AsyncResource
from .._streams import OnOpen, OnRetry, Position, StreamFrame, read_event
from ..types import EventEnvelope


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
        async with aclosing(self.frames(after=after, event=event)) as frames:
            async for frame in frames:
                envelope = read_event(frame)
                if envelope is not None:
                    yield envelope

    async def frames(
        self,
        *,
        after: str | None = None,
        event: str | None = None,
        on_open: OnOpen | None = None,
        on_retry: OnRetry | None = None,
    ) -> AsyncGenerator[StreamFrame, None]:
        """Follow the stream as it arrives: the bytes of each event, the progress of tasks, and positions.

        For programs that pass events on. It continues after a break, as `stream` does.

        Args:
            after: Start after this position. Without it, the stream starts now.
            event: Only events with this name.
            on_open: Called each time that the stream was opened.
            on_retry: Called with the error each time that it could not be opened, and is tried again.

        """
        position = Position(after, event, on_open, on_retry)
        while True:
            try:
                response = await self._root.open_stream(position.call())
                try:
                    if not response.is_success:
                        await response.aread()
                    if position.is_opened(response):
                        async for piece in response.aiter_bytes():
                            for frame in position.read(piece):
                                yield frame
                finally:
                    await response.aclose()
            except httpx.TransportError as failure:
                position.note_break(failure)
            await asyncio.sleep(position.pause())
