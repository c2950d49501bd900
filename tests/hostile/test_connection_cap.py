"""The number of connections: whoever holds them open for nothing loses them to those who need them."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest

from journeys import commands
from socialgate.web.area import Area
from socialgate.web.connections import ConnectionLimits
from socialgate.web.route import RouteTag, route
from support.raw import RawConnection
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

CAP = 20
STRANGERS = 18
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
WAITING = {
    "silent": b"",
    "half a head": b"GET / HTTP/1.1\r\nX",
    "half a body": b"POST /webhooks/meta HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
    "idle": HEALTH,
}


class AtWork:
    """Requests that the service works on until a test says that it is done."""

    def __init__(self) -> None:
        self.count = 0
        self._done = asyncio.Event()

    async def work(self) -> None:
        self.count += 1
        await self._done.wait()

    async def end(self) -> None:
        self._done.set()


AT_WORK = AtWork()


@route("GET", "/test/work", sdk="work.get", tag=RouteTag("Test", "For tests."))
async def work_on() -> None:
    """Work until the test says that it is done."""
    await AT_WORK.work()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    areas = [Area(routes=[work_on])]
    with running_service(tmp_path_factory.mktemp("data"), sandbox=False, connections=CAP, areas=areas) as running:
        yield running


@pytest.fixture(scope="module")
def small_owner(small: RunningService) -> OwnerFixture:
    return small.new_owner()


@pytest.mark.parametrize("kind", WAITING)
def test_those_who_keep_us_waiting_make_room(small: RunningService, small_owner: OwnerFixture, kind: str) -> None:
    with ExitStack() as stack:
        customer = stack.enter_context(RawConnection(small.settings.port))
        assert customer.send(_asks(small_owner)).answer().status == 200
        raws = []
        for _ in range(2 * CAP):
            raws.append(raw := stack.enter_context(RawConnection(small.settings.port)).send(WAITING[kind]))
            assert kind != "idle" or raw.answer().status == 200
        eventually(lambda: sum(raw.is_closed() for raw in raws) >= 2 * CAP - STRANGERS)
        with RawConnection(small.settings.port) as another:
            assert another.send(HEALTH).answer().status == 200
        # Whoever was authenticated keeps the connection, however old it is.
        assert customer.send(_asks(small_owner)).answer().status == 200
    eventually(lambda: _open_connections(small) <= 1)


def test_strangers_never_take_the_reserve(small: RunningService) -> None:
    small.transport.close()
    eventually(lambda: _open_connections(small) == 0)
    with ExitStack() as stack:
        raws = [stack.enter_context(RawConnection(small.settings.port)) for _ in range(CAP)]
        eventually(lambda: [raw.is_closed() for raw in raws] == [True] * (CAP - STRANGERS) + [False] * STRANGERS)


def test_with_everybody_at_work_a_newcomer_is_told_to_come_back(
    small: RunningService, small_owner: OwnerFixture
) -> None:
    small.transport.close()
    eventually(lambda: _open_connections(small) == 0)
    with ExitStack() as stack:
        raws: list[RawConnection] = []
        while len(raws) < CAP:
            raws.append(stack.enter_context(RawConnection(small.settings.port)).send(_works(small_owner)))
            eventually(lambda: AT_WORK.count == len(raws))
        with RawConnection(small.settings.port) as late:
            problem = late.answer().problem(503, "too_many_connections", "/")
            assert problem["retryAfter"] > 0
        assert not any(raw.is_closed() for raw in raws)
        small.run(AT_WORK.end())
        assert {raw.answer().status for raw in raws} == {200}
        with RawConnection(small.settings.port) as late:
            assert late.send(HEALTH).answer().status == 200


def test_a_customer_with_slow_requests_does_not_take_every_connection(
    small: RunningService, small_owner: OwnerFixture
) -> None:
    other = small.new_owner()
    small.transport.close()
    eventually(lambda: _open_connections(small) == 0)
    with ExitStack() as stack:
        customer = stack.enter_context(RawConnection(small.settings.port))
        assert customer.send(_asks(other)).answer().status == 200
        slow = (
            b"POST /posts/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\nContent-Type: application/json\r\n"
        )
        slow += (
            f"Content-Type: application/json\r\nAuthorization: Bearer {small_owner.session_token}\r\n\r\n{{".encode()
        )
        for _ in range(CAP - 1):
            raw = stack.enter_context(RawConnection(small.settings.port))
            assert raw.send(_asks(small_owner)).answer().status == 200
            raw.send(slow)
        eventually(lambda: _open_connections(small) == CAP)
        for _ in range(3):
            with RawConnection(small.settings.port) as another:
                assert another.send(HEALTH).answer().status == 200
        assert customer.send(_asks(other)).answer().status == 200


def test_one_address_gets_no_more_than_its_share(tmp_path: Path) -> None:
    limits = ConnectionLimits(limit_loopback=True)
    with (
        running_service(tmp_path, sandbox=False, connections_per_address=5, limits=limits) as running,
        ExitStack() as stack,
    ):
        raws = [stack.enter_context(RawConnection(running.settings.port)) for _ in range(5)]
        for raw in raws:
            assert raw.send(HEALTH).answer().status == 200
        with RawConnection(running.settings.port) as late:
            assert late.answer().problem(503, "too_many_connections", "/")["retryAfter"] > 0
        assert raws[0].send(HEALTH).answer().status == 200
        raws[0].socket.close()
        eventually(lambda: _open_connections(running) < 5)
        with RawConnection(running.settings.port) as another:
            assert another.send(HEALTH).answer().status == 200


def test_a_trusted_proxy_may_hold_any_number(tmp_path: Path) -> None:
    limits = ConnectionLimits(limit_loopback=True)
    with (
        running_service(
            tmp_path, sandbox=False, connections_per_address=5, trusted_proxies="127.0.0.1", limits=limits
        ) as running,
        ExitStack() as stack,
    ):
        raws = [stack.enter_context(RawConnection(running.settings.port)) for _ in range(10)]
        assert {raw.send(HEALTH).answer().status for raw in raws} == {200}


def test_a_thousand_silent_connections_on_few_descriptors_shut_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["sh", "-c", 'ulimit -Sn 512; ulimit -Hn 1024; exec "$@"', "sh", *commands.COMMAND]
    monkeypatch.setattr(commands, "COMMAND", few)
    with commands.started_afresh(tmp_path, "serve", port=0) as process:
        address = process.address()
        # It takes as many as it may have.
        assert psutil.Process(process.process.pid).rlimit(psutil.RLIMIT_NOFILE) == (1024, 1024)
        port = httpx.URL(address).port or 0
        lines = (tmp_path / "data/first-login.txt").read_text().splitlines()
        signed_in = dict(line.removeprefix("export ").split("=", 1) for line in lines if "=" in line)
        token = signed_in["SOCIALGATE_API_KEY"].strip("'\"")
        with httpx.Client(base_url=address, timeout=30) as customer, ExitStack() as stack:
            asks = {"Authorization": f"Bearer {token}"}
            assert customer.get("/auth/me", headers=asks).status_code == 200
            for _ in range(1000):
                stack.enter_context(RawConnection(port))
            for _ in range(20):
                with RawConnection(port) as raw:
                    assert raw.send(HEALTH).answer().status == 200
            assert customer.get("/auth/me", headers=asks).status_code == 200


def _asks(owner: OwnerFixture) -> bytes:
    return f"GET /auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner.session_token}\r\n\r\n".encode()


def _works(owner: OwnerFixture) -> bytes:
    return f"GET /test/work HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner.session_token}\r\n\r\n".encode()


def _open_connections(running: RunningService) -> int:
    return int(running.service.metrics.registry.get_sample_value("socialgate_connections") or 0)
