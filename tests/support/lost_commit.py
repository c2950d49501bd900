"""A line to PostgreSQL on which the answer to one chosen commit is lost: it happened, and nobody was told."""

import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, urlsplit

_AT_ONCE = 1 << 16
_SOCKET = ".s.PGSQL.5432"
_COMMIT = b"COMMIT\0"


class CommitLosingProxy:
    """Give the service its `url` in place of the server's.

    `lose(marker, number)`: of the transactions that carry the marker, the number-th is committed without its answer.
    """

    def __init__(self, server_url: str) -> None:
        [folder] = parse_qs(urlsplit(server_url).query)["host"]
        self._server = str(Path(folder) / _SOCKET)
        self._folder = Path(tempfile.mkdtemp(prefix="sg-line-"))
        self.url = server_url.replace(folder, str(self._folder))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / _SOCKET))
        self._listener.listen(100)
        self._sides: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._marker = b""
        self._left = 0
        self.lost = 0

    def __enter__(self) -> Self:
        self._run(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for side in (self._listener, *self._sides):
            _end(side)
        for thread in self._threads:
            thread.join()
        for side in (self._listener, *self._sides):
            side.close()
        shutil.rmtree(self._folder)

    def lose(self, marker: bytes, number: int) -> None:
        self._left = number
        self._marker = marker

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._sides += [client, server]
                server.connect(self._server)
                line = _ProxyConnection(self, client, server)
                self._run(line.up)
                self._run(line.down)

    def _run(self, job: Callable[[], None]) -> None:
        thread = threading.Thread(target=job, daemon=True)
        self._threads.append(thread)
        thread.start()

    def is_to_be_lost(self, sent: bytes) -> bool:
        if not self._marker or self._marker not in sent:
            return False
        self._left -= 1
        if self._left == 0:
            self._marker = b""
            self.lost += 1
            return True
        return False


class _ProxyConnection:
    def __init__(self, losing_proxy: CommitLosingProxy, client: socket.socket, server: socket.socket) -> None:
        self._of = losing_proxy
        self._client = client
        self._server = server
        self._is_losing = False

    def up(self) -> None:
        sent = b""
        with suppress(OSError):
            while data := self._client.recv(_AT_ONCE):
                sent += data
                if _COMMIT in data:
                    self._is_losing = self._of.is_to_be_lost(sent)
                    sent = b""
                self._server.sendall(data)
        _end(self._server)

    def down(self) -> None:
        with suppress(OSError):
            while (data := self._server.recv(_AT_ONCE)) and not self._is_losing:
                self._client.sendall(data)
        _end(self._client)


def _end(side: socket.socket) -> None:
    with suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
