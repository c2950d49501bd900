"""Nothing that runs all the time reads a whole table: what it costs must not grow with what others store.

Every route that reads is called as its example shows it, and SQLite is asked how it runs the statements of the call.
"""

import sys

import pytest
from sqlalchemy.dialects import sqlite

from socialgate.core.jobs.queue import RowQueue
from socialgate.web.api_description import ApiOperation
from support.query_plans import list_scans, statements_of
from support.routes import call, label, routes, takes_credential
from support.service import OwnerFixture, RunningService

pytestmark = pytest.mark.one_engine


def reads_own_data(operation: ApiOperation) -> bool:
    return operation.method == "GET" and takes_credential(operation)


def test_no_route_that_reads_scans_a_table(service: RunningService, owner: OwnerFixture) -> None:
    scans: dict[str, dict[str, list[str]]] = {}
    for operation in routes(service, reads_own_data):
        with statements_of(service) as statements:
            call(owner.session, operation, owner)
        scanned = {statement: tables for statement in set(statements) if (tables := list_scans(service, statement))}
        if scanned:
            scans[label(operation)] = scanned
    assert scans == {}


def test_no_queue_scans_its_table_for_what_is_due_next(service: RunningService) -> None:
    modules = [module for name, module in sys.modules.items() if name.startswith("socialgate.")]
    queues = {queue for module in modules for queue in vars(module).values() if isinstance(queue, RowQueue)}
    assert len(queues) > 1
    scans = {}
    for queue in queues:
        select = queue._select_next_due.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        scans[str(select)] = list_scans(service, str(select))
    assert set(map(tuple, scans.values())) == {()}, scans
