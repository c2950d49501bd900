"""The door, against real sockets on loopback: good receivers, bad ones, and names that lie."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import trustme

from socialgate.core.addresses import IpAddress, NetworkSet
from socialgate.core.egress import (
    EgressClient,
    EgressLimits,
    HttpResponse,
    SendError,
    SendFailureReason,
    SystemResolver,
    allow_any_address,
    build_public_address_policy,
)

Reply: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HOST = "receiver.test"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
GIB = 1 << 30
PUBLIC = build_public_address_policy(NetworkSet())
PUBLIC_ADDRESS = "93.184.216.34"
LOOPBACKS = ["127.0.0.1", "2130706433", "0x7f.1", "0177.1", "127。0。0。1", "%3127.1", "127.1.", "[::ffff:7f00:1]"]
NOT_FIRST_LOOPBACK = build_public_address_policy(NetworkSet.parse(["127.0.0.2/31"]))


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


class Names:
    """A resolver whose answers the test changes, and which counts how often it was asked."""

    def __init__(self, *addresses: str) -> None:
        self.addresses: Sequence[str] = addresses
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[IpAddress]:
        self.asked.append(host)
        return [ip_address(text) for text in self.addresses]


class Clock:
    time = 1000.0

    def __call__(self) -> float:
        return self.time


class Receiver:
    """A server that counts its connections and keeps what it was sent."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.port = 0
        self.connections = 0
        self.requests: list[bytes] = []
        self.handlers: list[asyncio.Task[Any] | None] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.handlers.append(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
                self.requests.append(head + await reader.readexactly(int(length or b"0")))
                await self.reply(reader, writer)
        writer.close()


@asynccontextmanager
async def receiver(
    reply: Reply, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Receiver]:
    receiver = Receiver(reply)
    server = await asyncio.start_server(receiver.serve, host, port, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await asyncio.gather(*filter(None, receiver.handlers))


def a_door(**options: Any) -> EgressClient:
    usual: dict[str, Any] = {"policy": allow_any_address, "clock": Clock(), "user_agent": "Tester/1"}
    return EgressClient(**{"resolver": Names("127.0.0.1"), **usual, **options})


@asynccontextmanager
async def scene(
    reply: Reply, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0, **options: Any
) -> AsyncIterator[tuple[Receiver, EgressClient, str]]:
    """A receiver, a door, and the URL of the one for the other."""
    async with receiver(reply, tls=tls, host=host, port=port) as server:
        with closing(a_door(**options)) as door:
            yield server, door, f"{'https' if tls else 'http'}://{HOST}:{server.port}/"


async def post(client: EgressClient, url: str, *, deadline: float = 30, read_limit: int = 65536) -> HttpResponse:
    return await client.send("POST", url, deadline=deadline, read_limit=read_limit, body=b"{}")


async def failure_of(client: EgressClient, url: str, *, deadline: float = 30) -> tuple[SendFailureReason, bool]:
    with pytest.raises(SendError) as caught:
        await post(client, url, deadline=deadline)
    assert "hidden" not in str(caught.value), "a token in a URL must not be told"
    return caught.value.reason, caught.value.maybe_sent


def replying(answer: bytes, *, leave: bool = False) -> Reply:
    async def reply(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        if leave:
            raise ConnectionError

    return reply


class Authority(trustme.CA):
    """Issues certificates to servers. Its own stands second in the bundle that doors are given."""

    bundle: Path

    def server(self, name: str = HOST, *, first: int = 2001, last: int = 2998, ciphers: str = "") -> ssl.SSLContext:
        """Make one that is valid from one year to another. No clock that may be moved has a part in it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        years = [datetime(year, 1, 1, tzinfo=UTC) for year in (first, last)]
        self.issue_cert(name, not_before=years[0], not_after=years[1]).configure_cert(context)
        if ciphers:
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(ciphers)
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    authority = Authority()
    authority.bundle = tmp_path_factory.mktemp("roots") / "roots.pem"
    authority.bundle.write_bytes(Authority().cert_pem.bytes() + authority.cert_pem.bytes())
    return authority


@in_a_loop
async def test_what_is_sent_arrives_and_what_is_answered_comes_back(authority: Authority) -> None:
    # A client that unpacks answers would stumble over this one.
    answer = b"HTTP/1.1 202 Accepted\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    headers = {"X-Test": "one"}
    async with scene(replying(answer), tls=authority.server(), extra_ca_file=authority.bundle) as (server, door, url):
        got = await door.send("PUT", url + "a?b=c", deadline=30, read_limit=9, headers=headers, body=b'{"a": 1}')
    assert (got.status, got.body, got.truncated) == (202, b"hello", False)
    assert got.headers.get("content-encoding") == got.headers.get("CONTENT-ENCODING") == "gzip"
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert (lines[0], body) == (b"put /a?b=c http/1.1", b'{"a": 1}')
    assert {b"x-test: one", b"user-agent: tester/1"} < set(lines)
    assert not any(line.startswith(b"accept-encoding") for line in lines)


@pytest.mark.parametrize("body", [None, b""])
@pytest.mark.parametrize(
    ("method", "announced"),
    [("POST", [b"0"]), ("PUT", [b"0"]), ("PATCH", [b"0"]), ("DELETE", []), ("GET", []), ("HEAD", [])],
)
@in_a_loop
async def test_a_request_without_a_body_says_so_where_one_is_expected(
    method: str, announced: list[bytes], body: bytes | None
) -> None:
    async with scene(replying(NO_CONTENT)) as (server, door, url):
        await door.send(method, url, deadline=30, read_limit=9, body=body)
        async with door.stream(method, url, deadline=30, idle=30, body=body):
            pass
    assert [_lengths(request) for request in server.requests] == [announced, announced]


@in_a_loop
async def test_a_body_is_announced_once_with_its_length() -> None:
    async with scene(replying(OK)) as (server, door, url):
        await post(door, url)
    assert [_lengths(request) for request in server.requests] == [[b"2"]]


def _lengths(request: bytes) -> list[bytes]:
    lines = request.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    assert not any(line.startswith(b"transfer-encoding") for line in lines)
    return [line.partition(b": ")[2] for line in lines if line.startswith(b"content-length")]


@in_a_loop
async def test_one_lookup_and_one_connection_serve_many_requests() -> None:
    names = Names("127.0.0.1")
    async with scene(replying(OK), resolver=names) as (server, door, url):
        for _ in range(5):
            await post(door, url)
        assert server.connections == 1
        answers = await asyncio.gather(*(post(door, url.replace(HOST, "other.test")) for _ in range(20)))
    assert (len(answers), names.asked) == (20, [HOST, "other.test"])


@in_a_loop
async def test_a_redirect_inwards_is_an_answer_and_is_not_followed() -> None:
    async with receiver(replying(OK)) as inside:
        moved = f"HTTP/1.1 307 T\r\nLocation: http://127.0.0.1:{inside.port}/\r\nContent-Length: 0\r\n\r\n"
        async with scene(replying(moved.encode())) as (_, door, url):
            assert (await post(door, url)).status == 307
    assert inside.connections == 0


@in_a_loop
async def test_a_proxy_from_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiver(replying(OK)) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with scene(replying(OK)) as (server, door, url):
            await post(door, url)
    assert (proxy.connections, server.connections) == (0, 1)


@in_a_loop
async def test_one_forbidden_address_spoils_the_name() -> None:
    for addresses in (["127.0.0.1"], [PUBLIC_ADDRESS, "127.0.0.1"], ["::ffff:7f00:1"]):
        async with scene(replying(OK), resolver=Names(*addresses), policy=PUBLIC) as (server, door, url):
            assert await failure_of(door, url) == (SendFailureReason.ADDRESS_REFUSED, False)
        assert server.connections == 0


@in_a_loop
async def test_an_address_in_any_spelling_is_refused_without_asking_a_resolver() -> None:
    names = Names(PUBLIC_ADDRESS)
    async with scene(replying(OK), resolver=names, policy=PUBLIC) as (server, door, url):
        for host in LOOPBACKS:
            assert await failure_of(door, url.replace(HOST, host)) == (SendFailureReason.ADDRESS_REFUSED, False)
    assert (server.connections, names.asked) == (0, [])


@in_a_loop
async def test_the_checked_address_is_connected_to_whatever_the_system_says() -> None:
    async with receiver(replying(OK)) as wrong:
        names = Names("127.0.0.2")
        async with scene(replying(OK), host="127.0.0.2", port=wrong.port, resolver=names) as (server, door, url):
            # The system resolves this name to 127.0.0.1: a client without a pin would go there.
            await post(door, url.replace(HOST, "localhost"))
    assert (server.connections, wrong.connections) == (1, 0)


@in_a_loop
async def test_a_name_that_moves_is_checked_again_and_never_followed_inwards() -> None:
    names, clock = Names("127.0.0.2"), Clock()
    rules: dict[str, Any] = {"resolver": names, "clock": clock, "policy": NOT_FIRST_LOOPBACK}
    async with (
        receiver(replying(OK)) as inside,
        receiver(replying(OK), host="127.0.0.2", port=inside.port) as old,
        scene(replying(OK), host="127.0.0.3", port=inside.port, **rules) as (new, door, url),
    ):
        await post(door, url)
        names.addresses = ["127.0.0.3"]
        await post(door, url)
        assert (len(old.requests), new.connections) == (2, 0), "the first check holds for its own address"
        clock.time += EgressLimits().dns_cache_seconds
        await post(door, url)
        assert (len(old.requests), new.connections) == (2, 1)
        names.addresses = ["127.0.0.1"]
        clock.time += EgressLimits().dns_cache_seconds
        assert await failure_of(door, url) == (SendFailureReason.ADDRESS_REFUSED, False)
    assert (inside.connections, len(names.asked)) == (0, 3)


@in_a_loop
async def test_an_address_is_kept_while_it_answers_and_left_when_it_does_not() -> None:
    names, clock = Names("127.0.0.3", "127.0.0.1"), Clock()
    async with scene(replying(OK), resolver=names, clock=clock) as (_, door, url):
        await post(door, url)
        assert door._client.cache_info().misses == 2, "nobody listens at the first address"
        for shuffled in (["127.0.0.1", "127.0.0.3"], ["127.0.0.3", "127.0.0.1"]):
            names.addresses = shuffled
            clock.time += EgressLimits().dns_cache_seconds
            await post(door, url)
        assert door._client.cache_info()[:2] == (2, 2), "each of the two went straight to the address that answers"
    assert len(names.asked) == 3


@in_a_loop
async def test_only_so_many_clients_are_kept() -> None:
    async with scene(replying(OK), limits=EgressLimits(max_clients=2)) as (_, door, url):
        for host in ("a.test", "b.test", "127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"):
            assert (await post(door, url.replace(HOST, host))).status == 200
        assert door._client.cache_info().currsize == 2


@in_a_loop
async def test_names_that_do_not_resolve() -> None:
    async def unknown(_host: str) -> Sequence[IpAddress]:
        raise socket.gaierror

    async def silent(host: str) -> Sequence[IpAddress]:
        await asyncio.Event().wait()
        raise AssertionError(host)

    for resolver in (unknown, silent, Names()):
        door = a_door(resolver=resolver, limits=EgressLimits(resolve_seconds=0.05))
        assert await failure_of(door, f"https://{HOST}/") == (SendFailureReason.DNS_FAILED, False)


@in_a_loop
async def test_the_system_resolver_knows_loopback() -> None:
    with closing(SystemResolver(threads=1)) as resolver:
        assert ip_address("127.0.0.1") in await resolver("localhost")


@in_a_loop
async def test_what_cannot_be_sent_is_refused_without_quoting_it() -> None:
    for url in ("", "no url", "/path", "ftp://a.test/", "data:,x", "https://a.test./", "http://"):
        assert await failure_of(a_door(), url) == (SendFailureReason.URL_INVALID, False)
    assert await failure_of(a_door(), f"http://{HOST}/hidden{'a' * 70_000}") == (
        SendFailureReason.REQUEST_INVALID,
        False,
    )
    with pytest.raises(SendError) as caught:
        await a_door().send("GET", f"http://{HOST}/", deadline=1, read_limit=1, headers={"A": "secret\r\nB: c"})
    assert (caught.value.reason, caught.value.maybe_sent) == (SendFailureReason.REQUEST_INVALID, False)
    assert "secret" not in str(caught.value)


@in_a_loop
async def test_connections_that_never_stand_are_certain_to_have_sent_nothing() -> None:
    with socket.socket() as bound, socket.create_server(("127.0.0.1", 0)) as deaf:
        bound.bind(("127.0.0.1", 0))
        door = a_door(limits=EgressLimits(connect_seconds=0.2))
        for taken, reason in ((bound, SendFailureReason.CONNECT_REFUSED), (deaf, SendFailureReason.CONNECT_TIMEOUT)):
            url = f"https://{HOST}:{taken.getsockname()[1]}/hook?token=hidden"
            assert await failure_of(door, url) == (reason, False)


@pytest.mark.parametrize(
    ("reason", "certificate"),
    [
        (SendFailureReason.TLS_EXPIRED, {"last": 2002}),
        (SendFailureReason.TLS_NOT_YET_VALID, {"first": 2997}),
        (SendFailureReason.TLS_WRONG_HOST, {"name": "other.test"}),
        (SendFailureReason.TLS_FAILED, {"ciphers": "AES128-SHA"}),
        (SendFailureReason.TLS_UNKNOWN_ISSUER, None),
    ],
)
@in_a_loop
async def test_bad_certificates(
    authority: Authority, reason: SendFailureReason, certificate: dict[str, Any] | None
) -> None:
    tls = Authority().server() if certificate is None else authority.server(**certificate)
    async with scene(replying(OK), tls=tls, extra_ca_file=authority.bundle) as (server, door, url):
        assert await failure_of(door, url + "UnknownIssuer") == (reason, False)
    assert server.requests == []


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        (SendFailureReason.CONNECTION_LOST, b""),
        (SendFailureReason.CONNECTION_LOST, b"HTTP/1.1 200 OK\r\nConte"),
        (SendFailureReason.CONNECTION_LOST, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
        (SendFailureReason.CONNECTION_LOST, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
        (SendFailureReason.ANSWER_INVALID, b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
        (SendFailureReason.ANSWER_INVALID, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        (SendFailureReason.ANSWER_INVALID, b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n"),
    ],
    ids=["nothing", "half headers", "half a body", "half a chunk", "ssh", "no chunk", "endless headers"],
)
@in_a_loop
async def test_answers_that_break_off_or_make_no_sense(
    authority: Authority, reason: SendFailureReason, answer: bytes
) -> None:
    reply, tls = replying(answer, leave=True), authority.server()
    async with scene(reply, tls=tls, extra_ca_file=authority.bundle) as (_, door, url):
        assert await failure_of(door, url) == (reason, True)


async def hang(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
    while not reader.at_eof():
        writer.write(b".")
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.read(), 0.25)


@pytest.mark.parametrize(
    ("reason", "reply"), [(SendFailureReason.TIMEOUT, hang), (SendFailureReason.ANSWER_TOO_SLOW, drip)]
)
@in_a_loop
async def test_a_receiver_without_end_runs_into_the_deadline(reason: SendFailureReason, reply: Reply) -> None:
    async with scene(reply) as (server, door, url):
        assert await failure_of(door, url, deadline=1) == (reason, True)
    assert len(server.requests) == 1


@in_a_loop
async def test_an_endless_answer_is_cut_and_its_connection_dropped(authority: Authority) -> None:
    written = 0

    async def flood(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % GIB)
        while written < GIB and not writer.transport.is_closing():
            writer.write(bytes(65536))
            written += 65536
            await writer.drain()
            # The client is on the same loop: whoever writes without a pause would keep it from leaving.
            await asyncio.sleep(0)

    async with scene(flood, tls=authority.server(), extra_ca_file=authority.bundle) as (_, door, url):
        answer = await post(door, url)
    assert (answer.status, answer.body, answer.truncated) == (200, bytes(65536), True)
    assert written < GIB // 16, "what was written beyond the cap lies in the buffers of the two sockets"


@in_a_loop
async def test_the_read_limit_is_exact() -> None:
    for length, truncated in ((0, False), (9, False), (10, False), (11, True)):
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (length, b"x" * length)
        async with scene(replying(answer)) as (_, door, url):
            got = await post(door, url, read_limit=10)
        assert (len(got.body), got.truncated) == (min(length, 10), truncated)


def test_a_file_without_certificates_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "roots.pem").write_text("not a certificate")
    with pytest.raises(ValueError, match="contains no certificate"):
        a_door(extra_ca_file=tmp_path / "roots.pem")
    with pytest.raises(FileNotFoundError):
        a_door(extra_ca_file=tmp_path / "missing.pem")
