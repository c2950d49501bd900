"""Two days of snapshots, hour by hour, and what a year of an account takes: `python -m benchmarks.snapshots`.

The schedule, the jobs, the quotas and the tables are the real ones, on SQLite. The platforms are stood in for by a
function that answers at once, so that the days pass in minutes.
"""

import argparse
import asyncio
import resource
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.tables import accounts
from socialgate.areas.analytics import store
from socialgate.areas.analytics.calendar import next_snapshot
from socialgate.areas.analytics.snapshots import ACCOUNT, Enrolment
from socialgate.areas.identity.store import owners
from socialgate.areas.profiles.store import profiles
from socialgate.connectors.catalogue import MANIFESTS
from socialgate.connectors.insights import total_of
from socialgate.contracts.insights import Days, Reading, Readings
from socialgate.contracts.metrics import Metric
from socialgate.contracts.platforms import Kind, Platform, Quota
from socialgate.core.db import Database, Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs.jobs import Jobs
from socialgate.core.jobs.table import jobs
from socialgate.core.metrics import Metrics
from socialgate.core.quotas import Quotas, quota_use
from socialgate.core.schema import migrate
from socialgate.core.settings import Settings
from socialgate.core.wakeups import ANYTHING
from socialgate.entry.deployment import Deployment

_MIX = {
    Kind.FACEBOOK_PAGE: 0.3,
    Kind.INSTAGRAM: 0.3,
    Kind.THREADS: 0.1,
    Kind.TIKTOK: 0.1,
    Kind.YOUTUBE: 0.1,
    Kind.GOOGLE_BUSINESS: 0.1,
}
_ZONES = ("America/Sao_Paulo", "America/New_York", "Asia/Kolkata", "Europe/London", "UTC")
_UNITS = next(
    quota for kind in MANIFESTS[Platform.GOOGLE].kinds for quota in kind.limits.quotas if quota.name == "units"
)
_HOUR = timedelta(hours=1)
_YEAR = 365


class _Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 16, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time


class _Platforms:
    """Stands in for sessions with platforms: counts calls, spends real quotas, answers at once."""

    def __init__(self, db: Database) -> None:
        self.calls: Counter[str] = Counter()
        self._quotas = Quotas(db, Metrics())

    def part(self, account: Any, *_: Any) -> "_Platforms":
        self.kind = Kind(account.kind)
        return self

    async def call_as(self, account: Any, call: Callable[[Any], Awaitable[Any]]) -> Any:
        return await call(account)

    async def of_account(self, held: Any, metrics: Sequence[Metric], days: Days, objects: Sequence[str]) -> Readings:
        del objects
        for group in {metric.asked for metric in metrics}:
            self.calls[held.kind] += 1
            if held.kind == Kind.YOUTUBE and group == "statistics":
                await self._quotas.spend([(_UNITS.budget(Platform.GOOGLE, Quota.APP), 1)])
        return {metric.name: _reading(metric, days) for metric in metrics}


def _reading(metric: Metric, days: Days) -> Reading:
    values = [1_000 + day.toordinal() % 977 for day in days.each()] if metric.daily else [4_321]
    series = tuple(zip(days.each(), values, strict=True)) if metric.daily else ()
    return Reading(series=series, total=total_of(metric, values), value=values[-1])


async def _fill(tx: Tx, number: int, yesterday: date) -> None:
    """Make accounts that were read yesterday: the first reading of an account is longer, and happens once."""
    owner, kinds = new_id("own"), [kind for kind, share in _MIX.items() for _ in range(int(number * share))]
    await tx.execute(sa.insert(owners), {"id": owner, "name": "Bench", "created_at": tx.now})
    places = {zone: new_id("prf") for zone in _ZONES}
    made = {"owner_id": owner, "name": "Bench", "created_at": tx.now, "updated_at": tx.now}
    await tx.execute(sa.insert(profiles), [{**made, "id": one, "timezone": zone} for zone, one in places.items()])
    rows = [
        {
            **made,
            "id": new_id("acc"),
            "profile_id": places[_ZONES[place % len(_ZONES)]],
            "grant_id": "grt_bench",
            "platform": next(name for name, one in MANIFESTS.items() if kind in {of.kind for of in one.kinds}),
            "kind": kind,
            "platform_account_id": str(place),
            "inbound_key": str(place),
            "status": "connected",
            "sealed": b"",
            "details": {},
        }
        for place, kind in enumerate(kinds)
    ]
    await tx.execute(sa.insert(accounts), rows)
    days = [{"owner_id": owner, "account_id": row["id"], "day": str(yesterday)} for row in rows]
    await tx.execute(sa.insert(store.insight_days), [{**day, "metrics": {}, "updated_at": tx.now} for day in days])


async def _spread(tx: Tx, enrolment: Enrolment, clock: _Clock) -> None:
    """Queue every account as if it had been read yesterday: at its own time of today."""
    after: str | None = ""
    while after is not None:
        after = await enrolment.enrol(tx, after)
    zones = {row.id: row.timezone for row in await tx.all(sa.select(profiles.c.id, profiles.c.timezone))}
    for row in await tx.all(sa.select(accounts.c.id, accounts.c.profile_id)):
        due = next_snapshot(row.id, clock.now() - timedelta(days=1), ZoneInfo(zones[row.profile_id]))
        await tx.execute(sa.update(jobs).where(jobs.c.job_key == row.id).values(due_at=due))


async def _due(tx: Tx) -> int:
    statement = sa.select(sa.func.count()).where(jobs.c.type == ACCOUNT, jobs.c.due_at <= tx.now)
    return int(await tx.scalar(statement))


async def _used(tx: Tx) -> int:
    return int(await tx.scalar(sa.select(sa.func.coalesce(sa.func.sum(quota_use.c.used), 0))))


async def _day(number: int, folder: Path) -> None:
    clock = _Clock()
    deployment = Deployment(Settings(data_dir=folder, sandbox=False), clock)
    db, platforms = deployment.db, _Platforms(deployment.db)
    await migrate(db)
    deployment.parts.put(AccountSession, platforms)
    await db.write(_fill, number, clock.now().date() - timedelta(days=1))
    await db.write(_spread, deployment.parts.get(Enrolment), clock)
    working = deployment.parts.get(Jobs)
    running = asyncio.create_task(working.run())
    print(f"{number} accounts. At most {_UNITS.limit // 2} of {_UNITS.limit} units of YouTube's quota are used.\n")
    print(f"{'hour (UTC)':12}{'accounts':>10}{'calls':>10}{'units':>8}{'memory MiB':>12}")
    for _ in range(48):
        before, calls = await db.read(_due), sum(platforms.calls.values())
        clock.time += _HOUR
        due = await db.read(_due) - before
        while await db.read(_due):
            db.wakeups.publish({ANYTHING})
            await asyncio.sleep(0.05)
        made, peak = sum(platforms.calls.values()) - calls, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{clock.now():%d %b %H:%M}{due:>10}{made:>10}{await db.read(_used):>8}{peak:>12}")
    working.stop()
    with suppress(asyncio.CancelledError):
        await running
    print("\nCalls in two days:", ", ".join(f"{kind} {calls}" for kind, calls in platforms.calls.items()), "\n")
    await deployment.close()


async def _storage(folder: Path) -> None:
    """Write a year of some accounts of each kind, and compare the sizes of the file before and after."""
    clock = _Clock()
    settings = Settings(data_dir=folder, sandbox=False)
    deployment = Deployment(settings, clock)
    await migrate(deployment.db)
    await deployment.db.write(_fill, 60, date(2025, 1, 1))
    rows = await deployment.db.read(_accounts)
    before = _size(settings.sqlite_path)
    for kind in _MIX:
        many = [row for row in rows if row.kind == kind]
        for row in many:
            await deployment.db.write(_year, row, clock.now())
        after = _size(settings.sqlite_path)
        print(f"{kind:18}{(after - before) / len(many) / 1024:8.0f} KiB a year and account")
        before = after
    await deployment.close()


async def _accounts(tx: Tx) -> list[Any]:
    return await tx.all(sa.select(accounts.c.owner_id, accounts.c.id, accounts.c.kind))


async def _year(tx: Tx, row: Any, now: datetime) -> None:
    table = next(kind.metrics for one in MANIFESTS.values() for kind in one.kinds if kind.kind == row.kind)
    numbers = {metric.name: 12_345 for metric in table.account if metric.name != "followers"}
    days = {now.date() - timedelta(days=number): numbers for number in range(_YEAR)}
    await store.save_days(tx, row.owner_id, row.id, days)
    counts = [store.Count(now - timedelta(days=number), 12_345) for number in range(_YEAR)]
    await store.save_counts(tx, row.owner_id, row.id, counts)


def _size(path: Path) -> int:
    """Tell how large the database is once its log is written into it."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate days of snapshots, and measure what they store.")
    parser.add_argument("--accounts", type=int, default=5_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_day(given.accounts, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_storage(Path(folder)))


if __name__ == "__main__":
    main()
