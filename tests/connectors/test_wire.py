"""The wire of all connectors, against real sockets on loopback: where calls go, and what a lost answer means."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.connectors.transport import VendorTransport, decode_response
from socialgate.contracts.failures import OutcomeUnknownError, PlatformRateLimitError, PlatformUnavailableError
from socialgate.contracts.platforms import Platform
from socialgate.core.clock import Clock, SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work
from socialgate.core.settings import Settings
from support.postgres import new_database

T = TypeVar("T")

OK = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"id":"12"}\n'
)
TEAPOT = b"HTTP/1.1 418 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"id":'
NONSENSE = b"this is no HTTP at all\r\n\r\n"
SILENCE = b""
SECRET = "hidden-token"
# Nobody listens on the first port of all.
NOBODY = "http://127.0.0.1:1"


class Platforms:
    """A server that keeps what it is sent, answers the same to all, and then closes."""

    def __init__(self, answer: bytes, *, hang: bool) -> None:
        self.answer = answer
        self.hang = hang
        self.requests: list[bytes] = []
        self.base = ""
        self._tasks: list[asyncio.Task[Any] | None] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.append(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self.requests.append(head + await reader.readexactly(int(length or b"0")))
            writer.write(self.answer)
            await writer.drain()
            if self.hang:
                await asyncio.Event().wait()
        writer.close()

    async def stop(self) -> None:
        for task in filter(None, self._tasks):
            task.cancel()
        await asyncio.gather(*filter(None, self._tasks), return_exceptions=True)


@asynccontextmanager
async def answering(answer: bytes, *, hang: bool = False) -> AsyncIterator[Platforms]:
    platforms = Platforms(answer, hang=hang)
    server = await asyncio.start_server(platforms.serve, "127.0.0.1", 0)
    platforms.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield platforms
    finally:
        server.close()
        await platforms.stop()


@asynccontextmanager
async def node(url: str, clock: Clock) -> AsyncIterator[Callable[[Platform, str | None], VendorTransport]]:
    """One process of a deployment: gives the wire of a platform, whose hosts are replaced by a base."""
    db = Database(url, clock)
    resolver = SystemResolver(1)
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
    kept = PlatformPauses(db)
    try:
        await run_schema_work(db, lambda connection: pauses.create(connection, checkfirst=True))
        yield lambda platform, base: VendorTransport(
            door, clock, kept, platform, base, one_host=MANIFESTS[platform].base_url_replaces_host
        )
    finally:
        door.close()
        resolver.close()
        await db.close()


def with_wire(folder: Path, base: str | None, use: Callable[[VendorTransport], Awaitable[T]], platform: Platform) -> T:
    async def run() -> T:
        async with node(sqlite_url(folder / "test.db"), SystemClock()) as wire_of:
            return await use(wire_of(platform, base))

    return asyncio.run(run())


def address(folder: Path, platform: Platform, base: str | None, url: str, **query: object) -> str:
    async def use(wire: VendorTransport) -> str:
        return wire.resolve_url(url, query)

    return with_wire(folder, base, use, platform)


ME = "https://graph.facebook.com/v26.0/me"
BOT = "https://api.telegram.org/bot1:a/getMe"


@pytest.mark.parametrize(
    ("platform", "base", "url", "reached"),
    [
        (Platform.META, None, ME, ME),
        (Platform.META, "http://127.0.0.1:9/meta", ME, "http://127.0.0.1:9/meta/graph.facebook.com/v26.0/me"),
        (Platform.META, "http://127.0.0.1:9/meta/", ME, "http://127.0.0.1:9/meta/graph.facebook.com/v26.0/me"),
        (Platform.META, "", ME, ME),
        (Platform.META, "http://127.0.0.1:9/meta", "http://127.0.0.1:9/meta/up/1", "http://127.0.0.1:9/meta/up/1"),
        (
            Platform.META,
            "http://127.0.0.1:9/m",
            "http://127.0.0.1:9/me/1",
            "http://127.0.0.1:9/m/http://127.0.0.1:9/me/1",
        ),
        (Platform.TELEGRAM, None, BOT, BOT),
        (Platform.TELEGRAM, "https://bots.example.com", BOT, "https://bots.example.com/bot1:a/getMe"),
        (Platform.TELEGRAM, "http://127.0.0.1:9/x/", BOT, "http://127.0.0.1:9/x/bot1:a/getMe"),
        (
            Platform.WASENDER,
            "http://127.0.0.1:9",
            "https://www.wasenderapi.com/api/status",
            "http://127.0.0.1:9/api/status",
        ),
    ],
)
def test_a_vendors_address_is_reached_where_the_deployment_says(
    tmp_path: Path, platform: Platform, base: str | None, url: str, reached: str
) -> None:
    assert address(tmp_path, platform, base, url) == reached


def test_parameters_are_encoded_and_missing_ones_left_out(tmp_path: Path) -> None:
    created = address(tmp_path, Platform.META, None, ME, fields="id,name", after=None, limit=25, q="a b&c")
    assert created == f"{ME}?fields=id%2Cname&limit=25&q=a+b%26c"


def test_a_call_arrives_as_it_was_meant(tmp_path: Path) -> None:
    async def run() -> list[bytes]:
        async with answering(OK) as server, node(sqlite_url(tmp_path / "test.db"), SystemClock()) as wire_of:
            wire = wire_of(Platform.META, server.base)
            answer = await wire.send("GET", ME, query={"a": 1}, headers={"Authorization": "Bearer x"})
            assert (answer.status, answer.body) == (200, b'{"id":"12"}\n')
            await wire.send("POST", ME, form={"a": "ü&", "b": None, "c": 3})
            await wire.send("POST", ME, json={"a": [1]})
            await wire.send("PUT", ME, body=b"raw", headers={"Content-Type": "image/png"})
            return server.requests

    read_it, form, json, raw = asyncio.run(run())
    assert read_it.startswith(b"GET /graph.facebook.com/v26.0/me?a=1 HTTP/1.1\r\n")
    assert b"authorization: bearer x" in read_it.lower()
    assert form.endswith(b"\r\n\r\na=%C3%BC%26&c=3")
    assert b"content-type: application/x-www-form-urlencoded" in form.lower()
    assert json.endswith(b'\r\n\r\n{"a":[1]}')
    assert b"content-type: application/json" in json.lower()
    assert raw.endswith(b"\r\n\r\nraw")
    assert b"content-type: image/png" in raw.lower()


def test_whatever_the_status_it_is_an_answer(tmp_path: Path) -> None:
    async def run() -> HttpResponse:
        async with answering(TEAPOT) as server, node(sqlite_url(tmp_path / "test.db"), SystemClock()) as wire_of:
            return await wire_of(Platform.META, server.base).send("POST", ME, json={})

    assert asyncio.run(run()).status == 418


async def _lost(wire: VendorTransport, method: str, *, mutates: bool | None, deadline: float = 30) -> Exception:
    """Send what holds secrets in every place, and give the failure; none of them may be told."""
    with pytest.raises((OutcomeUnknownError, PlatformUnavailableError)) as caught:
        await wire.send(
            method,
            f"https://api.telegram.org/bot{SECRET}/send",
            query={"access_token": SECRET},
            headers={"Authorization": f"Bearer {SECRET}"},
            json=None if method == "GET" else {"secret": SECRET},
            mutates=mutates,
            deadline=deadline,
        )
    failure = caught.value
    assert SECRET not in f"{failure!r} {failure} {vars(failure)} {failure.__cause__!r}"
    assert failure.__suppress_context__, "what lies behind it may name the address"
    return failure


CALLS = [("GET", None), ("HEAD", None), ("POST", False), ("POST", None), ("DELETE", None), ("PUT", None), ("GET", True)]
CHANGES = {("POST", None), ("DELETE", None), ("PUT", None), ("GET", True)}


@pytest.mark.parametrize(("method", "mutates"), CALLS)
def test_a_request_that_never_left_changed_nothing(tmp_path: Path, method: str, mutates: bool | None) -> None:
    failure = with_wire(tmp_path, NOBODY, lambda wire: _lost(wire, method, mutates=mutates), Platform.TELEGRAM)
    assert isinstance(failure, PlatformUnavailableError)
    assert failure.retry_after
    assert "connect_refused" in failure.detail


# The answer to a HEAD has no body that could be cut.
LOST = [(*call, answer) for call in CALLS for answer in (SILENCE, CUT, NONSENSE) if (call[0], answer) != ("HEAD", CUT)]


@pytest.mark.parametrize(("method", "mutates", "answer"), LOST)
def test_a_lost_answer_leaves_open_what_a_change_did(
    tmp_path: Path, method: str, mutates: bool | None, answer: bytes
) -> None:
    async def run() -> Exception:
        async with answering(answer) as server, node(sqlite_url(tmp_path / "test.db"), SystemClock()) as wire_of:
            failure = await _lost(wire_of(Platform.TELEGRAM, server.base), method, mutates=mutates)
            assert len(server.requests) == 1, "it is sent once, whatever happens"
            return failure

    failure = asyncio.run(run())
    assert type(failure) is (OutcomeUnknownError if (method, mutates) in CHANGES else PlatformUnavailableError)


@pytest.mark.parametrize(("method", "mutates"), [("GET", None), ("POST", None)])
def test_an_answer_that_never_comes_ends_with_the_deadline(tmp_path: Path, method: str, mutates: bool | None) -> None:
    async def run() -> Exception:
        url = sqlite_url(tmp_path / "test.db")
        async with answering(SILENCE, hang=True) as server, node(url, SystemClock()) as wire_of:
            return await _lost(wire_of(Platform.TELEGRAM, server.base), method, mutates=mutates, deadline=0.3)

    failure = asyncio.run(run())
    assert type(failure) is (OutcomeUnknownError if method == "POST" else PlatformUnavailableError)


class Shape(msgspec.Struct):
    id: str
    count: int = 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"id":"12","count":"7","more":{}}', Shape("12", 7)),
        (b'{"id":"12"}', Shape("12")),
        (b"", None),
        (b"<html>502</html>", None),
        (b'{"id":12}', None),
        (b'{"count":1}', None),
        (b'{"id":"\xff"}', None),
        (b'{"id":', None),
        (b"null", None),
    ],
)
def test_an_answer_is_read_into_its_shape_or_not_at_all(body: bytes, expected: Shape | None) -> None:
    assert decode_response(HttpResponse(200, {}, body, truncated=False), Shape) == expected


@pytest.fixture
def url(engine: str, postgres_url: str, tmp_path: Path) -> str:
    """Give an empty database of one's own."""
    if engine == "postgres":
        return Settings(database_url=new_database(postgres_url)).effective_database_url
    return sqlite_url(tmp_path / "test.db")


class StoppedClock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 15, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time


async def _left(wire: VendorTransport, *budgets: str) -> int | None:
    """Return how long the wire refuses these budgets, 0 if it does not."""
    try:
        await wire.limits.require_not_paused(*budgets)
    except PlatformRateLimitError as limit_error:
        return limit_error.retry_after
    return 0


def test_a_pause_holds_for_its_budget_until_its_end(url: str) -> None:
    async def run() -> None:
        clock = StoppedClock()
        async with node(url, clock) as wire_of:
            wire, other = wire_of(Platform.TELEGRAM, NOBODY), wire_of(Platform.META, NOBODY)
            assert await _left(wire, "app", "12") == 0
            await wire.limits.pause("12", 60)
            assert await _left(wire, "12") == 60
            assert await _left(wire, "app", "12") == 60
            assert await _left(wire, "app", "13") == 0
            assert await _left(other, "12") == 0, "the account of another platform"
            clock.time += timedelta(seconds=60)
            assert await _left(wire, "app", "12") == 0

    asyncio.run(run())


def test_a_pause_says_who_asked_for_it_and_how_long_it_is(url: str) -> None:
    async def run() -> None:
        async with node(url, StoppedClock()) as wire_of:
            wire = wire_of(Platform.WASENDER, NOBODY).with_manifest_quotas(MANIFESTS[Platform.WASENDER])
            await wire.limits.pause("12", 86_393)
            with pytest.raises(PlatformRateLimitError, match=r"^WhatsApp \(WaSender\) asked .* in 24 hours"):
                await wire.limits.require_not_paused("12")

    asyncio.run(run())


def test_the_longest_of_several_waits_counts(url: str) -> None:
    async def run() -> None:
        clock = StoppedClock()
        async with node(url, clock) as wire_of:
            wire = wire_of(Platform.TELEGRAM, NOBODY)
            await wire.limits.pause("app", 20)
            await wire.limits.pause("12", 90)
            assert await _left(wire, "app", "12") == 90

    asyncio.run(run())


def test_what_one_node_is_told_holds_for_all(url: str) -> None:
    async def run() -> None:
        clock = StoppedClock()
        async with node(url, clock) as here, node(url, clock) as there:
            await here(Platform.TELEGRAM, NOBODY).limits.pause("12", 60)
            assert await _left(there(Platform.TELEGRAM, NOBODY), "12") == 60
            # A shorter wait comes from a call that left earlier, and takes nothing away.
            await there(Platform.TELEGRAM, NOBODY).limits.pause("12", 5)
            async with node(url, clock) as newcomer:
                assert await _left(newcomer(Platform.TELEGRAM, NOBODY), "12") == 60

    asyncio.run(run())


def test_pauses_set_side_by_side_all_stand(url: str) -> None:
    async def run() -> None:
        clock = StoppedClock()
        async with node(url, clock) as here, node(url, clock) as there:
            wires = itertools.cycle([here(Platform.META, NOBODY), there(Platform.META, NOBODY)])
            await asyncio.gather(*(next(wires).limits.pause("app", seconds) for seconds in range(10, 60)))
            async with node(url, clock) as newcomer:
                assert await _left(newcomer(Platform.META, NOBODY), "app") == 59

    asyncio.run(run())
