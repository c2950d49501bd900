"""Writing the outcome of a call, also if the database is away at that moment."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog

from socialgate.areas.operations.bound_operation import BoundOperation
from socialgate.areas.operations.tables import (
    OPERATION_LEASE,
    OPERATION_QUEUE,
    OperationRow,
    OperationStatus,
    is_held_by_restore,
)
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure
from socialgate.contracts.operations import OperationFailure
from socialgate.core.background import BackgroundTasks
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError, Unavailable
from socialgate.core.jobs.leases import LeaseRenewer
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.outage_delays import iterate_outage_delays

OPERATIONS_WAKE_KEY = "operations"
# When the platform is asked again about a call whose outcome is unknown, before it is left to a person.
_LOOKUP_DELAYS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
# The subject of an error that comes from us and not from the platform.
_OWN_ERROR_CATEGORY = "account_issue"

log = structlog.get_logger(__name__)


async def write_outcome(
    tx: Tx, claimed: ClaimedRow[OperationRow], values: Mapping[str, Any], *, due_at: datetime | None = None
) -> None:
    written = {"status": OperationStatus.SUCCEEDED, "finished_at": tx.now, **values}
    [kept] = await OPERATION_QUEUE.write_outcomes(tx, [RowOutcome(claimed=claimed, values=written, due_at=due_at)])
    if not kept:
        raise ClaimLost
    if due_at is not None:
        tx.wake_on_commit(OPERATIONS_WAKE_KEY)


async def write_failure(
    tx: Tx,
    claimed: ClaimedRow[OperationRow],
    requested_bound_operation: BoundOperation[Any, Any],
    failure: ServiceError,
    left: str | None = None,
) -> None:
    category, detail = _OWN_ERROR_CATEGORY, failure.detail
    if isinstance(failure, PlatformFailure):
        category, detail = failure.category, failure.detail_with_vendor_message
    error = {"code": failure.code, "category": category, "detail": detail}
    values = {"status": OperationStatus.FAILED, "error": error, "sealed": None, "platform_object_id": left}
    if requested_bound_operation.on_unfinished is not None:
        await requested_bound_operation.on_unfinished(
            tx, OperationFailure(code=failure.code, detail=detail, final=True)
        )
    await write_outcome(tx, claimed, values)


async def record_unconfirmed_outcome(
    tx: Tx,
    claimed: ClaimedRow[OperationRow],
    requested_bound_operation: BoundOperation[Any, Any] | None,
    why: str,
    *,
    last: bool = False,
) -> None:
    looks = claimed.row.looks
    due_at = None if last or looks >= len(_LOOKUP_DELAYS) else tx.now + _LOOKUP_DELAYS[looks]
    error = {"code": OutcomeUnknownError.code, "category": OutcomeUnknownError.category, "detail": why}
    if is_held_by_restore(claimed.row):
        # Only the operator has it looked up again.
        error, due_at = dict(claimed.row.error or {}), None
    values = {"status": OperationStatus.UNCONFIRMED, "error": error, "looks": looks + 1}
    if requested_bound_operation is not None and requested_bound_operation.on_unfinished is not None:
        await requested_bound_operation.on_unfinished(
            tx, OperationFailure(code=OutcomeUnknownError.code, detail=why, final=False)
        )
    if (
        requested_bound_operation is not None
        and requested_bound_operation.find_proven_result is not None
        and await requested_bound_operation.find_proven_result(tx) is not None
    ):
        # The platform reported it while it was being asked.
        due_at = tx.now
    await write_outcome(tx, claimed, values, due_at=due_at)


class DeferredOutcomeWriter:
    """Writes outcomes that could not be written, as soon as the database is back.

    The request has failed by then. Whoever repeats it with the same Idempotency-Key would otherwise be told that it is
    still in progress, until the lease of its operation ends.
    """

    def __init__(self, leases: LeaseRenewer[OperationRow]) -> None:
        self._leases = leases
        self._tasks = BackgroundTasks()
        self._closing = False

    async def close(self) -> None:
        """Try once more, and leave the rest to whoever finds the operations later."""
        self._closing = True
        await self._tasks.wait_all()

    def add(self, claimed: ClaimedRow[OperationRow], write: Callable[[], Awaitable[Any]]) -> None:
        _ = self._tasks.start(self._write(claimed, write))

    async def _write(self, claimed: ClaimedRow[OperationRow], write: Callable[[], Awaitable[Any]]) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + OPERATION_LEASE.total_seconds()
        with self._leases.keep_renewed(claimed):
            for wait in iterate_outage_delays():
                await asyncio.sleep(wait)
                try:
                    await write()
                except Unavailable:
                    if not self._closing and loop.time() < until:
                        continue
                    log.warning("outcome_not_written", operation=claimed.row.operation, id=claimed.row.id)
                except ClaimLost:
                    # It was written although nobody was told, or somebody else has found out the outcome.
                    log.info("outcome_written_before", operation=claimed.row.operation, id=claimed.row.id)
                except ServiceError as error:
                    # A refusal of ours, which is written as well. Nobody waits for it any more.
                    log.info("outcome_refused", operation=claimed.row.operation, code=error.code)
                except Exception:
                    log.exception("outcome_not_written", operation=claimed.row.operation, id=claimed.row.id)
                return
