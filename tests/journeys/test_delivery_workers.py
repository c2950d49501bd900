"""Several workers on one PostgreSQL: they share the work, and leave it to each other in order."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
import sqlalchemy as sa

from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError
from socialgate.core.outbox import deliveries, lanes
from socialgate.core.partitions import create_week_partitions
from support.deployment import Deployment, start_deployment
from support.postgres import new_database
from support.producer import Source
from support.receiver import OK, Reply
from support.soak import LONG
from support.waiting import eventually

PER_WAVE = 200
SIZES = [
    pytest.param(2, 400, id="short"),
    pytest.param(2, 10_000, id="long with two", marks=LONG),
    pytest.param(4, 10_000, id="long with four", marks=LONG),
]


def owners_with_hooks(deployment: Deployment, owners: int, hooks_each: int) -> list[Source]:
    """Make owners with hooks that want everything, and give the sources of events for all of them."""
    sources: list[Source] = []
    for _ in range(owners):
        owner = deployment.new_owner()
        sources += owner.sources
        for _ in range(hooks_each):
            deployment.add_hook(owner)
    return sources


@pytest.mark.parametrize(("count", "expected"), SIZES)
def test_workers_share_the_work_and_send_nothing_twice(
    tmp_path: Path, postgres_url: str, count: int, expected: int
) -> None:
    with start_deployment(tmp_path, new_database(postgres_url)) as deployment:
        workers = [deployment.start("work") for _ in range(count)]
        sources = owners_with_hooks(deployment, owners=2, hooks_each=20)
        for worker in workers:
            worker.wait_until_ready()
        with deployment.producing(sources, batch=5) as producer:
            # Wave after wave, so that lanes are given back and all workers run for them anew.
            for wave in range(1, 200):
                producer.make(PER_WAVE // 20)
                eventually(lambda wave=wave: len(deployment.inbox.receipts) >= wave * PER_WAVE, "a wave")  # type: ignore[misc]
                if wave * PER_WAVE >= expected and all(worker.attempts() for worker in workers):
                    break
            producer.finish()
        deployment.wait_until_delivered()
        assert deployment.check().duplicates == 0
        counted = [worker.attempts() for worker in workers]
        assert all(outcomes.keys() == {"succeeded"} for outcomes in counted), counted
        assert sum(outcomes["succeeded"] for outcomes in counted) == wave * PER_WAVE
        for worker in workers:
            assert worker.stop() == 0
            worker.require_no_errors()


def test_what_came_before_the_first_worker_is_delivered_by_it(tmp_path: Path, postgres_url: str) -> None:
    with start_deployment(tmp_path, new_database(postgres_url)) as deployment:
        sources = owners_with_hooks(deployment, owners=1, hooks_each=2)
        deployment.make_events(sources, range(20))
        worker = deployment.start("work")
        deployment.wait_until_delivered()
        deployment.make_events(sources, range(20, 40))
        deployment.wait_until_delivered()
        assert deployment.check().receipts == 80
        worker.require_no_errors()


def test_a_worker_that_freezes_while_it_starts_holds_nobody_up(tmp_path: Path, postgres_url: str) -> None:
    with start_deployment(tmp_path, new_database(postgres_url)) as deployment:
        sources = owners_with_hooks(deployment, owners=1, hooks_each=1)
        frozen, over = Event(), Event()

        async def freeze(tx: Tx) -> None:
            await create_week_partitions(tx, "events")
            frozen.set()
            await asyncio.to_thread(over.wait, 60)

        with ThreadPoolExecutor() as pool:
            starting = pool.submit(deployment.write, freeze)
            assert frozen.wait(60)
            # It has locked the very tables that these go into.
            deployment.make_events(sources, range(10))
            deployment.start("work")
            deployment.wait_until_delivered()
            over.set()
            with pytest.raises(ServiceError):
                starting.result(60)
        assert deployment.check().receipts == 10


def test_a_worker_that_was_frozen_beyond_its_lease_changes_nothing_any_more(tmp_path: Path, postgres_url: str) -> None:
    with start_deployment(tmp_path, new_database(postgres_url), hook_lease_seconds=1) as deployment:
        inbox = deployment.inbox
        sources = owners_with_hooks(deployment, owners=1, hooks_each=3)
        frozen = deployment.start("work")
        frozen.wait_until_ready()
        inbox.answer = lambda _: Reply(status=500)
        inbox.hold()
        deployment.make_events(sources, range(4))
        eventually(lambda: len(inbox.receipts) == 12, "everything in flight at once")
        frozen.freeze()
        # Its failures wait for it in its sockets; whoever comes next has success.
        inbox.answer = lambda _: OK
        inbox.let_go()

        other = deployment.start("work")
        deployment.wait_until_delivered()
        eventually(lambda: not held_lanes(deployment), "the end of work on all hooks")
        before = set(deployment.read(sa.select(deliveries)))

        frozen.thaw()
        eventually(lambda: frozen.attempts().get("failed") == 12, "what the frozen worker has seen late")
        # It goes on as a worker like any other: with both of them at work, its late results have long been refused.
        deployment.make_events(sources, range(4, 40))
        deployment.wait_until_delivered()
        assert before <= set(deployment.read(sa.select(deliveries)))
        for lane in deployment.read(sa.select(lanes)):
            assert (lane.succeeded, lane.failed, lane.failures_in_row) == (40, 0, 0)
            assert lane.last_failure_at is None
        assert deployment.check().duplicates >= 12
        for worker in (frozen, other):
            assert worker.stop() == 0
            worker.require_no_errors()


def test_a_worker_that_stops_in_order_hands_its_hooks_over_at_once(tmp_path: Path, postgres_url: str) -> None:
    lease_seconds = 240
    with start_deployment(tmp_path, new_database(postgres_url), hook_lease_seconds=lease_seconds) as deployment:
        sources = owners_with_hooks(deployment, owners=1, hooks_each=20)
        deployment.inbox.latency = 0.2
        leaving = deployment.start("work")
        leaving.wait_until_ready()
        deployment.make_events(sources, range(200))
        eventually(lambda: len(deployment.inbox.receipts) > 200, "the middle of the stream")
        assert leaving.stop() == 0
        assert deployment.pending() > 0
        assert held_lanes(deployment) == 0
        staying = deployment.start("work")
        staying.wait_until_ready()
        deployment.wait_until_delivered(lease_seconds / 2)
        assert deployment.check().duplicates == 0
        for worker in (leaving, staying):
            worker.require_no_errors()


def test_a_worker_that_stops_keeps_its_hooks_until_slow_customers_have_answered(
    tmp_path: Path, postgres_url: str
) -> None:
    lease_seconds = 4
    with start_deployment(tmp_path, new_database(postgres_url), hook_lease_seconds=lease_seconds) as deployment:
        inbox = deployment.inbox
        sources = owners_with_hooks(deployment, owners=1, hooks_each=2)
        leaving = deployment.start("work")
        leaving.wait_until_ready()
        inbox.hold()
        deployment.make_events(sources, range(4))
        eventually(lambda: len(inbox.receipts) == 8, "everything in flight at once")
        staying = deployment.start("work")
        staying.wait_until_ready()
        leaving.ask_to_stop()
        # Customers answer only when the lease has long run out, if nobody cared for it.
        time.sleep(2 * lease_seconds)
        inbox.let_go()
        assert leaving.wait() == 0
        deployment.wait_until_delivered()
        assert deployment.check().duplicates == 0
        for worker in (leaving, staying):
            worker.require_no_errors()


def held_lanes(deployment: Deployment) -> int:
    select = sa.select(sa.func.count()).select_from(lanes).where(lanes.c.claim_id.is_not(None))
    return int(deployment.read(select)[0][0])
