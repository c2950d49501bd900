"""What others wait for while one account is large: a summary of many posts, and many changes of a calendar at once.

The longest wait must not depend on how much there is at once. The small size is repeated until it is as much in all,
because the longest of more waits is longer by chance alone. This is SQLite, which has one writer at a time. The
platform is stood in for by a function that answers at once.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
from benchmarks.harness import Bench, Figure, Steps, flat

from socialgate.areas.accounts.tables import accounts
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.areas.analytics import store
from socialgate.areas.analytics.schemas import SummaryQuery
from socialgate.areas.analytics.summary import SummaryService
from socialgate.areas.calendar.sync import CalendarSync
from socialgate.areas.calendar.tables import calendar_syncs
from socialgate.areas.identity.store import owners
from socialgate.areas.profiles.store import profiles
from socialgate.contracts.calendar import EventItem, EventPage, EventQuery, EventReminders, EventTime
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.caller import Caller
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.ids import new_id
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings
from socialgate.core.wakeups import ALL_KEYS
from socialgate.entry.deployment import Deployment

_AGES = (1, 6, 24)
_AT_ONCE = 2000
_PERIOD = SummaryQuery(since=date(2026, 1, 1), until=date(2026, 6, 30))
_FIRST = datetime(2026, 1, 2, tzinfo=UTC)
_LENGTH = timedelta(days=178)
_BAR = 2.0
_EVENT = EventItem(
    id="event",
    calendar_id="primary",
    title="Event",
    description=None,
    location=None,
    start=EventTime(date=date(2026, 12, 24)),
    end=EventTime(date=date(2026, 12, 25)),
    recurrence=(),
    recurring_event_id=None,
    attendees=(),
    conference_url=None,
    reminders=EventReminders(),
    status="confirmed",
    etag="1",
    html_url=None,
    updated_at=None,
)


def measure(bench: Bench) -> list[Figure]:
    rounds = bench.sized(5, 2)
    posts, changes = (2_000, bench.sized(40_000, 20_000)), (2_500, bench.sized(100_000, 25_000))
    bench.uses("large", posts=posts, changes=changes, rounds=rounds)
    pauses = {size: asyncio.run(_pauses(bench, size, max(posts) // size, rounds)) for size in posts}
    waits = {size: asyncio.run(_waits(bench, size, max(changes) // size, rounds)) for size in changes}
    return [
        flat(f"longest pause by a summary of {max(posts)} posts", pauses, bar=_BAR),
        flat(f"longest wait of a writer during {max(changes)} calendar changes", waits, bar=_BAR),
    ]


class _Ground:
    """A deployment with one account."""

    def __init__(self, bench: Bench, kind: Kind, platform: Platform, size: int) -> None:
        folder = bench.folder / f"large-{kind}-{size}"
        folder.mkdir()
        names = [f"{name}_app_{label}" for name in ("threads", "google") for label in ("id", "secret")]
        apps: dict[str, Any] = dict.fromkeys(names, "benchmark")
        settings = Settings(data_dir=folder, sandbox=False, **apps)
        self.deployment = Deployment(settings, SystemClock())
        self.db: Database = self.deployment.db
        self.owner_id, self.account_id = new_id("own"), new_id("acc")
        self._kind, self._platform = kind, platform

    async def prepare(self) -> None:
        await migrate(self.db)
        await self.db.write(self._fill)

    async def _fill(self, tx: Tx) -> None:
        created = {"owner_id": self.owner_id, "name": "Bench", "created_at": tx.now, "updated_at": tx.now}
        profile_id = new_id("prf")
        await tx.execute(sa.insert(owners), {"id": self.owner_id, "name": "Bench", "created_at": tx.now})
        await tx.execute(sa.insert(profiles), {**created, "id": profile_id, "timezone": "Europe/Stockholm"})
        account = {
            "id": self.account_id,
            "profile_id": profile_id,
            "grant_id": "grt_bench",
            "sealed": b"",
            "details": {},
        }
        there = {"platform": self._platform, "kind": self._kind, "platform_account_id": "1", "inbound_key": "1"}
        await tx.execute(sa.insert(accounts), {**created, **account, **there, "status": "connected"})


async def _longest(work: Awaitable[Any], step: Callable[[], Awaitable[Any]]) -> float:
    """Repeat a step while some work is done, and tell in milliseconds how long the longest one took."""
    working, longest = asyncio.ensure_future(work), 0.0
    while not working.done():
        began = time.perf_counter()
        await step()
        longest = max(longest, time.perf_counter() - began)
    await working
    return longest * 1000


async def _repeated(longest: Callable[[], Awaitable[float]], times: int, rounds: int) -> list[float]:
    """Give the longest of so many times for each round. What the very first compiles is not counted."""
    await longest()
    return [max([await longest() for _ in range(times)]) for _ in range(rounds)]


async def _pauses(bench: Bench, posts: int, times: int, rounds: int) -> Steps:
    ground = _Ground(bench, Kind.THREADS, Platform.THREADS, posts)
    await ground.prepare()
    await ground.db.write(_publish, ground, posts)
    summaries = ground.deployment.container.get(SummaryService)
    caller = Caller(owner_id=ground.owner_id, credential_id="key_bench")

    async def longest() -> float:
        summary = ground.db.read(summaries.build_summary, caller, ground.account_id, _PERIOD)
        return await _longest(summary, lambda: asyncio.sleep(0.001))

    taken = await _repeated(longest, times, rounds)
    await ground.deployment.close()
    return {"a pause": taken}


async def _publish(tx: Tx, ground: _Ground, posts: int) -> None:
    ids = {"owner_id": ground.owner_id, "account_id": ground.account_id}
    about = {"post_id": "post_bench", "url": None}
    metrics = {"views": 812, "likes": 51, "replies": 13}
    for first in range(0, posts, _AT_ONCE):
        keys = {f"{number:08}": _FIRST + _LENGTH * number / posts for number in range(first, first + _AT_ONCE)}
        rows = [{**ids, **about, "object_id": key, "published_at": at} for key, at in keys.items()]
        await tx.execute(sa.insert(store.measured_posts), rows)
        read = [
            {**ids, "object_id": key, "hours": age, "taken_at": at, "metrics": metrics}
            for key, at in keys.items()
            for age in _AGES
        ]
        await tx.execute(sa.insert(store.post_metrics), read)


class _Calendar:
    """Stands in for the session of an account, and for a calendar in which so many events have changed."""

    def __init__(self, changes: int) -> None:
        self._changes = changes
        self.rounds = 0

    def part(self, account: Any, capability: Any, lacks: str) -> "_Calendar":
        del account, capability, lacks
        return self

    async def call_as(self, account: Any, call: Callable[[Any], Awaitable[Any]]) -> Any:
        return await call(account)

    async def list(self, credentials: Any, query: EventQuery) -> EventPage:
        del credentials
        passed = int(query.cursor or 0) + query.limit
        items = [_EVENT] * query.limit
        if passed < self._changes:
            return EventPage(items=items, cursor=str(passed))
        self.rounds += 1
        return EventPage(items=items, cursor=None, sync_token=f"token {self.rounds}")


async def _waits(bench: Bench, changes: int, times: int, rounds: int) -> Steps:
    ground, calendar = _Ground(bench, Kind.GOOGLE_CALENDAR, Platform.GOOGLE, changes), _Calendar(changes)
    await ground.prepare()
    session: Any = calendar
    catalogue, subscriber = ground.deployment.platforms.catalogue, ground.deployment.container.get(WebhookRegistrar)
    sync = CalendarSync(ground.db, session, catalogue, subscriber)
    await ground.db.write(_follow, ground)
    running = asyncio.create_task(sync.run())
    write = partial(ground.db.write, _write, ground)
    taken = await _repeated(lambda: _longest(_synced(ground, calendar), write), times, rounds)
    sync.stop()
    with suppress(asyncio.CancelledError):
        await running
    await ground.deployment.close()
    return {"a write": taken}


async def _follow(tx: Tx, ground: _Ground) -> None:
    ids = {"owner_id": ground.owner_id, "account_id": ground.account_id}
    await tx.execute(sa.insert(calendar_syncs), {**ids, "sync_token": "token", "version": 0, "notices": 0, "tries": 0})


async def _synced(ground: _Ground, calendar: _Calendar) -> None:
    """Have the changes read once."""
    before = calendar.rounds
    await ground.db.write(_make_due)
    while calendar.rounds == before:
        ground.db.wakeups.publish({ALL_KEYS})
        await asyncio.sleep(0.01)


async def _make_due(tx: Tx) -> None:
    await tx.execute(sa.update(calendar_syncs).values(due_at=tx.now))


async def _write(tx: Tx, ground: _Ground) -> None:
    """Write what has nothing to do with the calendar."""
    mine = profiles.c.owner_id == ground.owner_id
    await tx.execute(sa.update(profiles).where(mine).values(updated_at=tx.now))
