"""Finding out in the background the result of calls whose process died, or whose outcome is unknown."""

from socialgate.areas.operations import store
from socialgate.areas.operations.outcomes import OPERATIONS_WAKE_KEY
from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.tables import OPERATION_QUEUE, OperationRow
from socialgate.contracts.operations import OperationConfirmed
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.runner import QueueRunner

_MAX_CONCURRENT_LOOKUPS = 10


class OperationLookupWorker:
    def __init__(self, db: Database, operations: OperationService) -> None:
        runner: QueueRunner[OperationRow] = QueueRunner(
            db,
            OPERATION_QUEUE,
            operations.resolve_in_background,
            hint=OPERATIONS_WAKE_KEY,
            max_concurrent=_MAX_CONCURRENT_LOOKUPS,
            max_claims_per_round=_MAX_CONCURRENT_LOOKUPS,
        )
        self.run = runner.run
        self.stop = runner.stop


async def on_call_proven(tx: Tx, fact: OperationConfirmed, owner_id: str) -> None:
    """Settle a call that the platform's own report has proven.

    Not here: the process that looks holds the claim, and writes the outcome as after any other lookup.
    """
    if await store.schedule_lookup_now(tx, owner_id, fact):
        tx.wake_on_commit(OPERATIONS_WAKE_KEY)
