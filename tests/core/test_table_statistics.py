"""Tables that were just filled get statistics, and only those."""

import asyncio

import asyncpg

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.table_statistics import analyze_new_tables
from support.postgres import empty_database

FILL = """
    CREATE TABLE full_table (id int);
    CREATE TABLE "Odd; name" (id int);
    CREATE TABLE nearly_empty (id int);
    INSERT INTO full_table SELECT generate_series(1, 100);
    INSERT INTO "Odd; name" SELECT generate_series(1, 100);
    INSERT INTO nearly_empty SELECT generate_series(1, 10);
    SELECT pg_stat_force_next_flush();
"""


def test_new_tables_are_analyzed_once(postgres_url: str) -> None:
    url = empty_database(postgres_url)

    async def run() -> tuple[list[str], list[str]]:
        connection = await asyncpg.connect(url)
        await connection.execute(FILL)
        await connection.close()
        db = Database(url, SystemClock())
        try:
            return await analyze_new_tables(db), await analyze_new_tables(db)
        finally:
            await db.close()

    first, second = asyncio.run(run())
    assert first == ['"Odd; name"', "full_table"]
    assert second == []
