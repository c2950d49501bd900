"""A gate between the service and its simulated platforms, that keeps calls waiting for as long as a test wants."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, Self

import httpx

_NOT_FORWARDED = {"host", "connection", "content-length", "transfer-encoding", "date", "server"}
_SECONDS = 60


class CallHold:
    """Calls whose path holds this text wait: before the platform gets them, or with its answer on the way back."""

    def __init__(self, text: str, when: Literal["before", "after"]) -> None:
        self.text = text
        self.when = when
        self._arrived = threading.Semaphore(0)
        self._open = threading.Event()

    def wait_for_call(self) -> None:
        assert self._arrived.acquire(timeout=_SECONDS), f"no call to {self.text} came"

    def release(self) -> None:
        self._open.set()

    def stop(self, path: str, when: str) -> None:
        if when == self.when and self.text in path and not self._open.is_set():
            self._arrived.release()
            self._open.wait(_SECONDS)


class HoldingProxy:
    """Start it, give its `url` to the service as the address of a platform, then tell it the sandbox as `target`."""

    def __init__(self) -> None:
        self.target = ""
        self._holds: list[CallHold] = []
        self._client = httpx.Client(timeout=_SECONDS)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()

    @contextmanager
    def holding(self, text: str, when: Literal["before", "after"] = "before") -> Iterator[CallHold]:
        hold = CallHold(text, when)
        self._holds.append(hold)
        try:
            yield hold
        finally:
            hold.release()
            self._holds.remove(hold)

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        holds = list(self._holds)
        for hold in holds:
            hold.stop(path, "before")
        answer = self._client.request(method, f"{self.target}{path}", headers=headers, content=body)
        for hold in holds:
            hold.stop(path, "after")
        return answer


def _handler(gate: HoldingProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            params = {name: value for name, value in self.headers.items() if name.lower() not in _NOT_FORWARDED}
            try:
                answer = gate.forward(self.command, self.path, params, body)
            except httpx.TransportError:
                # The platform hangs up, and so does whoever stands in between.
                self.close_connection = True
                return
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name.lower() not in _NOT_FORWARDED:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
