"""A page or a day of posts costs the same however many there are, also while PostgreSQL has no statistics yet."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import asyncpg
import pytest
import sqlalchemy as sa

from socialgate.areas.posts.schemas import PostsQuery
from socialgate.areas.posts.store import list_posts_page
from socialgate.areas.posts.timetable import Period, TimetableService
from socialgate.core.caller import Caller
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from support.postgres import new_database

CALLER = Caller(owner_id="own_1", credential_id="key_1")
PAGE = 50
FILL = """
    ALTER TABLE posts SET (autovacuum_enabled = false);
    INSERT INTO owners (id, name, created_at) VALUES ('own_1', 'Bakery', now());
    INSERT INTO posts
        (owner_id, id, profile_id, status, content, media, timezone, scheduled_for, created_at, updated_at)
    SELECT 'own_1', 'post_' || lpad(number::text, 26, '0'), 'prf_1', 'scheduled', repeat('Fresh bread. ', 8), '[]',
        'UTC', now() + number * interval '1 hour', now(), now()
    FROM generate_series(1, {rows}) AS number;
"""
COUNT_READ = sa.text("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'posts'")


@pytest.mark.parametrize("rows", [500, 5000])
def test_a_page_reads_only_its_posts(postgres_url: str, rows: int) -> None:
    async def read_page(tx: Tx) -> tuple[int, int]:
        posts, _, _ = await list_posts_page(tx, CALLER.owner_id, CALLER, PostsQuery(limit=PAGE))
        return len(posts), await count_read(tx)

    listed, read = read_in_new_table(postgres_url, rows, read_page)
    assert listed == PAGE
    # Once to see which of them fit on the page, with the one that follows, and once to read them.
    assert read == PAGE + 1 + PAGE


@pytest.mark.parametrize("rows", [500, 5000])
def test_days_read_only_their_posts(postgres_url: str, rows: int) -> None:
    async def read_days(tx: Tx) -> tuple[int, int]:
        days = [Period(tx.now + timedelta(days=day), tx.now + timedelta(days=day + 1)) for day in range(1, 8)]
        listed = await TimetableService().list_entries(tx, CALLER, days, limit=PAGE)
        assert await TimetableService().list_failed(tx, CALLER, days[0], limit=PAGE) == []
        return sum(len(day.entries) for day in listed), await count_read(tx)

    assert read_in_new_table(postgres_url, rows, read_days) == (7 * 24, 7 * 24)


async def count_read(tx: Tx) -> int:
    [(read,)] = await tx.all(COUNT_READ)
    return int(read)


def read_in_new_table(
    postgres_url: str, rows: int, read: Callable[[Tx], Awaitable[tuple[int, int]]]
) -> tuple[int, int]:
    url = new_database(postgres_url)

    async def run() -> tuple[int, int]:
        connection = await asyncpg.connect(url)
        await connection.execute(FILL.format(rows=rows))
        await connection.close()
        db = Database(url, SystemClock())
        try:
            return await db.write(read)
        finally:
            await db.close()

    return asyncio.run(run())
