"""Whoever freezes in the middle of a transaction holds up nobody but its own owner, and that one not for long."""

import asyncio
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.hooks import store
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.outbox import emit_event as report
from socialgate.core.partitions import create_partitions
from support.database import hold_transaction_open, waiting_for_locks
from support.hooks import add_hook, deliveries_of, emit, lane_row, lead, numbers, wait_for_deliveries
from support.open_transaction import holding, locking
from support.receiver import Receiver, Reply
from support.service import MovableClock, OwnerFixture, RunningService
from support.waiting import eventually

WRITERS, TURNS = 8, 12
MANY = 20

pytestmark = [pytest.mark.both_engines, pytest.mark.parametrize("engine", ["postgres"], indirect=True)]


@pytest.fixture(name="url")
def url_of_database(running: RunningService) -> str:
    assert running.settings.database_url is not None
    return running.settings.database_url


def page(client: httpx.Client, **params: Any) -> tuple[list[int], str]:
    result = client.get("/events", params=params).json()
    return [int(event["data"]["fields"]["number"]) for event in result["data"]], result["nextCursor"]


def pull(client: httpx.Client, count: int, **params: Any) -> list[int]:
    """Read on until so many have come."""
    numbers: list[int] = []

    def read_on() -> bool:
        numbers_found, params["after"] = page(client, **params)
        numbers.extend(numbers_found)
        return len(numbers) >= count

    eventually(read_on)
    return numbers


def settings_of(running: RunningService, url: str, limit: str) -> dict[str, object]:
    limited = f"{url}&idle_in_transaction_session_timeout={limit}"
    return {"database_url": limited, "data_dir": running.settings.data_dir}


def test_a_frozen_process_holds_up_nobody_but_its_own_owner(
    running: RunningService, url: str, receiver: Receiver
) -> None:
    stuck, other = running.new_owner(), running.new_owner()
    waiting = add_hook(stuck, receiver.url("/stuck"), ordered=True)
    going = add_hook(other, receiver.url("/other"), ordered=True)
    with holding(settings_of(running, url, "0"), stuck.id, stuck.profile_id) as holder:
        holder.freeze()
        emit(stuck, 3)
        emit(other, 11)
        assert page(other.session)[0] == [11]
        wait_for_deliveries(other, going)
        assert page(stuck.session)[0] == []
        assert numbers(receiver.received) == [11]
        assert holder.thaw() == "committed"
    # In the order in which they were reported, whoever was committed first.
    assert pull(stuck.session, 3) == [1, 3, 2]
    wait_for_deliveries(stuck, waiting, 3)
    assert numbers(receiver.received)[:2] == [11, 1]


def test_the_clock_of_another_node_changes_no_order(running: RunningService, url: str, receiver: Receiver) -> None:
    owner = running.new_owner()
    hook = add_hook(owner, receiver.url("/ordered"), ordered=True)

    async def report_from_a_node_that_is_ahead() -> None:
        clock = MovableClock()
        clock.offset += timedelta(hours=1)
        other = Database(url, clock)
        try:
            await other.write(report, owner.id, owner.profile_id, lead(1))
        finally:
            await other.close()

    asyncio.run(report_from_a_node_that_is_ahead())
    emit(owner, 2)
    wait_for_deliveries(owner, hook, 2)
    assert numbers(receiver.received) == [1, 2]


def test_a_frozen_process_loses_its_transaction_and_its_owner_goes_on(
    running: RunningService, url: str, receiver: Receiver
) -> None:
    owner = running.new_owner()
    hook_id = add_hook(owner, receiver.url(), ordered=True)
    with holding(settings_of(running, url, "1s"), owner.id, owner.profile_id) as holder:
        holder.freeze()
        emit(owner, 3)
        assert pull(owner.session, 1) == [3]
        wait_for_deliveries(owner, hook_id)
        assert holder.thaw() == "unavailable"
    assert page(owner.session)[0] == [3]
    assert numbers(receiver.received) == [3]


def test_a_process_that_froze_with_locks_of_two_owners_holds_up_no_third(
    running: RunningService, url: str, receiver: Receiver
) -> None:
    stuck, other = [running.new_owner() for _ in range(2)], running.new_owner()

    def create(owner: OwnerFixture) -> int:
        return owner.session.post("/hooks", json={"url": receiver.url(), "events": ["lead.received"]}).status_code

    locks = [f"hooks {owner.id}" for owner in stuck]
    with locking(settings_of(running, url, "0"), *locks) as holder, ThreadPoolExecutor(MANY) as pool:
        holder.freeze()
        waiting = [pool.submit(create, owner) for owner in stuck for _ in range(MANY // 2)]
        eventually(lambda: running.service.metrics.in_flight._value.get() >= MANY)
        eventually(lambda: running.read(waiting_for_locks) >= len(stuck))
        assert [create(other) for _ in range(3)] == [201] * 3
        # Those of the two owners wait all the time.
        assert not any(task.done() for task in waiting)
        assert holder.thaw() == "committed"
        assert {task.result(60) for task in waiting} == {201}


async def change_lane(tx: Tx, owner_id: str, hook_id: str) -> None:
    await store.reset_delivery_lane(tx, owner_id, hook_id)


async def change_profiles(tx: Tx, owner_id: str, hook_id: str) -> None:
    await store.cancel_deliveries_outside_profiles(tx, owner_id, hook_id, ["prf_of_nobody"])


@pytest.mark.parametrize("freeze_in", [change_lane, store.restore_delivery_order, change_profiles])
def test_a_process_that_froze_while_it_changed_a_hook_holds_up_no_other_hook(
    running: RunningService, receiver: Receiver, freeze_in: TransactionFunction[..., None]
) -> None:
    go = threading.Event()
    receiver.behaviour = lambda _: Reply(when=go)
    stuck, other = running.new_owner(), running.new_owner()
    changed, free = add_hook(stuck, receiver.url("/stuck")), add_hook(other, receiver.url("/other"))
    emit(stuck, 1)
    emit(other, 2)
    receiver.wait_for_count(2)
    with hold_transaction_open(running, freeze_in, stuck.id, changed):
        go.set()
        wait_for_deliveries(other, free)
        emit(other, 3)
        wait_for_deliveries(other, free, 2)
        assert [delivery.status for delivery in deliveries_of(stuck, changed)] == ["pending"]
    wait_for_deliveries(stuck, changed)
    assert sorted(numbers(receiver.received)) == [1, 2, 3]
    # Also if it was cancelled: it had been sent before.
    eventually(lambda: lane_row(running, changed).succeeded == 1)


@pytest.fixture
def foreign(url: str) -> Iterator[asyncpg.Connection]:
    """Open a transaction of somebody else on the same server, one that writes and takes long."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        runner.run(connection.execute("BEGIN; CREATE TABLE unrelated (n int); INSERT INTO unrelated VALUES (1)"))
        yield connection
        runner.run(connection.close())


@pytest.mark.usefixtures("foreign")
def test_a_long_transaction_of_somebody_else_holds_up_nobody(owner: OwnerFixture, receiver: Receiver) -> None:
    hook_id = add_hook(owner, receiver.url(), ordered=True)
    emit(owner, 1)
    assert page(owner.session)[0] == [1]
    wait_for_deliveries(owner, hook_id)
    assert numbers(receiver.received) == [1]


@pytest.fixture
def backup(url: str) -> Iterator[asyncpg.Connection]:
    """Read all events in one long transaction."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(url))
        runner.run(connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM events"))
        yield connection
        runner.run(connection.close())


@pytest.mark.usefixtures("backup")
def test_new_weeks_are_made_later_where_a_backup_reads_the_tables(owner: OwnerFixture) -> None:
    owner.running.clock.offset += timedelta(days=10)
    # Whoever reports something meanwhile waits for this to give up, and not for the backup to end.
    with pytest.raises(Unavailable) as gave_up:
        owner.running.run(create_partitions(owner.running.service.db))
    assert isinstance(gave_up.value.__cause__, asyncpg.LockNotAvailableError)
    emit(owner, 1)
    # The worker may have tried it as well: whoever waits for one after the other is told to come again.
    eventually(lambda: owner.session.get("/events").status_code == 200)
    assert page(owner.session)[0] == [1]


def test_nothing_is_skipped_or_comes_twice_however_transactions_overlap(
    owner: OwnerFixture, receiver: Receiver
) -> None:
    """Each writes something else before it reports, between its reports and before it commits, for a while."""
    hook_id = add_hook(owner, receiver.url(), ordered=True)
    chance = random.Random(7)  # noqa: S311 - any will do

    async def overlap(tx: Tx, first: int, waits: list[float]) -> None:
        await tx.execute(sa.text("SELECT pg_current_xact_id()"))
        for number, wait in enumerate(waits):
            await tx.execute(sa.select(sa.func.pg_sleep(wait)))
            await report(tx, owner.id, owner.profile_id, lead(first + number))
        await tx.execute(sa.select(sa.func.pg_sleep(waits[0])))

    def write(writer: int) -> None:
        for turn in range(TURNS):
            waits = [chance.uniform(0, 0.03) for _ in range(2)]
            owner.running.write(overlap, (writer * TURNS + turn) * 2, waits)

    count = WRITERS * TURNS * 2
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        reading = pool.submit(pull, owner.session, count)
        for done in [pool.submit(write, writer) for writer in range(WRITERS)]:
            done.result(60)
        existing_numbers = reading.result(60)
    assert existing_numbers == pull(owner.session, count)
    assert sorted(existing_numbers) == list(range(count))
    wait_for_deliveries(owner, hook_id, count)
    sent = numbers(receiver.received)
    assert sorted(sent) == sorted(existing_numbers)
    # Whoever waits for a commit before the next one finds them in this order.
    for writer in range(WRITERS):
        own = range(writer * TURNS * 2, (writer + 1) * TURNS * 2)
        assert [number for number in existing_numbers if number in own] == list(own)
        assert [number for number in sent if number in own] == list(own)
