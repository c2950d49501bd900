"""Calls that change something on a platform: each is made at most once, and its outcome is reported truthfully.

    begun   a commit records what is about to be done, for which account (or the profile of an account to connect), and
            under which Idempotency-Key
    called  once; after a lost response the platform is asked for the result, if it supports that; it is never guessed
    known   the outcome, the area's own rows, the events and the response for the key are one transaction

A process that dies in between leaves a row that says so. A repeated request with the same key, or a background worker
after a while, asks the platform for the result of the call; neither makes it again. All states of an operation are in
this file, which is why it has so many lines.
"""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar

import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations import store
from socialgate.areas.operations.bound_operation import BoundOperation, bind_connect, bind_series, bind_to_account
from socialgate.areas.operations.encryption import OperationCipher
from socialgate.areas.operations.outcomes import (
    DeferredOutcomeWriter,
    record_unconfirmed_outcome,
    write_failure,
    write_outcome,
)
from socialgate.areas.operations.schemas import Operation, OperationsQuery
from socialgate.areas.operations.series import SeriesReverted, StepLog
from socialgate.areas.operations.tables import (
    OPERATION_LEASE,
    OPERATION_QUEUE,
    OPERATION_RETENTION,
    OperationRow,
    OperationStatus,
    is_held_by_restore,
)
from socialgate.areas.operations.views import build_operation_view
from socialgate.contracts.account_connection import AccountOwner
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure, PlatformUnavailableError
from socialgate.contracts.operations import (
    AnyConnectType,
    AnyOperationType,
    ConnectOperationType,
    NotFoundYet,
    OperationFailure,
    OperationSeriesType,
    OperationType,
    Q,
    R,
    V,
)
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.core.background import BackgroundTasks
from socialgate.core.caller import Caller
from socialgate.core.db import Database, TransactionFunction, Tx
from socialgate.core.encryption import Keyring
from socialgate.core.errors import IdempotencyKeyInUse, InternalError, NotFound, ServiceError, Unavailable
from socialgate.core.ids import new_id
from socialgate.core.jobs.leases import LeaseRenewer
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page_from_rows
from socialgate.web.schemas import Page

# Longer than any call is waited for: a platform does not execute a call later than this.
_MAX_EXECUTION_DELAY = OPERATION_LEASE
_KEY_IN_USE_DETAIL = "The first request with this Idempotency-Key is still in progress."
_NOT_EXECUTED_DETAIL = "The platform did not execute this. Send the request again."
_RESPONSE_LOST_DETAIL = "The process that made the call ended before the response arrived."
_TAKEN_OVER_DETAIL = "The call took so long that its outcome is found out elsewhere. GET /operations/{id} shows it."
_NOT_SHOWN_YET_DETAIL = "The platform does not show it so far, but may still execute it."
_CREATED_BY_OTHER_DETAIL = "The platform only shows an identical object that another request created."
_LOOKUP_FAILED_DETAIL = "An internal error prevented asking the platform."
_NOT_SHOWN_AFTER_RESTORE_DETAIL = (
    "The service was restored from a backup, and the platform does not show that this was done."
)
_CANNOT_LOOK_UP_DETAIL = "The platform may have executed this, and offers no way to find out."

Row: TypeAlias = AccountRow
C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class OperationService:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        keyring: Keyring,
        types: Sequence[AnyOperationType | AnyConnectType],
    ) -> None:
        self._db = db
        self._session = session
        self._sealed = OperationCipher(keyring)
        self._types = {item.name: item for item in types}
        self._calls = BackgroundTasks()
        self._leases = LeaseRenewer(db, OPERATION_QUEUE)
        self._late = DeferredOutcomeWriter(self._leases)

    async def close(self) -> None:
        """Wait for the calls that are in progress."""
        await self._calls.wait_all()
        await self._late.close()

    async def run(self, work: UnitOfWork, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call for an account, and answer the request with what `record` returns.

        A client that disconnects must not leave the outcome unrecorded: the call runs to its end without it.
        """
        requested_bound_operation = bind_to_account(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(work, requested_bound_operation)))

    async def run_series(self, work: UnitOfWork, account: Row, kind: OperationSeriesType[C, Q, V], request: Q) -> V:
        """Make several calls for an account, of which all succeed or none stays."""
        requested_bound_operation = bind_series(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(work, requested_bound_operation)))

    async def run_without_response(self, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call that is only part of a request: its result is not the response of the request."""
        requested_bound_operation = bind_to_account(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(None, requested_bound_operation)))

    async def run_connect_operation(
        self, work: UnitOfWork, place: AccountOwner, operation_type: ConnectOperationType[Q, R, V], request: Q
    ) -> V:
        """Make the call that connects an account, and answer the request with what `record` returns."""
        requested_bound_operation = bind_connect(self._session, place, operation_type, request)
        return await asyncio.shield(self._calls.start(self._run(work, requested_bound_operation)))

    async def list(self, tx: Tx, caller: Caller, query: OperationsQuery) -> Page[Operation]:
        return build_page_from_rows(
            await store.list_operations_page(tx, caller.owner_id, caller, query), query, build_operation_view
        )

    async def read(self, tx: Tx, caller: Caller, operation_id: str) -> Operation:
        row = await store.find_operation(tx, caller.owner_id, operation_id)
        if row is None:
            raise NotFound("There is no operation with this id. GET /operations lists those of the last 30 days.")
        caller.require_profile_access(row.profile_id)
        return build_operation_view(row)

    async def _run(self, work: UnitOfWork | None, operation: BoundOperation[R, V]) -> V:
        key = None if work is None else work.request_key
        begun = await self._db.write(self._begin_operation, key, operation)
        if begun.row.answer is not None:
            return await self._write(work, self._replay_response, begun.row, operation.response_type)
        try:
            with self._leases.keep_renewed(begun):
                return await self._execute(work, begun, operation)
        except ClaimLost:
            if work is None:
                raise
            log.warning("operation_taken_over", operation=operation.name, id=begun.row.id)
            raise OutcomeUnknownError(_TAKEN_OVER_DETAIL.format(id=begun.row.id), platform=operation.platform) from None

    async def _execute(
        self, work: UnitOfWork | None, claimed: ClaimedRow[OperationRow], operation: BoundOperation[R, V]
    ) -> V:
        """Make the call, unless it was started before: then only look up its result."""
        row = claimed.row
        is_first = row.status is OperationStatus.RUNNING and row.claim_id is None
        if not is_first and not operation.repeatable:
            return await self._answer_from_lookup(
                work, claimed, operation.rebind(self._sealed.decrypt_request(row, type(operation.request)))
            )
        refusals: tuple[type[ServiceError], ...] = (PlatformFailure, *operation.rejection_errors)
        try:
            result = await operation.call(StepLog(self._db, claimed))
        except OutcomeUnknownError as failure:
            log.info("outcome_unknown", operation=operation.name, detail=failure.detail)
            return await self._answer_from_lookup(work, claimed, operation)
        except refusals as failure:
            await self._write_or_defer(claimed, write_failure, claimed, operation, failure)
            raise
        except ClaimLost:
            raise
        except Unavailable:
            self._late.add(
                claimed, partial(self._db.write, record_unconfirmed_outcome, claimed, operation, _RESPONSE_LOST_DETAIL)
            )
            raise
        except Exception:
            await self._revert_series(claimed, operation)
            raise
        return await self._record_or_defer(work, claimed, operation, result)

    async def _write_or_defer(
        self, claimed: ClaimedRow[OperationRow], unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write the outcome of a call: now, or when the database is back."""
        write = partial(self._db.write, unit, *args, **kwargs)
        try:
            return await write()
        except Unavailable:
            self._late.add(claimed, write)
            raise

    async def _revert_series(self, claimed: ClaimedRow[OperationRow], operation: BoundOperation[Any, Any]) -> None:
        """Revert several calls of which one broke by an error of ours. If that fails too, the later lookup does it."""
        if operation.revert is None:
            return
        try:
            given_up = await operation.revert(await StepLog.reload(self._db, claimed))
            if isinstance(given_up, SeriesReverted):
                await self._db.write(write_failure, claimed, operation, InternalError(given_up.why))
            else:
                await self._db.write(record_unconfirmed_outcome, claimed, operation, given_up.reason)
        except Exception:
            log.exception("not_reverted", operation=operation.name, id=claimed.row.id)

    async def _begin_operation(
        self, tx: Tx, key: str | None, operation: BoundOperation[R, V]
    ) -> ClaimedRow[OperationRow]:
        """Record what is about to be done. Returned as it was before, to show whether somebody else started it."""
        owner_id = operation.owner_id
        before = None if key is None else await store.find_operation_by_idempotency_key(tx, owner_id, key)
        if before is not None and before.status in _OPEN_STATUSES:
            claimed = await OPERATION_QUEUE.claim_one(tx, owner_id, before.id)
            if claimed is None:
                raise IdempotencyKeyInUse(_KEY_IN_USE_DETAIL, retry_after=self._compute_retry_after_seconds(tx, before))
            return claimed
        if before is not None and before.answer is not None:
            return ClaimedRow(before, (owner_id, before.id), "")
        if before is not None:
            # It failed and nothing was done, or its response expired with the key, as documented.
            await store.clear_idempotency_key(tx, owner_id, before.id)
        operation_id = new_id("op")
        values = {
            "id": operation_id,
            "profile_id": operation.profile_id,
            "account_id": operation.account_id,
            "operation": operation.name,
            "status": OperationStatus.RUNNING,
            "idempotency": key,
            "request": dict(operation.request_summary),
            "sealed": self._sealed.encrypt_request(owner_id, operation_id, operation.request),
            # Nobody else takes it while this process may be alive.
            "due_at": tx.now + OPERATION_LEASE,
            "started_at": tx.now,
            "expires_at": tx.now + OPERATION_RETENTION,
        }
        await store.insert_operation(tx, owner_id, values)
        if operation.begin is not None:
            await operation.begin(tx)
        claimed = await OPERATION_QUEUE.claim_one(tx, owner_id, operation_id)
        assert claimed is not None, "it was written in this very transaction"
        return claimed

    def _compute_retry_after_seconds(self, tx: Tx, row: OperationRow) -> int:
        """Return when to ask again: soon if this process makes the call, else when the lease of the other expires."""
        if row.claim_until is None or self._leases.is_renewing((row.owner_id, row.id)):
            return 1
        return max(1, math.ceil((row.claim_until - tx.now).total_seconds()))

    async def _write(
        self, work: UnitOfWork | None, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write the outcome, with the response for the Idempotency-Key if the call is what the request asked for."""
        return await (self._db.write if work is None else work.write)(unit, *args, **kwargs)

    async def _answer_from_lookup(
        self, work: UnitOfWork | None, claimed: ClaimedRow[OperationRow], operation: BoundOperation[R, V]
    ) -> V:
        """Answer a request about a call whose outcome is unknown, as truthfully as possible."""
        try:
            looked = await self._look_up_result(claimed, operation)
        except Unavailable:
            self._late.add(
                claimed, partial(self._db.write, record_unconfirmed_outcome, claimed, operation, _RESPONSE_LOST_DETAIL)
            )
            raise
        match looked:
            case SafeToRetry() | SeriesReverted():
                why = looked.why if isinstance(looked, SeriesReverted) else _NOT_EXECUTED_DETAIL
                failure = PlatformUnavailableError(why, platform=operation.platform, retry_after=1)
                await self._write_or_defer(claimed, write_failure, claimed, operation, failure)
                raise failure
            case Inconclusive():
                await self._write_or_defer(claimed, record_unconfirmed_outcome, claimed, operation, looked.reason)
                raise OutcomeUnknownError(
                    f"{looked.reason} It is not repeated automatically: check the platform, and see GET "
                    f"/operations/{claimed.row.id} for later results.",
                    platform=operation.platform,
                )
            case result:
                return await self._record_or_defer(work, claimed, operation, result)

    async def _look_up_result(
        self, claimed: ClaimedRow[OperationRow], operation: BoundOperation[R, V]
    ) -> R | SafeToRetry | SeriesReverted | Inconclusive:
        looked = await self._look_up(claimed, operation)
        if is_held_by_restore(claimed.row) and isinstance(looked, SafeToRetry | SeriesReverted):
            # It may have been done, and changed or removed since, by processes that are not on record.
            return Inconclusive(_NOT_SHOWN_AFTER_RESTORE_DETAIL)
        return looked

    async def _look_up(
        self, claimed: ClaimedRow[OperationRow], operation: BoundOperation[R, V]
    ) -> R | SafeToRetry | SeriesReverted | Inconclusive:
        row = claimed.row
        look = operation.find if is_held_by_restore(row) and operation.find is not None else operation.look_up
        learned = None if operation.find_proven_result is None else await self._db.read(operation.find_proven_result)
        if learned is not None:
            return learned
        if look is None:
            return SafeToRetry() if operation.repeatable else Inconclusive(_CANNOT_LOOK_UP_DETAIL)
        try:
            looked = await look(await StepLog.reload(self._db, claimed))
        except PlatformFailure as failure:
            return Inconclusive(failure.detail)
        if isinstance(looked, NotFoundYet):
            is_over = self._db.clock.now() - row.started_at >= _MAX_EXECUTION_DELAY
            return SafeToRetry() if is_over else Inconclusive(_NOT_SHOWN_YET_DETAIL)
        if operation.creates and not isinstance(looked, SafeToRetry | SeriesReverted | Inconclusive):
            object_id = operation.object_id(looked)
            if await self._db.read(store.belongs_to_other_operation, row, object_id):
                return Inconclusive(_CREATED_BY_OTHER_DETAIL)
        return looked

    async def report_unknown_outcome(self, tx: Tx, row: OperationRow, why: str) -> None:
        """Have the area's own rows show that the result of a call is unknown."""
        try:
            requested_bound_operation = await self._rebind_operation(row)
        except ServiceError as error:  # such as a platform that is no longer configured
            log.info("not_reported", operation=row.operation, code=error.code)
            return
        if requested_bound_operation is not None and requested_bound_operation.on_unfinished is not None:
            await requested_bound_operation.on_unfinished(
                tx, OperationFailure(code=OutcomeUnknownError.code, detail=why, final=False)
            )

    async def resolve_in_background(self, claimed: ClaimedRow[OperationRow]) -> None:
        """Find out the result of a call in the background: its process died, or the outcome was unknown."""
        requested_bound_operation = None
        try:
            requested_bound_operation = await self._rebind_operation(claimed.row)
            if requested_bound_operation is None:
                await self._db.write(record_unconfirmed_outcome, claimed, None, _RESPONSE_LOST_DETAIL, last=True)
            else:
                await self._resolve_outcome(claimed, requested_bound_operation)
        except (ClaimLost, Unavailable):
            raise
        except ServiceError as error:  # such as a platform that is no longer configured
            await self._db.write(record_unconfirmed_outcome, claimed, requested_bound_operation, error.detail)
        except Exception:
            # It counts like any other lookup, so that one that always fails ends.
            log.exception("lookup_failed", operation=claimed.row.operation, id=claimed.row.id)
            await self._db.write(record_unconfirmed_outcome, claimed, requested_bound_operation, _LOOKUP_FAILED_DETAIL)

    async def _resolve_outcome(self, claimed: ClaimedRow[OperationRow], operation: BoundOperation[Any, Any]) -> None:
        match await self._look_up_result(claimed, operation):
            case SafeToRetry() | SeriesReverted() as looked:
                why = looked.why if isinstance(looked, SeriesReverted) else _NOT_EXECUTED_DETAIL
                failure = PlatformUnavailableError(why, platform=operation.platform)
                await self._db.write(write_failure, claimed, operation, failure)
            case Inconclusive() as looked:
                await self._db.write(record_unconfirmed_outcome, claimed, operation, looked.reason)
            case result:
                # The request has ended, so there is nobody to return the error to.
                with suppress(*operation.rejection_errors):
                    await self._record_or_defer(None, claimed, operation, result, store_response=True)

    async def _rebind_operation(self, row: OperationRow) -> BoundOperation[Any, Any] | None:
        """Bind a call again as it was requested; None if that is no longer known, or its account was removed."""
        kind = self._types.get(row.operation)
        if kind is None or row.sealed is None:
            return None
        request = self._sealed.decrypt_request(row, kind.request)
        if isinstance(kind, ConnectOperationType):
            return bind_connect(self._session, AccountOwner(row.owner_id, row.profile_id, kind.platform), kind, request)
        assert row.account_id is not None, "only an account that is to be connected has no id yet"
        account = await self._db.read(accounts.find_account, row.owner_id, row.account_id)
        if account is None:
            return None
        if isinstance(kind, OperationSeriesType):
            return bind_series(self._session, account, kind, request)
        return bind_to_account(self._session, account, kind, request)

    async def _record_or_defer(
        self,
        work: UnitOfWork | None,
        claimed: ClaimedRow[OperationRow],
        operation: BoundOperation[R, V],
        result: R,
        *,
        store_response: bool = False,
    ) -> V:
        """Record what the platform has done: now, or when the database is back."""
        try:
            return await self._record_or_undo(work, claimed, operation, result, store_response=store_response)
        except Unavailable:
            self._late.add(
                claimed, partial(self._record_or_undo, None, claimed, operation, result, store_response=True)
            )
            raise

    async def _record_or_undo(
        self,
        work: UnitOfWork | None,
        claimed: ClaimedRow[OperationRow],
        operation: BoundOperation[R, V],
        result: R,
        *,
        store_response: bool,
    ) -> V:
        """What cannot be recorded is removed from the platform, and the request is rejected."""
        try:
            answer = await self._write(
                work, self._record_success, claimed, operation, result, store_response=store_response
            )
        except operation.rejection_errors as refusal:
            left = await self._undo(operation, result)
            await self._db.write(write_failure, claimed, operation, refusal, left)
            raise
        if operation.after_commit is not None:
            await operation.after_commit(result, answer)
        return answer

    async def _undo(self, operation: BoundOperation[R, V], result: R) -> str | None:
        """Remove from the platform what cannot be recorded. Returns its id if that failed."""
        try:
            if operation.undo is not None:
                await operation.undo(result)
        except PlatformFailure as failure:
            log.warning("left_behind", operation=operation.name, code=failure.code, detail=failure.detail)
            return operation.object_id(result)
        return None

    async def _record_success(
        self,
        tx: Tx,
        claimed: ClaimedRow[OperationRow],
        operation: BoundOperation[R, V],
        result: R,
        *,
        store_response: bool,
    ) -> V:
        """Write the outcome together with the area's rows. If nobody waits for the response, it is stored."""
        answer = await operation.record(tx, result)
        values: dict[str, Any] = {
            "account_id": operation.get_account_id(answer),
            "platform_object_id": operation.object_id(result),
            "error": None,
            "sealed": None,
        }
        if store_response:
            values["answer"] = self._sealed.encrypt_response(claimed.row, answer)
        await write_outcome(tx, claimed, values)
        return answer

    async def _replay_response(self, tx: Tx, row: OperationRow, answer: type[V]) -> V:
        del tx
        return self._sealed.decrypt_response(row, answer)


_OPEN_STATUSES = frozenset({OperationStatus.RUNNING, OperationStatus.UNCONFIRMED})
