"""A million posts scheduled for later: what it costs then to find, take and write down those that are due now."""

import asyncio
import time
from collections.abc import Awaitable, Iterator
from datetime import timedelta
from typing import TypeVar

import sqlalchemy as sa
from benchmarks.harness import ENGINES, Bench, Engine, Figure, flat
from benchmarks.posts import fill
from benchmarks.receiver import Customer
from benchmarks.sites import Site

from socialgate.areas.posts import store
from socialgate.areas.posts.step_writer import write_target_updates
from socialgate.areas.posts.steps import RetryState, TargetPostponed, TargetUpdate
from socialgate.areas.posts.tables import TargetRow, targets
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.queue import ClaimedRow

T = TypeVar("T")

SMALL = 1_000
_HOSTS = 1
_DUE = 50
_WARM_UP_CYCLES = 10
# Copies of the first thousand in one statement.
_AT_ONCE = 50
_COPY = {"id": "substr(id, 1, 30) || '.' || n"}
_SERIES = {
    "sqlite": "(WITH RECURSIVE s(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM s WHERE n < :last) SELECT n FROM s)",
    "postgresql": "(SELECT n FROM generate_series(CAST(:first AS integer), CAST(:last AS integer)) AS g(n))",
}


def measure(bench: Bench) -> Iterator[Figure]:
    large, cycles = bench.sized(1_000_000, 100_000), bench.sized(200, 50)
    bench.uses("schedule", scheduled=large, against=SMALL, due=_DUE, cycles=cycles)
    folder = bench.folder / "schedule"
    folder.mkdir()
    with Customer(folder, _HOSTS) as customer:
        for engine in ENGINES:
            sites = {size: _site(bench, engine, customer, size) for size in (SMALL, large)}
            bench.say(f"{engine}: taking {_DUE} that are due, {cycles} times with each schedule")
            name = f"taking due posts with {large:,} for later against {SMALL:,}, {engine}"
            yield flat(name, asyncio.run(_measure(sites, cycles)), bar=1.5)
            for site in sites.values():
                site.remove()


def _site(bench: Bench, engine: Engine, customer: Customer, size: int) -> Site:
    bench.say(f"{engine}: scheduling {size:,} posts")
    site = Site(bench, engine, customer)
    asyncio.run(_fill(site, size))
    return site


async def _fill(site: Site, size: int) -> None:
    """Write the first thousand as they are written elsewhere, and copy their targets until there are enough."""
    await fill(site, SMALL)
    db = await site.open()
    try:
        if size > SMALL:
            copies = size // SMALL - 1
            for first in range(1, copies + 1, _AT_ONCE):
                await db.write(_copy, first, min(first + _AT_ONCE - 1, copies))
        await db.write(_make_due)
        await db.write(_analyze)
    finally:
        await db.close()


async def _copy(tx: Tx, first: int, last: int) -> None:
    """Copy the first thousand so many times: a statement may take 30 s, and a million rows take longer."""
    names = [column.name for column in targets.columns]
    values = ", ".join(_COPY.get(name, name) for name in names)
    statement = f"INSERT INTO post_targets ({', '.join(names)}) SELECT {values} FROM post_targets, "  # noqa: S608 - our own words
    originals = f"{_SERIES[tx.dialect_name]} AS copies WHERE id NOT LIKE '%.%'"
    await tx.execute(sa.text(f"{statement} {originals}"), {"first": first, "last": last})


async def _make_due(tx: Tx) -> None:
    some = sa.select(targets.c.id).order_by(targets.c.id).limit(_DUE)
    await tx.execute(sa.update(targets).where(targets.c.id.in_(some)).values(due_at=tx.now - timedelta(minutes=1)))


async def _analyze(tx: Tx) -> None:
    """Let the database know its tables, as it does by itself in time."""
    await tx.execute(sa.text("ANALYZE"))


async def _measure(sites: dict[int, Site], cycles: int) -> dict[int, dict[str, list[float]]]:
    """Alternate between the schedules, so that noise hits both."""
    databases = {size: Database(site.settings.effective_database_url, SystemClock()) for size, site in sites.items()}
    taken: dict[int, dict[str, list[float]]] = {size: {} for size in sites}
    for number in range(_WARM_UP_CYCLES + cycles):
        for size, db in databases.items():
            for step, milliseconds in (await _cycle(db)).items():
                if number >= _WARM_UP_CYCLES:
                    taken[size].setdefault(step, []).append(milliseconds)
    for db in databases.values():
        await db.close()
    return taken


async def _cycle(db: Database) -> dict[str, float]:
    """Do what a worker does with a batch, and give it back."""
    claims, claim = await _timed(db.write(store.TARGET_QUEUE.claim, _DUE))
    assert len(claims) == _DUE, "all that are due are free"
    _, look = await _timed(db.read(store.TARGET_QUEUE.next_due))
    steps = [_given_back(claimed) for claimed in claims]
    kept, record = await _timed(db.write(write_target_updates, steps))
    assert all(kept), "nobody else takes them"
    return {"claim": claim, "look": look, "record": record}


def _given_back(claimed: ClaimedRow[TargetRow]) -> TargetUpdate:
    row = claimed.row
    assert row.due_at is not None, "it was due"
    change = TargetPostponed(row.progress or "", row.in_flight, row.tries, row.due_at)
    return TargetUpdate(claimed, row.attempts, RetryState.from_row(row), change)


async def _timed(job: Awaitable[T]) -> tuple[T, float]:
    began = time.perf_counter()
    answer = await job
    return answer, (time.perf_counter() - began) * 1000
