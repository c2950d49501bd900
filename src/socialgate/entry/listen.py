"""`socialgate listen`: forward events to a receiver on this machine, signed like real deliveries.

It follows the event stream from outside, with an API key and without access to the database.
"""

import asyncio
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import NoReturn

import click
import msgspec

from socialgate import __version__
from socialgate.core.clock import Clock
from socialgate.core.egress import Door, Reason, SendFailed, Streamed, SystemResolver, trusted
from socialgate.core.events import EVENTS, TASK_PROGRESS
from socialgate.core.ids import is_id, new_id
from socialgate.core.settings import SettingsError
from socialgate.delivery.plan import Failed, Gone, Succeeded, judge_answer, retry_after_in
from socialgate.delivery.sign import Signer, make_secret, secret_fault
from socialgate.entry.calling import CHECK_URL, REFUSED, Refused, Say, check_key, check_url, detail_in, until_signal
from socialgate.entry.outgoing import USER_AGENT

STOPPED = 0
# Delays before each retry of a failing receiver. A real hook gets days, but a developer is waiting.
WAITS = (0.5, 1.0, 2.0)
# The default timeout of a real hook.
_ANSWER_SECONDS = 15.0
_READ_LIMIT = 64 * 1024
_OPEN_SECONDS = 10.0
# The service sends a keep-alive every 15 s.
_IDLE_SECONDS = 40.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
_LONGEST_NOTE = 200
_NAME_WIDTH = max(len(name) for name in EVENTS)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options from the command line."""

    url: str
    key: str | None
    forward_to: str
    events: str | None = None
    secret: str | None = None
    after: str | None = None


class Block(msgspec.Struct, frozen=True):
    """What an empty line ends in a stream: an event, or, without a body, just a new position."""

    cursor: str
    event: str
    body: bytes | None


async def listen(options: Options, clock: Clock, say: Say = click.echo) -> int:
    """Forward events until a signal arrives, and return the exit code."""
    names = _check(options)
    secret = options.secret or make_secret()
    say(f"Forwarding events from {options.url} to {options.forward_to}. Press Ctrl-C to stop.")
    if options.secret is None:
        say(f"They are signed with the secret {secret}")
    resolver = SystemResolver()
    service = Door(policy=trusted, resolver=resolver, user_agent=f"Socialgate-Listen/{__version__}")
    receiver = Door(policy=trusted, resolver=resolver, user_agent=USER_AGENT)
    forwarder = Forwarder(receiver, clock, say, url=options.forward_to, secret=secret)
    listener = Listener(service, forwarder, clock, say, options=options, names=names)
    try:
        await until_signal(listener.run())
    except Refused as refusal:
        click.echo(f"socialgate: {refusal}", err=True)
        return REFUSED
    else:
        say(f"Stopped. {forwarder.summary}{listener.way_back}")
        return STOPPED
    finally:
        service.close()
        receiver.close()
        resolver.close()


def _check(options: Options) -> frozenset[str] | None:
    """Validate the options before anything is sent, and return the names of the events to forward; None means all."""
    check_url("--url", options.url)
    check_url("--forward-to", options.forward_to)
    check_key(options.key)
    if options.secret is not None and (fault := secret_fault(options.secret)):
        raise SettingsError(f"--secret: {fault}")
    if options.events is None:
        return None
    names = [name.strip() for name in options.events.split(",")]
    for name in names:
        if name not in EVENTS:
            raise SettingsError(f"--events: there is no event {name!r}. Use one of: {', '.join(EVENTS)}.")
    return frozenset(names)


class Listener:
    """Follows the stream, and continues where it was when the connection is lost."""

    def __init__(
        self,
        door: Door,
        forwarder: "Forwarder",
        clock: Clock,
        say: Say,
        *,
        options: Options,
        names: frozenset[str] | None,
    ) -> None:
        self._door = door
        self._forwarder = forwarder
        self._clock = clock
        self._say = say
        self._url = f"{options.url.rstrip('/')}/events/stream"
        self._key = options.key
        self._names = names
        # After everything that has been handled: whatever follows is still to come.
        self._cursor = options.after
        self._pause = _FIRST_PAUSE
        # The current problem, if it was reported. At first: not connected yet.
        self._trouble: str | None = ""

    @property
    def way_back(self) -> str:
        return f" To continue from here: --after {self._cursor}" if self._cursor else ""

    async def run(self) -> NoReturn:
        while True:
            await asyncio.sleep(await self._follow())
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    async def _follow(self) -> float:
        """Read the stream until it breaks. Returns the seconds to wait before the next attempt.

        A connection that is lost and restored by the next attempt is not reported.
        """
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "text/event-stream"}
        if self._cursor is not None:
            headers["Last-Event-ID"] = self._cursor
        opened = False
        try:
            async with self._door.stream(
                "GET", self._url, deadline=_OPEN_SECONDS, idle=_IDLE_SECONDS, headers=headers
            ) as answer:
                if answer.status != HTTPStatus.OK:
                    return await self._judge(answer)
                opened = True
                await self._handle_all(answer)
        except SendFailed as failure:
            if failure.reason in {Reason.URL_INVALID, Reason.REQUEST_INVALID}:
                raise Refused(f"{failure.detail} Check --key and --after.") from None
            if not opened:
                self._tell(f"The service is not reachable ({failure}).")
        return self._pause

    async def _handle_all(self, answer: Streamed) -> None:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            raise Refused(f"{self._url} returned no event stream. {CHECK_URL}")
        if self._trouble is not None:
            self._say("Connected. Waiting for events.")
            self._trouble = None
        parser = Parser()
        async for piece in answer:
            # A stream that sends something works: if it is lost, reconnect immediately.
            self._pause = _FIRST_PAUSE
            for block in parser.feed(piece):
                await self._handle(block)

    async def _handle(self, block: Block) -> None:
        is_wanted = block.event != TASK_PROGRESS if self._names is None else block.event in self._names
        if block.body is not None and is_wanted:
            await self._forwarder.forward(block.event, _event_id(block.cursor), block.body)
        self._cursor = block.cursor or self._cursor

    async def _judge(self, answer: Streamed) -> float:
        """Distinguish temporary errors, and how long to wait, from permanent ones."""
        detail = await _detail_of(answer)
        if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise Refused(
                f"The service rejected the key ({answer.status}). {detail} Check --key or SOCIALGATE_API_KEY."
            )
        if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR and answer.status != HTTPStatus.TOO_MANY_REQUESTS:
            hint = detail or CHECK_URL
            raise Refused(f"{self._url} returned {answer.status}. {hint}")
        self._tell(f"The service returned {answer.status}. {detail}".strip())
        asked = retry_after_in(answer.headers, self._clock.now())
        return max(self._pause, min(asked.total_seconds(), _LONGEST_PAUSE) if asked else 0)

    def _tell(self, trouble: str) -> None:
        """Report it once, however long it lasts."""
        if trouble != self._trouble:
            self._say(f"{trouble} Retrying.")
            self._trouble = trouble


class Forwarder:
    """Sends one event after the other to the receiver, and reports the result of each."""

    def __init__(
        self, door: Door, clock: Clock, say: Say, *, url: str, secret: str, waits: Sequence[float] = WAITS
    ) -> None:
        self._door = door
        self._clock = clock
        self._say = say
        self._url = url
        self._signer = Signer([secret])
        self._waits = waits
        self._taken = 0
        self._not_taken = 0

    @property
    def summary(self) -> str:
        return f"{self._taken} delivered, {self._not_taken} not delivered."

    async def forward(self, event: str, event_id: str, body: bytes) -> None:
        delivery_id = new_id("dlv")
        for wait in (*self._waits, None):
            trouble, is_final = await self._try(event, event_id, delivery_id, body)
            if trouble is None:
                self._taken += 1
                return
            if is_final or wait is None:
                break
            self._say(f"{trouble}; retrying in {wait:g} s")
            await asyncio.sleep(wait)
        self._say(f"{trouble}; not delivered")
        self._not_taken += 1

    async def _try(self, event: str, event_id: str, delivery_id: str, body: bytes) -> tuple[str | None, bool]:
        """Send once. Returns the error message if it was not accepted, and whether that is final."""
        now = self._clock.now()
        headers = self._signer.headers(
            event=event,
            event_id=event_id,
            delivery_id=delivery_id,
            timestamp=int(now.timestamp()),
            body=body,
        )
        headers["Content-Type"] = "application/json"
        started = time.perf_counter()
        line = f"{now.astimezone():%H:%M:%S}  {event:<{_NAME_WIDTH}}"
        try:
            answer = await self._door.send(
                "POST", self._url, deadline=_ANSWER_SECONDS, read_limit=_READ_LIMIT, headers=headers, body=body
            )
        except SendFailed as failure:
            return f"{line}  {_red('---')}  {_since(started)}  {failure}", False
        spent = _since(started)
        match judge_answer(answer.status, answer.headers, now):
            case Succeeded():
                self._say(f"{line}  {click.style(answer.status, fg='green')}  {spent}")
                return None, False
            case Gone():
                return f"{line}  {_red(answer.status)}  {spent}  gone: a hook would be disabled", True
            case Failed(reason=reason):
                return f"{line}  {_red(answer.status)}  {spent}  {reason}{_quote(answer.body)}", False


class Parser:
    """Parses server-sent events. An event that is not ended by an empty line was cut off, and is ignored."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[bytes, bytes] = {}

    def feed(self, piece: bytes) -> Iterator[Block]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, colon, value = line.removesuffix(b"\r").partition(b":")
            if name:
                self._fields[name] = value.removeprefix(b" ")
            elif self._fields and not colon:
                fields, self._fields = self._fields, {}
                yield Block(fields.get(b"id", b"").decode(), fields.get(b"event", b"").decode(), fields.get(b"data"))


def _event_id(cursor: str) -> str:
    """Read the id of an event from its cursor. If it has another format, it identifies the event just as well."""
    with suppress(ValueError):
        event_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(".")[2]
        if is_id("evt", event_id):
            return event_id
    return cursor


async def _detail_of(answer: Streamed) -> str:
    body = b""
    with suppress(SendFailed):
        async for piece in answer:
            body += piece
            if len(body) > _READ_LIMIT:
                break
    return detail_in(body)


def _since(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:>6.0f} ms"


def _red(word: object) -> str:
    return click.style(word, fg="red")


def _quote(body: bytes) -> str:
    """Show the beginning of a receiver's response, on one line, without terminal control characters."""
    words = " ".join(body[: _LONGEST_NOTE * 4].decode("utf-8", "replace").split())
    text = "".join(letter for letter in words if letter.isprintable())[:_LONGEST_NOTE]
    return f": {text}" if text else ""
