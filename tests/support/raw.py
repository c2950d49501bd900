"""Bare connections, to send what no client library would."""

import socket
import ssl
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec

from support.problems import problem_of

_PIECE = 65536


class RawResponse(msgspec.Struct, frozen=True):
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def all_of(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    def problem(self, status: int, code: str, path: str) -> dict[str, Any]:
        """Give the problem, after checking that it is a whole one that no browser takes for something else."""
        assert self.all_of("x-content-type-options") == ["nosniff"]
        request = httpx.Request("POST", f"http://127.0.0.1{path}")
        return problem_of(
            httpx.Response(self.status, headers=self.headers, content=self.body, request=request), status, code
        )


class RawConnection:
    """A connection. Every wait has a deadline that only a broken service reaches."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None, *, receive_buffer: int = 0) -> None:
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(30)
        try:
            plain.connect(("127.0.0.1", port))
            self.socket = plain if tls is None else tls.wrap_socket(plain, server_hostname="localhost")
        except OSError:
            plain.close()
            raise
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.socket.close()

    def send(self, *parts: bytes) -> Self:
        for part in parts:
            self.socket.sendall(part)
        return self

    def flood(self, piece: bytes, most: int) -> int:
        """Send the same again and again until the other side has had enough, and tell how many bytes went away."""
        sent = 0
        try:
            while sent < most:
                self.socket.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        return sent

    def answer(self) -> RawResponse:
        """Read the next answer whole."""
        while b"\r\n\r\n" not in self._read:
            self._more()
        head, _, self._read = self._read.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
        status = int(first.split()[1])
        body = b"" if status == 100 else self._body(dict(headers))
        return RawResponse(status, headers, body)

    def _body(self, headers: dict[str, str]) -> bytes:
        length = int(headers["content-length"])
        while len(self._read) < length:
            self._more()
        body, self._read = self._read[:length], self._read[length:]
        return body

    def _more(self) -> None:
        received = self.socket.recv(_PIECE)
        if not received:
            raise ConnectionResetError("the other side closed the connection")
        self._read += received

    def is_closed(self) -> bool:
        """Return whether the other side has closed the connection by now, without waiting."""
        self.socket.setblocking(False)
        try:
            while received := self.socket.recv(_PIECE):
                self._read += received
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(30)
        return True
