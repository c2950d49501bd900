"""An object store on loopback that speaks as much of S3 as the service uses, and fails as it is told."""

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest

Mode = Literal["works", "denies", "fails", "hangs", "has no bucket"]
_STATUSES = {"denies": 403, "fails": 500, "has no bucket": 404}


class ObjectStore:
    """Objects by their path. `mode` says how it answers, `requests` counts what it was asked, by method."""

    def __init__(self, port: int) -> None:
        self.mode: Mode = "works"
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, bytes] = {}
        self.requests: Counter[str] = Counter()
        self.is_over = threading.Event()
        self.url = f"http://127.0.0.1:{port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: ObjectStore

    def log_message(self, *_: object) -> None:
        """Keep quiet: the test's own output matters."""

    def do_PUT(self) -> None:
        path, query, body = self._read()
        if self._fails():
            return
        if "partNumber" in query:
            self.store.parts[path] = self.store.parts.get(path, b"") + body
        else:
            self.store.objects[path] = body
        self._answer(200, ETag='"1"')

    def do_POST(self) -> None:
        path, query, body = self._read()
        if self._fails():
            return
        if "delete" in query:
            self.store.requests["DELETE"] += 1
            keys = re.findall(rb"<Key>(.*?)</Key>", body)
            for key in keys:
                self.store.objects.pop(f"{path.rstrip('/')}/{key.decode()}", None)
            gone = b"".join(b"<Deleted><Key>%b</Key></Deleted>" % key for key in keys)
            self._answer(200, b"<DeleteResult>%b</DeleteResult>" % gone)
            return
        if "uploads" in query:
            self._answer(
                200,
                b"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>",
            )
            return
        self.store.objects[path] = self.store.parts.pop(path)
        self._answer(200, b"<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>")

    def do_GET(self) -> None:
        path, _, _ = self._read()
        if self._fails():
            return
        body = self.store.objects.get(path)
        if body is None:
            self._answer(404)
            return
        expected = self.headers.get("Range")
        if expected is None:
            self._answer(200, body, ETag='"1"', **{"Last-Modified": "Tue, 01 Jan 2030 00:00:00 GMT"})
            return
        first, _, last = expected.removeprefix("bytes=").partition("-")
        part = body[int(first) : int(last) + 1]
        place = f"bytes {first}-{int(first) + len(part) - 1}/{len(body)}"
        self._answer(
            206, part, ETag='"1"', **{"Last-Modified": "Tue, 01 Jan 2030 00:00:00 GMT", "Content-Range": place}
        )

    def _read(self) -> tuple[str, dict[str, list[str]], bytes]:
        self.store.requests[self.command] += 1
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        return parts.path, parse_qs(parts.query, keep_blank_values=True), body

    def _fails(self) -> bool:
        mode = self.store.mode
        if mode == "works":
            return False
        if mode == "hangs":
            self.store.is_over.wait()
            self.close_connection = True
        else:
            self._answer(_STATUSES[mode], b"<Error><Code>AKIAEXAMPLE is not known here</Code></Error>")
        return True

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def object_store(monkeypatch: pytest.MonkeyPatch, port: int = 0) -> Iterator[ObjectStore]:
    """Run one, and let the environment name it as that of AWS, as an operator would."""

    class Handler(_Handler):
        """One of its own, because the server makes a new one for each connection."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    store = Handler.store = ObjectStore(server.server_port)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "a-secret-of-aws",
        "AWS_REGION": "eu-north-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ENDPOINT": store.url,
    }.items():
        monkeypatch.setenv(name, value)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield store
    finally:
        store.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
