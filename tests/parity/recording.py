"""A server that keeps the bytes of every request, answers what it is told to, and knows whose request it was.

The SDK of a vendor and our connector call the same server. Each of them is given an address that says which side it is
and which host of the vendor it means: `http://127.0.0.1:<port>/sdk/graph.facebook.com/v26.0/me`.
"""

import socketserver
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

SDK, OURS = "sdk", "ours"
_END = b"\r\n\r\n"


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it arrived. `host` is the vendor's host that it was meant for, `path` and `query` are still encoded.

    Names of headers are in lower case.
    """

    side: str
    method: str
    host: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for current_value, value in self.headers if current_value == name), None)

    @property
    def place(self) -> str:
        """The method, the host and the path, as answers and tables name a call."""
        return f"{self.method} {self.host}{unquote(self.path)}"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the vendor says. `body` is bytes as they are, or anything else as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = {}


class Recorder:
    """`requests` are those of the current operation. `answer` says what each of them gets."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.answer: Callable[[Recorded], Answer] = lambda _: Answer()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def base(self, side: str, host: str = "") -> str:
        """Return the address of a side, or of one host there."""
        return f"{self.url}/{side}/{host}".rstrip("/")

    def of(self, side: str) -> list[Recorded]:
        return [request for request in self.requests if request.side == side]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    # A client that keeps its connection open must not keep the test from ending.
    block_on_close = False

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.recorder = recorder


class _Connection(socketserver.StreamRequestHandler):
    """Reads requests byte by byte, as they are: a library might repair them."""

    server: _Server

    def handle(self) -> None:
        recorder = self.server.recorder
        with suppress(ConnectionError):
            while head := self._head():
                request = _read(head, self._body(head))
                recorder.requests.append(request)
                self._reply(request, recorder.answer(request))

    def _head(self) -> bytes:
        head = b""
        while not head.endswith(_END):
            line = self.rfile.readline()
            if not line:
                return b""
            head += line
        return head

    def _body(self, head: bytes) -> bytes:
        headers = dict(_headers(head))
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(headers.get("content-length", "0")))

    def _chunk(self) -> bytes:
        length = int(self.rfile.readline(), 16)
        piece = self.rfile.read(length)
        self.rfile.readline()
        return piece

    def _reply(self, request: Recorded, answer: Answer) -> None:
        is_raw = isinstance(answer.body, bytes)
        body = answer.body if is_raw else msgspec.json.encode(answer.body)
        headers = {"Content-Type": "application/octet-stream" if is_raw else "application/json", **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} OK", *(f"{name}: {value}" for name, value in headers.items())]
        lines.append(f"Content-Length: {len(body)}")
        self.wfile.write("\r\n".join(lines).encode() + _END + (b"" if request.method == "HEAD" else body))


def _headers(head: bytes) -> list[tuple[str, str]]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    return [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines if line)]


def _read(head: bytes, body: bytes) -> Recorded:
    method, target, _ = head.decode("latin-1").split("\r\n", 1)[0].split(" ")
    parts = urlsplit(target)
    _, side, host, *rest = parts.path.split("/")
    return Recorded(
        side=side,
        method=method,
        host=host,
        path="/" + "/".join(rest),
        query=parts.query,
        headers=tuple(_headers(head)),
        body=body,
    )
