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
from socialgate.core.egress import (
    EgressClient,
    SendError,
    SendFailureReason,
    StreamedResponse,
    SystemResolver,
    allow_any_address,
)
from socialgate.core.events import EVENT_TYPES, TASK_PROGRESS_EVENT
from socialgate.core.ids import is_id, new_id
from socialgate.core.settings import SettingsError
from socialgate.delivery.retry_policy import (
    AttemptFailed,
    AttemptSucceeded,
    ReceiverGone,
    classify_response,
    read_retry_after_header,
)
from socialgate.delivery.signing import HookSigner, generate_hook_secret, validate_hook_secret
from socialgate.entry.client_commands import (
    CHECK_URL_HINT,
    EXIT_FAILED,
    CommandError,
    PrintLine,
    check_url,
    read_problem_detail,
    require_api_key,
    run_until_signal,
)
from socialgate.entry.customer_egress import HOOKS_USER_AGENT

EXIT_STOPPED = 0
# Delays before each retry of a failing receiver. A real hook gets days, but a developer is waiting.
RETRY_DELAYS_SECONDS = (0.5, 1.0, 2.0)
# The default timeout of a real hook.
_RESPONSE_TIMEOUT_SECONDS = 15.0
_MAX_RESPONSE_BYTES = 64 * 1024
_STREAM_OPEN_TIMEOUT_SECONDS = 10.0
# The service sends a keep-alive every 15 s.
_IDLE_SECONDS = 40.0
_INITIAL_DELAY_SECONDS = 0.25
_MAX_DELAY_SECONDS = 10.0
_MAX_EXCERPT_LENGTH = 200
_NAME_WIDTH = max(len(name) for name in EVENT_TYPES)


class ListenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options from the command line."""

    url: str
    key: str | None
    forward_to: str
    events: str | None = None
    secret: str | None = None
    after: str | None = None


class StreamMessage(msgspec.Struct, frozen=True):
    """What an empty line ends in a stream: an event, or, without a body, just a new position."""

    cursor: str
    event: str
    body: bytes | None


async def forward_events(options: ListenOptions, clock: Clock, say: PrintLine = click.echo) -> int:
    """Forward events until a signal arrives, and return the exit code."""
    names = _validate_options(options)
    secret = options.secret or generate_hook_secret()
    say(f"Forwarding events from {options.url} to {options.forward_to}. Press Ctrl-C to stop.")
    if options.secret is None:
        say(f"They are signed with the secret {secret}")
    resolver = SystemResolver()
    service = EgressClient(policy=allow_any_address, resolver=resolver, user_agent=f"Socialgate-Listen/{__version__}")
    receiver = EgressClient(policy=allow_any_address, resolver=resolver, user_agent=HOOKS_USER_AGENT)
    forwarder = EventForwarder(receiver, clock, say, url=options.forward_to, secret=secret)
    listener = EventStreamReader(service, forwarder, clock, say, options=options, names=names)
    try:
        await run_until_signal(listener.run())
    except CommandError as refusal:
        click.echo(f"socialgate: {refusal}", err=True)
        return EXIT_FAILED
    else:
        say(f"Stopped. {forwarder.summary}{listener.resume_hint}")
        return EXIT_STOPPED
    finally:
        service.close()
        receiver.close()
        resolver.close()


def _validate_options(options: ListenOptions) -> frozenset[str] | None:
    """Validate the options before anything is sent, and return the names of the events to forward; None means all."""
    check_url("--url", options.url)
    check_url("--forward-to", options.forward_to)
    require_api_key(options.key)
    if options.secret is not None and (fault := validate_hook_secret(options.secret)):
        raise SettingsError(f"--secret: {fault}")
    if options.events is None:
        return None
    names = [name.strip() for name in options.events.split(",")]
    for name in names:
        if name not in EVENT_TYPES:
            raise SettingsError(f"--events: there is no event `{name}`. Use one of: {', '.join(EVENT_TYPES)}.")
    return frozenset(names)


class EventStreamReader:
    """Follows the stream, and continues where it was when the connection is lost."""

    def __init__(
        self,
        client: EgressClient,
        forwarder: "EventForwarder",
        clock: Clock,
        say: PrintLine,
        *,
        options: ListenOptions,
        names: frozenset[str] | None,
    ) -> None:
        self._door = client
        self._forwarder = forwarder
        self._clock = clock
        self._say = say
        self._url = f"{options.url.rstrip('/')}/events/stream"
        self._key = options.key
        self._names = names
        # After everything that has been handled: whatever follows is still to come.
        self._cursor = options.after
        self._pause = _INITIAL_DELAY_SECONDS
        # The current problem, if it was reported. At first: not connected yet.
        self._trouble: str | None = ""

    @property
    def resume_hint(self) -> str:
        return f" To continue from here: --after {self._cursor}" if self._cursor else ""

    async def run(self) -> NoReturn:
        while True:
            await asyncio.sleep(await self._read_stream())
            self._pause = min(self._pause * 2, _MAX_DELAY_SECONDS)

    async def _read_stream(self) -> float:
        """Read the stream until it breaks. Returns the seconds to wait before the next attempt.

        A connection that is lost and restored by the next attempt is not reported.
        """
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "text/event-stream"}
        if self._cursor is not None:
            headers["Last-Event-ID"] = self._cursor
        opened = False
        try:
            async with self._door.stream(
                "GET", self._url, deadline=_STREAM_OPEN_TIMEOUT_SECONDS, idle=_IDLE_SECONDS, headers=headers
            ) as answer:
                if answer.status != HTTPStatus.OK:
                    return await self._handle_error_status(answer)
                opened = True
                await self._handle_all(answer)
        except SendError as failure:
            if failure.reason in {SendFailureReason.URL_INVALID, SendFailureReason.REQUEST_INVALID}:
                raise CommandError(f"{failure.detail} Check --key and --after.") from None
            if not opened:
                self._report_once(f"The service is not reachable ({failure}).")
        return self._pause

    async def _handle_all(self, answer: StreamedResponse) -> None:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            raise CommandError(f"{self._url} returned no event stream. {CHECK_URL_HINT}")
        if self._trouble is not None:
            self._say("Connected. Waiting for events.")
            self._trouble = None
        parser = EventStreamParser()
        async for piece in answer:
            # A stream that sends something works: if it is lost, reconnect immediately.
            self._pause = _INITIAL_DELAY_SECONDS
            for block in parser.parse_chunk(piece):
                await self._handle(block)

    async def _handle(self, block: StreamMessage) -> None:
        is_wanted = block.event != TASK_PROGRESS_EVENT if self._names is None else block.event in self._names
        if block.body is not None and is_wanted:
            await self._forwarder.forward_event(block.event, _event_id(block.cursor), block.body)
        self._cursor = block.cursor or self._cursor

    async def _handle_error_status(self, answer: StreamedResponse) -> float:
        """Distinguish temporary errors, and how long to wait, from permanent ones."""
        detail = await _read_detail(answer)
        if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise CommandError(
                f"The service rejected the key ({answer.status}). {detail} Check --key or SOCIALGATE_API_KEY."
            )
        if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR and answer.status != HTTPStatus.TOO_MANY_REQUESTS:
            hint = detail or CHECK_URL_HINT
            raise CommandError(f"{self._url} returned {answer.status}. {hint}")
        self._report_once(f"The service returned {answer.status}. {detail}".strip())
        delay = read_retry_after_header(answer.headers, self._clock.now())
        return max(self._pause, min(delay.total_seconds(), _MAX_DELAY_SECONDS) if delay else 0)

    def _report_once(self, trouble: str) -> None:
        """Report it once, however long it lasts."""
        if trouble != self._trouble:
            self._say(f"{trouble} Retrying.")
            self._trouble = trouble


class EventForwarder:
    """Sends one event after the other to the receiver, and reports the result of each."""

    def __init__(
        self,
        client: EgressClient,
        clock: Clock,
        say: PrintLine,
        *,
        url: str,
        secret: str,
        waits: Sequence[float] = RETRY_DELAYS_SECONDS,
    ) -> None:
        self._door = client
        self._clock = clock
        self._say = say
        self._url = url
        self._signer = HookSigner([secret])
        self._waits = waits
        self._delivered_count = 0
        self._failed_count = 0

    @property
    def summary(self) -> str:
        return f"{self._delivered_count} delivered, {self._failed_count} not delivered."

    async def forward_event(self, event: str, event_id: str, body: bytes) -> None:
        delivery_id = new_id("dlv")
        for wait in (*self._waits, None):
            trouble, is_final = await self._send_once(event, event_id, delivery_id, body)
            if trouble is None:
                self._delivered_count += 1
                return
            if is_final or wait is None:
                break
            self._say(f"{trouble}; retrying in {wait:g} s")
            await asyncio.sleep(wait)
        self._say(f"{trouble}; not delivered")
        self._failed_count += 1

    async def _send_once(self, event: str, event_id: str, delivery_id: str, body: bytes) -> tuple[str | None, bool]:
        """Send once. Returns the error message if it was not accepted, and whether that is final."""
        now = self._clock.now()
        headers = self._signer.build_headers(
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
                "POST",
                self._url,
                deadline=_RESPONSE_TIMEOUT_SECONDS,
                read_limit=_MAX_RESPONSE_BYTES,
                headers=headers,
                body=body,
            )
        except SendError as failure:
            return f"{line}  {_style_red('---')}  {_format_elapsed(started)}  {failure}", False
        spent = _format_elapsed(started)
        match classify_response(answer.status, answer.headers, now):
            case AttemptSucceeded():
                self._say(f"{line}  {click.style(answer.status, fg='green')}  {spent}")
                return None, False
            case ReceiverGone():
                return f"{line}  {_style_red(answer.status)}  {spent}  gone: a hook would be disabled", True
            case AttemptFailed(reason=reason):
                return f"{line}  {_style_red(answer.status)}  {spent}  {reason}{_format_excerpt(answer.body)}", False


class EventStreamParser:
    """Parses server-sent events. An event that is not ended by an empty line was cut off, and is ignored."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[bytes, bytes] = {}

    def parse_chunk(self, piece: bytes) -> Iterator[StreamMessage]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, colon, value = line.removesuffix(b"\r").partition(b":")
            if name:
                self._fields[name] = value.removeprefix(b" ")
            elif self._fields and not colon:
                fields, self._fields = self._fields, {}
                yield StreamMessage(
                    fields.get(b"id", b"").decode(), fields.get(b"event", b"").decode(), fields.get(b"data")
                )


def _event_id(cursor: str) -> str:
    """Read the id of an event from its cursor. If it has another format, it identifies the event just as well."""
    with suppress(ValueError):
        event_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(".")[2]
        if is_id("evt", event_id):
            return event_id
    return cursor


async def _read_detail(answer: StreamedResponse) -> str:
    body = b""
    with suppress(SendError):
        async for piece in answer:
            body += piece
            if len(body) > _MAX_RESPONSE_BYTES:
                break
    return read_problem_detail(body)


def _format_elapsed(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:>6.0f} ms"


def _style_red(word: object) -> str:
    return click.style(word, fg="red")


def _format_excerpt(body: bytes) -> str:
    """Show the beginning of a receiver's response, on one line, without terminal control characters."""
    words = " ".join(body[: _MAX_EXCERPT_LENGTH * 4].decode("utf-8", "replace").split())
    text = "".join(letter for letter in words if letter.isprintable())[:_MAX_EXCERPT_LENGTH]
    return f": {text}" if text else ""
