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
from typing import Any, TypeVar, cast

import msgspec
import structlog

from socialgate.areas.hooks import store
from socialgate.areas.hooks.newest_events import list_newest_events
from socialgate.areas.hooks.rules import require_known_event
from socialgate.areas.hooks.schemas import Event, EventPage, EventsQuery, StreamQuery
from socialgate.areas.hooks.store import EventPosition, EventRow
from socialgate.areas.hooks.task_frames import TaskFrames
from socialgate.core.caller import Caller
from socialgate.core.concurrency import ConcurrencySlot, SlotCounter
from socialgate.core.db import Database, Tx
from socialgate.core.errors import InvalidRequest, RateLimited, ServiceError
from socialgate.core.ids import is_id
from socialgate.core.jobs.job_store import get_owner_jobs_wakeup_key
from socialgate.core.jobs.service import JobTypes
from socialgate.core.outbox import get_settled_key
from socialgate.core.wakeups import ALL_KEYS
from socialgate.web.auth import CredentialFinder
from socialgate.web.connection_errors import TooManyConnections
from socialgate.web.connections import DEFAULT_CONNECTION_LIMITS
from socialgate.web.pagination import ListQuery, build_page
from socialgate.web.schemas import Page

# A credential is cached for half a second; with this much more, a stream ends within a second.
CREDENTIAL_CHECK_SECONDS = 0.4
POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
_PAGE_SIZE = 100
_MAX_EVENT_KEY = 2**63 - 1

# Each stream queries the database now and then, whether or not anything happens.
MAX_STREAMS_PER_CREDENTIAL = 10
# An owner may have any number of keys.
MAX_STREAMS_PER_OWNER = 50
_RETRY_AFTER_SECONDS = 5

T = TypeVar("T")

log = structlog.get_logger(__name__)


class TooManyStreamsError(RateLimited):
    """The credential has 10 open event streams on this process, or its owner has 50 with all credentials together.

    Close one of them, or share a stream between readers. Broken connections count until they are detected: wait
    `Retry-After` seconds and connect again. `GET /events` needs no stream.
    """

    code = "too_many_streams"
    title = "Too many event streams"


class EventFeed:
    def __init__(
        self, db: Database, credentials: CredentialFinder, job_types: JobTypes, *, heartbeat: float = HEARTBEAT_SECONDS
    ) -> None:
        self._db = db
        self._credentials = credentials
        self._job_types = job_types
        self._heartbeat = heartbeat
        self._wakeups: set[asyncio.Event] = set()
        self._open = SlotCounter()
        self._stopping = False

    async def list_page(self, tx: Tx, caller: Caller, query: EventsQuery) -> EventPage:
        require_known_event(query.event)
        after = EventPosition(0) if query.after is None else _decode_cursor(query.after, "?after")
        rows, position, _ = await _read_events_after(tx, caller, after, query.event, query.limit)
        return EventPage(data=[_build_event_view(row) for row in rows], next_cursor=_encode_cursor(position))

    async def page_newest(
        self, tx: Tx, caller: Caller, query: ListQuery, *, profile_id: str | None = None, event: str | None = None
    ) -> Page[Event]:
        """List events for people, newest first. Programs read them in order (`list_page`), so that they skip none."""
        require_known_event(event)
        rows, more = await list_newest_events(tx, caller, query, profile_id, event)
        return build_page(rows, _build_event_view, more=more)

    async def open(
        self,
        caller: Caller,
        token: str,
        last_event_id: str | None,
        query: StreamQuery,
        *,
        most: int = DEFAULT_CONNECTION_LIMITS.max_streams,
    ) -> AsyncGenerator[bytes, None]:
        """Open one of at most so many streams. Errors are detected here, in time to be returned as a response."""
        require_known_event(query.event)
        position, hello = await self._start(caller, last_event_id, query)
        place = self._reserve_stream(caller, most)
        stream = self._run(caller, token, position, query.event, hello, place)
        # A stream that is never read from never reaches its end.
        weakref.finalize(stream, place.close).atexit = False
        return stream

    def stop(self) -> None:
        """End every stream, now and from now on: a stopping server would wait for them."""
        self._stopping = True
        for bell in self._wakeups:
            bell.set()

    async def _start(
        self, caller: Caller, last_event_id: str | None, query: StreamQuery
    ) -> tuple[EventPosition, bytes]:
        """Find the position to start from, and what to send first."""
        # A browser that reconnects repeats its original query, and adds its current position.
        if last_event_id:
            return _decode_cursor(last_event_id, "Last-Event-ID"), b""
        if query.after is not None:
            return _decode_cursor(query.after, "?after"), b""
        now = await self._db.read(store.find_settled_position, caller.owner_id)
        return now, _encode_start_position(now)

    def _reserve_stream(self, caller: Caller, most: int) -> ConcurrencySlot:
        """Count a stream from now on until it is closed, even if nobody ever reads from it."""
        for name, whose, its_most in (
            (caller.credential_id, "credential", MAX_STREAMS_PER_CREDENTIAL),
            (caller.owner_id, "owner", MAX_STREAMS_PER_OWNER),
        ):
            if self._open.count_taken(name) >= its_most:
                raise TooManyStreamsError(
                    f"This {whose} has {its_most} event streams open. Close one, or read GET /events instead.",
                    retry_after=_RETRY_AFTER_SECONDS,
                )
        if len(self._open) >= most:
            raise TooManyConnections(
                "The service has as many event streams open as it can. Try again after a few seconds, or read GET "
                "/events instead.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        return self._open.take_slot(caller.credential_id, caller.owner_id)

    async def _run(
        self,
        caller: Caller,
        token: str,
        position: EventPosition,
        name: str | None,
        hello: bytes,
        place: ConcurrencySlot,
    ) -> AsyncGenerator[bytes, None]:
        number = looked = time.monotonic()
        # A stream that is filtered by event carries only that event.
        tasks = TaskFrames(self._db, self._job_types) if name is None else None
        with closing(place), self._listen_for_changes(caller.owner_id, tasks) as bell, _end_on_outage():
            if hello:
                yield hello
            while (known := await self._recheck_caller(token)) is not None:
                now = time.monotonic()
                if bell.is_set() or now - looked >= POLL_SECONDS:
                    bell.clear()
                    reading = self._db.read(_read_events_after, known, position, name, _PAGE_SIZE)
                    rows, position, is_full = await _run_shielded(reading)
                    looked = now
                    if rows:
                        number = now
                        yield b"".join(_encode_event(row) for row in rows)
                    if is_full:
                        bell.set()
                if tasks is not None and tasks.is_due and (frames := await _run_shielded(tasks.read_changes(known))):
                    number = now
                    yield frames
                if now - number >= self._heartbeat:
                    number = now
                    yield b": alive\n"
                with suppress(TimeoutError):
                    async with asyncio.timeout(CREDENTIAL_CHECK_SECONDS):
                        await bell.wait()

    async def _recheck_caller(self, token: str) -> Caller | None:
        """Look up the token again: it may have been revoked, or cover less than before."""
        return None if self._stopping else await _run_shielded(self._credentials.authenticate(token))

    @contextmanager
    def _listen_for_changes(self, owner_id: str, tasks: TaskFrames | None) -> Iterator[asyncio.Event]:
        """Register a bell that rings when the owner has new events. It rings at first, so that nothing is missed.

        Task changes are only noted: they are read when the stream next checks its credential.
        """
        bell = asyncio.Event()
        bell.set()

        def hear(keys: frozenset[str]) -> None:
            if owner_id in keys or ALL_KEYS in keys:
                bell.set()
            if tasks is not None and (get_owner_jobs_wakeup_key(owner_id) in keys or ALL_KEYS in keys):
                tasks.changed = True

        stop_listening = self._db.wakeups.subscribe(hear)
        self._wakeups.add(bell)
        try:
            yield bell
        finally:
            self._wakeups.discard(bell)
            stop_listening()


@contextmanager
def _end_on_outage() -> Iterator[None]:
    """Without its database a stream ends. The client reconnects with the last id, and misses nothing."""
    try:
        yield
    except ServiceError as error:
        log.info("stream_interrupted", code=error.code)


async def _run_shielded(job: Coroutine[Any, Any, T]) -> T:
    """Let a step finish even if the client disconnects: an aborted query blocks its connection."""
    return await asyncio.shield(asyncio.ensure_future(job))


async def _read_events_after(
    tx: Tx, caller: Caller, after: EventPosition, name: str | None, limit: int
) -> tuple[Sequence[EventRow], EventPosition, bool]:
    """Read what follows a position, and return where to continue and whether there is already more.

    After the last event, that is after everything settled, so that a reader of a rare event does not search all others
    again and again.
    """
    settled = await get_settled_key(tx, caller.owner_id)
    rows, end = await store.list_events_page(
        tx, caller.owner_id, after, settled, caller.allowed_profile_ids, name, limit
    )
    if end is not None:
        return rows, end, True
    last = EventPosition(rows[-1].event_key, rows[-1].id) if rows else after
    if caller.allowed_profile_ids is not None or name is not None:
        last = max(last, await store.find_newest_position(tx, caller.owner_id, settled))
    return rows, last, False


def _build_event_view(row: EventRow) -> Event:
    return Event(
        id=row.id,
        event=row.name,
        owner_id=row.owner_id,
        profile_id=row.profile_id,
        # Shown as it is stored, and not decoded and encoded again.
        data=cast("dict[str, Any]", msgspec.json.decode(row.body, type=_StoredBody).data),
        created_at=row.created_at,
    )


class _StoredBody(msgspec.Struct, frozen=True):
    """The part of an envelope that is not in columns of its own."""

    data: msgspec.Raw


def _encode_event(row: EventRow) -> bytes:
    """Write one event of a stream. The stored bytes are JSON on one line, as the format requires."""
    cursor = _encode_cursor(EventPosition(row.event_key, row.id))
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (cursor.encode(), row.name.encode(), row.body)


def _encode_start_position(position: EventPosition) -> bytes:
    """Send the start position. It is not an event: a client only stores the id, and can reconnect with it."""
    return b"id: %b\n\n" % _encode_cursor(position).encode()


def _encode_cursor(position: EventPosition) -> str:
    return urlsafe_b64encode(f"{position.event_key}.{position.id}".encode()).decode().rstrip("=")


def _decode_cursor(cursor: str, where: str) -> EventPosition:
    try:
        key, _, event_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(".")
        position = EventPosition(int(key), event_id)
    except ValueError:
        position = EventPosition(-1)
    if not 0 <= position.event_key <= _MAX_EVENT_KEY or (position.id and not is_id("evt", position.id)):
        raise InvalidRequest.for_field(
            where, "invalid_cursor", "This is not a cursor of this feed. Start again without it."
        )
    return position
