"""The sandbox alone, on real sockets in a thread of the test process, and a stand-in for the product that it calls."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import msgspec
import uvloop

from socialgate_sandbox.kernel.settings import ControlCredentials, SandboxSettings
from socialgate_sandbox.kernel.vendor import Vendor
from socialgate_sandbox.server import run_sandbox
from support.waiting import eventually


class ReceivedWebhook(msgspec.Struct, frozen=True):
    """A request that the stand-in got."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class WebhookReceiver:
    """Takes webhooks in the product's place. `answers` are the statuses of the next ones, then it says 200.

    A GET is answered with the query's `hub.challenge`, as a platform's check of a webhook address wants it.
    """

    def __init__(self) -> None:
        self.arrived: list[ReceivedWebhook] = []
        self.answers: list[int] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def wait_for(self, count: int) -> list[ReceivedWebhook]:
        eventually(lambda: len(self.arrived) >= count)
        return list(self.arrived)

    def close(self) -> None:
        stopping = threading.Thread(target=self._server.shutdown)
        stopping.start()
        # It notices at once when somebody calls, and else only after half a second.
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self._server.server_port)).close()
        stopping.join(60)
        self._server.server_close()
        self._thread.join(60)


def _handler(gateway: WebhookReceiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            gateway.arrived.append(ReceivedWebhook(self.path, headers, body))
            self._answer(gateway.answers.pop(0) if gateway.answers else 200, b"ok")

        def do_GET(self) -> None:
            self._answer(200, httpx.URL(self.path).params.get("hub.challenge", "").encode())

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


class RunningSandbox:
    """`client` calls it; `control` posts to the controls and `look` reads them."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.url = settings.public_url
        self.receiver_url = f"https://127.0.0.1:{settings.receiver_port}"
        self.ca_file = settings.data_dir / "sandbox-ca.pem"
        self.client = httpx.Client(base_url=self.url, timeout=120)

    def control(self, verb: str, **fields: Any) -> Any:
        answer = self.client.post(f"/_control/{verb}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def look(self, label: str, **query: Any) -> Any:
        answer = self.client.get(f"/_control/{label}".rstrip("/"), params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def reset(self, gateway: WebhookReceiver) -> None:
        """Make it as it was at its start, which is quicker than to start another one."""
        gateway.answers.clear()
        self.control("webhooks", mode="normal", release=True)
        # What a test before left to be sent must not arrive in this one.
        eventually(self._nothing_waits)
        self.control("reset")
        gateway.arrived.clear()

    def _nothing_waits(self) -> bool:
        if not self.look("deliveries", state="waiting", limit=1)["data"]:
            return True
        self.control("clock", advance=86400)
        return False


@contextmanager
def running_sandbox(
    data_dir: Path,
    vendors: Sequence[Vendor],
    gateway_url: str = "http://127.0.0.1:9",
    control: ControlCredentials | None = None,
) -> Iterator[RunningSandbox]:
    """Run a sandbox with these vendors on any free ports."""
    sandbox_settings = SandboxSettings(
        data_dir=data_dir, port=0, receiver_port=0, gateway_url=gateway_url, control_credentials=control
    )
    host = _Host(sandbox_settings, vendors)
    host.start()
    running = RunningSandbox(host.opened())
    try:
        yield running
    finally:
        running.client.close()
        host.stop()


class _Host:
    def __init__(self, settings: SandboxSettings, vendors: Sequence[Vendor]) -> None:
        self._settings = settings
        self._vendors = vendors
        self._ready = threading.Event()
        self._opened: SandboxSettings | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def opened(self) -> SandboxSettings:
        self._ready.wait(60)
        if self._failure is not None:
            raise self._failure
        assert self._opened is not None, "the sandbox did not start"
        return self._opened

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(60)
        assert not self._thread.is_alive(), "the sandbox did not stop"
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            uvloop.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - it is handed to the test's own thread
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with run_sandbox(self._settings, self._vendors) as self._opened:
            self._ready.set()
            await self._end.wait()
