# Generated from `_async` by `make reference`. Do not edit: change it there and run it again.
"""The stream of events."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing

import httpx

from .._resource import Resource
from .._streams import OnOpen, OnRetry, Position, StreamFrame, read_event
from ..types import EventEnvelope


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
        with closing(self.frames(after=after, event=event)) as frames:
            for frame in frames:
                envelope = read_event(frame)
                if envelope is not None:
                    yield envelope

    def frames(
        self,
        *,
        after: str | None = None,
        event: str | None = None,
        on_open: OnOpen | None = None,
        on_retry: OnRetry | None = None,
    ) -> Generator[StreamFrame, None, None]:
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
                response = self._root.open_stream(position.call())
                try:
                    if not response.is_success:
                        response.read()
                    if position.is_opened(response):
                        for piece in response.iter_bytes():
                            yield from position.read(piece)
                finally:
                    response.close()
            except httpx.TransportError as failure:
                position.note_break(failure)
            time.sleep(position.pause())
