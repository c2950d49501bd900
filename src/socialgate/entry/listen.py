"""`socialgate listen`: bring events to a receiver on this machine, signed as real deliveries are.

It follows the stream of events from outside, with an API key, and knows nothing of the service's database.
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
from socialgate.delivery.sign import delivery_headers, make_secret, secret_fault
from socialgate.entry.calling import REFUSED, Refused, Say, check_key, check_url, detail_in, until_signal
from socialgate.entry.outgoing import USER_AGENT

STOPPED = 0
# After each of these a receiver that fails is tried once more. A real hook is given days, a developer sits and waits.
WAITS = (0.5, 1.0, 2.0)
# As much time as a real hook has by default.
_ANSWER_SECONDS = 15.0
_READ_LIMIT = 64 * 1024
_OPEN_SECONDS = 10.0
# The service gives a sign of life every 15 s.
_IDLE_SECONDS = 40.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
_LONGEST_NOTE = 200
_NAME_WIDTH = max(len(name) for name in EVENTS)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    url: str
    key: str | None
    forward_to: str
    events: str | None = None
    secret: str | None = None
    after: str | None = None


class Block(msgspec.Struct, frozen=True):
    """What an empty line ends in a stream: an event, or without a body only a new place in it."""

    cursor: str
    event: str
    body: bytes | None


async def listen(options: Options, clock: Clock, say: Say = click.echo) -> int:
    """Forward events until a signal comes, and give the exit code."""
    names = _check(options)
    secret = options.secret or make_secret()
    say(f"Events of {options.url} go to {options.forward_to}. Ctrl-C ends it.")
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
    """Find what is wrong before anything is sent, and give the names of the events to forward; None: all."""
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
            raise SettingsError(f"--events: there is no event {name!r}. Known: {', '.join(EVENTS)}.")
    return frozenset(names)


class Listener:
    """Follows the stream, and comes back to where it was when the connection is lost."""

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
        # Behind everything that has been handled: what follows it is still to come.
        self._cursor = options.after
        self._pause = _FIRST_PAUSE
        # What was said to be wrong and has not been mended since. At first, that there is no connection yet.
        self._trouble: str | None = ""

    @property
    def way_back(self) -> str:
        return f" To go on from here: --after {self._cursor}" if self._cursor else ""

    async def run(self) -> NoReturn:
        while True:
            await asyncio.sleep(await self._follow())
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    async def _follow(self) -> float:
        """Read the stream until it breaks off. Gives the seconds to wait before the next try.

        A connection that was lost and is there again at the next try is not worth a word.
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
                self._tell(f"The service cannot be reached ({failure}).")
        return self._pause

    async def _handle_all(self, answer: Streamed) -> None:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            raise Refused(f"{self._url} gives no stream of events. Is --url the address of a Socialgate?")
        if self._trouble is not None:
            self._say("Connected. Waiting for events.")
            self._trouble = None
        parser = Parser()
        async for piece in answer:
            # A stream that brings something is a sound one: if it is lost, coming back may begin at once.
            self._pause = _FIRST_PAUSE
            for block in parser.feed(piece):
                await self._handle(block)

    async def _handle(self, block: Block) -> None:
        is_wanted = block.event != TASK_PROGRESS if self._names is None else block.event in self._names
        if block.body is not None and is_wanted:
            await self._forwarder.forward(block.event, _event_id(block.cursor), block.body)
        self._cursor = block.cursor or self._cursor

    async def _judge(self, answer: Streamed) -> float:
        """Tell an answer that will pass, and how long to wait, from one that will not."""
        detail = await _detail_of(answer)
        if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise Refused(f"The service refuses the key ({answer.status}). {detail} See --key and SOCIALGATE_API_KEY.")
        if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR and answer.status != HTTPStatus.TOO_MANY_REQUESTS:
            hint = detail or "Is --url the address of a Socialgate?"
            raise Refused(f"{self._url} answered {answer.status}. {hint}")
        self._tell(f"The service answered {answer.status}. {detail}".strip())
        asked = retry_after_in(answer.headers, self._clock.now())
        return max(self._pause, min(asked.total_seconds(), _LONGEST_PAUSE) if asked else 0)

    def _tell(self, trouble: str) -> None:
        """Say it once, however long it lasts."""
        if trouble != self._trouble:
            self._say(f"{trouble} Trying again.")
            self._trouble = trouble


class Forwarder:
    """Sends one event after the other to the receiver, and says what became of each."""

    def __init__(
        self, door: Door, clock: Clock, say: Say, *, url: str, secret: str, waits: Sequence[float] = WAITS
    ) -> None:
        self._door = door
        self._clock = clock
        self._say = say
        self._url = url
        self._secret = secret
        self._waits = waits
        self._taken = 0
        self._not_taken = 0

    @property
    def summary(self) -> str:
        return f"{self._taken} taken, {self._not_taken} not taken."

    async def forward(self, event: str, event_id: str, body: bytes) -> None:
        delivery_id = new_id("dlv")
        for wait in (*self._waits, None):
            trouble, is_final = await self._try(event, event_id, delivery_id, body)
            if trouble is None:
                self._taken += 1
                return
            if is_final or wait is None:
                break
            self._say(f"{trouble}; again in {wait:g} s")
            await asyncio.sleep(wait)
        self._say(f"{trouble}; not taken")
        self._not_taken += 1

    async def _try(self, event: str, event_id: str, delivery_id: str, body: bytes) -> tuple[str | None, bool]:
        """Send once. Gives the line to say where it was not taken, and whether that is final."""
        now = self._clock.now()
        headers = delivery_headers(
            secrets=[self._secret],
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
                return f"{line}  {_red(answer.status)}  {spent}  gone: it would switch a hook off", True
            case Failed(reason=reason):
                return f"{line}  {_red(answer.status)}  {spent}  {reason}{_quote(answer.body)}", False


class Parser:
    """Takes server-sent events apart. What is not ended by an empty line was cut off, and is left out."""

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
    """Read the id of an event out of its cursor. What stands there otherwise names the event just as surely."""
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
    """Show the beginning of what a receiver said, on one line, and nothing that a terminal would obey."""
    words = " ".join(body[: _LONGEST_NOTE * 4].decode("utf-8", "replace").split())
    text = "".join(letter for letter in words if letter.isprintable())[:_LONGEST_NOTE]
    return f": {text}" if text else ""
