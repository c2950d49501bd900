"""Nothing that runs all the time reads a whole table: what it costs must not grow with what others store.

Every route that reads is called as its example shows it, and SQLite is asked how it runs the statements of the call.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy.dialects import sqlite

from socialgate.core.jobs.queue import RowQueue
from socialgate.core.sqlite import SqliteDriver
from socialgate.web.api_description import ApiOperation
from support.routes import call, label, routes, takes_credential
from support.service import OwnerFixture, RunningService

pytestmark = pytest.mark.one_engine

# Tables of which a deployment has a handful of rows, however many customers it has.
SMALL_TABLES = {"workers", "alembic_version"}


def reads_own_data(operation: ApiOperation) -> bool:
    return operation.method == "GET" and takes_credential(operation)


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


def list_scans(service: RunningService, statement: str) -> list[str]:
    """List the tables of which a statement reads every row. In the order of an index it stops at its limit."""
    with closing(sqlite3.connect(str(service.service.db.url.database))) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        plan = [detail for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    return [table for table in tables - SMALL_TABLES if f"SCAN {table}" in plan]


def test_no_route_that_reads_scans_a_table(service: RunningService, owner: OwnerFixture) -> None:
    found: dict[str, dict[str, list[str]]] = {}
    for operation in routes(service, reads_own_data):
        with statements_of(service) as statements:
            call(owner.session, operation, owner)
        scanned = {statement: tables for statement in set(statements) if (tables := list_scans(service, statement))}
        if scanned:
            found[label(operation)] = scanned
    assert found == {}


def test_no_queue_scans_its_table_for_what_is_due_next(service: RunningService) -> None:
    modules = [module for name, module in sys.modules.items() if name.startswith("socialgate.")]
    queues = {queue for module in modules for queue in vars(module).values() if isinstance(queue, RowQueue)}
    assert len(queues) > 1
    found = {}
    for queue in queues:
        select = queue._select_next_due.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        found[str(select)] = list_scans(service, str(select))
    assert set(map(tuple, found.values())) == {()}, found
