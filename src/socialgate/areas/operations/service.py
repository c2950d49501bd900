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
from socialgate.areas.operations.asked import Asked, for_account, in_series, to_connect
from socialgate.areas.operations.outcomes import LateOutcomes, fail, leave_open, settle
from socialgate.areas.operations.schemas import Operation, OperationsQuery
from socialgate.areas.operations.sealing import Sealed
from socialgate.areas.operations.showing import show
from socialgate.areas.operations.steps import Reverted, StepLog
from socialgate.areas.operations.tables import KEPT, LEASE, QUEUE, OperationRow, OperationStatus, is_restored
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import Place
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, TemporarilyUnavailable
from socialgate.contracts.operations import (
    AnyConnectType,
    AnyOperationType,
    ConnectType,
    NotSeen,
    OperationType,
    Q,
    R,
    SeriesType,
    Unfinished,
    V,
)
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.background import BackgroundTasks
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx, Unit
from socialgate.core.errors import IdempotencyKeyInUse, InternalError, NotFound, ServiceError, Unavailable
from socialgate.core.ids import new_id
from socialgate.core.jobs.leases import Leases
from socialgate.core.jobs.queue import Claimed
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.secrets import Keyring
from socialgate.core.work import Work
from socialgate.web.paging import page_of
from socialgate.web.schema import Page

# Longer than any call is waited for: a platform does not execute a call later than this.
_TOO_LATE = LEASE
_BUSY = "The first request with this Idempotency-Key is still in progress."
_NOT_DONE = "The platform did not execute this. Send the request again."
_LOST = "The process that made the call ended before the response arrived."
_TAKEN_OVER = "The call took so long that its outcome is found out elsewhere. GET /operations/{id} shows it."
_NOT_YET = "The platform does not show it so far, but may still execute it."
_ANOTHER = "The platform only shows an identical object that another request created."
_BROKEN = "An internal error prevented asking the platform."
_NOT_SHOWN = "The service was restored from a backup, and the platform does not show that this was done."
_NO_WAY = "The platform may have executed this, and offers no way to find out."

Row: TypeAlias = AccountRow
C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class Operations:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        keyring: Keyring,
        types: Sequence[AnyOperationType | AnyConnectType],
    ) -> None:
        self._db = db
        self._session = session
        self._sealed = Sealed(keyring)
        self._types = {one.name: one for one in types}
        self._calls = BackgroundTasks()
        self._leases = Leases(db, QUEUE)
        self._late = LateOutcomes(self._leases)

    async def close(self) -> None:
        """Wait for the calls that are in progress."""
        await self._calls.finish()
        await self._late.close()

    async def run(self, work: Work, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call for an account, and answer the request with what `record` returns.

        A client that disconnects must not leave the outcome unrecorded: the call runs to its end without it.
        """
        asked = for_account(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(work, asked)))

    async def run_series(self, work: Work, account: Row, kind: SeriesType[C, Q, V], request: Q) -> V:
        """Make several calls for an account, of which all succeed or none stays."""
        asked = in_series(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(work, asked)))

    async def perform(self, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call that is only part of a request: its result is not the response of the request."""
        asked = for_account(self._session, account, kind, request)
        return await asyncio.shield(self._calls.start(self._run(None, asked)))

    async def connect(self, work: Work, place: Place, kind: ConnectType[Q, R, V], request: Q) -> V:
        """Make the call that connects an account, and answer the request with what `record` returns."""
        asked = to_connect(self._session, place, kind, request)
        return await asyncio.shield(self._calls.start(self._run(work, asked)))

    async def list(self, tx: Tx, caller: Caller, query: OperationsQuery) -> Page[Operation]:
        return page_of(await store.page(tx, caller.owner_id, caller, query), query, show)

    async def read(self, tx: Tx, caller: Caller, operation_id: str) -> Operation:
        found = await store.find(tx, caller.owner_id, operation_id)
        if found is None:
            raise NotFound("There is no operation with this id. GET /operations lists those of the last 30 days.")
        caller.require_profile(found.profile_id)
        return show(found)

    async def _run(self, work: Work | None, asked: Asked[R, V]) -> V:
        key = None if work is None else work.idempotency
        begun = await self._db.write(self._begin, key, asked)
        if begun.row.answer is not None:
            return await self._write(work, self._given_again, begun.row, asked.answer)
        try:
            with self._leases.held(begun):
                return await self._go_on(work, begun, asked)
        except ClaimLost:
            if work is None:
                raise
            log.warning("operation_taken_over", operation=asked.name, id=begun.row.id)
            raise OutcomeUnknown(_TAKEN_OVER.format(id=begun.row.id), platform=asked.platform) from None

    async def _go_on(self, work: Work | None, begun: Claimed[OperationRow], asked: Asked[R, V]) -> V:
        """Make the call, unless it was started before: then only look up its result."""
        row = begun.row
        is_first = row.status is OperationStatus.RUNNING and row.claim_id is None
        if not is_first and not asked.repeatable:
            return await self._look(work, begun, asked.again(self._sealed.request_of(row, type(asked.request))))
        refusals: tuple[type[ServiceError], ...] = (PlatformFailure, *asked.refusals)
        try:
            result = await asked.call(StepLog(self._db, begun))
        except OutcomeUnknown as failure:
            log.info("outcome_unknown", operation=asked.name, detail=failure.detail)
            return await self._look(work, begun, asked)
        except refusals as failure:
            await self._conclude(begun, fail, begun, asked, failure)
            raise
        except ClaimLost:
            raise
        except Unavailable:
            self._late.add(begun, partial(self._db.write, leave_open, begun, asked, _LOST))
            raise
        except Exception:
            await self._give_up(begun, asked)
            raise
        return await self._known(work, begun, asked, result)

    async def _conclude(self, claimed: Claimed[OperationRow], unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write the outcome of a call: now, or when the database is back."""
        write = partial(self._db.write, unit, *args, **kwargs)
        try:
            return await write()
        except Unavailable:
            self._late.add(claimed, write)
            raise

    async def _give_up(self, begun: Claimed[OperationRow], asked: Asked[Any, Any]) -> None:
        """Revert several calls of which one broke by an error of ours. If that fails too, the later lookup does it."""
        if asked.give_up is None:
            return
        try:
            given_up = await asked.give_up(await StepLog.as_it_is(self._db, begun))
            if isinstance(given_up, Reverted):
                await self._db.write(fail, begun, asked, InternalError(given_up.why))
            else:
                await self._db.write(leave_open, begun, asked, given_up.why)
        except Exception:
            log.exception("not_reverted", operation=asked.name, id=begun.row.id)

    async def _begin(self, tx: Tx, key: str | None, asked: Asked[R, V]) -> Claimed[OperationRow]:
        """Record what is about to be done. Returned as it was before, to show whether somebody else started it."""
        owner_id = asked.owner_id
        before = None if key is None else await store.find_by_key(tx, owner_id, key)
        if before is not None and before.status in _OPEN:
            claimed = await QUEUE.claim_one(tx, owner_id, before.id)
            if claimed is None:
                raise IdempotencyKeyInUse(_BUSY, retry_after=self._seconds_left(tx, before))
            return claimed
        if before is not None and before.answer is not None:
            return Claimed(before, (owner_id, before.id), "")
        if before is not None:
            # It failed and nothing was done, or its response expired with the key, as documented.
            await store.forget_key(tx, owner_id, before.id)
        operation_id = new_id("op")
        values = {
            "id": operation_id,
            "profile_id": asked.profile_id,
            "account_id": asked.account_id,
            "operation": asked.name,
            "status": OperationStatus.RUNNING,
            "idempotency": key,
            "request": dict(asked.shown),
            "sealed": self._sealed.request(owner_id, operation_id, asked.request),
            # Nobody else takes it while this process may be alive.
            "due_at": tx.now + LEASE,
            "started_at": tx.now,
            "expires_at": tx.now + KEPT,
        }
        await store.insert(tx, owner_id, values)
        if asked.begin is not None:
            await asked.begin(tx)
        claimed = await QUEUE.claim_one(tx, owner_id, operation_id)
        assert claimed is not None, "it was written in this very transaction"
        return claimed

    def _seconds_left(self, tx: Tx, row: OperationRow) -> int:
        """Return when to ask again: soon if this process makes the call, else when the lease of the other expires."""
        if row.claim_until is None or self._leases.renews((row.owner_id, row.id)):
            return 1
        return max(1, math.ceil((row.claim_until - tx.now).total_seconds()))

    async def _write(self, work: Work | None, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write the outcome, with the response for the Idempotency-Key if the call is what the request asked for."""
        return await (self._db.write if work is None else work.write)(unit, *args, **kwargs)

    async def _look(self, work: Work | None, claimed: Claimed[OperationRow], asked: Asked[R, V]) -> V:
        """Answer a request about a call whose outcome is unknown, as truthfully as possible."""
        try:
            looked = await self._ask(claimed, asked)
        except Unavailable:
            self._late.add(claimed, partial(self._db.write, leave_open, claimed, asked, _LOST))
            raise
        match looked:
            case NotThere() | Reverted():
                why = looked.why if isinstance(looked, Reverted) else _NOT_DONE
                failure = TemporarilyUnavailable(why, platform=asked.platform, retry_after=1)
                await self._conclude(claimed, fail, claimed, asked, failure)
                raise failure
            case CannotTell():
                await self._conclude(claimed, leave_open, claimed, asked, looked.why)
                raise OutcomeUnknown(
                    f"{looked.why} It is not repeated automatically: check the platform, and see GET "
                    f"/operations/{claimed.row.id} for later results.",
                    platform=asked.platform,
                )
            case result:
                return await self._known(work, claimed, asked, result)

    async def _ask(self, claimed: Claimed[OperationRow], asked: Asked[R, V]) -> R | NotThere | Reverted | CannotTell:
        looked = await self._look_up(claimed, asked)
        if is_restored(claimed.row) and isinstance(looked, NotThere | Reverted):
            # It may have been done, and changed or removed since, by processes that are not on record.
            return CannotTell(_NOT_SHOWN)
        return looked

    async def _look_up(
        self, claimed: Claimed[OperationRow], asked: Asked[R, V]
    ) -> R | NotThere | Reverted | CannotTell:
        row = claimed.row
        look = asked.find if is_restored(row) and asked.find is not None else asked.look
        learned = None if asked.learned is None else await self._db.read(asked.learned)
        if learned is not None:
            return learned
        if look is None:
            return NotThere() if asked.repeatable else CannotTell(_NO_WAY)
        try:
            looked = await look(await StepLog.as_it_is(self._db, claimed))
        except PlatformFailure as failure:
            return CannotTell(failure.detail)
        if isinstance(looked, NotSeen):
            is_over = self._db.clock.now() - row.started_at >= _TOO_LATE
            return NotThere() if is_over else CannotTell(_NOT_YET)
        if asked.creates and not isinstance(looked, NotThere | Reverted | CannotTell):
            object_id = asked.object_id(looked)
            if await self._db.read(store.is_of_another, row, object_id):
                return CannotTell(_ANOTHER)
        return looked

    async def report_open(self, tx: Tx, row: OperationRow, why: str) -> None:
        """Have the area's own rows show that the result of a call is unknown."""
        try:
            asked = await self._asked_before(row)
        except ServiceError as error:  # such as a platform that is no longer configured
            log.info("not_reported", operation=row.operation, code=error.code)
            return
        if asked is not None and asked.unfinished is not None:
            await asked.unfinished(tx, Unfinished(code=OutcomeUnknown.code, detail=why, final=False))

    async def look_again(self, claimed: Claimed[OperationRow]) -> None:
        """Find out the result of a call in the background: its process died, or the outcome was unknown."""
        asked = None
        try:
            asked = await self._asked_before(claimed.row)
            if asked is None:
                await self._db.write(leave_open, claimed, None, _LOST, last=True)
            else:
                await self._find_out(claimed, asked)
        except (ClaimLost, Unavailable):
            raise
        except ServiceError as error:  # such as a platform that is no longer configured
            await self._db.write(leave_open, claimed, asked, error.detail)
        except Exception:
            # It counts like any other lookup, so that one that always fails ends.
            log.exception("lookup_failed", operation=claimed.row.operation, id=claimed.row.id)
            await self._db.write(leave_open, claimed, asked, _BROKEN)

    async def _find_out(self, claimed: Claimed[OperationRow], asked: Asked[Any, Any]) -> None:
        match await self._ask(claimed, asked):
            case NotThere() | Reverted() as looked:
                why = looked.why if isinstance(looked, Reverted) else _NOT_DONE
                failure = TemporarilyUnavailable(why, platform=asked.platform)
                await self._db.write(fail, claimed, asked, failure)
            case CannotTell() as looked:
                await self._db.write(leave_open, claimed, asked, looked.why)
            case result:
                # The request has ended, so there is nobody to return the error to.
                with suppress(*asked.refusals):
                    await self._known(None, claimed, asked, result, keep=True)

    async def _asked_before(self, row: OperationRow) -> Asked[Any, Any] | None:
        """Bind a call again as it was requested; None if that is no longer known, or its account was removed."""
        kind = self._types.get(row.operation)
        if kind is None or row.sealed is None:
            return None
        request = self._sealed.request_of(row, kind.request)
        if isinstance(kind, ConnectType):
            return to_connect(self._session, Place(row.owner_id, row.profile_id, kind.platform), kind, request)
        assert row.account_id is not None, "only an account that is to be connected has no id yet"
        account = await self._db.read(accounts.find_account, row.owner_id, row.account_id)
        if account is None:
            return None
        if isinstance(kind, SeriesType):
            return in_series(self._session, account, kind, request)
        return for_account(self._session, account, kind, request)

    async def _known(
        self,
        work: Work | None,
        claimed: Claimed[OperationRow],
        asked: Asked[R, V],
        result: R,
        *,
        keep: bool = False,
    ) -> V:
        """Record what the platform has done: now, or when the database is back."""
        try:
            return await self._recorded(work, claimed, asked, result, keep=keep)
        except Unavailable:
            self._late.add(claimed, partial(self._recorded, None, claimed, asked, result, keep=True))
            raise

    async def _recorded(
        self, work: Work | None, claimed: Claimed[OperationRow], asked: Asked[R, V], result: R, *, keep: bool
    ) -> V:
        """What cannot be recorded is removed from the platform, and the request is rejected."""
        try:
            answer = await self._write(work, self._succeed, claimed, asked, result, keep=keep)
        except asked.refusals as refusal:
            left = await self._undo(asked, result)
            await self._db.write(fail, claimed, asked, refusal, left)
            raise
        if asked.after is not None:
            await asked.after(result, answer)
        return answer

    async def _undo(self, asked: Asked[R, V], result: R) -> str | None:
        """Remove from the platform what cannot be recorded. Returns its id if that failed."""
        try:
            if asked.undo is not None:
                await asked.undo(result)
        except PlatformFailure as failure:
            log.warning("left_behind", operation=asked.name, code=failure.code, detail=failure.detail)
            return asked.object_id(result)
        return None

    async def _succeed(self, tx: Tx, claimed: Claimed[OperationRow], asked: Asked[R, V], result: R, *, keep: bool) -> V:
        """Write the outcome together with the area's rows. If nobody waits for the response, it is stored."""
        answer = await asked.record(tx, result)
        values: dict[str, Any] = {
            "account_id": asked.account_of(answer),
            "platform_object_id": asked.object_id(result),
            "error": None,
            "sealed": None,
        }
        if keep:
            values["answer"] = self._sealed.answer(claimed.row, answer)
        await settle(tx, claimed, values)
        return answer

    async def _given_again(self, tx: Tx, row: OperationRow, answer: type[V]) -> V:
        del tx
        return self._sealed.answer_of(row, answer)


_OPEN = frozenset({OperationStatus.RUNNING, OperationStatus.UNCONFIRMED})
