"""A day of snapshots: its plan, how it went hour by hour, and what a year of an account takes.

`python -m benchmarks.snapshots` has the real schedule, jobs, quotas and tables, on SQLite. The platforms are stood in
for by a function that answers at once, so that the day passes in minutes. It fails where the day did not keep to its
plan or memory grew.
"""

import argparse
import asyncio
import resource
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.tables import accounts, read_account
from socialgate.areas.analytics import AREA, store
from socialgate.areas.analytics.periods import compute_next_snapshot_time
from socialgate.areas.analytics.snapshots import ACCOUNT_SNAPSHOT_JOB, SNAPSHOT_AGES_HOURS, SnapshotScheduler
from socialgate.areas.identity.store import owners
from socialgate.areas.profiles.store import profiles
from socialgate.connectors.insights import compute_total
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.insights import DateRange, MetricReading, MetricReadings
from socialgate.contracts.metrics import PlatformMetric
from socialgate.contracts.platforms import Kind, Platform, Quota
from socialgate.core.db import Database, Tx
from socialgate.core.ids import new_id
from socialgate.core.jobs.job_store import jobs
from socialgate.core.jobs.service import JobTypes
from socialgate.core.jobs.worker import JobWorker
from socialgate.core.metrics import Metrics
from socialgate.core.quotas import Quotas, quota_use
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings
from socialgate.core.wakeups import ALL_KEYS
from socialgate.entry.deployment import Deployment

_MIX = {
    Kind.FACEBOOK_PAGE: 0.3,
    Kind.INSTAGRAM: 0.3,
    Kind.THREADS: 0.1,
    Kind.TIKTOK: 0.1,
    Kind.YOUTUBE: 0.1,
    Kind.GOOGLE_BUSINESS: 0.05,
    Kind.TELEGRAM_BOT: 0.05,
}
# What connectors ask for beside one call for each group of metrics: the followers of a Page by day and now, those whom
# Instagram reached once more over all days.
_MORE_CALLS = {Kind.FACEBOOK_PAGE: 1, Kind.INSTAGRAM: 1}
# What platforms allow the whole app in a minute, as far as they say.
_PER_MINUTE = {Kind.TIKTOK: 600, Kind.YOUTUBE: 720, Kind.GOOGLE_BUSINESS: 300}
# How much more memory may be in use at the end of the day than after the first of its busy hours.
_MAX_GROWTH_MIB = 16
_ZONES = ("America/Sao_Paulo", "America/New_York", "Asia/Kolkata", "Europe/London", "UTC")
_UNITS = next(
    quota for kind in MANIFESTS[Platform.GOOGLE].kinds for quota in kind.limits.quotas if quota.name == "units"
)
_HOUR = timedelta(hours=1)
_HOURS = 24
# By then each kind has been read for the first time.
_WARM = 5
_YEAR = 365
_POSTS = 200
_TABLES = {kind.kind: kind.metrics for manifest in MANIFESTS.values() for kind in manifest.kinds}


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
        del account
        return self

    async def call_as(self, account: Any, call: Callable[[Any], Awaitable[Any]]) -> Any:
        return await call(account)

    async def of_account(
        self, credentials: Any, metrics: Sequence[PlatformMetric], days: DateRange, objects: Sequence[str]
    ) -> MetricReadings:
        del objects
        self.calls[credentials.kind] += _MORE_CALLS.get(credentials.kind, 0) if days.count > 1 else 0
        for group in {metric.request_group for metric in metrics}:
            self.calls[credentials.kind] += 1
            if credentials.kind == Kind.YOUTUBE and group == "statistics":
                await self._quotas.spend([(_UNITS.build_budget(Platform.GOOGLE, Quota.APP_OWNER), 1)])
        return {metric.name: _reading(metric, days) for metric in metrics}


def _reading(metric: PlatformMetric, days: DateRange) -> MetricReading:
    values = [1_000 + day.toordinal() % 977 for day in days.list_days()] if metric.daily else [4_321]
    series = tuple(zip(days.list_days(), values, strict=True)) if metric.daily else ()
    return MetricReading(series=series, total=compute_total(metric, values), value=values[-1])


async def _fill(tx: Tx, number: int, yesterday: date) -> None:
    """Make accounts that were read yesterday: the first reading of an account is longer, and happens once."""
    owner, kinds = new_id("own"), [kind for kind, share in _MIX.items() for _ in range(int(number * share))]
    await tx.execute(sa.insert(owners), {"id": owner, "name": "Bench", "created_at": tx.now})
    places = {zone: new_id("prf") for zone in _ZONES}
    created = {"owner_id": owner, "name": "Bench", "created_at": tx.now, "updated_at": tx.now}
    await tx.execute(
        sa.insert(profiles), [{**created, "id": place, "timezone": zone} for zone, place in places.items()]
    )
    rows = [
        {
            **created,
            "id": new_id("acc"),
            "profile_id": places[_ZONES[place % len(_ZONES)]],
            "grant_id": "grt_bench",
            "platform": next(
                name for name, manifest in MANIFESTS.items() if kind in {kind.kind for kind in manifest.kinds}
            ),
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


async def _spread(tx: Tx, enrolment: SnapshotScheduler, clock: _Clock) -> None:
    """Queue every account as if it had been read a day ago: at its own time within the next 24 hours."""
    for account in await tx.all_as(sa.select(accounts), read_account):
        await enrolment.enrol_account(tx, account)
    zones = {row.id: row.timezone for row in await tx.all(sa.select(profiles.c.id, profiles.c.timezone))}
    for row in await tx.all(sa.select(accounts.c.id, accounts.c.profile_id)):
        zone = ZoneInfo(zones[row.profile_id])
        moments = (compute_next_snapshot_time(row.id, clock.now() - timedelta(days=ago), zone) for ago in (2, 1, 0))
        due = next(moment for moment in moments if moment >= clock.now())
        await tx.execute(sa.update(jobs).where(jobs.c.job_key == row.id).values(due_at=due))


class _Plan(NamedTuple):
    """What a day asks of one platform's API: counted before the day, and compared to it afterwards."""

    kind: Kind
    accounts: int
    calls: int
    # In the busiest minute of the day.
    minute: int

    def __str__(self) -> str:
        most = _PER_MINUTE.get(self.kind)
        verdict = "" if most is None else f"{most:>10}{'ok' if self.minute <= most else 'MISSED':>8}"
        return (
            f"{self.kind:18}{self.accounts:>9}{self.calls // self.accounts:>9}{self.calls:>9}{self.minute:>9}{verdict}"
        )

    @property
    def is_kept(self) -> bool:
        return self.minute <= _PER_MINUTE.get(self.kind, self.minute)


async def _planned(tx: Tx) -> list[_Plan]:
    """Plan the day from the queue: when each account is due, and what the table of its kind asks for."""
    due = sa.select(accounts.c.kind, jobs.c.due_at).join(jobs, jobs.c.job_key == accounts.c.id)
    minutes: dict[str, Counter[datetime]] = {}
    for row in await tx.all(due.where(jobs.c.type == ACCOUNT_SNAPSHOT_JOB)):
        minutes.setdefault(row.kind, Counter())[row.due_at.replace(second=0, microsecond=0)] += 1
    plans = []
    for kind, by_minute in minutes.items():
        calls, number = _calls(Kind(kind)), sum(by_minute.values())
        plans.append(_Plan(Kind(kind), number, number * calls, max(by_minute.values()) * calls))
    return sorted(plans, key=lambda plan: list(_MIX).index(plan.kind))


def _calls(kind: Kind) -> int:
    """Count the calls of a daily snapshot: each group once, and once for each day of which a platform has only sums."""
    table = _TABLES[kind]
    at_once = {metric.request_group for metric in table.account_metrics if metric.daily or metric.form == "level"}
    by_day = {metric.request_group for metric in table.account_metrics if not metric.daily and metric.form != "level"}
    return len(at_once) + len(by_day) * (table.settles_after_days + 1) + _MORE_CALLS.get(kind, 0)


async def _due(tx: Tx) -> int:
    statement = sa.select(sa.func.count()).where(jobs.c.type == ACCOUNT_SNAPSHOT_JOB, jobs.c.due_at <= tx.now)
    return int(await tx.scalar(statement))


async def _used(tx: Tx) -> int:
    return int(await tx.scalar(sa.select(sa.func.coalesce(sa.func.sum(quota_use.c.used), 0))))


async def _day(number: int, folder: Path) -> bool:
    clock = _Clock()
    deployment = Deployment(Settings(data_dir=folder, sandbox=False), clock)
    db, platforms = deployment.db, _Platforms(deployment.db)
    await migrate(db)
    parts = deployment.container
    parts.register_instance(AccountSession, platforms)
    # Nothing else is to run on that day.
    parts.register_instance(JobTypes, JobTypes([parts.call_with_services(builder) for builder in AREA.jobs]))
    working = parts.get(JobWorker)
    await db.write(_fill, number, clock.now().date() - timedelta(days=1))
    await db.write(_spread, parts.get(SnapshotScheduler), clock)
    plans = await db.read(_planned)
    _print_plan(plans)
    running = asyncio.create_task(working.run())
    memory = await _pass_hours(db, clock, platforms)
    working.stop()
    with suppress(asyncio.CancelledError):
        await running
    created = {plan.kind: platforms.calls[plan.kind] for plan in plans}
    await deployment.close()
    return _verdict(plans, created, memory)


def _print_plan(plans: Sequence[_Plan]) -> None:
    units = sum(plan.accounts for plan in plans if plan.kind == Kind.YOUTUBE)
    print(f"The plan of a day for {sum(plan.accounts for plan in plans)} accounts:\n")
    print(f"{'kind':18}{'accounts':>9}{'calls':>9}{'in all':>9}{'a minute':>9}{'at most':>10}")
    print("\n".join(map(str, plans)))
    print(f"\nUnits of YouTube's quota: {units}, of {_UNITS.limit // 2} that snapshots may use of {_UNITS.limit}.\n")


async def _pass_hours(db: Database, clock: _Clock, platforms: _Platforms) -> list[float]:
    """Let a day pass by hours. Gives the memory in use after each."""
    memory: list[float] = []
    print(f"{'hour (UTC)':12}{'accounts':>10}{'calls':>10}{'units':>8}{'memory MiB':>12}")
    for _ in range(_HOURS):
        before, calls = await db.read(_due), sum(platforms.calls.values())
        clock.time += _HOUR
        due = await db.read(_due) - before
        while await db.read(_due):
            db.wakeups.publish({ALL_KEYS})
            await asyncio.sleep(0.05)
        number = sum(platforms.calls.values()) - calls
        memory.append(_memory())
        print(f"{clock.now():%d %b %H:%M}{due:>10}{number:>10}{await db.read(_used):>8}{memory[-1]:>12.1f}")
    return memory


def _memory() -> float:
    """Return how much memory the process has in use now, in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def _verdict(plans: Sequence[_Plan], created: Mapping[Kind, int], memory: Sequence[float]) -> bool:
    grown = memory[-1] - memory[_WARM]
    within = all(created[plan.kind] <= plan.calls for plan in plans)
    flat = grown <= _MAX_GROWTH_MIB
    calls = f"{sum(created.values())} calls, {sum(plan.calls for plan in plans)} planned at most"
    print(f"\n{calls}: {'ok' if within else f'MISSED {created}'}.")
    print(
        f"Memory: {memory[_WARM]:.1f} MiB after the hour {_WARM + 1}, {memory[-1]:.1f} MiB at the end ({grown:+.1f}).\n"
    )
    return within and flat and all(plan.is_kept for plan in plans)


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
    await deployment.db.write(_posts, next(row for row in rows if row.kind == Kind.INSTAGRAM), clock.now())
    print(f"{'a post':18}{(_size(settings.sqlite_path) - before) / _POSTS / 1024:8.1f} KiB")
    await deployment.close()


async def _accounts(tx: Tx) -> list[Any]:
    return await tx.all(sa.select(accounts.c.owner_id, accounts.c.id, accounts.c.kind))


async def _year(tx: Tx, row: Any, now: datetime) -> None:
    table = _TABLES[row.kind]
    numbers = {metric.name: 12_345 for metric in table.account_metrics if metric.name != "followers"}
    days = {now.date() - timedelta(days=number): numbers for number in range(_YEAR)}
    if numbers:
        await store.save_day_metrics(tx, row.owner_id, row.id, days)
    counts = [store.FollowerCountRow(now - timedelta(days=number), 12_345) for number in range(_YEAR)]
    await store.save_follower_counts(tx, row.owner_id, row.id, counts)


async def _posts(tx: Tx, row: Any, now: datetime) -> None:
    """Write posts of an account with the numbers of every age."""
    numbers = {metric.name: 12_345 for metric in _TABLES[row.kind].post_metrics}
    for number in range(_POSTS):
        key = f"{row.id}_{number:015}"
        post = store.MeasuredPostRow(
            row.owner_id, row.id, key, new_id("post"), f"https://social.example/{key}", now - timedelta(hours=number)
        )
        await store.insert_measured_post(tx, post)
        for age in SNAPSHOT_AGES_HOURS:
            await store.save_post_metrics(tx, post, age, numbers)


def _size(path: Path) -> int:
    """Return how large the database is once its log is written into it."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulate days of snapshots, and measure what they store.")
    parser.add_argument("--accounts", type=int, default=5_000)
    namespace = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = asyncio.run(_day(namespace.accounts, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_storage(Path(folder)))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
