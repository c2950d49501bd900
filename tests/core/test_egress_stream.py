"""Answers without end, through the door: against real sockets on loopback."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from functools import wraps
from ipaddress import ip_address
from typing import Any, TypeAlias

import pytest

from socialgate.core.addresses import IpAddress, NetworkSet
from socialgate.core.egress import (
    EgressClient,
    SendError,
    SendFailureReason,
    allow_any_address,
    build_public_address_policy,
)

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


def chunk(text: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text)


class Server:
    """Hands each connection, its request read, to the test."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self.port = 0
        self.heads: list[bytes] = []
        self.handlers: list[asyncio.Task[Any] | None] = []

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.handlers.append(asyncio.current_task())
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        await self._serve(reader, writer)
        writer.close()


@asynccontextmanager
async def scene(serve: Serve, *addresses: str, **options: Any) -> AsyncIterator[tuple[Server, EgressClient, str]]:
    """A server, a door, and the URL of the one for the other."""

    async def resolver(_host: str) -> Sequence[IpAddress]:
        return [ip_address(text) for text in addresses or ("127.0.0.1",)]

    created_server = Server(serve)
    server = await asyncio.start_server(created_server.connection, "127.0.0.1", 0)
    created_server.port = server.sockets[0].getsockname()[1]
    usual: dict[str, Any] = {"policy": allow_any_address, "resolver": resolver, "user_agent": "Tester/1"}
    try:
        with closing(EgressClient(**{**usual, **options})) as door:
            yield created_server, door, f"http://stream.test:{created_server.port}/events"
    finally:
        server.close()
        await asyncio.gather(*filter(None, created_server.handlers))


async def read_all(client: EgressClient, url: str, *, deadline: float = 30, idle: float = 30, **options: Any) -> bytes:
    async with client.stream("GET", url, deadline=deadline, idle=idle, **options) as answer:
        return b"".join([piece async for piece in answer])


async def failure_of(client: EgressClient, url: str, **options: Any) -> SendError:
    with pytest.raises(SendError) as caught:
        await read_all(client, url, **options)
    return caught.value


@in_a_loop
async def test_pieces_come_while_the_answer_goes_on_and_leaving_ends_it() -> None:
    go_on, left = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(b"one"))
        await go_on.wait()
        writer.write(chunk(b"two"))
        assert await reader.read() == b""
        left.set()

    async with scene(serve) as (server, door, url):
        async with door.stream("GET", url, deadline=30, idle=30, headers={"Last-Event-ID": "abc"}) as answer:
            assert (answer.status, answer.headers.get("content-type")) == (200, "text/event-stream")
            pieces = aiter(answer)
            assert await anext(pieces) == b"one"
            go_on.set()
            assert await anext(pieces) == b"two"
        await asyncio.wait_for(left.wait(), 30)
    lines = server.heads[0].lower().split(b"\r\n")
    assert lines[0] == b"get /events http/1.1"
    assert {b"last-event-id: abc", b"user-agent: tester/1"} < set(lines)


@in_a_loop
async def test_an_answer_that_ends_ends_the_reading() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(b"one") + chunk(b"two") + LAST)

    async with scene(serve) as (_, door, url):
        assert await read_all(door, url) == b"onetwo"


@in_a_loop
async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 307 T\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")

    async with scene(serve) as (server, door, url):
        async with door.stream("GET", url, deadline=30, idle=30) as answer:
            assert (answer.status, [piece async for piece in answer]) == (307, [])
        assert len(server.heads) == 1


@in_a_loop
async def test_an_answer_that_breaks_off_is_told_from_one_that_ends() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(b"one") + b"9\r\nhalf")

    async with scene(serve) as (_, door, url):
        failure = await failure_of(door, url)
    assert (failure.reason, failure.maybe_sent) == (SendFailureReason.CONNECTION_LOST, True)


@pytest.mark.parametrize(
    ("reason", "head", "limits"),
    [
        (SendFailureReason.TIMEOUT, b"", {"deadline": 0.1}),
        (SendFailureReason.ANSWER_TOO_SLOW, HEAD + chunk(b"one"), {"idle": 0.1}),
    ],
    ids=["no head", "no more"],
)
@in_a_loop
async def test_silence_has_an_end(reason: SendFailureReason, head: bytes, limits: dict[str, float]) -> None:
    over = asyncio.Event()

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await over.wait()

    async with scene(serve) as (_, door, url):
        failure = await failure_of(door, url, **limits)
        over.set()
    assert (failure.reason, failure.maybe_sent) == (reason, True)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"deadline": 30, "abandoned_timeout_seconds": 0.2}, SendFailureReason.TIMEOUT),
        ({"deadline": 30, "max_seconds": 0.2}, SendFailureReason.TIMEOUT),
        # Given up earlier than the client does: its connection is closed all the same, soon after.
        ({"deadline": 0.1, "abandoned_timeout_seconds": 0.3}, SendFailureReason.TIMEOUT),
    ],
    ids=["no head", "too long", "given up"],
)
@in_a_loop
async def test_no_connection_stays_of_an_answer_that_never_began(
    limits: dict[str, float], reason: SendFailureReason
) -> None:
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        assert await reader.read() == b""
        closed.set()

    async with scene(serve) as (_, door, url):
        assert (await failure_of(door, url, **limits)).reason == reason
        await asyncio.wait_for(closed.wait(), 30)


async def never(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    raise AssertionError("nothing may come here")


@in_a_loop
async def test_the_policy_holds_for_streams_too() -> None:
    async with scene(never, policy=build_public_address_policy(NetworkSet())) as (server, door, url):
        failure = await failure_of(door, url)
        assert (failure.reason, failure.maybe_sent) == (SendFailureReason.ADDRESS_REFUSED, False)
        assert server.heads == []


@in_a_loop
async def test_what_cannot_be_sent_is_refused_without_quoting_it() -> None:
    async with scene(never) as (_, door, url):
        failure = await failure_of(door, url, headers={"Authorization": "Bearer hidden\r\n"})
        assert (failure.reason, failure.maybe_sent) == (SendFailureReason.REQUEST_INVALID, False)
        assert "hidden" not in str(failure)
        assert (await failure_of(door, "ftp://stream.test/")).reason == SendFailureReason.URL_INVALID


@in_a_loop
async def test_an_address_where_nobody_listens_is_passed_over() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chunk(b"here") + LAST)

    async with scene(serve, "127.0.0.3", "127.0.0.1") as (_, door, url):
        assert await read_all(door, url) == b"here"
    async with scene(never, "127.0.0.3", "127.0.0.4", "127.0.0.5") as (_, door, url):
        failure = await failure_of(door, url)
    assert (failure.reason, failure.maybe_sent) == (SendFailureReason.CONNECT_REFUSED, False)
