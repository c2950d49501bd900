"""A hint that comes at an awkward moment is never forgotten: looking around would find the work only a second later."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.metrics import Metrics
from socialgate.delivery.engine import DeliveryEngine
from socialgate.delivery.sender import DeliverySender
from socialgate.delivery.store import ClaimCheck, DeliveryResult, DueDelivery, Lane, LaneStore, LaneUpdate, WaitingHook
from socialgate.delivery.store_postgres import PostgresLaneStore
from socialgate.delivery.store_sqlite import SqliteLaneStore
from socialgate.entry.customer_egress import build_customer_egress
from support.hooks import add_hook, lead
from support.receiver import Receiver
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

LONG = 20


async def nothing() -> None:
    """What happens at a moment that no test has chosen."""


class Probe:
    """The real lanes, with a moment to act in, and without looking around: only a hint leads to what waits."""

    def __init__(self, lanes: LaneStore) -> None:
        self._lanes = lanes
        self.is_shared = lanes.is_shared
        self.renew_leases, self.disable_hook = lanes.renew_leases, lanes.disable_hook
        self.cancel_abandoned, self.close = lanes.cancel_abandoned, lanes.close
        self.claims = 0
        self.behind_reading: Callable[[], Awaitable[None]] = nothing
        self.before_giving_back: Callable[[], Awaitable[None]] = nothing

    async def list_waiting_hooks(self, now: datetime) -> list[WaitingHook]:
        await self._lanes.list_waiting_hooks(now)
        return []

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        taken = await self._lanes.claim(hook_ids, claim_id, now, until)
        self.claims += len(taken)
        return taken

    async def fetch_due_deliveries(
        self, lane: Lane, after: DueDelivery | None, limit: int, now: datetime
    ) -> list[DueDelivery] | None:
        due_deliveries = await self._lanes.fetch_due_deliveries(lane, after, limit, now)
        act, self.behind_reading = self.behind_reading, nothing
        await act()
        return due_deliveries

    async def refresh(self, lane: Lane) -> None:
        await self._lanes.refresh(lane)

    async def record_results(self, results: Sequence[DeliveryResult], news: Sequence[LaneUpdate]) -> ClaimCheck:
        if any(lane_update.release for lane_update in news):
            act, self.before_giving_back = self.before_giving_back, nothing
            await act()
        return await self._lanes.record_results(results, news)


class Bench:
    """A hook with a receiver, and an engine that has nothing to do until it is told of the hook."""

    def __init__(self, running: RunningService, receiver: Receiver) -> None:
        self.probe = Probe(lanes_of(running))
        self._running = running
        self._receiver = receiver
        self._owner = running.new_owner()
        self._hook_id = add_hook(self._owner, receiver.url())

    async def commit(self) -> None:
        """Emit an event; its commit gives the hint."""
        await self._running.service.db.write(emit_lead, self._owner)

    def deliver(self) -> None:
        self._running.run(self._deliver())

    async def _deliver(self) -> None:
        outgoing = build_customer_egress(self._running.settings)
        engine = self._engine(DeliverySender(outgoing.hook_client, self._running.clock, LONG), outgoing.schedule)
        task = asyncio.create_task(engine.run())
        # It listens from its first step on.
        await asyncio.sleep(0)
        await self._running.service.db.write(hint, self._hook_id)
        await asyncio.to_thread(eventually, lambda: self._receiver.received)
        engine.stop()
        await task
        outgoing.close()

    def _engine(self, sender: DeliverySender, schedule: Any) -> DeliveryEngine:
        service = self._running.service
        return DeliveryEngine(
            store=self.probe,
            sender=sender,
            keyring=service.keyring,
            wakeups=service.db.wakeups,
            clock=service.db.clock,
            metrics=Metrics(),
            schedule=schedule,
            lease=timedelta(seconds=15),
        )


def lanes_of(running: RunningService) -> LaneStore:
    settings = running.settings
    if settings.database_url is None:
        return SqliteLaneStore(settings.sqlite_path, running.service.db.take_writer_turn)
    return PostgresLaneStore(settings.database_url)


async def emit_lead(tx: Tx, owner: OwnerFixture) -> None:
    await outbox.emit_event(tx, owner.id, owner.profile_id, lead())


async def hint(tx: Tx, hook_id: str) -> None:
    tx.wake_on_commit(hook_id)


@pytest.fixture
def bench(start_service: StartService, tmp_path: Path) -> Iterator[Bench]:
    with Receiver(tmp_path) as receiver:
        reach = {"hook_allow_nets": "127.0.0.0/8", "hook_ca_file": receiver.ca_file}
        with start_service(worker="separate", **reach) as running:
            yield Bench(running, receiver)


def test_what_is_committed_while_a_lane_reads_is_read_before_the_lane_ends(bench: Bench) -> None:
    bench.probe.behind_reading = bench.commit
    bench.deliver()
    assert bench.probe.claims == 1


def test_what_is_committed_while_a_lane_is_given_back_is_claimed_at_once(bench: Bench) -> None:
    bench.probe.before_giving_back = bench.commit
    bench.deliver()
    assert bench.probe.claims == 2
