"""Finding out in the background what became of calls whose process died, or whose outcome nobody could tell."""

from socialgate.areas.operations.service import OPERATIONS, Operations
from socialgate.areas.operations.tables import QUEUE, OperationRow
from socialgate.core.db import Database
from socialgate.core.jobs.runner import Runner

_AT_ONCE = 10


class Lookups:
    def __init__(self, db: Database, operations: Operations) -> None:
        runner: Runner[OperationRow] = Runner(
            db, QUEUE, operations.look_again, hint=OPERATIONS, at_once=_AT_ONCE, batch=_AT_ONCE
        )
        self.run = runner.run
        self.stop = runner.stop
