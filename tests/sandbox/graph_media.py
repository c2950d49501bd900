"""Media that the platforms fetch: a small server on loopback, and files that look like pictures and films."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from struct import pack


def jpeg(width: int = 1080, height: int = 1080, size: int = 5000) -> bytes:
    """Make something that begins like a JPEG of this size."""
    frame = b"\xff\xc0" + pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return (b"\xff\xd8" + frame).ljust(size, b"j")


def mp4(size: int = 20000) -> bytes:
    return b"\0\0\0\x18ftypisom".ljust(size, b"m")


def movie(seconds: float, width: int, height: int, size: int = 20000, *, index_first: bool = False) -> bytes:
    """Make something whose index, at its end or at its start, says how long and how large a video is."""
    header = _box(b"mvhd", bytes(12) + pack(">II", 1000, int(seconds * 1000)) + bytes(80))
    track = _box(b"trak", _box(b"tkhd", bytes(76) + pack(">II", width << 16, height << 16)))
    beginning, index = _box(b"ftyp", b"isom\0\0\2\0isommp41"), _box(b"moov", header + track)
    data = _box(b"mdat", b"m" * (size - len(beginning) - len(index) - 8))
    return beginning + index + data if index_first else beginning + data + index


def _box(name: bytes, content: bytes) -> bytes:
    return pack(">I", 8 + len(content)) + name + content


def checksum(content: bytes) -> str:
    return sha256(content).hexdigest()


class MediaHost:
    """Serves what is put into `files`, in pieces if a client wants that; anything else is 404."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def add(self, name: str, content: bytes) -> str:
        self.files[f"/{name}"] = content
        return f"{self.url}/{name}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(host: MediaHost) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = host.files.get(self.path)
            expected = self.headers.get("range")
            if content is None:
                self._answer(404, b"no")
            elif expected is None:
                self._answer(200, content)
            else:
                start, _, end = expected.removeprefix("bytes=").partition("-")
                self._answer(206, content[int(start) : int(end) + 1])

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def media_host() -> Iterator[MediaHost]:
    host = MediaHost()
    try:
        yield host
    finally:
        host.close()
