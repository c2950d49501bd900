"""`socialgate listen`: forward events to a receiver on this machine, signed like real deliveries."""

import base64
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from http import HTTPStatus
from typing import Any, get_args
from uuid import uuid4

import click
import httpx

from socialgate import __version__
from socialgate.cli.failures import describe_failure, describe_response
from socialgate.cli.output import clean, echo, note, print_json_line
from socialgate.cli.session import Session, until_stopped, with_session
from socialgate_client import ApiError, Socialgate, SocialgateError, StreamFrame
from socialgate_client.params import EventsQueryEvent

EVENT_NAMES: Sequence[str] = get_args(EventsQueryEvent)
# Delays before each retry of a failing receiver. A real hook gets days, but a developer is waiting.
RETRY_DELAYS_SECONDS = (0.5, 1.0, 2.0)
MIN_SECRET_LENGTH, MAX_SECRET_LENGTH = 16, 256
_TASK_PROGRESS = "task.progress"
# The default timeout of a real hook.
_RESPONSE_TIMEOUT_SECONDS = 15.0
_MAX_RESPONSE_BYTES = 64 * 1024
_MAX_EXCERPT_LENGTH = 200
_NAME_WIDTH = max(len(name) for name in EVENT_NAMES)
_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


@click.command()
@click.option(
    "--forward-to", required=True, metavar="TEXT", help="Where to send events, such as http://localhost:3000/hook."
)
@click.option("--events", "names", metavar="TEXT", help="Events to forward, separated by commas. Unset: all.")
@click.option("--secret", metavar="TEXT", help="Secret to sign with. Unset: a new one is generated and shown.")
@click.option("--after", metavar="TEXT", help="Cursor to start after. Unset: only new events.")
@with_session
def listen(session: Session, forward_to: str, names: str | None, secret: str | None, after: str | None) -> None:
    """Forward the events of an owner to a receiver on this machine, signed like real deliveries.

    With --json, each request to the receiver is one line.
    """
    _check_receiver(forward_to)
    chosen = None if names is None else _read_names(names)
    if secret is not None:
        _check_secret(secret)
    client = session.client
    report = Report(note if session.is_json else echo, is_json=session.is_json)
    report.say(f"Forwarding events from {session.url} to {forward_to}. Press Ctrl-C to stop.")
    if secret is None:
        secret = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"
        report.say(f"They are signed with the secret {secret}")
    # Like a real delivery, it ignores proxies and does not follow redirects.
    http = httpx.Client(timeout=_RESPONSE_TIMEOUT_SECONDS, trust_env=False)
    with closing(http):
        forwarder = EventForwarder(http, client, report, url=forward_to, secret=secret)
        listener = EventListener(client, forwarder, report, names=chosen, after=after)
        with until_stopped():
            listener.run()
        report.say(f"Stopped. {forwarder.summary}{listener.resume_hint}")


def _check_receiver(url: str) -> None:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise click.UsageError(f"--forward-to: {error}.") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise click.UsageError("--forward-to: The URL must be absolute, use http or https, and contain a host.")


def _read_names(text: str) -> frozenset[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in EVENT_NAMES:
            raise click.UsageError(f"--events: there is no event `{name}`. Use one of: {', '.join(EVENT_NAMES)}.")
    return frozenset(names)


def _check_secret(secret: str) -> None:
    """Refuse what a hook would refuse, without quoting it."""
    if not MIN_SECRET_LENGTH <= len(secret) <= MAX_SECRET_LENGTH:
        raise click.UsageError(f"--secret: Use a secret of {MIN_SECRET_LENGTH} to {MAX_SECRET_LENGTH} characters.")
    if not (secret.isascii() and secret.isprintable()):
        raise click.UsageError("--secret: Use only printable ASCII characters in the secret.")


class Report:
    """Shows a line for each request: text for people, JSON for programs."""

    def __init__(self, say: Callable[[str], object], *, is_json: bool) -> None:
        # Shows a line that is not about a request.
        self.say = say
        self._is_json = is_json

    def show(self, attempt: dict[str, Any], outcome: str) -> None:
        """Show a request to the receiver, and what follows."""
        if self._is_json:
            print_json_line({**attempt, "outcome": outcome})
            return
        error = attempt["error"]
        status = click.style(attempt["status"] or "---", fg="red" if error else "green")
        rest = f"  {error}; {outcome}" if error else ""
        now = datetime.now().astimezone()
        self.say(f"{now:%H:%M:%S}  {attempt['event']:<{_NAME_WIDTH}}  {status}  {attempt['milliseconds']:>6} ms{rest}")


class EventListener:
    """Follows the stream, and reports each problem with it once."""

    def __init__(
        self,
        client: Socialgate,
        forwarder: "EventForwarder",
        report: Report,
        *,
        names: frozenset[str] | None,
        after: str | None,
    ) -> None:
        self._client = client
        self._forwarder = forwarder
        self._report = report
        self._names = names
        # After everything that has been handled: whatever follows is still to come.
        self._cursor = after
        # The current problem, if it was reported. At first: not connected yet.
        self._trouble: str | None = ""

    @property
    def resume_hint(self) -> str:
        return f" To continue from here: --after {self._cursor}" if self._cursor else ""

    def run(self) -> None:
        for frame in self._client.events.frames(
            after=self._cursor, on_open=self._note_connection, on_retry=self._note_trouble
        ):
            if frame.body and self._is_wanted(frame.name):
                self._forwarder.forward(frame)
            self._cursor = frame.cursor or self._cursor

    def _is_wanted(self, name: str) -> bool:
        return name != _TASK_PROGRESS if self._names is None else name in self._names

    def _note_connection(self) -> None:
        # A connection that is lost and restored by the next attempt is not reported.
        if self._trouble is not None:
            self._report.say("Connected. Waiting for events.")
            self._trouble = None

    def _note_trouble(self, error: SocialgateError) -> None:
        if isinstance(error, ApiError):
            trouble = describe_response(error)
        else:
            trouble = f"The service is not reachable ({describe_failure(error.__cause__)})."
        if trouble != self._trouble:
            self._report.say(f"{trouble} Retrying.")
            self._trouble = trouble


class EventForwarder:
    """Sends one event after the other to the receiver, and reports the result of each."""

    def __init__(
        self,
        http: httpx.Client,
        client: Socialgate,
        report: Report,
        *,
        url: str,
        secret: str,
        delays: Sequence[float] = RETRY_DELAYS_SECONDS,
    ) -> None:
        self._http = http
        self._client = client
        self._report = report
        self._url = url
        self._secret = secret
        self._delays = delays
        self._delivered_count = 0
        self._failed_count = 0

    @property
    def summary(self) -> str:
        return f"{self._delivered_count} delivered, {self._failed_count} not delivered."

    def forward(self, frame: StreamFrame) -> None:
        delivery_id = _new_delivery_id()
        for delay in (*self._delays, None):
            attempt = self._send_once(frame, delivery_id)
            if attempt["error"] is None:
                self._delivered_count += 1
                self._report.show(attempt, "delivered")
                return
            if delay is None or attempt["status"] == HTTPStatus.GONE:
                break
            self._report.show(attempt, f"retrying in {delay:g} s")
            time.sleep(delay)
        self._report.show(attempt, "not delivered")
        self._failed_count += 1

    def _send_once(self, frame: StreamFrame, delivery_id: str) -> dict[str, Any]:
        """Send an event once, and return what came of it."""
        headers = self._client.webhooks.sign(
            frame.body, self._secret, event=frame.name, event_id=frame.event_id, delivery_id=delivery_id
        )
        headers |= {"Content-Type": "application/json", "User-Agent": f"Socialgate-Hooks/{__version__}"}
        started = time.perf_counter()
        status: int | None = None
        try:
            with self._http.stream("POST", self._url, content=frame.body, headers=headers) as response:
                error = _judge(response.status_code, _read_beginning(response))
                status = response.status_code
        except httpx.RequestError as failure:
            error = describe_failure(failure)
        return {
            "event": frame.name,
            "eventId": frame.event_id,
            "deliveryId": delivery_id,
            "cursor": frame.cursor,
            "status": status,
            "milliseconds": round((time.perf_counter() - started) * 1000),
            "error": error,
        }


def _judge(status: int, body: bytes) -> str | None:
    """Say why a response is not a success, with the names that deliveries of hooks have for it."""
    if status == HTTPStatus.GONE:
        return "gone: a hook would be disabled"
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    is_redirect = status < HTTPStatus.BAD_REQUEST
    return f"{'redirect_refused' if is_redirect else 'status_refused'}{_format_excerpt(body)}"


def _read_beginning(response: httpx.Response) -> bytes:
    body = b""
    for piece in response.iter_bytes():
        body += piece
        if len(body) > _MAX_RESPONSE_BYTES:
            break
    return body


def _format_excerpt(body: bytes) -> str:
    """Show the beginning of a receiver's response, on one line, without terminal control characters."""
    text = clean(body[: _MAX_EXCERPT_LENGTH * 4].decode("utf-8", "replace"))[:_MAX_EXCERPT_LENGTH]
    return f": {text}" if text else ""


def _new_delivery_id() -> str:
    """Make an id as those of real deliveries."""
    number = uuid4().int
    return "dlv_" + "".join(_BASE32[(number >> shift) & 31] for shift in range(125, -1, -5))
