"""What is sent and not yet recorded has a limit over all lanes, and no hook waits for another because of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.delivery import unrecorded
from socialgate.delivery.engine import DeliveryEngine
from socialgate.delivery.lane_runner import INITIAL_CONCURRENT_REQUESTS
from socialgate.delivery.unrecorded import BASE_LIMIT, LIMIT_PER_LANE, MAX_LIMIT, LaneShare, UnrecordedDeliveries
from support.database import hold_transaction_open
from support.hooks import add_hook, emit, wait_for_deliveries
from support.receiver import Receiver
from support.service import OwnerFixture
from support.waiting import eventually

HOOKS = 10
EVENTS = 60


async def block_results(tx: Tx) -> None:
    """Let nobody write a result; on SQLite there is one writer at a time anyway."""
    if tx.dialect_name == "postgresql":
        await tx.execute(sa.text("LOCK TABLE deliveries IN SHARE MODE"))


@pytest.mark.both_engines
def test_no_more_is_sent_than_may_be_repeated(owner: OwnerFixture, receiver: Receiver) -> None:
    hook_ids = [add_hook(owner, receiver.url(f"/{number}")) for number in range(HOOKS)]
    engine = owner.running.service.container.get(DeliveryEngine)
    counted = engine._deps.unrecorded
    emit(owner, 0)
    for hook_id in hook_ids:
        wait_for_deliveries(owner, hook_id)
    eventually(lambda: counted.count == 0)
    before = len(receiver.received)
    emit(owner, *range(1, EVENTS))
    with hold_transaction_open(owner.running, block_results):
        started = len(receiver.received)
        eventually(lambda: len(counted._waiting) > 0 and counted._in_flight == 0, "the limit")
        sent, recorded_before = len(receiver.received) - started, started - before
        # None at all, if the limit was reached before this looked.
        assert sent <= BASE_LIMIT + HOOKS * LIMIT_PER_LANE + earned(engine)
        assert recorded_before + sent < HOOKS * (EVENTS - 1)
    for hook_id in hook_ids:
        wait_for_deliveries(owner, hook_id, EVENTS)
    assert len(receiver.received) == HOOKS * EVENTS
    eventually(lambda: counted.count == 0)


def earned(engine: DeliveryEngine) -> int:
    """Return how many more requests hooks may have in flight that look slow, as all do on a slow machine."""
    return sum(max(0, runner._window - INITIAL_CONCURRENT_REQUESTS) for runner in engine._runners.values())


class Lanes:
    def __init__(self, number: int) -> None:
        self.all = UnrecordedDeliveries()
        self.shares = [self.all.join() for _ in range(number)]

    def send(self, share: LaneShare, number: int) -> None:
        for _ in range(number):
            share.end(share.start())
            share.add_result()

    def fill(self) -> LaneShare:
        """Let one lane use all the room that there is."""
        share = self.shares[0]
        while self.all._get_room() > 0:
            self.send(share, 1)
        return share


async def waits(job: Awaitable[Any]) -> bool:
    task = asyncio.ensure_future(job)
    for _ in range(3):
        await asyncio.sleep(0)
    is_waiting = not task.done()
    task.cancel()
    return is_waiting


def played(scene: Callable[[], Awaitable[None]]) -> None:
    async def play() -> None:
        await scene()

    asyncio.run(play())


@pytest.mark.parametrize(("lanes", "limit"), [(1, 23), (10, 50), (100, 320), (111, 352), (1000, MAX_LIMIT)])
def test_the_limit_grows_with_the_lanes_and_ends(lanes: int, limit: int) -> None:
    assert Lanes(lanes).all.limit == limit


def test_the_first_delivery_of_a_lane_waits_for_no_other_hook() -> None:
    async def scene() -> None:
        lanes = Lanes(2)
        full, free = lanes.fill(), lanes.shares[1]
        assert await waits(full.wait_for_room())
        assert not await waits(free.wait_for_room())
        free.start()
        assert await waits(free.wait_for_room())

    played(scene)


def test_whoever_waits_goes_on_once_something_is_written() -> None:
    async def scene() -> None:
        lanes = Lanes(2)
        share = lanes.fill()
        waiting = asyncio.ensure_future(share.wait_for_room())
        await asyncio.sleep(0)
        assert not waiting.done()
        share.on_written(1)
        await waiting

    played(scene)


def test_results_that_cannot_be_written_because_of_a_lock_leave_room_for_others() -> None:
    async def scene() -> None:
        lanes = Lanes(2)
        locked, other = lanes.fill(), lanes.shares[1]
        other.start()
        locked.set_locked(locked=True)
        assert not await waits(other.wait_for_room())
        lanes.send(locked, 5)
        assert lanes.all.count == 1
        locked.on_written(locked.unwritten)
        assert lanes.all.count == 1

    played(scene)


def test_requests_that_hang_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrecorded, "_HANGING_SECONDS", 0.01)

    async def scene() -> None:
        lanes = Lanes(2)
        hanging, other = lanes.shares
        sent = [hanging.start() for _ in range(lanes.all.limit)]
        other.start()
        # Without a timer nobody would notice that they hang.
        await other.wait_for_room()
        for request in sent:
            hanging.end(request)
        assert lanes.all.count <= 1

    played(scene)


def test_slow_hooks_may_have_more_in_flight_and_give_it_back() -> None:
    lanes = Lanes(2)
    before = lanes.all.limit
    lanes.shares[0].set_earned(28)
    assert lanes.all.limit == before + 28
    lanes.send(lanes.shares[0], 3)
    lanes.shares[0].leave()
    assert (lanes.all.limit, lanes.all.count) == (before - LIMIT_PER_LANE, 0)
