"""Statistics for tables of PostgreSQL that have none yet.

Until the server's own cleanup has looked at a new table for the first time, a minute or two after it was filled,
queries are planned as if it had a few rows: a page of a list reads everything that its owner has. A new deployment, an
import and the first minutes of a new week's partition would all be slow.

Only workers do this. A `serve` without one (`SOCIALGATE_WORKER=separate`) needs a `work` process on the same database
anyway, and all processes benefit from the statistics.
"""

import sqlalchemy as sa

from socialgate.core.db import Database, Tx

# With fewer rows every plan is as good.
_MIN_ROWS = 50
# Only the owner of a table may analyze it, and migrations may run as another role.
_SELECT_TABLES = sa.text("""
    SELECT quote_ident(activity.relname) FROM pg_stat_user_tables AS activity JOIN pg_class ON pg_class.oid = relid
    WHERE schemaname = current_schema() AND n_live_tup >= :rows AND last_analyze IS NULL AND last_autoanalyze IS NULL
      AND pg_has_role(relowner, 'USAGE')
    ORDER BY activity.relname
""").bindparams(sa.bindparam("rows", type_=sa.Integer))


async def analyze_new_tables(db: Database) -> list[str]:
    """Analyze the tables that have rows and no statistics, and return their names."""
    names = await db.read(_list_tables_without_statistics)
    for name in names:
        await db.write(_analyze, name)
    return names


async def _list_tables_without_statistics(tx: Tx) -> list[str]:
    if tx.dialect_name != "postgresql":
        return []
    return [name for (name,) in await tx.all(_SELECT_TABLES, {"rows": _MIN_ROWS})]


async def _analyze(tx: Tx, name: str) -> None:
    # Another worker, or the server itself, may be at it.
    await tx.execute(sa.text(f"ANALYZE (SKIP_LOCKED) {name}"))
