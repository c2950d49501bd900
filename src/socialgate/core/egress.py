"""The single exit for all outgoing HTTP requests.

The policy of a door checks what a host name resolves to, and the client connects to the checked address: it is pinned,
so a name that changes its address in between gains nothing. The client's own parser determines the host of a URL, never
a second parser that might read it differently.

All exits are in this file, so it has more lines than others: splitting it would create a second exit.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Self, TypeAlias
from weakref import WeakValueDictionary

import msgspec
from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import (
    BuilderError,
    DecodeError,
    DetailedPyreqwestError,
    NetworkError,
    PyreqwestError,
    ReadTimeoutError,
    RequestTimeoutError,
)
from pyreqwest.http import Url
from pyreqwest.request import RequestBuilder
from pyreqwest.response import Response

from socialgate.core.addresses import IpAddress, NetworkSet, get_non_public_range
from socialgate.core.caller import current_owner_id
from socialgate.core.trusted_certificates import use_certificate_bundle

Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[IpAddress]]]
AddressPolicy: TypeAlias = Callable[[IpAddress], str | None]
"""Says why an address may not be spoken to, None where it may. Must be pure: its word is kept for seconds."""
MonotonicClock: TypeAlias = Callable[[], float]

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_MAX_DETAIL_LENGTH = 300
# Methods whose requests usually have a body, so that one without must say so.
_METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
# Enough for a broken IPv6 route next to a working IPv4 one. Each address costs a client, so a name with a thousand dead
# addresses must not push other clients out of the cache.
_MAX_ADDRESSES_PER_SEND = 2
_MAX_CACHED_HOSTS = 4096
# How long a stream may last, and how long one that was abandoned before its headers arrived stays open.
_MAX_STREAM_SECONDS = 3600.0
_ABANDONED_TIMEOUT_SECONDS = 600.0


class TrafficCounter:
    """Counts the requests that this process has sent, whatever became of them."""

    requests = 0


TRAFFIC_COUNTER = TrafficCounter()


class SendFailureReason(StrEnum):
    """Every way a request can fail. The names are stored and shown, so they never change."""

    URL_INVALID = "url_invalid"
    REQUEST_INVALID = "request_invalid"
    DNS_FAILED = "dns_failed"
    ADDRESS_REFUSED = "address_refused"
    CONNECT_REFUSED = "connect_refused"
    CONNECT_TIMEOUT = "connect_timeout"
    CONNECT_FAILED = "connect_failed"
    TLS_EXPIRED = "tls_expired"
    TLS_NOT_YET_VALID = "tls_not_yet_valid"
    TLS_WRONG_HOST = "tls_wrong_host"
    TLS_UNKNOWN_ISSUER = "tls_unknown_issuer"
    TLS_FAILED = "tls_failed"
    TIMEOUT = "timeout"
    ANSWER_TOO_SLOW = "answer_too_slow"
    ANSWER_INVALID = "answer_invalid"
    CONNECTION_LOST = "connection_lost"
    INTERRUPTED = "interrupted"


class SendError(Exception):
    """No complete response. `sent` is False only if it is certain that no byte of the request was sent."""

    def __init__(self, reason: SendFailureReason, detail: str, *, sent: bool) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.maybe_sent = sent


class HttpResponse(msgspec.Struct, frozen=True):
    """The response. Header names are case-insensitive; `body` is cut off if `truncated` is set."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    truncated: bool


class StreamedResponse:
    """A response that is read as it arrives. Iterating yields its bytes in chunks of any size."""

    def __init__(self, response: Response, idle: float) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self._reader = response.body_reader
        self._idle = idle

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """Count only the time spent waiting here. The client's own timer also runs while the reader is busy."""
        try:
            async with asyncio.timeout(self._idle):
                piece = await self._reader.read_chunk()
        except PyreqwestError as error:
            raise _to_send_error(error) from None
        except TimeoutError:
            raise SendError(
                SendFailureReason.ANSWER_TOO_SLOW, f"Received nothing for {self._idle:g} s.", sent=True
            ) from None
        if piece is None:
            raise StopAsyncIteration
        return piece.to_bytes()


class ParsedUrl(msgspec.Struct, frozen=True):
    """A URL as the client parses it. `address` is set if the host is an IP address in any spelling."""

    url: Url
    host: str
    # With its port, explicit or default.
    origin: str
    address: IpAddress | None


class EgressLimits(msgspec.Struct, frozen=True, kw_only=True):
    """All times in seconds."""

    resolve_seconds: float = 5.0
    # When this one expires, certainly nothing was sent, which is not true of the deadline.
    connect_seconds: float = 10.0
    # How long a checked DNS answer is reused. The check is of the address we connect to, so this opens no attack
    # window; without it a busy host would be looked up for each of thousands of requests.
    dns_cache_seconds: float = 5.0
    # A POST on a connection that the peer has just closed is lost. Common servers close idle connections after 2 s.
    pool_idle_seconds: float = 1.5
    # About 120 KB each, and 4 to 6 ms to build.
    max_clients: int = 512


def build_public_address_policy(allow: NetworkSet) -> AddressPolicy:
    """For URLs that customers enter: the public internet, and the networks that the operator allowed."""

    def policy(address: IpAddress) -> str | None:
        return None if address in allow else get_non_public_range(address)

    return policy


def allow_any_address(_address: IpAddress) -> None:
    """For base URLs that the operator configured, which may well be on loopback."""


@lru_cache(maxsize=4096)
def parse_request_url(url: str) -> ParsedUrl:
    try:
        parsed = Url(url)
    except ValueError as error:
        raise _build_unsent_error(SendFailureReason.URL_INVALID, f"The URL cannot be parsed: {error}.") from None
    host = parsed.host_str
    if not host or parsed.scheme not in {"http", "https"}:
        raise _build_unsent_error(
            SendFailureReason.URL_INVALID, "The URL must be absolute, use http or https, and contain a host."
        )
    if host.endswith("."):
        # The pin does not work with this spelling: the client would ask the system's resolver instead.
        raise _build_unsent_error(SendFailureReason.URL_INVALID, "The host must not end with a dot.")
    origin = f"{host}:{parsed.port_or_known_default}"
    return ParsedUrl(parsed, host, origin, None if parsed.domain else ip_address(host.strip("[]")))


class SystemResolver:
    """The system's name resolution, on separate threads.

    A lookup cannot be cancelled and may hang for 20 s and more. On the event loop's few default threads, a handful of
    names with an unresponsive name server would block everybody else. The same goes for one customer with many such
    names: each customer's lookups use a few threads at most, and the rest wait for that customer's own lookups.
    """

    def __init__(self, threads: int = 128, max_threads_per_owner: int = 4) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolver")
        self._of_each_owner = max_threads_per_owner
        # Kept alive by the tasks that wait or look up.
        self._owner_semaphores: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, host: str) -> Sequence[IpAddress]:
        loop = asyncio.get_running_loop()
        if not (owner_id := current_owner_id.get()):
            return await loop.run_in_executor(self._threads, _resolve_with_system, host)
        turn = self._owner_semaphores.get(owner_id)
        if turn is None:
            turn = self._owner_semaphores[owner_id] = asyncio.Semaphore(self._of_each_owner)
        await turn.acquire()
        lookup = self._threads.submit(_resolve_with_system, host)
        # When the thread is free, which may be later than the caller wants to wait.
        lookup.add_done_callback(lambda _: _call_soon(loop, turn.release))
        return await asyncio.wrap_future(lookup)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class _ResolvedHost(msgspec.Struct):
    """The checked addresses of a host, the one in use first; or why there are none."""

    addresses: list[str]
    failure: tuple[SendFailureReason, str] | None
    expires_at: float

    def move_to_front(self, address: str) -> None:
        """Keep using one address while it is among the answers, because resolvers shuffle them."""
        self.addresses.sort(key=lambda other: other != address)

    def move_to_back(self, address: str) -> None:
        """Requests fail concurrently: only the first failure moves the address to the end."""
        if self.addresses[0] == address:
            self.addresses.append(self.addresses.pop(0))


class EgressClient:
    """Sends requests to addresses that its policy allows. Use one door per purpose and event loop."""

    def __init__(
        self,
        *,
        policy: AddressPolicy,
        resolver: Resolver,
        user_agent: str,
        clock: MonotonicClock = time.monotonic,
        extra_ca_file: Path | None = None,
        limits: EgressLimits | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._user_agent = user_agent
        self._clock = clock
        self._extra_roots = _read_ca_file(extra_ca_file) if extra_ca_file else None
        use_certificate_bundle()
        self._limits = limits or EgressLimits()
        self._client = lru_cache(self._limits.max_clients)(self._build_client)
        self._resolved_hosts: dict[str, _ResolvedHost] = {}
        self._lookups: dict[tuple[str, str], asyncio.Task[_ResolvedHost]] = {}

    async def send(
        self,
        method: str,
        url: str,
        *,
        deadline: float,
        read_limit: int,
        headers: Mapping[str, str] = _NO_HEADERS,
        body: bytes | None = None,
    ) -> HttpResponse:
        """Send once, and read at most `read_limit` bytes of the response; the rest is dropped unread.

        `deadline` covers everything, in seconds: DNS, connecting, TLS, headers and body. Redirects are returned like
        any other response. Cancelling does not stop a request that is in progress: it may still arrive.
        """
        target = parse_request_url(url)
        ends = self._clock() + deadline
        known = await self._get_allowed_addresses(target, deadline)
        tries = min(_MAX_ADDRESSES_PER_SEND, len(known.addresses))
        while True:
            address = known.addresses[0]
            request = _build_request(self._client(target.host, address), method, target.url, headers, body)
            TRAFFIC_COUNTER.requests += 1
            try:
                return await _send_and_read(request, ends - self._clock(), read_limit)
            except PyreqwestError as error:
                failure = _to_send_error(error)
                tries -= 1
                if failure.reason not in _UNREACHABLE_REASONS or not tries or self._clock() >= ends:
                    raise failure from None
                known.move_to_back(address)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        deadline: float,
        idle: float,
        max_seconds: float = _MAX_STREAM_SECONDS,
        abandoned_timeout_seconds: float = _ABANDONED_TIMEOUT_SECONDS,
        headers: Mapping[str, str] = _NO_HEADERS,
        body: bytes | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Send once, and read the response for as long as it lasts, up to `max_seconds`.

        `deadline` covers DNS, connecting, TLS and headers, in seconds; `idle` is the longest pause in the body after
        that. Leaving the block closes the connection. A request that is abandoned before its headers arrived cannot be
        stopped from here: the client's own timer closes its connection `abandoned_timeout_seconds` seconds after it was
        sent. That timer also runs while the reader of the body is busy, so it must be longer than the reader ever
        needs.
        """
        target = parse_request_url(url)
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(deadline):
                    response = await self._open_stream(
                        stack, target, method, headers, body, max_seconds, abandoned_timeout_seconds
                    )
            except TimeoutError:
                raise SendError(
                    SendFailureReason.TIMEOUT, f"No response started within {deadline:g} s.", sent=True
                ) from None
            yield StreamedResponse(response, idle)

    def close(self) -> None:
        """Close idle connections now, and those in use when their request ends."""
        self._resolved_hosts.clear()
        self._client.cache_clear()

    async def _open_stream(
        self,
        stack: AsyncExitStack,
        target: ParsedUrl,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
        max_seconds: float,
        abandoned_timeout_seconds: float,
    ) -> Response:
        ends = self._clock() + max_seconds
        known = await self._get_allowed_addresses(target, max_seconds)
        tries = min(_MAX_ADDRESSES_PER_SEND, len(known.addresses))
        while True:
            address = known.addresses[0]
            client = self._client(target.host, address, abandoned_timeout_seconds)
            timed = _set_timeout(_build_request(client, method, target.url, headers, body), ends - self._clock())
            # Without this limit the client would first buffer a large part of the body.
            streamed = timed.streamed_read_buffer_limit(0).build_streamed()
            TRAFFIC_COUNTER.requests += 1
            try:
                return await stack.enter_async_context(streamed)
            except PyreqwestError as error:
                failure = _to_send_error(error)
                tries -= 1
                if failure.reason not in _UNREACHABLE_REASONS or not tries:
                    raise failure from None
                known.move_to_back(address)

    async def _get_allowed_addresses(self, target: ParsedUrl, deadline: float) -> _ResolvedHost:
        known = self._resolved_hosts.get(target.host)
        if known is None or self._clock() >= known.expires_at:
            known = await self._join_lookup(target, min(deadline, self._limits.resolve_seconds))
        if known.failure:
            raise _build_unsent_error(*known.failure)
        return known

    async def _join_lookup(self, target: ParsedUrl, timeout_seconds: float) -> _ResolvedHost:
        """All requests of an owner for a host share one lookup, which outlives callers that cannot wait for it.

        Another owner's lookups may have to wait their turn behind names that hang.
        """
        key = (current_owner_id.get(), target.host)
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = self._lookups[key] = asyncio.create_task(self._resolve_and_check(target))
            lookup.add_done_callback(lambda _: self._lookups.pop(key, None))
        try:
            async with asyncio.timeout(timeout_seconds):
                return await asyncio.shield(lookup)
        except TimeoutError:
            raise _build_unsent_error(
                SendFailureReason.DNS_FAILED, f"{target.host} did not resolve within {timeout_seconds:g} s."
            ) from None

    async def _resolve_and_check(self, target: ParsedUrl) -> _ResolvedHost:
        try:
            result = [target.address] if target.address else await self._resolver(target.host)
        except OSError:
            result = []
        failure = self._check_addresses(target.host, result)
        fresh = _ResolvedHost(
            [str(address) for address in result], failure, self._clock() + self._limits.dns_cache_seconds
        )
        before = self._resolved_hosts.pop(target.host, None)
        if before and before.addresses:
            fresh.move_to_front(before.addresses[0])
        if result:
            self._cache_host(target.host, fresh)
        return fresh

    def _check_addresses(self, host: str, result: Sequence[IpAddress]) -> tuple[SendFailureReason, str] | None:
        """A single forbidden address rejects the whole name, because that is what an attacker would mix in."""
        if not result:
            return SendFailureReason.DNS_FAILED, f"{host} does not resolve to any address."
        for address in result:
            if why := self._policy(address):
                return SendFailureReason.ADDRESS_REFUSED, f"{host} does not have a public address ({why})."
        return None

    def _cache_host(self, host: str, known: _ResolvedHost) -> None:
        if len(self._resolved_hosts) >= _MAX_CACHED_HOSTS:
            del self._resolved_hosts[next(iter(self._resolved_hosts))]
        self._resolved_hosts[host] = known

    def _build_client(self, host: str, address: str, read_timeout_seconds: float | None = None) -> Client:
        builder = (
            ClientBuilder()
            # Port 0 stands for the port of the URL. An IP literal is not looked up, so the pin has no effect there.
            .resolve(host, address, 0)
            .no_proxy()
            .follow_redirects(enable=False)
            # A response that decompresses to gigabytes is an attack, and we want the raw bytes.
            .gzip(enable=False)
            .brotli(enable=False)
            .zstd(enable=False)
            .deflate(enable=False)
            .user_agent(self._user_agent)
            .connect_timeout(timedelta(seconds=self._limits.connect_seconds))
            .pool_idle_timeout(timedelta(seconds=self._limits.pool_idle_seconds))
        )
        if read_timeout_seconds is not None:
            builder = builder.read_timeout(timedelta(seconds=read_timeout_seconds))
        if self._extra_roots:
            builder = builder.add_root_certificate_pem(self._extra_roots)
        return builder.build()


def _build_request(
    client: Client, method: str, url: Url, headers: Mapping[str, str], body: bytes | None
) -> RequestBuilder:
    try:
        request = client.request(method, url).headers(headers)
    except ValueError:
        # The client's message quotes the header's value, which may be a credential.
        raise _build_unsent_error(SendFailureReason.REQUEST_INVALID, "The method or a header cannot be sent.") from None
    if body:
        return request.body_bytes(body)
    # The client leaves it out. Google's servers answer 411 without it, and RFC 9110 (8.6) asks for it.
    return request.header("Content-Length", "0") if method in _METHODS_WITH_BODY else request


def _set_timeout(request: RequestBuilder, seconds: float) -> RequestBuilder:
    """Set the client's own timer, because cancelling would leave the request running."""
    return request.timeout(timedelta(seconds=max(seconds, 0)))


async def _send_and_read(request: RequestBuilder, seconds: float, read_limit: int) -> HttpResponse:
    async with _set_timeout(request, seconds).build_streamed() as response:
        read = await response.body_reader.read(read_limit + 1)
        body = b"" if read is None else read.to_bytes()
        return HttpResponse(response.status, response.headers, body[:read_limit], len(body) > read_limit)


def _to_send_error(error: PyreqwestError) -> SendError:
    """Distinguish failures by their causes: the classes are misleading and call a lost response a ConnectError."""
    causes = _list_causes(error)
    text = "; ".join(causes)
    detail = (causes[-1] if causes else type(error).__name__)[:_MAX_DETAIL_LENGTH]
    if "client error (Connect)" in causes:
        return _build_unsent_error(_match_reason(_CONNECT_ERROR_REASONS, text) or SendFailureReason.TLS_FAILED, detail)
    if isinstance(error, BuilderError):
        return _build_unsent_error(SendFailureReason.REQUEST_INVALID, detail)
    if isinstance(error, ReadTimeoutError):
        reason = SendFailureReason.ANSWER_TOO_SLOW
    elif isinstance(error, RequestTimeoutError):
        reason = SendFailureReason.TIMEOUT
    elif isinstance(error, NetworkError):
        reason = SendFailureReason.CONNECTION_LOST
    elif isinstance(error, DecodeError) or "error reading a body from connection" in causes:
        reason = _match_reason(_BODY_ERROR_REASONS, text) or SendFailureReason.ANSWER_INVALID
    else:
        reason = SendFailureReason.INTERRUPTED
    return SendError(reason, detail, sent=True)


def _list_causes(error: PyreqwestError) -> list[str]:
    """Leaves out causes that quote the URL, because people put tokens there."""
    listed = (error.details["causes"] or []) if isinstance(error, DetailedPyreqwestError) else []
    return [cause["message"] for cause in listed if " for url (" not in cause["message"]]


def _match_reason(words: Mapping[str, SendFailureReason], text: str) -> SendFailureReason | None:
    return next((reason for word, reason in words.items() if word in text), None)


_CONNECT_ERROR_REASONS = {
    "Connection refused": SendFailureReason.CONNECT_REFUSED,
    "operation timed out": SendFailureReason.CONNECT_TIMEOUT,
    "deadline has elapsed": SendFailureReason.CONNECT_TIMEOUT,
    "tcp connect error": SendFailureReason.CONNECT_FAILED,
    "dns error": SendFailureReason.DNS_FAILED,
    "certificate expired": SendFailureReason.TLS_EXPIRED,
    "certificate not valid yet": SendFailureReason.TLS_NOT_YET_VALID,
    "certificate not valid for name": SendFailureReason.TLS_WRONG_HOST,
    "UnknownIssuer": SendFailureReason.TLS_UNKNOWN_ISSUER,
}
_BODY_ERROR_REASONS = {
    "end of file": SendFailureReason.CONNECTION_LOST,
    "unexpected EOF": SendFailureReason.CONNECTION_LOST,
    "close_notify": SendFailureReason.CONNECTION_LOST,
    "os error": SendFailureReason.CONNECTION_LOST,
}
_UNREACHABLE_REASONS = frozenset(
    {SendFailureReason.CONNECT_REFUSED, SendFailureReason.CONNECT_TIMEOUT, SendFailureReason.CONNECT_FAILED}
)


def _build_unsent_error(reason: SendFailureReason, detail: str) -> SendError:
    return SendError(reason, detail, sent=False)


def _call_soon(loop: asyncio.AbstractEventLoop, job: Callable[[], None]) -> None:
    # A closed loop has nobody left who waits.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(job)


def _resolve_with_system(host: str) -> Sequence[IpAddress]:
    """Bypasses Python's own IDNA codec with bytes: the client's parser has already encoded the name."""
    answers = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [ip_address(sockaddr[0]) for *_, sockaddr in answers]


def _read_ca_file(path: Path) -> bytes:
    """Checked here, because the client silently accepts a file without any certificate."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise ValueError(f"{path} contains no certificate in PEM format: {error.reason}") from None
    return path.read_bytes()
