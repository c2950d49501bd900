"""How SQLite runs the statements of a request: it says which tables it reads from beginning to end."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from socialgate.core.sqlite import SqliteDriver
from support.service import RunningService

# Tables of which a deployment has a handful of rows, however many customers it has.
SMALL_TABLES = {"workers", "alembic_version"}


@contextmanager
def statements_of(service: RunningService) -> Iterator[list[str]]:
    """Collect what is read on the event loop, which is where each statement begins."""
    driver = service.service.db._driver
    assert isinstance(driver, SqliteDriver)
    connection, _ = driver._loop_reader._opened or driver._loop_reader._open()
    statements: list[str] = []

    # On the event loop, because a callback that is called there and set elsewhere waits for itself.
    async def trace(callback: Callable[[str], None] | None) -> None:
        connection.set_trace_callback(callback)

    service.run(trace(statements.append))
    try:
        yield statements
    finally:
        service.run(trace(None))


def explain(service: RunningService, statement: str) -> list[str]:
    """Return the steps of a statement, as SQLite describes them."""
    with closing(sqlite3.connect(str(service.service.db.url.database))) as connection:
        return [detail for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]


def list_scans(service: RunningService, statement: str) -> list[str]:
    """List the tables of which a statement reads every row. In the order of an index it stops at its limit."""
    with closing(sqlite3.connect(str(service.service.db.url.database))) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    plan = explain(service, statement)
    return [table for table in tables - SMALL_TABLES if f"SCAN {table}" in plan]
