"""Counting API calls: nothing is written per request, and nothing is lost by a normal stop or an outage."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx, sqlite_url
from socialgate.core.metering import UsageKey, add_daily_usage, usage_days
from socialgate.core.schema_migration import run_schema_work
from socialgate.core.settings import Settings
from socialgate.web import api_call_counter
from socialgate.web.api_call_counter import ApiCallCounter
from support.postgres import new_database

pytestmark = pytest.mark.both_engines

NOW = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
KEY = Caller(owner_id="own_1", credential_id="key_1")
SESSION = Caller(owner_id="own_1", credential_id="ses_1", user_id="usr_1")


class SetClock:
    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        return self.time


@pytest.fixture
def url(engine: str, postgres_url: str, tmp_path: Path) -> str:
    if engine == "postgres":
        return Settings(database_url=new_database(postgres_url)).effective_database_url
    return sqlite_url(tmp_path / "test.db")


async def written(db: Database) -> dict[tuple[str, str], int]:
    async def read(tx: Tx) -> dict[tuple[str, str], int]:
        rows = await tx.all(sa.select(usage_days))
        return {(str(row.day), row.part_id): row.used for row in rows}

    return await db.read(read)


def on_database(url: str, use: Callable[[Database, SetClock], Awaitable[None]], *, create: bool = True) -> None:
    async def run() -> None:
        clock = SetClock()
        db = Database(url, clock)
        try:
            if create:
                await run_schema_work(db, lambda connection: usage_days.create(connection, checkfirst=True))
            await use(db, clock)
        finally:
            await db.close()

    asyncio.run(run())


def test_calls_are_written_together_after_a_moment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_call_counter, "_FLUSH_INTERVAL_SECONDS", 0.01)

    async def use(db: Database, clock: SetClock) -> None:
        counting = ApiCallCounter(db, clock)
        for _ in range(5):
            counting.count(KEY)
        counting.count(SESSION)
        assert await written(db) == {}
        assert counting._flush_task is not None
        await counting._flush_task
        assert await written(db) == {("2026-11-30", "key_1"): 5, ("2026-11-30", ""): 1}
        await counting.close()

    on_database(url, use)


def test_a_normal_stop_loses_nothing_and_a_day_ends_at_midnight(url: str) -> None:
    async def use(db: Database, clock: SetClock) -> None:
        counting = ApiCallCounter(db, clock)
        counting.count(KEY)
        clock.time = datetime(2026, 12, 1, tzinfo=UTC)
        counting.count(KEY)
        await counting.close()
        again = ApiCallCounter(db, clock)
        again.count(KEY)
        await again.flush()
        await again.close()
        assert await written(db) == {("2026-11-30", "key_1"): 1, ("2026-12-01", "key_1"): 2}

    on_database(url, use)


def test_a_stop_while_calls_are_written_loses_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_call_counter, "_FLUSH_INTERVAL_SECONDS", 0)

    async def use(db: Database, clock: SetClock) -> None:
        slow, may_write = asyncio.Event(), asyncio.Event()

        async def add_slowly(tx: Tx, counted: Counter[UsageKey]) -> None:
            slow.set()
            await may_write.wait()
            await add_daily_usage(tx, counted)

        monkeypatch.setattr(api_call_counter, "add_daily_usage", add_slowly)
        counting = ApiCallCounter(db, clock)
        counting.count(KEY)
        await slow.wait()
        closing = asyncio.create_task(counting.close())
        done, _ = await asyncio.wait([closing], timeout=0.1)
        may_write.set()
        await closing
        assert not done
        assert await written(db) == {("2026-11-30", "key_1"): 1}

    on_database(url, use)


def test_calls_during_an_outage_are_written_after_it(tmp_path: Path) -> None:
    """The folder of the database does not exist at first, so nothing can be written."""
    folder = tmp_path / "later"
    clock = SetClock()

    async def run() -> None:
        away = Database(sqlite_url(folder / "test.db"), clock)
        counting = ApiCallCounter(away, clock)
        counting.count(KEY)
        await counting.flush()
        counting.count(KEY)
        folder.mkdir()
        await run_schema_work(away, lambda connection: usage_days.create(connection, checkfirst=True))
        await counting.close()
        assert await written(away) == {("2026-11-30", "key_1"): 2}
        await away.close()

    asyncio.run(run())
