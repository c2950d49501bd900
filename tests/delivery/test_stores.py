"""The two lane stores, asked directly: what is written of a batch when some of its claims are lost."""

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.hooks.store import find_hook_for_change, reset_delivery_lane
from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.events import encode_event
from socialgate.core.ids import new_id
from socialgate.core.metering import usage_days
from socialgate.core.postgres import PostgresDriver
from socialgate.core.sqlite import ThreadedConnections
from socialgate.delivery.store import ClaimCheck, DeliveryResult, DueDelivery, Lane, LaneStore, LaneUpdate
from socialgate.delivery.store_postgres import _RECORD_RESULTS, _SERVER_SETTINGS, PostgresLaneStore
from socialgate.delivery.store_sqlite import SqliteLaneStore
from support.database import block_rows, rows, run_sql, waiting_for_locks
from support.hooks import add_hook, change_hook, change_lane, deliveries_of, emit, hook_row, lane_row, lead
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

# Copies of a delivery, each due a moment after the one before.
BACKLOG = """
    INSERT INTO deliveries (owner_id, hook_id, id, event_id, event, txid, status, due_at, attempt_count, created_at)
    SELECT owner_id, hook_id, left(id, 25) || '-' || lpad(n::text, 4, '0'), event_id, event, txid, status,
           due_at + n * interval '1 millisecond', attempt_count, created_at
    FROM deliveries, generate_series(1, 3000) AS s(n)
"""
URL = "https://example.com/hook"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
UNTIL = NOW + timedelta(seconds=60)
ATTEMPTS = (
    '[{"number":1,"at":"2030-01-01T00:00:00Z","durationMs":3,"statusCode":200,"error":null,'
    '"responseBody":"\\u0000 \\"quoted\\" \\\\ ñ 🎈","nextAttemptAt":null,"timestamp":1,"signature":"a",'
    '"standardSignature":"b"}]'
).encode()


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service(worker="separate", sandbox=False) as started:
        yield started


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return running.new_owner()


@pytest.fixture
def store(running: RunningService) -> Iterator[LaneStore]:
    settings, db = running.settings, running.service.db
    lanes: LaneStore = (
        SqliteLaneStore(settings.sqlite_path, db.take_writer_turn)
        if settings.database_url is None
        else PostgresLaneStore(settings.database_url)
    )
    yield lanes
    running.run(lanes.close())


def claimed(running: RunningService, store: LaneStore, *hook_ids: str) -> dict[str, Lane]:
    lanes = running.run(store.claim(list(hook_ids), new_id("clm"), NOW, UNTIL))
    return {lane.hook_id: lane for lane in lanes}


def succeeded(lane: Lane, job: DueDelivery) -> DeliveryResult:
    return DeliveryResult(
        owner_id=lane.owner_id,
        hook_id=lane.hook_id,
        id=job.id,
        status="succeeded",
        due_at=None,
        attempt_count=1,
        attempts=ATTEMPTS,
        completed_at=NOW,
    )


def news_of(lane: Lane, **changes: Any) -> LaneUpdate:
    standing = {"generation": lane.generation, "at_once": lane.at_once, "last_success_at": NOW, **changes}
    return LaneUpdate(hook_id=lane.hook_id, claim_id=lane.claim_id, **standing)


def used(running: RunningService, owner: OwnerFixture) -> list[tuple[Any, ...]]:
    days = usage_days.c
    select = sa.select(days.metric, days.day, days.part_id, days.used).where(days.owner_id == owner.id)
    return [tuple(row) for row in rows(running, select)]


def test_a_batch_is_written_where_the_claim_holds_and_nowhere_else(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    kept, lost = add_hook(owner, URL), add_hook(owner, URL)
    emit(owner, 1, 2)
    lanes = claimed(running, store, kept, lost)
    jobs = {hook_id: running.run(store.fetch_due_deliveries(lane, None, 10, NOW)) for hook_id, lane in lanes.items()}
    change_lane(owner, lost, claim_id=new_id("clm"))

    results = [succeeded(lanes[hook_id], job) for hook_id in (lost, kept) for job in jobs[hook_id]]
    news = [news_of(lane) for lane in lanes.values()]
    for lane_update in news:
        for job in jobs[lane_update.hook_id]:
            lane_update.count_success(owner.id, job.profile_id, NOW)
    assert running.run(store.record_results(results, news)) == ClaimCheck({kept})
    assert used(running, owner) == [("deliveries", NOW.date(), owner.profile_id, 2)]

    assert [delivery.status for delivery in deliveries_of(owner, kept)] == ["succeeded", "succeeded"]
    assert [delivery.status for delivery in deliveries_of(owner, lost)] == ["pending", "pending"]
    assert (lane_row(running, kept).succeeded, lane_row(running, lost).succeeded) == (2, 0)
    assert lane_row(running, kept).claim_id == lanes[kept].claim_id


def test_what_was_answered_is_kept_to_the_letter(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    lane = claimed(running, store, hook_id)[hook_id]
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    running.run(store.record_results([succeeded(lane, job)], [news_of(lane, release=True)]))
    [delivery] = deliveries_of(owner, hook_id)
    assert delivery.attempts[0].response_body == '\0 "quoted" \\ ñ 🎈'
    written = lane_row(running, hook_id)
    assert (written.claim_id, written.lease_until, written.last_success_at) == (None, None, NOW)


def test_a_result_never_changes_a_delivery_that_is_done(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    lane = claimed(running, store, hook_id)[hook_id]
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    done = succeeded(lane, job)
    running.run(store.record_results([done], [news_of(lane)]))
    running.run(store.record_results([msgspec.structs.replace(done, status="failed")], [news_of(lane)]))
    assert [delivery.status for delivery in deliveries_of(owner, hook_id)] == ["succeeded"]


def test_a_lane_is_claimed_once_and_paused_or_deleted_hooks_not_at_all(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    free, paused = add_hook(owner, URL), add_hook(owner, URL)
    deleted, inactive = add_hook(owner, URL, deleted_at=NOW), add_hook(owner, URL, active=False)
    change_lane(owner, paused, paused_until=UNTIL)
    lanes = claimed(running, store, free, paused, deleted, inactive)
    assert set(lanes) == {free}
    assert not claimed(running, store, free, paused, deleted, inactive)
    assert running.run(store.renew_leases([lanes[free].claim_id], UNTIL + timedelta(seconds=1))) == ClaimCheck({free})
    assert lane_row(running, free).lease_until == UNTIL + timedelta(seconds=1)


def test_reading_goes_on_behind_the_last_one_read(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, *range(1, 6))
    lane = claimed(running, store, hook_id)[hook_id]
    first = running.run(store.fetch_due_deliveries(lane, None, 2, NOW))
    rest = running.run(store.fetch_due_deliveries(lane, first[-1], 10, NOW))
    assert [job.id for job in first + rest] == [delivery.id for delivery in deliveries_of(owner, hook_id)]
    change_lane(owner, hook_id, claim_id=new_id("clm"))
    assert running.run(store.fetch_due_deliveries(lane, None, 2, NOW)) is None


def test_lanes_that_are_read_at_the_same_time_get_what_each_of_them_may_send(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    several, place, lost, deleted, disabled, ordered, alone = hook_ids = [
        add_hook(owner, URL, ordered=number == 5) for number in range(7)
    ]
    emit(owner, *range(1, 6))
    lanes = claimed(running, store, *hook_ids)
    [_, second] = running.run(store.fetch_due_deliveries(lanes[place], None, 2, NOW))
    change_lane(owner, lost, claim_id=new_id("clm"))
    change_hook(owner, deleted, deleted_at=NOW)
    change_hook(owner, disabled, active=False)
    emit(owner, 6)

    async def read_all() -> list[list[DueDelivery] | None]:
        return await asyncio.gather(
            # The first is read alone, the others while it is read.
            store.fetch_due_deliveries(lanes[alone], None, 3, NOW),
            store.fetch_due_deliveries(lanes[several], None, 4, NOW),
            store.fetch_due_deliveries(lanes[place], second, 8, NOW),
            store.fetch_due_deliveries(lanes[ordered], None, 1, NOW),
            *(store.fetch_due_deliveries(lanes[hook_id], None, 8, NOW) for hook_id in (lost, deleted, disabled)),
        )

    ids = {hook_id: [delivery.id for delivery in deliveries_of(owner, hook_id)] for hook_id in hook_ids}
    read = [None if jobs is None else [job.id for job in jobs] for jobs in running.run(read_all())]
    assert read == [ids[alone][:3], ids[several][:4], ids[place][2:], ids[ordered][:1], None, None, []]
    assert not lanes[disabled].active


def test_what_is_read_depends_on_the_hook_as_it_is_now(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    lane = claimed(running, store, hook_id)[hook_id]
    change_hook(owner, hook_id, active=False, url=URL + "/other")
    assert running.run(store.fetch_due_deliveries(lane, None, 10, NOW)) == []
    assert (lane.active, lane.url) == (False, URL + "/other")
    change_hook(owner, hook_id, active=True, url=URL)
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    assert (lane.active, lane.url, job.event) == (True, URL, "lead.received")
    change_hook(owner, hook_id, deleted_at=NOW)
    assert running.run(store.fetch_due_deliveries(lane, None, 10, NOW)) is None


def test_a_body_is_read_to_the_letter(running: RunningService, owner: OwnerFixture, store: LaneStore) -> None:
    hook_id = add_hook(owner, URL)
    data = msgspec.structs.replace(lead(), form_name='\0 "quoted" \\ ñ 🎈')
    running.write(outbox.emit_event, owner.id, owner.profile_id, data)
    lane = claimed(running, store, hook_id)[hook_id]
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    assert job.body == encode_event(owner.id, owner.profile_id, data)
    retry = msgspec.structs.replace(succeeded(lane, job), status="pending", due_at=NOW)
    running.run(store.record_results([retry], [news_of(lane)]))
    [again] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    assert (again.attempts, again.attempt_count, again.due_at) == (ATTEMPTS, 1, NOW)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_only_claims_do_not_wait_for_the_disk(running: RunningService, owner: OwnerFixture) -> None:
    hook_id = add_hook(owner, URL)
    assert running.settings.database_url is not None
    store = PostgresLaneStore(running.settings.database_url, connections=1)
    lane = claimed(running, store, hook_id)[hook_id]
    running.run(store.renew_leases([lane.claim_id], UNTIL))
    # On the same connection, where results are written next.
    [row] = running.run(store._fetch_rows("SHOW synchronous_commit"))
    running.run(store.close())
    assert row[0] == "on"


@pytest.mark.one_engine
def test_only_claims_on_sqlite_do_not_wait_for_the_disk(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    assert isinstance(store, SqliteLaneStore)
    levels: list[tuple[str, int]] = []

    def watch(connections: ThreadedConnections) -> None:
        """Note how each transaction of this connection waits for the disk, when it ends."""

        def note(connection: sqlite3.Connection) -> None:
            [level] = connection.execute("PRAGMA synchronous").fetchone()
            connection.set_trace_callback(
                lambda text: levels.append((text.split()[1], level)) if text.strip().startswith("UPDATE") else None
            )

        running.run(connections.run(note))

    watch(store._claimer)
    watch(store._writer)
    lane = claimed(running, store, hook_id)[hook_id]
    running.run(store.renew_leases([lane.claim_id], UNTIL))
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    running.run(store.record_results([succeeded(lane, job)], [news_of(lane)]))
    normal, full = 1, 2
    assert levels == [("lanes", normal), ("lanes", normal), ("lanes", full), ("deliveries", full)]


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
@pytest.mark.parametrize("statistics", ["none", "ANALYZE deliveries"])
@pytest.mark.parametrize("known", ["force_custom_plan", "force_generic_plan"])
def test_results_are_written_by_their_keys_whatever_else_is_pending(
    running: RunningService, owner: OwnerFixture, store: LaneStore, statistics: str, known: str
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    run_sql(running, BACKLOG, *([] if statistics == "none" else [statistics]))
    lane = claimed(running, store, hook_id)[hook_id]
    results = [succeeded(lane, job) for job in running.run(store.fetch_due_deliveries(lane, None, 96, NOW))]
    values = (msgspec.json.encode([news_of(lane)]).decode(), msgspec.json.encode(results).decode(), "[]")
    url = running.settings.database_url
    assert url is not None
    database = PostgresDriver(url, 1, server_settings={**_SERVER_SETTINGS, "plan_cache_mode": known})
    plan = "\n".join(row[0] for row in running.run(database.fetch("EXPLAIN " + _RECORD_RESULTS, values)))
    running.run(database.close())
    scans = re.findall(r"(\w+ Scan)(?: using (\w+))? on deliveries_(\w+)", plan)
    assert scans
    assert {(kind, index.removeprefix(f"deliveries_{part}_")) for kind, index, part in scans} == {
        ("Index Scan", "pkey")
    }
    assert set(re.findall(r"(\w+ Scan)(?: using (\w+))? on lanes", plan)) == {("Index Scan", "pk_lanes")}
    assert "hashed SubPlan" in plan


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_cancelling_waits_for_nobody_who_writes_a_result(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1, 2, 3)
    change_hook(owner, hook_id, deleted_at=NOW)
    [_, written, _] = deliveries_of(owner, hook_id)
    with block_rows(running, sa.select(outbox.deliveries).where(outbox.deliveries.c.id == written.id)):
        assert running.run(store.cancel_abandoned(NOW, NOW)) == 2
    assert running.run(store.cancel_abandoned(NOW, NOW)) == 1
    assert {delivery.status for delivery in deliveries_of(owner, hook_id)} == {"cancelled"}


def test_failures_and_pauses_of_an_earlier_generation_are_not_written(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    emit(owner, 1)
    lane = claimed(running, store, hook_id)[hook_id]
    [job] = running.run(store.fetch_due_deliveries(lane, None, 10, NOW))
    running.write(reset_delivery_lane, owner.id, hook_id)
    failing = news_of(lane, consecutive_failures=12, exhausted=20, paused_until=UNTIL, failed=1, at_once=32)
    assert running.run(store.record_results([succeeded(lane, job)], [failing])) == ClaimCheck({hook_id})
    written = lane_row(running, hook_id)
    assert (written.failures_in_row, written.exhausted, written.paused_until) == (0, 0, None)
    assert (written.failed, written.at_once, written.last_success_at) == (1, 32, NOW)
    assert [delivery.status for delivery in deliveries_of(owner, hook_id)] == ["succeeded"]


def test_only_a_hook_of_the_generation_that_failed_is_disabled(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    lane = claimed(running, store, hook_id)[hook_id]
    running.write(reset_delivery_lane, owner.id, hook_id)
    assert running.run(store.disable_hook(lane, "gone", NOW)) is False
    assert hook_row(owner, hook_id).active
    running.run(store.refresh(lane))
    assert running.run(store.disable_hook(lane, "gone", NOW)) is True
    assert hook_row(owner, hook_id).disabled_reason == "gone"


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_hook_that_is_being_changed_is_not_disabled_by_what_it_was(
    running: RunningService, owner: OwnerFixture, store: LaneStore
) -> None:
    hook_id = add_hook(owner, URL)
    lane = claimed(running, store, hook_id)[hook_id]

    async def change(tx: Tx) -> None:
        await find_hook_for_change(tx, owner.id, hook_id)
        disabling = asyncio.create_task(store.disable_hook(lane, "gone", NOW))
        while not await waiting_for_locks(tx):
            assert not disabling.done()
        await reset_delivery_lane(tx, owner.id, hook_id)
        disablings.append(disabling)

    async def outcome() -> bool:
        return await disablings[0]

    disablings: list[asyncio.Task[bool]] = []
    running.write(change)
    assert running.run(outcome()) is False
    assert hook_row(owner, hook_id).active
