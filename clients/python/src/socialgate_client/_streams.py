"""The stream of events, which goes on where it stopped when the connection breaks."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import httpx
import msgspec

from ._call import CHECK_URL, Call, read_retry_after
from ._errors import ConnectionError, SocialgateError, Timeout, read_error  # noqa: A004 - ours
from ._models import build
from ._wire import pack_query
from .types import EventEnvelope

# The service sends something every 15 seconds: after three times this long, the connection is broken.
_SILENCE_SECONDS = 45.0
_FIRST_DELAY, _MAX_DELAY_SECONDS = 0.25, 15.0
_PATH = "/events/stream"
_TASK_PROGRESS = "task.progress"
_MAY_PASS = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.CONFLICT})

OnOpen = Callable[[], object]
OnRetry = Callable[[SocialgateError], object]


class StreamFrame(msgspec.Struct, frozen=True):
    """What arrived in the stream: an event, the progress of a task, or only a position."""

    name: str
    """The name of the event. Empty if there is only a position."""
    body: bytes
    """The bytes that a hook would receive. Empty if there is only a position."""
    cursor: str | None
    """The position after it: `events.frames(after=...)` continues there. None for the progress of a task."""

    @property
    def event_id(self) -> str:
        """The id of an event, which is in the header `webhook-id` of a delivery. Otherwise empty."""
        if not self.body or self.cursor is None:
            return ""
        try:
            position = base64.urlsafe_b64decode(self.cursor + "=" * (-len(self.cursor) % 4)).decode()
        except ValueError:
            position = ""
        event_id = position.partition(".")[2]
        # If a position has another form one day, it identifies the event just as well.
        return event_id if event_id.startswith("evt_") else self.cursor


class _FrameParser:
    """Finds the frames in what arrives. One that is not ended by an empty line was cut off, and does not count.

    The lines of `httpx` end at any character that ends lines in Unicode, which may be in the text of an event.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[bytes, bytes] = {}

    def parse(self, piece: bytes) -> Iterator[StreamFrame]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, colon, value = line.removesuffix(b"\r").partition(b":")
            if name:
                value = value.removeprefix(b" ")
                earlier = self._fields.get(name) if name == b"data" else None
                self._fields[name] = value if earlier is None else earlier + b"\n" + value
            elif self._fields and not colon:
                fields, self._fields = self._fields, {}
                cursor = fields.get(b"id", b"").decode() or None
                yield StreamFrame(fields.get(b"event", b"").decode(), fields.get(b"data", b""), cursor)


class Position:
    """Where a stream is, and how long to wait before it is opened again."""

    def __init__(self, after: str | None, event: str | None, on_open: OnOpen | None, on_retry: OnRetry | None) -> None:
        self._cursor = after
        self._event = event
        self._on_open = on_open
        self._on_retry = on_retry
        self._delay = _FIRST_DELAY
        self._parser: _FrameParser | None = None

    def call(self) -> Call[Any]:
        self._parser = None
        return Call(
            method="GET",
            path=_PATH,
            query=pack_query({"after": self._cursor, "event": self._event}),
            headers={"Accept": "text/event-stream"},
            timeout=_SILENCE_SECONDS,
        )

    def is_opened(self, response: httpx.Response) -> bool:
        """Return whether a stream was opened. Raises what no retry can help with."""
        if response.is_success:
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise SocialgateError(f"GET {_PATH}: the response is no stream of events. {CHECK_URL}")
            self._parser = _FrameParser()
            if self._on_open is not None:
                self._on_open()
            return True
        error = read_error(response)
        if error.status not in _MAY_PASS and not response.is_server_error:
            raise error
        self._delay = max(self._delay, min(read_retry_after(response.headers) or 0, _MAX_DELAY_SECONDS))
        self._report(error)
        return False

    def note_break(self, failure: httpx.TransportError) -> None:
        """Report that it could not be opened. A stream that breaks later is only opened again."""
        if self._parser is None:
            kind = Timeout if isinstance(failure, httpx.TimeoutException) else ConnectionError
            error = kind(f"GET {_PATH}: {str(failure) or type(failure).__name__}")
            error.__cause__ = failure
            self._report(error)

    def pause(self) -> float:
        delay, self._delay = self._delay, min(2 * self._delay, _MAX_DELAY_SECONDS)
        return delay

    def read(self, piece: bytes) -> Iterator[StreamFrame]:
        """Read what has arrived, and return the frames that it completes."""
        assert self._parser is not None
        # Whatever it is: this connection works, and if it breaks, it is opened again without delay.
        self._delay = _FIRST_DELAY
        for frame in self._parser.parse(piece):
            self._cursor = frame.cursor or self._cursor
            yield frame

    def _report(self, error: SocialgateError) -> None:
        if self._on_retry is not None:
            self._on_retry(error)


def read_event(frame: StreamFrame) -> EventEnvelope | None:
    """Make an event of a frame. One without a body is only a position, and the progress of tasks is not an event."""
    if not frame.body or frame.name == _TASK_PROGRESS:
        return None
    event: EventEnvelope = build(EventEnvelope, msgspec.json.decode(frame.body))
    event.cursor = frame.cursor
    return event
