"""Connections: whoever is new gets in, however busy the service is with those who are there."""

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from socialgate.core.settings import Settings
from support.service import Host

NEW = 100
TURNS = 20


def test_many_who_come_at_once_are_let_in_within_a_few_turns_of_the_loop(tmp_path: Path) -> None:
    with Host(Settings(data_dir=tmp_path, port=0, sandbox=False)) as host:
        assert newcomers_let_in(host) == NEW


def newcomers_let_in(host: Host) -> int:
    """Let many come while the loop stands still, and tell how many got in within some turns of it."""
    assert host.running is not None
    assert host._server is not None
    connections = host._server.server_state.connections
    stands_still, goes_on = Event(), Event()

    async def let_in() -> int:
        stands_still.set()
        goes_on.wait(60)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        return len(connections)

    letting_in = asyncio.run_coroutine_threadsafe(let_in(), host.running._loop)
    with ExitStack() as stack:
        assert stands_still.wait(60)
        for _ in range(NEW):
            stack.enter_context(socket.create_connection(("127.0.0.1", host.running.settings.port), timeout=30))
        goes_on.set()
        return letting_in.result(60)
