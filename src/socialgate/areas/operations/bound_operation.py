"""A call to a platform, bound to its subject: an account, or a place where one will be connected."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations.series import BoundSeries, SeriesReverted, StepLog
from socialgate.contracts.account_connection import AccountOwner
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.operations import (
    ConnectOperationType,
    LookupResult,
    OperationFailure,
    OperationSeriesType,
    OperationType,
    Q,
    R,
    V,
)
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError

P = TypeVar("P")


class BoundOperation(msgspec.Struct, Generic[R, V], frozen=True, kw_only=True):
    """One call, with everything in which the kinds of calls differ.

    A `repeatable` one leaves nothing behind that could be duplicated. `rebind` binds the same call to the request as it
    was when it was first made. `revert` reverts several calls of which one broke. `find` looks for the results of
    several calls without reverting any.
    """

    name: str
    owner_id: str
    profile_id: str
    account_id: str | None
    platform: str
    request: msgspec.Struct
    request_summary: Mapping[str, Any]
    response_type: type[V]
    call: Callable[[StepLog], Awaitable[R]]
    look_up: Callable[[StepLog], Awaitable[LookupResult[R] | SeriesReverted]] | None
    revert: Callable[[StepLog], Awaitable[SeriesReverted | Inconclusive]] | None = None
    find: Callable[[StepLog], Awaitable[LookupResult[R]]] | None = None
    repeatable: bool = False
    creates: bool = False
    record: Callable[[Tx, R], Awaitable[V]]
    begin: Callable[[Tx], Awaitable[None]] | None = None
    on_unfinished: Callable[[Tx, OperationFailure], Awaitable[None]] | None = None
    find_proven_result: Callable[[Tx], Awaitable[R | None]] | None = None
    rejection_errors: tuple[type[ServiceError], ...] = ()
    undo: Callable[[R], Awaitable[None]] | None = None
    after_commit: Callable[[R, V], Awaitable[None]] | None = None
    object_id: Callable[[R], str | None]
    get_account_id: Callable[[V], str | None]
    rebind: Callable[[Any], "BoundOperation[R, V]"]


def bind_to_account(
    session: AccountSession, account: AccountRow, operation_type: OperationType[P, Q, R, V], request: Q
) -> BoundOperation[R, V]:
    """Make a call for an account. Rejected here if its kind does not support it."""
    part, look = (
        session.get_adapter(account, operation_type.capability, operation_type.unsupported_phrase),
        operation_type.look,
    )
    begin, unfinished, learned = (
        operation_type.record_start,
        operation_type.record_failure,
        operation_type.find_reported_result,
    )
    return BoundOperation(
        name=operation_type.name,
        owner_id=account.owner_id,
        profile_id=account.profile_id,
        account_id=account.id,
        platform=account.platform,
        request=request,
        request_summary=operation_type.summarize_request(request),
        response_type=operation_type.response_type,
        call=lambda _: session.call_for_account(
            account, lambda credentials: operation_type.call(part, credentials, request)
        ),
        look_up=None
        if look is None
        else lambda _: session.call_for_account(account, lambda credentials: look(part, credentials, request)),
        creates=operation_type.creates,
        record=lambda tx, result: operation_type.record(tx, account, request, result),
        begin=None if begin is None else lambda tx: begin(tx, account, request),
        on_unfinished=None if unfinished is None else lambda tx, why: unfinished(tx, account, request, why),
        find_proven_result=None if learned is None else lambda tx: learned(tx, account, request),
        object_id=lambda result: operation_type.get_object_id(request, result),
        get_account_id=lambda _: str(account.id),
        rebind=lambda before: bind_to_account(session, account, operation_type, before),
    )


def bind_series(
    session: AccountSession, account: AccountRow, operation_type: OperationSeriesType[P, Q, V], request: Q
) -> BoundOperation[Mapping[str, str], V]:
    """Make several calls for an account."""
    series = BoundSeries(session, account, operation_type, request)
    return BoundOperation(
        name=operation_type.name,
        owner_id=account.owner_id,
        profile_id=account.profile_id,
        account_id=account.id,
        platform=account.platform,
        request=request,
        request_summary=operation_type.summarize_request(request),
        response_type=operation_type.response_type,
        call=series.run,
        look_up=series.resolve_or_revert,
        revert=series.revert_after_error,
        find=series.find_completed_series,
        record=lambda tx, created: operation_type.record(tx, account, request, created),
        object_id=lambda created: created[operation_type.result_step],
        get_account_id=lambda _: str(account.id),
        rebind=lambda before: bind_series(session, account, operation_type, before),
    )


def bind_connect(
    session: AccountSession, place: AccountOwner, operation_type: ConnectOperationType[Q, R, V], request: Q
) -> BoundOperation[R, V]:
    """Make a call that connects an account. Rejected here if the platform is not configured."""
    connector, look, undo = session.get_connector(operation_type.platform), operation_type.look, operation_type.undo
    return BoundOperation(
        name=operation_type.name,
        owner_id=place.owner_id,
        profile_id=place.profile_id,
        account_id=None,
        platform=operation_type.platform,
        request=request,
        request_summary=operation_type.summarize_request(request),
        response_type=operation_type.response_type,
        call=lambda _: operation_type.call(connector, place, request),
        look_up=None if look is None else lambda _: look(connector, place, request),
        repeatable=look is None,
        record=lambda tx, result: operation_type.record(tx, place, request, result),
        rejection_errors=operation_type.undoable_errors,
        undo=None if undo is None else lambda result: undo(connector, result),
        after_commit=lambda result, answer: operation_type.after_stored(place, result, answer),
        object_id=lambda result: operation_type.get_object_id(request, result),
        get_account_id=operation_type.get_account_id,
        rebind=lambda before: bind_connect(session, place, operation_type, before),
    )
