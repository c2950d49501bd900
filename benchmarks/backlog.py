"""A million deliveries waiting on one hook: what each step of a worker costs then, and how much memory it holds."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import asyncpg
from benchmarks.harness import ENGINES, MIB, Bench, Engine, Figure, flat, median, rounded
from benchmarks.receiver import Customer
from benchmarks.sites import Hook, Site, message, padding

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.events import MessageReceived, encode_event
from socialgate.core.ids import first_id_at, new_id
from socialgate.delivery.store import DeliveryResult, DueDelivery, LaneStore, LaneUpdate
from socialgate.delivery.store_postgres import PostgresLaneStore
from socialgate.delivery.store_sqlite import SqliteLaneStore

T = TypeVar("T")

HOOKS = 100
SMALL = 1_000
# The other hooks have a little to do, in both sizes alike: looking leaps from hook to hook.
_OTHERS = 10
_READ_AT_ONCE = 96
_LEASE = timedelta(seconds=60)
_WARM_UP_CYCLES = 10
_WARM_UP_SECONDS = 2
_SAMPLE_SECONDS = 0.2
_GIVE_UP_SECONDS = 60
_ATTEMPTS = b"[]"
# The prefix and the ten characters of an id that hold its time. The rest only has to be unique.
_TIMED = 14

_SQLITE_SERIES = "WITH RECURSIVE s(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM s WHERE n + 1 < :first + :count)"
_SQLITE_MOMENT = "strftime('%Y-%m-%d %H:%M:%f', :since + (n - :first) / 1000.0, 'unixepoch') || '000'"
_SQLITE_EVENTS = f"""
    INSERT INTO events (owner_id, id, txid, profile_id, name, body, created_at)
    {_SQLITE_SERIES}
    SELECT :owner_id, :event || printf('%016d', n), 1, :profile_id, :name, :body, {_SQLITE_MOMENT} FROM s
"""  # noqa: S608 - made of our own words
_SQLITE_DELIVERIES = f"""
    INSERT INTO deliveries
        (owner_id, hook_id, id, event_id, event, txid, status, due_at, attempt_count, created_at)
    {_SQLITE_SERIES}
    SELECT :owner_id, :hook_id, :delivery || printf('%016d', n), :event || printf('%016d', n), :name, 1, 'pending',
           {_SQLITE_MOMENT}, 0, {_SQLITE_MOMENT} FROM s
"""  # noqa: S608 - made of our own words

_POSTGRES_SERIES = "FROM generate_series($1::bigint, $1::bigint + $2::bigint - 1) AS s(n)"
_POSTGRES_MOMENT = "to_timestamp($3::float8 + (n - $1) / 1000.0)"
_POSTGRES_EVENTS = f"""
    INSERT INTO events (owner_id, id, txid, profile_id, name, body, created_at)
    SELECT $4, $5 || lpad(n::text, 16, '0'), 1, $6, $7, $8::bytea, {_POSTGRES_MOMENT} {_POSTGRES_SERIES}
"""
_POSTGRES_DELIVERIES = f"""
    INSERT INTO deliveries
        (owner_id, hook_id, id, event_id, event, txid, status, due_at, attempt_count, created_at)
    SELECT $4, $5, $6 || lpad(n::text, 16, '0'), $7 || lpad(n::text, 16, '0'), $8, 1, 'pending',
           {_POSTGRES_MOMENT}, 0, {_POSTGRES_MOMENT} {_POSTGRES_SERIES}
"""


def measure(bench: Bench) -> Iterator[Figure]:
    large, cycles = bench.sized(1_000_000, 100_000), bench.sized(400, 100)
    bench.uses("backlog", hooks=HOOKS, pending=large, against=SMALL, perOtherHook=_OTHERS, cycles=cycles)
    folder = bench.folder / "backlog"
    folder.mkdir()
    with Customer(folder, HOOKS) as customer:
        for engine in ENGINES:
            sites = {size: _site(bench, engine, customer, size) for size in (SMALL, large)}
            bench.say(f"{engine}: looking, claiming, reading and recording, {cycles} times with each backlog")
            name = f"work on {large:,} pending against {SMALL:,}, {engine}"
            yield flat(name, asyncio.run(_measure_cycles(sites, cycles)), bar=1.2)
            yield from _memory(bench, sites[large], customer)
            for site in sites.values():
                site.remove()


async def _measure_cycles(sites: dict[int, Site], cycles: int) -> dict[int, dict[str, list[float]]]:
    """Alternate between the backlogs, so that noise hits both."""
    stores = {size: _Store(site) for size, site in sites.items()}
    taken: dict[int, dict[str, list[float]]] = {}
    for store in stores.values():
        for _ in range(_WARM_UP_CYCLES):
            await store.cycle()
    turns = list(stores.items())
    for _ in range(cycles):
        turns.reverse()
        for size, store in turns:
            for step, milliseconds in (await store.cycle()).items():
                taken.setdefault(size, {}).setdefault(step, []).append(milliseconds)
    for store in stores.values():
        await store.close()
    return taken


class _Store:
    """What a worker asks of the database, step by step."""

    def __init__(self, site: Site) -> None:
        settings = site.settings
        self._hook = site.hooks[0]
        self._db = Database(settings.effective_database_url, SystemClock())
        self._lanes: LaneStore = (
            SqliteLaneStore(settings.sqlite_path, self._db.take_writer_turn)
            if settings.database_url is None
            else PostgresLaneStore(settings.database_url)
        )

    async def cycle(self) -> dict[str, float]:
        """Do what a worker does from finding the hook to its second batch, and give the lane back."""
        now, claim_id, hook_id = datetime.now(UTC), new_id("clm"), self._hook.id
        waiting, look = await _timed(self._lanes.list_waiting_hooks(now))
        assert len(waiting) == HOOKS, "all hooks have something to do"
        lanes, claim = await _timed(self._lanes.claim([hook_id], claim_id, now, now + _LEASE))
        jobs, fetch = await _timed(self._lanes.fetch_due_deliveries(lanes[0], None, _READ_AT_ONCE, now))
        assert jobs, "the hook has something to do"
        _, fetch_on = await _timed(self._lanes.fetch_due_deliveries(lanes[0], jobs[-1], _READ_AT_ONCE, now))
        results = [_tried(self._hook, job) for job in jobs]
        news = LaneUpdate(hook_id=hook_id, claim_id=claim_id, generation=0, at_once=4, release=True)
        _, record = await _timed(self._lanes.record_results(results, [news]))
        return {"look": look, "claim": claim, "read": fetch, "read on": fetch_on, "record": record}

    async def close(self) -> None:
        await self._lanes.close()
        await self._db.close()


def _tried(hook: Hook, job: DueDelivery) -> DeliveryResult:
    """Leave the delivery pending and in its place: every cycle finds the same backlog."""
    return DeliveryResult(
        owner_id=hook.owner_id,
        hook_id=hook.id,
        id=job.id,
        status="pending",
        due_at=job.due_at,
        attempt_count=job.attempt_count + 1,
        attempts=_ATTEMPTS,
        completed_at=None,
    )


async def _timed(job: Awaitable[T]) -> tuple[T, float]:
    began = time.perf_counter()
    answer = await job
    return answer, (time.perf_counter() - began) * 1000


def _memory(bench: Bench, site: Site, customer: Customer) -> list[Figure]:
    seconds = bench.sized(10, 5)
    bench.say(f"{site.engine}: draining for {seconds} s")
    customer.reset()
    samples = []
    with site.worker(hurried=True) as worker:
        customer.wait_until(lambda seen: seen.count > 0, _GIVE_UP_SECONDS, worker.check)
        time.sleep(_WARM_UP_SECONDS)
        for _ in range(round(seconds / _SAMPLE_SECONDS)):
            samples.append(worker.rss / MIB)
            time.sleep(_SAMPLE_SECONDS)
        worker.check()
        rate = customer.seen().rate
    third = len(samples) // 3
    growth = median(samples[-third:]) / median(samples[:third])
    return [
        Figure(
            name=f"memory of the worker on that backlog, {site.engine}",
            measured=max(samples),
            unit="MiB",
            bar=200.0,
            note=f"while delivering {rate:.0f}/s to {HOOKS} hooks, nearly all to one",
            detail={"samples": rounded(samples, 1)},
        ),
        Figure(name=f"its growth in {seconds} s, {site.engine}", measured=growth, unit="x", bar=1.1, note="flat is 1"),
    ]


def _site(bench: Bench, engine: Engine, customer: Customer, size: int) -> Site:
    bench.say(f"{engine}: writing a backlog of {size:,}")
    site = Site(bench, engine, customer)
    asyncio.run(site.prepare(HOOKS))
    fill = _fill_sqlite if engine == "sqlite" else _fill_postgres
    fill(site, [(hook, size if number == 0 else _OTHERS) for number, hook in enumerate(site.hooks)])
    return site


def _words(hook: Hook, number: int, count: int) -> dict[str, Any]:
    """Each delivery has an event of its own, a millisecond after the one before."""
    now = datetime.now(UTC)
    return {
        "first": number * 10_000_000,
        "count": count,
        "since": now.timestamp() - count / 1000 - 1,
        "owner_id": hook.owner_id,
        "hook_id": hook.id,
        "profile_id": hook.own_profile,
        "delivery": first_id_at("dlv", now)[:_TIMED],
        "event": first_id_at("evt", now)[:_TIMED],
        "name": MessageReceived.event,
        "body": encode_event(hook.owner_id, hook.own_profile, message(padding())),
    }


def _fill_sqlite(site: Site, expected: list[tuple[Hook, int]]) -> None:
    with closing(sqlite3.connect(site.settings.sqlite_path)) as connection, connection:
        for number, (hook, count) in enumerate(expected):
            words = _words(hook, number, count)
            connection.execute(_SQLITE_EVENTS, words)
            connection.execute(_SQLITE_DELIVERIES, words)


def _fill_postgres(site: Site, expected: list[tuple[Hook, int]]) -> None:
    async def fill() -> None:
        connection = await asyncpg.connect(site.fields["database_url"])
        async with connection.transaction():
            for number, (hook, count) in enumerate(expected):
                words = _words(hook, number, count)
                series = [words["first"], words["count"], words["since"], words["owner_id"]]
                names = ("event", "profile_id", "name", "body")
                await connection.execute(_POSTGRES_EVENTS, *series, *(words[name] for name in names))
                names = ("hook_id", "delivery", "event", "name")
                await connection.execute(_POSTGRES_DELIVERIES, *series, *(words[name] for name in names))
        await connection.execute("CHECKPOINT")
        await connection.close()

    asyncio.run(fill())
