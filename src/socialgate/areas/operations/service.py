"""Calls that change something on a platform: each is made at most once, and its outcome is answered truly.

    begun   a commit says what is about to be done, for which account, under which Idempotency-Key
    called  once; a lost answer is looked up where the platform allows it, and never guessed
    known   the outcome, the area's own rows, the events and the answer for the key are one transaction

A process that dies in between leaves a row that says so. A request that is repeated with the same key, or the
background after a while, asks the platform what became of the call; neither makes it again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ParamSpec, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations import store
from socialgate.areas.operations.schemas import Operation, OperationError, OperationsQuery
from socialgate.areas.operations.tables import ANSWER, KEPT, LEASE, QUEUE, REQUEST, OperationRow, OperationStatus
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, TemporarilyUnavailable
from socialgate.contracts.operations import AnyOperationType, OperationType, Q, R, V
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.background import BackgroundTasks
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx, Unit
from socialgate.core.errors import IdempotencyKeyInUse, NotFound
from socialgate.core.ids import new_id
from socialgate.core.jobs.leases import Leases
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.secrets import Keyring
from socialgate.core.work import Work
from socialgate.web.paging import page_of
from socialgate.web.schema import Page

OPERATIONS = "operations"
# When the platform is asked again about a call whose outcome is not known, before only a person is left to ask.
_LOOKS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
_LOST = "The process that made the call ended before its answer came."

Row: TypeAlias = sa.Row[Any]
C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class Operations:
    def __init__(
        self, db: Database, session: AccountSession, keyring: Keyring, types: Sequence[AnyOperationType]
    ) -> None:
        self._db = db
        self._session = session
        self._keyring = keyring
        self._types = {one.name: one for one in types}
        self._calls = BackgroundTasks()
        self._leases = Leases(db, QUEUE)

    async def close(self) -> None:
        """Wait for the calls that are in progress."""
        await self._calls.finish()

    async def run(self, work: Work, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call for an account, and answer the request with what `record` gives.

        A client that goes away must not leave the outcome unrecorded: the call runs to its end without it.
        """
        return await asyncio.shield(self._calls.start(self._run(work, account, kind, request)))

    async def perform(self, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        """Make a call that is only a part of what a request asks for: its answer is not the answer of the request."""
        return await asyncio.shield(self._calls.start(self._run(None, account, kind, request)))

    async def list(self, tx: Tx, caller: Caller, query: OperationsQuery) -> Page[Operation]:
        return page_of(await store.page(tx, caller.owner_id, caller, query), query, show)

    async def read(self, tx: Tx, caller: Caller, operation_id: str) -> Operation:
        found = await store.find(tx, caller.owner_id, operation_id)
        if found is None:
            raise NotFound("There is no operation with this id. GET /operations lists those of the last 30 days.")
        caller.require_profile(found.profile_id)
        return show(found)

    async def _run(self, work: Work | None, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> V:
        key = None if work is None else work.idempotency
        begun = await self._db.write(self._begin, key, account, kind, request)
        if begun.row.answer is not None:
            return await self._write(work, self._given_again, begun.row, kind)
        with self._leases.held(begun):
            return await self._go_on(work, begun, account, kind, request)

    async def _go_on(
        self, work: Work | None, begun: Claimed[OperationRow], account: Row, kind: OperationType[C, Q, R, V], request: Q
    ) -> V:
        """Make the call, unless it was begun before: then only ask what became of it."""
        if begun.row.status is not OperationStatus.RUNNING or begun.row.claim_id is not None:
            # As it was asked first: when that was decides what can have come of it.
            return await self._look(work, begun, account, kind, self._open(begun.row, kind))
        part = self._session.part(account, kind.capability, kind.lacks)
        try:
            result = await self._session.call_as(account, lambda held: kind.call(part, held, request))
        except OutcomeUnknown as failure:
            log.info("outcome_unknown", operation=kind.name, detail=failure.detail)
            return await self._look(work, begun, account, kind, request)
        except PlatformFailure as failure:
            await self._db.write(self._fail, begun, failure)
            raise
        return await self._write(work, self._succeed, begun, account, kind, request, result)

    async def _begin(
        self, tx: Tx, key: str | None, account: Row, kind: OperationType[C, Q, R, V], request: Q
    ) -> Claimed[OperationRow]:
        """Write down what is about to be done. Given as it was before, so that what somebody else began shows."""
        owner_id = account.owner_id
        before = None if key is None else await store.find_by_key(tx, owner_id, key)
        if before is not None and before.status in _OPEN:
            claimed = await QUEUE.claim_one(tx, owner_id, before.id)
            if claimed is None:
                raise IdempotencyKeyInUse("The first request with this Idempotency-Key still runs.", retry_after=1)
            return claimed
        if before is not None and before.answer is not None:
            return Claimed(before, (owner_id, before.id), "")
        if before is not None:
            # It failed, and nothing was done; or its answer has been forgotten with the key, as promised.
            await store.forget_key(tx, owner_id, before.id)
        operation_id = new_id("op")
        values = {
            "id": operation_id,
            "profile_id": account.profile_id,
            "account_id": account.id,
            "operation": kind.name,
            "status": OperationStatus.RUNNING,
            "idempotency": key,
            "request": dict(kind.shown(request)),
            "sealed": self._seal(owner_id, operation_id, request),
            # Nobody else takes it before this process must be dead.
            "due_at": tx.now + LEASE,
            "started_at": tx.now,
            "expires_at": tx.now + KEPT,
        }
        await store.insert(tx, owner_id, values)
        claimed = await QUEUE.claim_one(tx, owner_id, operation_id)
        assert claimed is not None, "it was written in this very transaction"
        return claimed

    async def _write(self, work: Work | None, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write the outcome, with the answer for the Idempotency-Key where this is what the request asked for."""
        return await (self._db.write if work is None else work.write)(unit, *args, **kwargs)

    async def _look(
        self,
        work: Work | None,
        claimed: Claimed[OperationRow],
        account: Row,
        kind: OperationType[C, Q, R, V],
        request: Q,
    ) -> V:
        """Answer a request about a call whose outcome is not known, with the truth as far as it can be found out."""
        looked = await self._ask(account, kind, request)
        match looked:
            case NotThere():
                failure = TemporarilyUnavailable(
                    "The platform did not carry this out. Send the request again.",
                    platform=account.platform,
                    retry_after=1,
                )
                await self._db.write(self._fail, claimed, failure)
                raise failure
            case CannotTell():
                await self._db.write(self._leave_open, claimed, looked.why)
                raise OutcomeUnknown(
                    f"{looked.why} It is not repeated by itself: check the platform, and see "
                    f"GET /operations/{claimed.row.id} for what is found out later.",
                    platform=account.platform,
                )
            case result:
                return await self._write(work, self._succeed, claimed, account, kind, request, result)

    async def _ask(self, account: Row, kind: OperationType[C, Q, R, V], request: Q) -> R | NotThere | CannotTell:
        if kind.look is None:
            return CannotTell("The platform may have carried this out, and offers no way to find out.")
        look, part = kind.look, self._session.part(account, kind.capability, kind.lacks)
        try:
            return await self._session.call_as(account, lambda held: look(part, held, request))
        except PlatformFailure as failure:
            return CannotTell(failure.detail)

    async def look_again(self, claimed: Claimed[OperationRow]) -> None:
        """Find out in the background what became of a call: its process died, or nobody could tell before."""
        row = claimed.row
        kind = self._types.get(row.operation)
        account = await self._db.read(accounts.find_account, row.owner_id, row.account_id)
        if kind is None or account is None or row.sealed is None:
            await self._db.write(self._leave_open, claimed, _LOST, last=True)
            return
        request = self._open(row, kind)
        match await self._ask(account, kind, request):
            case NotThere():
                failure = TemporarilyUnavailable("The platform did not carry this out.", platform=account.platform)
                await self._db.write(self._fail, claimed, failure)
            case CannotTell() as looked:
                await self._db.write(self._leave_open, claimed, looked.why)
            case result:
                await self._db.write(self._succeed_unseen, claimed, account, kind, request, result)

    async def _succeed(
        self,
        tx: Tx,
        claimed: Claimed[OperationRow],
        account: Row,
        kind: OperationType[C, Q, R, V],
        request: Q,
        result: R,
    ) -> V:
        await _settle(
            tx, claimed, {"platform_object_id": kind.object_id(request, result), "error": None, "sealed": None}
        )
        return await kind.record(tx, account, request, result)

    async def _succeed_unseen(
        self, tx: Tx, claimed: Claimed[OperationRow], account: Row, kind: AnyOperationType, request: Any, result: Any
    ) -> None:
        """As `_succeed`, and keep the answer for whoever repeats the request."""
        answer = await kind.record(tx, account, request, result)
        row = claimed.row
        purpose = ANSWER.of(owner_id=row.owner_id, id=row.id)
        sealed = self._keyring.seal(msgspec.json.encode(answer).decode(), purpose)
        values = {
            "platform_object_id": kind.object_id(request, result),
            "error": None,
            "sealed": None,
            "answer": sealed,
        }
        await _settle(tx, claimed, values)

    async def _given_again(self, tx: Tx, row: OperationRow, kind: OperationType[C, Q, R, V]) -> V:
        del tx
        assert row.answer is not None, "only an answer that was kept is given again"
        opened = self._keyring.open(row.answer, ANSWER.of(owner_id=row.owner_id, id=row.id))
        return msgspec.json.decode(opened, type=kind.answer)

    async def _fail(self, tx: Tx, claimed: Claimed[OperationRow], failure: PlatformFailure) -> None:
        error = {"code": failure.code, "category": failure.category, "detail": failure.detail}
        await _settle(tx, claimed, {"status": OperationStatus.FAILED, "error": error, "sealed": None})

    async def _leave_open(self, tx: Tx, claimed: Claimed[OperationRow], why: str, *, last: bool = False) -> None:
        looks = claimed.row.looks
        due_at = None if last or looks >= len(_LOOKS) else tx.now + _LOOKS[looks]
        error = {"code": OutcomeUnknown.code, "category": OutcomeUnknown.category, "detail": why}
        values = {"status": OperationStatus.UNCONFIRMED, "error": error, "looks": looks + 1}
        await _settle(tx, claimed, values, due_at=due_at)

    def _seal(self, owner_id: str, operation_id: str, request: msgspec.Struct) -> bytes:
        purpose = REQUEST.of(owner_id=owner_id, id=operation_id)
        return self._keyring.seal(msgspec.json.encode(request).decode(), purpose)

    def _open(self, row: OperationRow, kind: AnyOperationType) -> Any:
        assert row.sealed is not None, "only what is not known yet is asked about"
        opened = self._keyring.open(row.sealed, REQUEST.of(owner_id=row.owner_id, id=row.id))
        return msgspec.json.decode(opened, type=kind.request)


_OPEN = frozenset({OperationStatus.RUNNING, OperationStatus.UNCONFIRMED})


async def _settle(
    tx: Tx, claimed: Claimed[OperationRow], values: Mapping[str, Any], *, due_at: datetime | None = None
) -> None:
    written = {"status": OperationStatus.SUCCEEDED, "finished_at": tx.now, **values}
    [kept] = await QUEUE.settle(tx, [Outcome(claimed=claimed, values=written, due_at=due_at)])
    if not kept:
        raise ClaimLost
    if due_at is not None:
        tx.wake(OPERATIONS)


def show(row: OperationRow) -> Operation:
    is_ad = row.account_id.startswith("adacc_")
    return Operation(
        id=row.id,
        account_id=None if is_ad else row.account_id,
        ad_account_id=row.account_id if is_ad else None,
        operation=row.operation,
        status=row.status,
        started_at=row.started_at,
        finished_at=row.finished_at,
        platform_object_id=row.platform_object_id,
        error=None if row.error is None else OperationError(**row.error),
        request=dict(row.request),
    )
