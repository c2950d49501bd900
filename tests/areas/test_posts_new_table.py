"""A page of posts costs the same however many there are, also while PostgreSQL has no statistics of the table yet."""

import asyncio

import asyncpg
import pytest
import sqlalchemy as sa

from socialgate.areas.posts.schemas import PostsQuery
from socialgate.areas.posts.store import list_posts_page
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
        'UTC', now() + interval '60 days', now(), now()
    FROM generate_series(1, {rows}) AS number;
"""
COUNT_READ = sa.text("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'posts'")


@pytest.mark.parametrize("rows", [500, 5000])
def test_a_page_reads_only_its_posts(postgres_url: str, rows: int) -> None:
    url = new_database(postgres_url)

    async def read_page(tx: Tx) -> tuple[int, int]:
        posts, _, _ = await list_posts_page(tx, CALLER.owner_id, CALLER, PostsQuery(limit=PAGE))
        [(read,)] = await tx.all(COUNT_READ)
        return len(posts), read

    async def run() -> tuple[int, int]:
        connection = await asyncpg.connect(url)
        await connection.execute(FILL.format(rows=rows))
        await connection.close()
        db = Database(url, SystemClock())
        try:
            return await db.write(read_page)
        finally:
            await db.close()

    listed, read = asyncio.run(run())
    assert listed == PAGE
    # Once to see which of them fit on the page, with the one that follows, and once to read them.
    assert read == PAGE + 1 + PAGE
