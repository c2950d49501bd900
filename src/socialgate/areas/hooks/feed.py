"""Events to read: the pull counterpart of hooks, in pages and as a stream.

A position lies between two events in the order of (key, id). A newer transaction may commit before an older one; on
PostgreSQL readers therefore stop before the oldest open transaction of this owner, so that a cursor never skips an
event that is yet to appear.
"""

import asyncio
import time
import weakref
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

import msgspec
import structlog

from socialgate.areas.hooks import store
from socialgate.areas.hooks.rules import require_event
from socialgate.areas.hooks.schemas import Event, EventPage, EventsQuery, StreamQuery
from socialgate.areas.hooks.store import EventRow, Position
from socialgate.areas.hooks.task_frames import TaskFrames
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Invalid, RateLimited, ServiceError
from socialgate.core.events import Envelope
from socialgate.core.ids import is_id
from socialgate.core.jobs.jobs import JobTypes
from socialgate.core.jobs.table import owner_hint
from socialgate.core.outbox import settled_key
from socialgate.core.turns import Place, Places
from socialgate.core.wakeups import ANYTHING
from socialgate.web.auth import Credentials
from socialgate.web.connections import DEFAULT_LIMITS
from socialgate.web.refusals import TooManyConnections

# A credential is cached for half a second; with this much more, a stream ends within a second.
ASK_SECONDS = 0.4
LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
_AT_ONCE = 100
_MAX_EVENT_KEY = 2**63 - 1

# Each stream queries the database now and then, whether or not anything happens.
MOST_STREAMS = 10
# An owner may have any number of keys.
MOST_STREAMS_OF_OWNER = 50
_COME_BACK_SECONDS = 5

T = TypeVar("T")

log = structlog.get_logger(__name__)


class TooManyStreams(RateLimited):
    """The credential has 10 open event streams on this process, or its owner has 50 with all credentials together.

    Close one of them, or share a stream between readers. Broken connections count until they are detected: wait
    `Retry-After` seconds and connect again. `GET /events` needs no stream.
    """

    code = "too_many_streams"
    title = "Too many event streams"


class Feed:
    def __init__(
        self, db: Database, credentials: Credentials, job_types: JobTypes, *, heartbeat: float = HEARTBEAT_SECONDS
    ) -> None:
        self._db = db
        self._credentials = credentials
        self._job_types = job_types
        self._heartbeat = heartbeat
        self._bells: set[asyncio.Event] = set()
        self._open = Places()
        self._stopping = False

    async def page(self, tx: Tx, caller: Caller, query: EventsQuery) -> EventPage:
        require_event(query.event)
        after = Position(0) if query.after is None else _read_cursor(query.after, "?after")
        rows, position, _ = await _read_on(tx, caller, after, query.event, query.limit)
        return EventPage(data=[_show(row) for row in rows], next_cursor=_cursor_of(position))

    async def open(
        self,
        caller: Caller,
        token: str,
        last_event_id: str | None,
        query: StreamQuery,
        *,
        most: int = DEFAULT_LIMITS.streams,
    ) -> AsyncGenerator[bytes, None]:
        """Open one of at most so many streams. Errors are detected here, in time to be returned as a response."""
        require_event(query.event)
        position, hello = await self._start(caller, last_event_id, query)
        place = self._take_place(caller, most)
        stream = self._run(caller, token, position, query.event, hello, place)
        # A stream that is never read from never reaches its end.
        weakref.finalize(stream, place.close).atexit = False
        return stream

    def stop(self) -> None:
        """End every stream, now and from now on: a stopping server would wait for them."""
        self._stopping = True
        for bell in self._bells:
            bell.set()

    async def _start(self, caller: Caller, last_event_id: str | None, query: StreamQuery) -> tuple[Position, bytes]:
        """Find the position to start from, and what to send first."""
        # A browser that reconnects repeats its original query, and adds its current position.
        if last_event_id:
            return _read_cursor(last_event_id, "Last-Event-ID"), b""
        if query.after is not None:
            return _read_cursor(query.after, "?after"), b""
        now = await self._db.read(store.horizon, caller.owner_id)
        return now, _hello(now)

    def _take_place(self, caller: Caller, most: int) -> Place:
        """Count a stream from now on until it is closed, even if nobody ever reads from it."""
        for name, whose, its_most in (
            (caller.credential_id, "credential", MOST_STREAMS),
            (caller.owner_id, "owner", MOST_STREAMS_OF_OWNER),
        ):
            if self._open.taken_by(name) >= its_most:
                raise TooManyStreams(
                    f"This {whose} has {its_most} event streams open. Close one, or read GET /events instead.",
                    retry_after=_COME_BACK_SECONDS,
                )
        if len(self._open) >= most:
            raise TooManyConnections(
                "The service has as many event streams open as it can. Try again after a few seconds, or read GET "
                "/events instead.",
                retry_after=_COME_BACK_SECONDS,
            )
        return self._open.take(caller.credential_id, caller.owner_id)

    async def _run(
        self, caller: Caller, token: str, position: Position, name: str | None, hello: bytes, place: Place
    ) -> AsyncGenerator[bytes, None]:
        said = looked = time.monotonic()
        # A stream that is filtered by event carries only that event.
        tasks = TaskFrames(self._db, self._job_types) if name is None else None
        with closing(place), self._bell(caller.owner_id, tasks) as bell, _outage_ends_it():
            if hello:
                yield hello
            while (known := await self._ask(token)) is not None:
                now = time.monotonic()
                if bell.is_set() or now - looked >= LOOK_SECONDS:
                    bell.clear()
                    reading = self._db.read(_read_on, known, position, name, _AT_ONCE)
                    rows, position, is_full = await _whole(reading)
                    looked = now
                    if rows:
                        said = now
                        yield b"".join(_block(row) for row in rows)
                    if is_full:
                        bell.set()
                if tasks is not None and tasks.is_due and (frames := await _whole(tasks.look(known))):
                    said = now
                    yield frames
                if now - said >= self._heartbeat:
                    said = now
                    yield b": alive\n"
                with suppress(TimeoutError):
                    async with asyncio.timeout(ASK_SECONDS):
                        await bell.wait()

    async def _ask(self, token: str) -> Caller | None:
        """Look up the token again: it may have been revoked, or cover less than before."""
        return None if self._stopping else await _whole(self._credentials.caller_of(token))

    @contextmanager
    def _bell(self, owner_id: str, tasks: TaskFrames | None) -> Iterator[asyncio.Event]:
        """Register a bell that rings when the owner has new events. It rings at first, so that nothing is missed.

        Task changes are only noted: they are read when the stream next checks its credential.
        """
        bell = asyncio.Event()
        bell.set()

        def hear(keys: frozenset[str]) -> None:
            if owner_id in keys or ANYTHING in keys:
                bell.set()
            if tasks is not None and (owner_hint(owner_id) in keys or ANYTHING in keys):
                tasks.changed = True

        stop_listening = self._db.wakeups.listen(hear)
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)
            stop_listening()


@contextmanager
def _outage_ends_it() -> Iterator[None]:
    """Without its database a stream ends. The client reconnects with the last id, and misses nothing."""
    try:
        yield
    except ServiceError as error:
        log.info("stream_interrupted", code=error.code)


async def _whole(job: Coroutine[Any, Any, T]) -> T:
    """Let a step finish even if the client disconnects: an aborted query blocks its connection."""
    return await asyncio.shield(asyncio.ensure_future(job))


async def _read_on(
    tx: Tx, caller: Caller, after: Position, name: str | None, limit: int
) -> tuple[Sequence[EventRow], Position, bool]:
    """Read what follows a position, and return where to continue and whether there is already more.

    After the last event, that is after everything settled, so that a reader of a rare event does not search all others
    again and again.
    """
    settled = await settled_key(tx, caller.owner_id)
    rows, end = await store.event_page(tx, caller.owner_id, after, settled, caller.profiles, name, limit)
    if end is not None:
        return rows, end, True
    last = Position(rows[-1].event_key, rows[-1].id) if rows else after
    if caller.profiles is not None or name is not None:
        last = max(last, await store.newest_event(tx, caller.owner_id, settled))
    return rows, last, False


def _show(row: EventRow) -> Event:
    return Event(
        id=row.id,
        event=row.name,
        owner_id=row.owner_id,
        profile_id=row.profile_id,
        data=msgspec.json.decode(row.body, type=Envelope).data,
        created_at=row.created_at,
    )


def _block(row: EventRow) -> bytes:
    """Write one event of a stream. The stored bytes are JSON on one line, as the format requires."""
    cursor = _cursor_of(Position(row.event_key, row.id))
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (cursor.encode(), row.name.encode(), row.body)


def _hello(position: Position) -> bytes:
    """Send the start position. It is not an event: a client only stores the id, and can reconnect with it."""
    return b"id: %b\n\n" % _cursor_of(position).encode()


def _cursor_of(position: Position) -> str:
    return urlsafe_b64encode(f"{position.event_key}.{position.id}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str, where: str) -> Position:
    try:
        key, _, event_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(".")
        position = Position(int(key), event_id)
    except ValueError:
        position = Position(-1)
    if not 0 <= position.event_key <= _MAX_EVENT_KEY or (position.id and not is_id("evt", position.id)):
        raise Invalid.at(where, "invalid_cursor", "This is not a cursor of this feed. Start again without it.")
    return position
