"""A load client that is leaner than any server it meets, and a trivial server to prove that with."""

import asyncio
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import msgspec
from benchmarks.processes import Handlers

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length: "
_SUCCESSES = (b"HTTP/1.1 200 ", b"HTTP/1.1 201 ")
_TRIVIAL = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class Load(msgspec.Struct, frozen=True):
    answers: int
    refused: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.answers / self.seconds


async def load_role() -> Handlers:
    return {"run": _run}


async def trivial_role() -> Handlers:
    server = await asyncio.get_running_loop().create_server(_Trivial, "127.0.0.1", 0)
    return {"port": lambda: server.sockets[0].getsockname()[1]}


async def _run(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Load:
    """Keep every connection busy with one request after the other. They take turns with the requests."""
    loop = asyncio.get_running_loop()
    callers = [_Caller(request) for request in islice(cycle(requests), connections)]
    for caller in callers:
        await loop.create_connection(lambda it=caller: it, "127.0.0.1", port)  # type: ignore[misc] # mypy cannot infer a default's type
    began = loop.time()
    for caller in callers:
        caller.begin()
    await asyncio.sleep(seconds)
    load = Load(
        sum(caller.answers for caller in callers), sum(caller.refused for caller in callers), loop.time() - began
    )
    for caller in callers:
        caller.end()
    return load


class _Caller(asyncio.Protocol):
    def __init__(self, request: bytes) -> None:
        self._request = request
        self._transport: Any = None
        self._head = b""
        self._left = 0
        self.answers = 0
        self.refused = 0

    def begin(self) -> None:
        self._transport.write(self._request)

    def end(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._left:
            data = self._head + data
            head = data.find(_HEAD_END)
            if head < 0:
                self._head = data
                return
            self._head = b""
            at = data.index(_LENGTH) + len(_LENGTH)
            self._left = head + len(_HEAD_END) + int(data[at : data.index(b"\r", at)])
            self.refused += not data.startswith(_SUCCESSES)
        self._left -= len(data)
        if self._left == 0:
            self.answers += 1
            self._transport.write(self._request)


class _Trivial(asyncio.Protocol):
    def __init__(self) -> None:
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if data.endswith(_HEAD_END):
            self._transport.write(_TRIVIAL)
