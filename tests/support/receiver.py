"""A customer's endpoint: a TLS server on loopback that keeps what it gets and answers as it is told."""

import asyncio
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec
import trustme
import uvloop


class ReceivedRequest(msgspec.Struct, frozen=True):
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes


class Reply(msgspec.Struct, frozen=True):
    """What to answer: raw bytes to write, then perhaps nothing more for ever, or a closed connection."""

    status: int = 200
    headers: dict[str, str] = {}
    body: bytes = b"ok"
    hang: bool = False
    close: bool = False
    drip: bool = False
    endless: bool = False
    # When to answer: so many seconds later, or when the test says so.
    delay: float = 0
    when: threading.Event | None = None


OK = Reply()
Behaviour = Callable[[ReceivedRequest], Reply]

# A handshake that a client never finishes, and the goodbye of one that is gone, end before the loop is closed.
_HANDSHAKE_SECONDS, _GOODBYE_SECONDS, _CLOSING_SECONDS = 20, 5, 30


class Receiver:
    """Runs in a thread of its own. `ca_file` is what a service needs in order to trust it."""

    def __init__(
        self, folder: Path, *, authority: trustme.CA | None = None, certificate: trustme.LeafCert | None = None
    ) -> None:
        self.authority = authority or trustme.CA()
        leaf = certificate or self.authority.issue_cert("localhost", "127.0.0.1", "hooks.example.test")
        self.ca_file = folder / "receiver-ca.pem"
        self.authority.cert_pem.write_to_path(self.ca_file)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        leaf.configure_cert(self._tls)
        self.received: list[ReceivedRequest] = []
        self.max_concurrent = 0
        self._at_once = 0
        self.behaviour: Behaviour = lambda _: OK
        self._news = threading.Condition()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: uvloop.run(self._serve()), daemon=True)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30), "the receiver did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(2 * _CLOSING_SECONDS)

    def url(self, path: str = "/hook") -> str:
        return f"https://127.0.0.1:{self.port}{path}"

    def wait_for(self, enough: Callable[[list[ReceivedRequest]], bool], seconds: float = 60) -> list[ReceivedRequest]:
        """Wait until what was received is enough, or fail saying what was there."""
        with self._news:
            done = self._news.wait_for(lambda: enough(self.received), seconds)
        assert done, f"after {seconds} s only {len(self.received)} requests: {self.received[-3:]}"
        return list(self.received)

    def wait_for_count(self, count: int, seconds: float = 60) -> list[ReceivedRequest]:
        return self.wait_for(lambda received: len(received) >= count, seconds)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(
            self._connection,
            "127.0.0.1",
            0,
            ssl=self._tls,
            backlog=1024,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS,
            ssl_shutdown_timeout=_GOODBYE_SECONDS,
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        # Connections that were aborted, or are at their handshake still, end with the loop's next turns.
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                await server.wait_closed()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._stop is not None
        try:
            # A handshake may end after the last connections were cancelled: nobody would end this one.
            while not self._stop.is_set() and (request := await _read_request(reader)) is not None:
                reply = self.behaviour(request)
                with self._news:
                    self.received.append(request)
                    self._news.notify_all()
                self._at_once += 1
                self.max_concurrent = max(self.max_concurrent, self._at_once)
                again = await _answer(writer, reply)
                self._at_once -= 1
                if not again:
                    return
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            return
        finally:
            writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> ReceivedRequest | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(first.split(" ")[1], headers, body)


async def _answer(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """Write the reply. False if the connection is not to be used again."""
    if reply.close:
        return False
    if reply.hang:
        await asyncio.Event().wait()
    await asyncio.sleep(reply.delay)
    while reply.when is not None and not reply.when.is_set():  # noqa: ASYNC110 - set by another thread
        await asyncio.sleep(0.01)
    length = 1 << 30 if reply.endless else len(reply.body)
    lines = [
        f"HTTP/1.1 {reply.status} X",
        f"content-length: {length}",
        *(f"{n}: {v}" for n, v in reply.headers.items()),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    if reply.endless:
        while not writer.is_closing():
            writer.write(b"x" * 65536)
            await writer.drain()
            await asyncio.sleep(0)
        return False
    if reply.drip:
        for byte in reply.body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.Event().wait()
    writer.write(reply.body)
    await writer.drain()
    return True
