"""Lanes that are read at the same time share a statement, and none waits for another one's for long."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from socialgate.delivery import shared_reads
from socialgate.delivery.shared_reads import LaneRead, SharedReads

NOW = datetime(2030, 1, 1, tzinfo=UTC)


class Database:
    """Answers a statement when it is told to, with the name of each hook for its row."""

    def __init__(self) -> None:
        self.reads = SharedReads(self._fetch)
        self.statements: list[list[str]] = []
        self._answers: list[asyncio.Future[dict[str, Any]]] = []
        self._started = asyncio.Event()

    async def _fetch(self, reads: Sequence[LaneRead]) -> dict[str, Any]:
        self.statements.append([read.hook_id for read in reads])
        self._answers.append(asyncio.get_running_loop().create_future())
        self._started.set()
        return await self._answers[-1]

    def ask(self, *hook_ids: str) -> "list[asyncio.Task[Any]]":
        return [asyncio.create_task(self.reads.read(LaneRead(name, "clm", NOW, NOW, "", 8))) for name in hook_ids]

    async def reach(self, number: int) -> None:
        """Wait for a number of statements."""
        async with asyncio.timeout(30):
            while len(self.statements) < number:
                self._started.clear()
                await self._started.wait()

    def answer(self, number: int, *lost: str) -> None:
        names = [name for name in self.statements[number] if name not in lost]
        self._answers[number].set_result({name: name for name in names})

    def fail(self, number: int) -> None:
        self._answers[number].set_exception(OSError("gone"))


def play(scene: Callable[[Database], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene(Database())

    asyncio.run(run())


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody lose patience, however slow the machine is."""
    monkeypatch.setattr(shared_reads, "_MAX_WAIT_SECONDS", 3600.0)


def test_a_lane_that_comes_alone_is_read_alone_and_those_that_come_meanwhile_together() -> None:
    async def scene(database: Database) -> None:
        first = database.ask("a")
        await database.reach(1)
        others = database.ask("b", "c", "d")
        await asyncio.sleep(0)
        assert database.statements == [["a"]]
        database.answer(0)
        await database.reach(2)
        database.answer(1, "c")
        assert await asyncio.gather(*first, *others) == ["a", "b", None, "d"]
        assert database.statements == [["a"], ["b", "c", "d"]]

    play(scene)


def test_a_statement_that_hangs_delays_no_other_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_reads, "_MAX_WAIT_SECONDS", 0.001)

    async def scene(database: Database) -> None:
        [hanging] = database.ask("a")
        await database.reach(1)
        for number, name in enumerate("bcd", 1):
            [other] = database.ask(name)
            await database.reach(number + 1)
            database.answer(number)
            assert await other == name
        assert not hanging.done()
        database.answer(0)
        assert await hanging == "a"

    play(scene)


def test_a_statement_that_fails_fails_for_those_who_share_it_and_for_nobody_else() -> None:
    async def scene(database: Database) -> None:
        first = database.ask("a")
        await database.reach(1)
        others = database.ask("b", "c")
        await asyncio.sleep(0)
        database.fail(0)
        await database.reach(2)
        database.fail(1)
        results = await asyncio.gather(*first, *others, return_exceptions=True)
        assert [type(result) for result in results] == [OSError] * 3
        again = database.ask("d")
        await database.reach(3)
        database.answer(2)
        assert await asyncio.gather(*again) == ["d"]

    play(scene)


def test_a_statement_is_for_a_limited_number_of_lanes() -> None:
    async def scene(database: Database) -> None:
        names = [f"hook_{number}" for number in range(40)]
        reads = database.ask(*names)
        await database.reach(1)
        database.answer(0)
        await database.reach(4)
        assert [len(hook_ids) for hook_ids in database.statements] == [1, 16, 16, 7]
        for number in (1, 2, 3):
            database.answer(number)
        assert await asyncio.gather(*reads) == names

    play(scene)
