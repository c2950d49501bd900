"""Writing the outcome of a call, also if the database is away at that moment."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog

from socialgate.areas.operations.asked import Asked
from socialgate.areas.operations.tables import LEASE, QUEUE, OperationRow, OperationStatus, is_restored
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.contracts.operations import Unfinished
from socialgate.core.background import BackgroundTasks
from socialgate.core.backoff import backoff
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError, Unavailable
from socialgate.core.jobs.leases import Leases
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost

OPERATIONS = "operations"
# When the platform is asked again about a call whose outcome is unknown, before it is left to a person.
_LOOKS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
# The subject of an error that comes from us and not from the platform.
_OURS = "account_issue"

log = structlog.get_logger(__name__)


async def settle(
    tx: Tx, claimed: Claimed[OperationRow], values: Mapping[str, Any], *, due_at: datetime | None = None
) -> None:
    written = {"status": OperationStatus.SUCCEEDED, "finished_at": tx.now, **values}
    [kept] = await QUEUE.settle(tx, [Outcome(claimed=claimed, values=written, due_at=due_at)])
    if not kept:
        raise ClaimLost
    if due_at is not None:
        tx.wake(OPERATIONS)


async def fail(
    tx: Tx,
    claimed: Claimed[OperationRow],
    asked: Asked[Any, Any],
    failure: ServiceError,
    left: str | None = None,
) -> None:
    category, detail = _OURS, failure.detail
    if isinstance(failure, PlatformFailure):
        category, detail = failure.category, failure.explained
    error = {"code": failure.code, "category": category, "detail": detail}
    values = {"status": OperationStatus.FAILED, "error": error, "sealed": None, "platform_object_id": left}
    if asked.unfinished is not None:
        await asked.unfinished(tx, Unfinished(code=failure.code, detail=detail, final=True))
    await settle(tx, claimed, values)


async def leave_open(
    tx: Tx,
    claimed: Claimed[OperationRow],
    asked: Asked[Any, Any] | None,
    why: str,
    *,
    last: bool = False,
) -> None:
    looks = claimed.row.looks
    due_at = None if last or looks >= len(_LOOKS) else tx.now + _LOOKS[looks]
    error = {"code": OutcomeUnknown.code, "category": OutcomeUnknown.category, "detail": why}
    if is_restored(claimed.row):
        # Only the operator has it looked up again.
        error, due_at = dict(claimed.row.error or {}), None
    values = {"status": OperationStatus.UNCONFIRMED, "error": error, "looks": looks + 1}
    if asked is not None and asked.unfinished is not None:
        await asked.unfinished(tx, Unfinished(code=OutcomeUnknown.code, detail=why, final=False))
    if asked is not None and asked.learned is not None and await asked.learned(tx) is not None:
        # The platform reported it while it was being asked.
        due_at = tx.now
    await settle(tx, claimed, values, due_at=due_at)


class LateOutcomes:
    """Writes outcomes that could not be written, as soon as the database is back.

    The request has failed by then. Whoever repeats it with the same Idempotency-Key would otherwise be told that it is
    still in progress, until the lease of its operation ends.
    """

    def __init__(self, leases: Leases[OperationRow]) -> None:
        self._leases = leases
        self._tasks = BackgroundTasks()
        self._closing = False

    async def close(self) -> None:
        """Try once more, and leave the rest to whoever finds the operations later."""
        self._closing = True
        await self._tasks.finish()

    def add(self, claimed: Claimed[OperationRow], write: Callable[[], Awaitable[Any]]) -> None:
        _ = self._tasks.start(self._write(claimed, write))

    async def _write(self, claimed: Claimed[OperationRow], write: Callable[[], Awaitable[Any]]) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + LEASE.total_seconds()
        with self._leases.held(claimed):
            for wait in backoff():
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
