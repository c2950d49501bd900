"""Finding out in the background the result of calls whose process died, or whose outcome is unknown."""

from socialgate.areas.operations import store
from socialgate.areas.operations.outcomes import OPERATIONS
from socialgate.areas.operations.service import Operations
from socialgate.areas.operations.tables import QUEUE, OperationRow
from socialgate.contracts.operations import CallProven
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.runner import Runner

_AT_ONCE = 10


class Lookups:
    def __init__(self, db: Database, operations: Operations) -> None:
        runner: Runner[OperationRow] = Runner(
            db, QUEUE, operations.look_again, hint=OPERATIONS, at_once=_AT_ONCE, batch=_AT_ONCE
        )
        self.run = runner.run
        self.stop = runner.stop


async def look_soon(tx: Tx, fact: CallProven, owner_id: str) -> None:
    """Settle a call that the platform's own report has proven.

    Not here: the process that looks holds the claim, and writes the outcome as after any other lookup.
    """
    if await store.look_now(tx, owner_id, fact):
        tx.wake(OPERATIONS)
