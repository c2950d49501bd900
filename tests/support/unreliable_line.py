"""A line between a client and the service that fails when a request asks for it: a limit, a lost response, a break.

A request names its fault in the header `X-Fault`, such as `limit 1`. Each fault happens once; `drop PATCH` happens to
the first request with this method.
"""

import http.client
import json
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

_AT_ONCE = 1 << 14
_OWN = {"connection", "transfer-encoding", "keep-alive", "host", "x-fault"}


class UnreliableLine:
    """Give clients its `url` in place of the server's."""

    def __init__(self, server_url: str) -> None:
        self.server_url = server_url
        self.faults: list[str] = []
        self.user_agents: set[str] = set()
        self._server = _LineServer(("127.0.0.1", 0), _Handler)
        self._server.line = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, fault: str | None, method: str) -> str | None:
        """Return the kind of a fault the first time that it is asked for."""
        if fault is None or fault in self.faults or fault.split()[1] not in {method, "1"}:
            return None
        self.faults.append(fault)
        return fault.split()[0]


class _LineServer(ThreadingHTTPServer):
    """Knows the line that it is the end of."""

    daemon_threads = True
    line: UnreliableLine


class _Handler(BaseHTTPRequestHandler):
    server: "_LineServer"
    protocol_version = "HTTP/1.1"
    timeout = 120

    def handle_one_request(self) -> None:
        with suppress(OSError):
            super().handle_one_request()
        # Each connection has one request: a client that waits for a response notices that there is none.
        self.close_connection = True

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.line.user_agents.add(self.headers.get("user-agent", ""))
        fault = self.server.line.take(self.headers.get("x-fault"), self.command)
        if fault == "limit":
            self._answer(429, {"Retry-After": "0", "Content-Type": "application/problem+json"}, b"{}")
            return
        target = urlsplit(self.server.line.server_url)
        with closing(http.client.HTTPConnection(str(target.hostname), target.port, timeout=120)) as connection:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
            connection.request(self.command, self.path, body or None, headers)
            with closing(connection.getresponse()) as answer:
                self._pass_back(answer, fault)

    do_GET = do_POST = do_PATCH = do_DELETE = do_HEAD = _pass_on  # noqa: N815 - the names that the module calls

    def _pass_back(self, answer: http.client.HTTPResponse, fault: str | None) -> None:
        if fault == "drop":
            # The server has done it, and nobody hears of it.
            answer.read()
        elif answer.getheader("content-type", "").startswith("text/event-stream"):
            self._stream(answer, cut=fault == "cut")
        else:
            content = answer.read()
            headers = {name: value for name, value in answer.getheaders() if name.lower() not in _OWN}
            self._answer(answer.status, headers, _of_tomorrow(content) if fault == "later" else content)

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response_only(status)
        length = {} if self.command == "HEAD" else {"Content-Length": str(len(content))}
        kept = {name: value for name, value in headers.items() if name.lower() != "content-length"}
        for name, value in {**kept, **length, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, answer: http.client.HTTPResponse, *, cut: bool) -> None:
        self.send_response_only(answer.status)
        for name, value in (("Content-Type", "text/event-stream"), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        passed = b""
        while data := answer.read1(_AT_ONCE):
            passed += data
            # One event goes through, and half of the next.
            end = passed.find(b"\n\n", passed.find(b"data:")) + 2 if b"data:" in passed else -1
            if cut and end > 1:
                start = len(passed) - len(data)
                self.wfile.write(data[: max(0, end - start) + 5])
                self.wfile.flush()
                return
            self.wfile.write(data)
            self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _of_tomorrow(content: bytes) -> bytes:
    """Change a response to what a later version may send: a field and a value that nobody knows yet."""
    page = json.loads(content)
    for row in page["data"]:
        row |= {"kind": "kind_of_tomorrow", "moonPhase": "full"}
    return json.dumps(page).encode()
