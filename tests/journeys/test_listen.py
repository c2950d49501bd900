"""`socialgate listen`: as a developer runs it, and against services and receivers that misbehave."""

import asyncio
import hashlib
import hmac
import re
import signal
import threading
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from functools import wraps
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import httpx
import msgspec
import pytest
import sqlalchemy as sa
from standardwebhooks.webhooks import Webhook

from journeys.commands import DEADLINE_SECONDS, Running
from journeys.commands import started_afresh as started
from socialgate.cli.listen import EventForwarder, EventListener, Report
from socialgate.core.events import AccountDisconnected, EventData, PostFailed
from socialgate.core.ids import is_id, new_id
from socialgate.core.outbox import emit_event, events
from socialgate.core.settings import Settings
from socialgate.delivery.signing import generate_hook_secret
from socialgate_client import Socialgate, SocialgateError
from support.command_line import CommandLine
from support.database import rows
from support.service import Host, OwnerFixture, RunningService, running_service
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

CONNECTED = "Connected. Waiting for events."
DISCONNECTED = AccountDisconnected(account_id="acc_1", platform="meta", kind="instagram")
FAILED = PostFailed(post_id="post_ñ", status="failed", round=1, targets=[], metadata=None)


class Received(msgspec.Struct, frozen=True):
    headers: dict[str, str]
    body: bytes


class Receiver:
    """A developer's endpoint: plain http on loopback, which answers with these statuses, then always with 200."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.statuses: list[int] = []
        self._news = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                status = receiver._keep(Received(headers, body))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(b"" if status == 200 else b"no\x1b[2J room")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.02), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(DEADLINE_SECONDS)

    def wait_for(self, count: int) -> list[Received]:
        with self._news:
            enough = self._news.wait_for(lambda: len(self.received) >= count, DEADLINE_SECONDS)
        assert enough, f"only {len(self.received)} of {count} came"
        return list(self.received)

    def _keep(self, request: Received) -> int:
        with self._news:
            self.received.append(request)
            self._news.notify_all()
            return self.statuses.pop(0) if self.statuses else 200


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), worker="separate") as running:
        yield running


@contextmanager
def listening(receiver: Receiver, url: str, key: str, *arguments: str) -> Iterator[Running]:
    """Run the command until the block ends, in a folder without settings."""
    with (
        TemporaryDirectory() as name,
        started(Path(name), "listen", "--forward-to", receiver.url, *arguments, url=url, api_key=key) as running,
    ):
        yield running


def wait_until_said(process: Running, text: str) -> None:
    def look() -> bool | None:
        assert process.process.poll() is None, f"it ended with {process.process.returncode}: {process.err}"
        return text in process.out or None

    eventually(look, text)


def happen(owner: OwnerFixture, *happenings: EventData) -> list[str]:
    return [owner.running.write(emit_event, owner.id, owner.profile_id, data) for data in happenings]


def ids(received: Sequence[Received]) -> list[str]:
    return [request.headers["webhook-id"] for request in received]


def stored_bodies(running: RunningService, event_ids: list[str]) -> list[bytes]:
    result = {row.id: row.body for row in rows(running, sa.select(events))}
    return [result[event_id] for event_id in event_ids]


def assert_signed(request: Received, secret: str) -> None:
    expected = hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-service-signature"] == f"sha256={expected}"
    Webhook(secret).verify(request.body, request.headers)


def test_events_arrive_in_order_with_the_signatures_of_real_deliveries(
    service: RunningService, receiver: Receiver
) -> None:
    owner = service.new_owner()
    key = owner.key_value(permission="read")
    with listening(receiver, service.address, key) as process:
        wait_until_said(process, CONNECTED)
        created = happen(owner, DISCONNECTED, FAILED, DISCONNECTED, FAILED)
        happen(service.new_owner(), DISCONNECTED)
        created += happen(owner, DISCONNECTED)
        received = receiver.wait_for(5)
        eventually(lambda: process.out.count(" ms\n") == 5 or None, "a line for each event")
        assert process.stop() == 0
        out, err = process.out, process.err
    assert ids(received) == created
    assert [request.body for request in received] == stored_bodies(service, created)
    secret = out.partition("signed with the secret ")[2].split()[0]
    for request in received:
        assert_signed(request, secret)
        assert request.headers["x-service-event"] == msgspec.json.decode(request.body)["event"]
        assert request.headers["content-type"] == "application/json"
        assert request.headers["user-agent"].startswith("Socialgate-Hooks/")
        assert is_id("dlv", request.headers["x-service-delivery"])
    assert len({request.headers["x-service-delivery"] for request in received}) == 5
    lines = out.splitlines()[3:]
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d  [a-z_.]+ +200 +\d+ ms", line) for line in lines[:-1]), out
    assert [line.split()[1] for line in lines[:2]] == ["account.disconnected", "post.failed"]
    assert re.fullmatch(r"Stopped\. 5 delivered, 0 not delivered\. To continue from here: --after \S+", lines[-1])
    assert (err, key in out) == ("", False)

    created = happen(owner, DISCONNECTED, FAILED, DISCONNECTED, FAILED)
    secret = generate_hook_secret()
    arguments = ("--after", lines[-1].split()[-1], "--events", "post.failed, post.published", "--secret", secret)
    with listening(receiver, service.address, key, *arguments) as process:
        received = receiver.wait_for(7)[5:]
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(DEADLINE_SECONDS) == 0
        assert secret not in process.out
    assert ids(received) == created[1::2]
    assert_signed(received[0], secret)


@contextmanager
def serving(settings: Settings) -> Iterator[RunningService]:
    with Host(settings) as host:
        assert host.running is not None
        host.running.address = host.running.url
        yield host.running


def test_a_restart_of_the_service_loses_nothing_and_doubles_nothing(tmp_path: Path, receiver: Receiver) -> None:
    # An address of its own, so that nobody takes the port in between.
    settings = Settings(data_dir=tmp_path, host="127.0.0.2", port=0, sandbox=False, worker="separate", stop_seconds=5)
    with ExitStack() as stack:
        with serving(settings) as running:
            owner = running.new_owner()
            process = stack.enter_context(listening(receiver, running.url, owner.key_value()))
            wait_until_said(process, CONNECTED)
            created = happen(owner, DISCONNECTED, FAILED)
            receiver.wait_for(2)
        wait_until_said(process, "The service is not reachable (connect_refused: ")
        with serving(msgspec.structs.replace(settings, port=running.settings.port)) as owner.running:
            created += happen(owner, DISCONNECTED, FAILED)
            receiver.wait_for(4)
            created += happen(owner, DISCONNECTED)
            received = receiver.wait_for(5)
            assert process.stop() == 0
        assert process.out.count(CONNECTED) == 2
    assert ids(received) == created


def test_a_key_that_is_wrong_or_revoked_ends_it_with_one_line(service: RunningService, receiver: Receiver) -> None:
    owner = service.new_owner()
    with listening(receiver, service.address, "sg_test_wrong") as process:
        assert process.process.wait(DEADLINE_SECONDS) == 1
        (line,) = process.err.splitlines()
    assert line == (
        "socialgate: This is not a complete API key, or it has a typo: its checksum is wrong. Copy the whole key."
    )
    with listening(receiver, service.address, owner.key_value()) as process:
        wait_until_said(process, CONNECTED)
        (key,) = owner.session.get("/api-keys").json()["data"]
        assert owner.session.delete(f"/api-keys/{key['id']}").status_code == 200
        assert process.process.wait(DEADLINE_SECONDS) == 1
        (line,) = process.err.splitlines()
        assert line.startswith("socialgate: The API key was revoked at ")
    assert receiver.received == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--key", ""], "You are not signed in to http://127.0.0.1:1. Run: socialgate login http://127.0.0.1:1"),
        (["--url", "gate"], "'gate' is not the URL of a service. It starts with https:// or http://."),
        (["--url", "http://"], "'http://' is not the URL of a service. It contains no host."),
        (["--url", "http://a:b"], "'http://a:b' is not a URL: Invalid port: 'b'."),
        (
            ["--key", "hidden\n"],
            "The API key contains characters that no key has, such as a line break. Copy it again.",
        ),
        (["--forward-to", "ftp://x"], "--forward-to: The URL must be absolute, use http or https, and contain a host."),
        (["--forward-to", "http://a:b"], "--forward-to: Invalid port: 'b'."),
        (["--secret", "short"], "--secret: Use a secret of 16 to 256 characters."),
        (["--secret", "ñ" * 20], "--secret: Use only printable ASCII characters in the secret."),
        (
            ["--events", "post.failed,post.fialed"],
            "--events: there is no event `post.fialed`. Use one of: post.scheduled, ",
        ),
    ],
)
def test_what_is_asked_for_wrongly_is_said_before_anything_is_sent(
    arguments: list[str], line: str, tmp_path: Path
) -> None:
    shell = CommandLine(tmp_path, SOCIALGATE_URL="http://127.0.0.1:1")
    credentials = () if "--key" in arguments else ("--key", "k")
    error = shell.fail(2, "listen", "--forward-to", "http://127.0.0.1:1", *credentials, *arguments)
    assert error.splitlines()[-1].startswith(f"Error: {line}")


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n"


def cursor_of(event_id: str) -> str:
    return urlsafe_b64encode(f"7.{event_id}".encode()).decode().rstrip("=")


def block_of(event_id: str, body: bytes = b"{}") -> bytes:
    return f"id: {cursor_of(event_id)}\nevent: post.failed\ndata: ".encode() + body + b"\n\n"


class Scene:
    """A service that sends a script to each connection, and a listener that forwards from it to a receiver."""

    def __init__(self, receiver: Receiver, *script: bytes) -> None:
        self._script = list(script)
        self.receiver = receiver
        self.heads: list[str] = []
        self.said: list[str] = []
        self._handlers: list[asyncio.Task[Any] | None] = []
        self._is_over = asyncio.Event()

    async def run(self, count: int, **options: Any) -> list[Received]:
        """Listen until so many requests have come to the receiver. Then the service refuses the key, which ends it."""
        async with self._listening(**options) as listener:
            task = asyncio.create_task(asyncio.to_thread(listener.run))
            came = asyncio.create_task(asyncio.to_thread(self.receiver.wait_for, count))
            await asyncio.wait({task, came}, return_when=asyncio.FIRST_COMPLETED)
            assert not task.done(), task.exception()
            received = await came
            self._is_over.set()
            with pytest.raises(SocialgateError):
                await task
            return received

    async def refusal(self, **options: Any) -> str:
        """Listen until it gives up, and tell why."""
        async with self._listening(**options) as listener:
            with pytest.raises(SocialgateError) as caught:
                await asyncio.to_thread(listener.run)
        return str(caught.value)

    @asynccontextmanager
    async def _listening(
        self, delays: Sequence[float] = (0, 0), to: str | None = None, after: str | None = None
    ) -> AsyncIterator[EventListener]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        report = Report(self._say, is_json=False)
        try:
            with Socialgate(base_url=url, api_key="k") as client, httpx.Client() as http:
                forwarder = EventForwarder(
                    http, client, report, url=to or self.receiver.url, secret=generate_hook_secret(), delays=delays
                )
                yield EventListener(client, forwarder, report, names=None, after=after)
        finally:
            self._is_over.set()
            server.close()
            await asyncio.gather(*filter(None, self._handlers))

    def _say(self, line: str) -> None:
        self.said.append(click.unstyle(line))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handlers.append(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if self._script:
            self.heads.append(head)
            writer.write(self._script.pop(0))
            if not self._script:
                await self._is_over.wait()
        else:
            writer.write(answer(401))
        writer.close()

    def places(self) -> list[str | None]:
        """Return behind which cursor each connection asked for more."""
        result = (re.search(r"[?&]after=([^& ]+)", head) for head in self.heads)
        return [None if match is None else match[1] for match in result]


@in_a_loop
async def test_a_stream_that_breaks_off_anywhere_is_taken_up_where_it_was(receiver: Receiver) -> None:
    created = [new_id("evt") for _ in range(4)]
    whole = [block_of(event_id, b'{"data": {"text": "a: b"}}') for event_id in created]
    scene = Scene(
        receiver,
        HEAD + b"id: bm93\n\n",
        HEAD + b": alive\n:\n" + whole[0] + b": alive\n" + whole[1][:-1],
        HEAD + whole[1] + whole[2][:20],
        HEAD,
        HEAD + whole[2].replace(b"\n", b"\r\n") + whole[3],
    )
    received = await scene.run(4)
    assert ids(received) == created
    assert {request.body for request in received} == {b'{"data": {"text": "a: b"}}'}
    first, second = cursor_of(created[0]), cursor_of(created[1])
    assert scene.places() == [None, "bm93", first, second, second]
    assert [line for line in scene.said if " 200 " not in line] == [CONNECTED]


@in_a_loop
async def test_the_progress_of_tasks_is_no_event_and_is_not_forwarded(receiver: Receiver) -> None:
    created = [new_id("evt") for _ in range(2)]
    first, second = (block_of(event_id, b"{}") for event_id in created)
    scene = Scene(receiver, HEAD + first + b'event: task.progress\ndata: {"id": "task_1"}\n\n' + second)
    assert ids(await scene.run(2)) == created


def answer(status: int, body: bytes = b"", *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 %d X" % status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def problem(status: int, detail: str, *headers: bytes) -> bytes:
    body = msgspec.json.encode({"status": status, "code": "said", "detail": detail})
    return answer(status, body, b"Content-Type: application/problem+json", *headers)


@in_a_loop
async def test_a_service_that_is_busy_is_asked_again(receiver: Receiver) -> None:
    busy = problem(503, "Please.", b"Retry-After: 0")
    garbled = answer(429, b"", b"Retry-After: \xff\xfe")
    scene = Scene(receiver, busy, busy, garbled, HEAD + block_of(new_id("evt")))
    await scene.run(1, after="abc")
    assert scene.places() == ["abc"] * 4
    assert scene.said[:3] == [
        "The service returned 503. Please. Retrying.",
        "The service returned 429. Retrying.",
        CONNECTED,
    ]


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (problem(403, "Not you."), "Not you. (403 said)"),
        (answer(404), "The server responded with 404 X."),
        (problem(422, "No cursor."), "No cursor. (422 said)"),
        (answer(301, b"", b"Location: /x"), "The server responded with 301 X."),
        (answer(200, b"hello"), "the response is no stream of events. Check that the URL is that of a Socialgate"),
    ],
    ids=["forbidden", "elsewhere", "bad cursor", "moved", "a page"],
)
@in_a_loop
async def test_answers_that_will_not_change_end_it(receiver: Receiver, script: bytes, line: str) -> None:
    scene = Scene(receiver, script)
    assert line in await scene.refusal()
    assert len(scene.heads) == 1


@in_a_loop
async def test_a_receiver_that_fails_is_tried_again_and_the_stream_goes_on(receiver: Receiver) -> None:
    receiver.statuses = [500, 302, 200, 503, 503, 503, 410]
    created = [new_id("evt") for _ in range(4)]
    scene = Scene(receiver, HEAD + b"".join(block_of(event_id) for event_id in created))
    received = await scene.run(8)
    assert ids(received) == [created[0]] * 3 + [created[1]] * 3 + [created[2], created[3]]
    assert len({request.headers["x-service-delivery"] for request in received}) == 4
    assert outcomes(scene.said[1:8]) == [
        "500 status_refused: no[2J room; retrying in 0 s",
        "302 redirect_refused: no[2J room; retrying in 0 s",
        "200",
        "503 status_refused: no[2J room; retrying in 0 s",
        "503 status_refused: no[2J room; retrying in 0 s",
        "503 status_refused: no[2J room; not delivered",
        "410 gone: a hook would be disabled; not delivered",
    ]


def outcomes(lines: list[str]) -> list[str]:
    """Leave out what every line begins with, and the times."""
    return [re.sub(r"^\S+  post\.failed +(\S+) +\d+ ms *", r"\1 ", line).strip() for line in lines]


@in_a_loop
async def test_a_receiver_that_is_away_is_reported_with_the_reason(receiver: Receiver) -> None:
    with closing(Receiver()) as gone:
        pass
    created = [new_id("evt") for _ in range(2)]
    scene = Scene(receiver, HEAD + b"".join(block_of(event_id) for event_id in created), answer(401))
    assert "401" in await scene.refusal(to=gone.url, delays=())
    for outcome in outcomes(scene.said[1:]):
        assert re.fullmatch(r"--- connect_refused: .+; not delivered", outcome)
    assert len(scene.said) == 3
    assert scene.places() == [None, cursor_of(created[1])]


def test_for_programs_each_request_is_a_line(service: RunningService, receiver: Receiver) -> None:
    owner = service.new_owner()
    receiver.statuses = [500, 410]
    with listening(receiver, service.address, owner.key_value(), "--json") as process:
        eventually(lambda: CONNECTED in process.err or None, "the connection")
        (event_id,) = happen(owner, FAILED)
        receiver.wait_for(2)
        eventually(lambda: process.out.count("\n") == 2 or None, "a line for each request")
        assert process.stop() == 0
        first, second = (msgspec.json.decode(line) for line in process.out.splitlines())
    assert (first["event"], first["eventId"], first["status"]) == ("post.failed", event_id, 500)
    assert (first["error"], first["outcome"]) == ("status_refused: no[2J room", "retrying in 0.5 s")
    assert (second["status"], second["outcome"]) == (410, "not delivered")
    assert second["deliveryId"] == first["deliveryId"]
