"""The customers' side: a lean HTTPS server in a process of its own that counts, and notes when each request came."""

import asyncio
import socket
import ssl
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import msgspec
import trustme
from benchmarks.processes import Handlers, Helper

_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length: "
_DELIVERY = b"\r\nx-service-delivery: "
HANG = "/hang/"
_HANGS = b"post /hang/"
# Where an event says when it was about to be accepted, on the clock that all processes of a machine share.
MARK = "ns"
_MARK = b':"ns'
_MARK_DIGITS = 20
_BACKLOG = 4096


def mark(nanoseconds: int) -> str:
    return f"{MARK}{nanoseconds:0{_MARK_DIGITS}}"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What came in since the last reset. `distinct` counts deliveries once, however often they came.

    `answered` are those that carried a mark and were not left hanging.
    """

    count: int
    distinct: int
    answered: int
    first_ns: int
    last_ns: int
    peak_connections: int

    @property
    def seconds(self) -> float:
        return (self.last_ns - self.first_ns) / 1e9

    @property
    def rate(self) -> float:
        return self.distinct / self.seconds if self.seconds else 0.0


class Customer:
    """Hosts for hooks, each with an address of its own where the system has several on loopback."""

    def __init__(self, folder: Path, hosts: int) -> None:
        self.addresses = _loopback_addresses(hosts)
        authority = trustme.CA()
        self.ca_file = folder / "ca.pem"
        certificate = folder / "receiver.pem"
        authority.cert_pem.write_to_path(self.ca_file)
        authority.issue_cert(*sorted(set(self.addresses))).private_key_and_cert_chain_pem.write_to_path(certificate)
        self.helper = Helper(_receive, sorted(set(self.addresses)), str(certificate))
        self.port: int = self.helper.ask("port")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.helper.__exit__()

    def url(self, number: int, *, hang: bool = False) -> str:
        path = f"{HANG if hang else '/hook/'}{number}"
        return f"https://{self.addresses[number % len(self.addresses)]}:{self.port}{path}"

    def reset(self) -> None:
        self.helper.ask("reset")

    def seen(self) -> Seen:
        seen: Seen = self.helper.ask("seen")
        return seen

    def latencies(self) -> list[float]:
        """Give the milliseconds from accepted to received, of all events that carry a mark and did not hang."""
        return list(self.helper.ask("latencies"))

    def wait_until(self, enough: Callable[[Seen], bool], seconds: float, check: Callable[[], None]) -> Seen:
        """Wait for enough, or as long as it says; `check` fails if there is nobody to wait for."""
        deadline = time.monotonic() + seconds
        while not enough(seen := self.seen()) and time.monotonic() < deadline:
            check()
            time.sleep(0.05)
        return seen


def _loopback_addresses(count: int) -> list[str]:
    """Hooks of different customers live on different hosts. Some systems have but one address on loopback."""
    addresses = [f"127.0.{number // 250}.{number % 250 + 1}" for number in range(count)]
    try:
        socket.create_server((addresses[-1], 0)).close()
    except OSError:
        return ["127.0.0.1"]
    return addresses


class _State:
    def __init__(self) -> None:
        self.connections = 0
        self.reset()

    def reset(self) -> None:
        self.arrivals = array("q")
        self.latencies = array("d")
        self.deliveries: set[bytes] = set()
        self.peak = self.connections

    def seen(self) -> Seen:
        return Seen(
            count=len(self.arrivals),
            distinct=len(self.deliveries),
            answered=len(self.latencies),
            first_ns=self.arrivals[0] if self.arrivals else 0,
            last_ns=self.arrivals[-1] if self.arrivals else 0,
            peak_connections=self.peak,
        )


class _Connection(asyncio.Protocol):
    def __init__(self, state: _State) -> None:
        self._state = state
        self._held = b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._state.connections += 1
        self._state.peak = max(self._state.peak, self._state.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._state.connections -= 1

    def data_received(self, data: bytes) -> None:
        if self._held:
            data, self._held = self._held + data, b""
        while data:
            at = data.find(_HEAD_END)
            if at < 0:
                break
            head = data[: at + len(_HEAD_END)].lower()
            end = len(head) + int(_value(head, _LENGTH))
            if len(data) < end:
                break
            self._take(head, data)
            data = data[end:]
        self._held = data

    def _take(self, head: bytes, data: bytes) -> None:
        now = time.monotonic_ns()
        state = self._state
        state.arrivals.append(now)
        state.deliveries.add(_value(head, _DELIVERY))
        if head.startswith(_HANGS):
            return
        at = data.find(_MARK, len(head))
        if at > 0:
            at += len(_MARK)
            state.latencies.append((now - int(data[at : at + _MARK_DIGITS])) / 1e6)
        self._transport.write(_ANSWER)


def _value(head: bytes, name: bytes) -> bytes:
    at = head.find(name) + len(name)
    return head[at : head.find(b"\r", at)]


async def _receive(addresses: list[str], certificate: str) -> Handlers:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    state = _State()
    loop = asyncio.get_running_loop()
    # A client that ends in the middle of a handshake is nothing to talk about.
    loop.set_exception_handler(lambda *_: None)
    first = await loop.create_server(lambda: _Connection(state), addresses[0], 0, ssl=tls, backlog=_BACKLOG)
    port = first.sockets[0].getsockname()[1]
    if addresses[1:]:
        await loop.create_server(lambda: _Connection(state), addresses[1:], port, ssl=tls, backlog=_BACKLOG)
    return {
        "port": lambda: port,
        "reset": state.reset,
        "seen": state.seen,
        "latencies": lambda: state.latencies,
    }
