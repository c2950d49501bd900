"""Names whose name server does not answer: they hold up their own owner and nobody else."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from ipaddress import ip_address
from typing import Any

import pytest

from socialgate.core.addresses import IpAddress
from socialgate.core.caller import current_owner_id
from socialgate.core.egress import (
    EgressClient,
    Resolver,
    SendError,
    SendFailureReason,
    SystemResolver,
    allow_any_address,
)

FOUND = [ip_address("127.0.0.1")]


class Names:
    """The system's names, of which some hang until the test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.over = threading.Event()

    def __call__(self, host: bytes, *_: Any, **__: Any) -> Any:
        self.asked.append(host.decode())
        if host.startswith(b"hangs"):
            self.over.wait(60)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]

    async def until_asked(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.asked) < count:
                await asyncio.to_thread(threading.Event().wait, 0.01)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    names = Names()
    monkeypatch.setattr(socket, "getaddrinfo", names)
    yield names
    names.over.set()


async def look_up(owner_id: str, resolver: Resolver, host: str) -> Sequence[IpAddress]:
    current_owner_id.set(owner_id)
    return await resolver(host)


async def send(owner_id: str, client: EgressClient, url: str) -> SendFailureReason:
    current_owner_id.set(owner_id)
    with pytest.raises(SendError) as caught:
        await client.send("POST", url, deadline=30, read_limit=1)
    return caught.value.reason


def test_names_of_one_owner_that_hang_leave_threads_to_the_others(names: Names) -> None:
    async def run() -> None:
        with closing(SystemResolver(threads=6, max_threads_per_owner=4)) as resolver:
            stuck = [asyncio.create_task(look_up("own_1", resolver, f"hangs-{n}.test")) for n in range(20)]
            await names.until_asked(4)
            # Whoever asked may leave. The thread hangs all the same, and still counts.
            stuck[0].cancel()
            async with asyncio.timeout(60):
                assert await asyncio.create_task(look_up("own_2", resolver, "quick.test")) == FOUND
                assert await resolver("of-the-deployment.test") == FOUND
            assert len(names.asked) == 6
            names.over.set()
            async with asyncio.timeout(60):
                assert await asyncio.gather(*stuck[1:]) == [FOUND] * 19

    asyncio.run(run())


def test_a_host_that_two_owners_use_does_not_wait_behind_other_names_of_one_of_them(names: Names) -> None:
    async def run() -> None:
        with closing(SystemResolver(max_threads_per_owner=1)) as resolver:
            door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
            first = asyncio.create_task(send("own_1", door, "http://hangs.test:1/"))
            await names.until_asked(1)
            second = asyncio.create_task(send("own_1", door, "http://shared.test:1/"))
            # It has its turn before the other owner comes, and waits.
            await asyncio.sleep(0)
            assert (
                await asyncio.create_task(send("own_2", door, "http://shared.test:1/"))
                is SendFailureReason.CONNECT_REFUSED
            )
            names.over.set()
            await asyncio.gather(first, second)
            door.close()

    asyncio.run(run())
