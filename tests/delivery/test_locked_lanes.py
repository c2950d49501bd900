"""A lane that somebody else has locked: its results wait for it, and nothing else does."""

import asyncio
from collections.abc import Awaitable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.metering import usage_days
from socialgate.core.outbox import lanes
from socialgate.delivery import result_writer as recording
from socialgate.delivery.engine import DeliveryEngine
from socialgate.delivery.lane_runner import LaneRunner
from socialgate.delivery.result_writer import ResultWriter
from socialgate.delivery.store import ClaimCheck, DeliveryResult, DueDelivery, Lane, LaneUpdate
from socialgate.delivery.store_postgres import PostgresLaneStore
from support.database import block_rows, rows
from support.hooks import add_hook, change_lane, deliveries_of, emit, lane_row
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = [pytest.mark.both_engines, pytest.mark.parametrize("engine", ["postgres"], indirect=True)]

T = TypeVar("T")

# Less than half of the time after which the server ends a transaction that does nothing, and with it the lock.
AT_ONCE_SECONDS = 4
NOW = datetime(2030, 1, 1, tzinfo=UTC)
UNTIL = NOW + timedelta(seconds=60)


class Sent:
    """Deliveries of a lane that were sent. It has their results to write, as a lane's runner has."""

    def __init__(self, lane: Lane, jobs: list[DueDelivery]) -> None:
        self.lane = lane
        self.jobs = jobs
        self.succeeding: list[DueDelivery] = []
        # What the recorder has said of them: how many, and whether the claim was valid.
        self.told: list[tuple[int, bool]] = []
        self.heard = asyncio.Event()

    def take_results(self) -> tuple[list[DeliveryResult], LaneUpdate]:
        lane, jobs, self.succeeding = self.lane, self.succeeding, []
        news = LaneUpdate(
            hook_id=lane.hook_id, claim_id=lane.claim_id, generation=lane.generation, at_once=lane.at_once
        )
        for job in jobs:
            news.count_success(lane.owner_id, job.profile_id, NOW)
        return [succeeded(lane, job) for job in jobs], news

    def on_locked(self) -> None:
        """It is tried again by itself."""

    def on_written(self, results: int, *, claim_valid: bool) -> None:
        self.told.append((results, claim_valid))
        self.heard.set()


def succeeded(lane: Lane, job: DueDelivery) -> DeliveryResult:
    return DeliveryResult(
        owner_id=lane.owner_id,
        hook_id=lane.hook_id,
        id=job.id,
        status="succeeded",
        due_at=None,
        attempt_count=1,
        attempts=b"[]",
        completed_at=NOW,
    )


class Bench:
    """Two hooks with two deliveries each, all sent by one worker, and the lane of the first is what others lock."""

    def __init__(self, running: RunningService, store: PostgresLaneStore) -> None:
        self.running = running
        self.store = store
        self.owner: OwnerFixture = running.new_owner()
        hook_ids = [add_hook(self.owner, "https://example.com/hook") for _ in range(2)]
        emit(self.owner, 1, 2)
        claimed = running.run(store.claim(hook_ids, new_id("clm"), NOW, UNTIL))
        by_hook = {
            lane.hook_id: Sent(lane, running.run(store.fetch_due_deliveries(lane, None, 10, NOW))) for lane in claimed
        }
        self.locked, self.free = (by_hook[hook_id] for hook_id in hook_ids)

        self.is_locked = lanes.c.hook_id == hook_ids[0]
        self.row = sa.select(lanes.c.hook_id).where(self.is_locked)

    def at_once(self, job: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(AT_ONCE_SECONDS):
                return await job

        item: T = self.running.run(bounded())
        return item

    def record(self, *sent: Sent) -> ClaimCheck:
        """Write all results of these that are not written yet, past the recorder."""
        return self.at_once(self.recording(*sent))

    async def recording(self, *sent: Sent) -> ClaimCheck:
        for sent_delivery in sent:
            sent_delivery.succeeding = sent_delivery.jobs
        collected = [sent.take_results() for sent in sent]
        results = [result for delivery_results, _ in collected for result in delivery_results]
        return await self.store.record_results(results, [news for _, news in collected])

    def renew(self) -> ClaimCheck:
        return self.at_once(self.store.renew_leases([self.locked.lane.claim_id], UNTIL + timedelta(seconds=60)))

    def lease_of(self, sent: Sent) -> datetime:
        time: datetime = lane_row(self.running, sent.lane.hook_id).lease_until
        return time

    def lose(self) -> None:
        change_lane(self.owner, self.locked.lane.hook_id, claim_id=new_id("clm"))

    def statuses(self, sent: Sent) -> list[str]:
        return [delivery.status for delivery in deliveries_of(self.owner, sent.lane.hook_id)]

    def counted(self) -> tuple[int, int, int]:
        """Return what is counted for the locked lane, for the free one, and for their owner."""
        counts = [int(lane_row(self.running, sent.lane.hook_id).succeeded) for sent in (self.locked, self.free)]
        used = rows(self.running, sa.select(usage_days.c.used).where(usage_days.c.owner_id == self.owner.id))
        return counts[0], counts[1], sum(row.used for row in used)


@pytest.fixture
def bench(start_service: StartService) -> Iterator[Bench]:
    with start_service(worker="separate", sandbox=False) as running:
        assert running.settings.database_url is not None
        store = PostgresLaneStore(running.settings.database_url)
        yield Bench(running, store)
        running.run(store.close())


def test_results_of_other_lanes_are_written_while_one_is_locked(bench: Bench) -> None:
    locked, free = bench.locked, bench.free
    with block_rows(bench.running, bench.row):
        assert bench.record(locked, free) == ClaimCheck({free.lane.hook_id}, locked_hook_ids={locked.lane.hook_id})
        assert (bench.statuses(locked), bench.statuses(free)) == (["pending"] * 2, ["succeeded"] * 2)
        assert bench.counted() == (0, 2, 2)
    assert bench.record(locked) == ClaimCheck({locked.lane.hook_id})
    assert bench.statuses(locked) == ["succeeded"] * 2
    assert bench.counted() == (2, 2, 4)


def test_leases_of_other_lanes_are_renewed_while_one_is_locked(bench: Bench) -> None:
    locked, free = bench.locked, bench.free
    with block_rows(bench.running, bench.row):
        assert bench.renew() == ClaimCheck({free.lane.hook_id}, locked_hook_ids={locked.lane.hook_id})
        assert (bench.lease_of(locked), bench.lease_of(free)) == (UNTIL, UNTIL + timedelta(seconds=60))
    assert bench.renew() == ClaimCheck({free.lane.hook_id, locked.lane.hook_id})
    assert bench.lease_of(locked) == UNTIL + timedelta(seconds=60)


def test_a_claim_that_is_lost_is_known_to_be_although_the_lane_is_locked(bench: Bench) -> None:
    bench.lose()
    with block_rows(bench.running, bench.row):
        assert bench.renew() == ClaimCheck({bench.free.lane.hook_id})
        assert bench.record(bench.locked, bench.free) == ClaimCheck({bench.free.lane.hook_id})
    assert bench.statuses(bench.locked) == ["pending"] * 2
    assert bench.counted() == (0, 2, 2)


def test_a_claim_that_is_being_taken_over_is_lost_when_it_was(bench: Bench) -> None:
    locked = bench.locked

    async def take_over(tx: Tx) -> ClaimCheck:
        await tx.execute(sa.update(lanes).where(bench.is_locked).values(claim_id=new_id("clm")))
        async with asyncio.timeout(AT_ONCE_SECONDS):
            return await bench.recording(locked)

    assert bench.running.write(take_over) == ClaimCheck(set(), locked_hook_ids={locked.lane.hook_id})
    assert bench.record(locked) == ClaimCheck(set())
    assert bench.counted() == (0, 0, 0)


async def keep(bench: Bench, *sent: Sent) -> tuple[DeliveryEngine, list[LaneRunner]]:
    """Make an engine that holds these lanes and does nothing by itself."""
    engine = bench.running.service._build_delivery_engine()
    engine._store = bench.store
    engine._runners = {sent.lane.hook_id: LaneRunner(sent.lane, engine._deps) for sent in sent}
    return engine, list(engine._runners.values())


def test_a_lease_that_could_not_be_renewed_is_renewed_before_the_next_round(bench: Bench) -> None:
    locked, free = bench.locked, bench.free
    engine, runners = bench.at_once(keep(bench, locked, free))
    with block_rows(bench.running, bench.row):
        bench.at_once(engine._renew_held_leases())
        assert (bench.lease_of(locked) == UNTIL, bench.lease_of(free) == UNTIL) == (True, False)
    bench.at_once(engine._renew_locked())
    assert bench.lease_of(locked) != UNTIL
    assert (engine._unrenewed_hook_ids, [runner.is_claim_lost for runner in runners]) == (set(), [False, False])
    bench.lose()
    bench.at_once(engine._renew_held_leases())
    assert [runner.is_claim_lost for runner in runners] == [True, False]


class Desk:
    """A recorder at work."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.recorder = ResultWriter(bench.store, lambda: 100)
        self._task: asyncio.Task[None] = bench.running.run(self._begin())

    async def _begin(self) -> asyncio.Task[None]:
        return asyncio.create_task(self.recorder.run())

    def hand_in(self, *sent: Sent) -> None:
        """Let the next delivery of each of these have succeeded, and wait until the last of them is written."""
        self._bench.at_once(self.handing_in(*sent))

    async def handing_in(self, *sent: Sent) -> None:
        heard = sent[-1].heard
        heard.clear()
        for sent_delivery in sent:
            sent_delivery.succeeding.append(sent_delivery.jobs.pop(0))
            self.recorder.add(sent_delivery)
        await heard.wait()

    def close(self) -> None:
        self._bench.at_once(self._close())

    async def _close(self) -> None:
        self.recorder.set_shutdown_deadline()
        self.recorder.close()

    def end(self) -> None:
        self._bench.at_once(self._end())

    async def _end(self) -> None:
        await asyncio.shield(self._task)


@pytest.fixture
def desk(bench: Bench) -> Iterator[Desk]:
    started = Desk(bench)
    yield started
    started.close()
    started.end()


def test_what_a_locked_lane_has_to_write_is_kept_in_order_and_counted_once(bench: Bench, desk: Desk) -> None:
    locked, free = bench.locked, bench.free
    with block_rows(bench.running, bench.row):
        desk.hand_in(locked, free)
        desk.hand_in(locked, free)
        assert (locked.told, free.told) == ([], [(1, True)] * 2)
        assert bench.counted() == (0, 2, 2)
        # A process that stops meanwhile does not forget it.
        desk.close()
    desk.end()
    assert locked.told == [(1, True)] * 2
    assert bench.statuses(locked) == ["succeeded"] * 2
    assert bench.counted() == (2, 2, 4)


def test_what_a_locked_lane_has_to_write_is_dropped_if_its_claim_is_lost(bench: Bench, desk: Desk) -> None:
    locked, free = bench.locked, bench.free

    async def take_over(tx: Tx) -> None:
        await tx.execute(sa.update(lanes).where(bench.is_locked).values(claim_id=new_id("clm")))
        async with asyncio.timeout(AT_ONCE_SECONDS):
            await desk.handing_in(locked, free)
        assert locked.told == []

    bench.running.write(take_over)
    eventually(lambda: locked.told == [(1, False)])
    assert bench.statuses(locked) == ["pending"] * 2
    assert bench.counted() == (0, 1, 1)


def test_a_process_that_stops_does_not_wait_forever_for_a_locked_lane(
    bench: Bench, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "SHUTDOWN_TIMEOUT_SECONDS", 0.0)
    with block_rows(bench.running, bench.row):
        desk.hand_in(bench.locked, bench.free)
        desk.close()
        desk.end()
    assert bench.locked.told == [(1, False)]
    assert bench.statuses(bench.locked) == ["pending"] * 2
