"""A call to a platform, bound to its subject: an account, or a place where one will be connected."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations.steps import Reverted, Series, StepLog
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import Place
from socialgate.contracts.operations import ConnectType, Looked, OperationType, Q, R, SeriesType, Unfinished, V
from socialgate.contracts.publishing import CannotTell
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError

P = TypeVar("P")


class Asked(msgspec.Struct, Generic[R, V], frozen=True, kw_only=True):
    """One call, with everything in which the kinds of calls differ.

    A `repeatable` one leaves nothing behind that could be duplicated. `again` binds the same call to the request as it
    was when it was first made. `give_up` reverts several calls of which one broke. `find` looks for the results of
    several calls without reverting any.
    """

    name: str
    owner_id: str
    profile_id: str
    account_id: str | None
    platform: str
    request: msgspec.Struct
    shown: Mapping[str, Any]
    answer: type[V]
    call: Callable[[StepLog], Awaitable[R]]
    look: Callable[[StepLog], Awaitable[Looked[R] | Reverted]] | None
    give_up: Callable[[StepLog], Awaitable[Reverted | CannotTell]] | None = None
    find: Callable[[StepLog], Awaitable[Looked[R]]] | None = None
    repeatable: bool = False
    creates: bool = False
    record: Callable[[Tx, R], Awaitable[V]]
    begin: Callable[[Tx], Awaitable[None]] | None = None
    unfinished: Callable[[Tx, Unfinished], Awaitable[None]] | None = None
    learned: Callable[[Tx], Awaitable[R | None]] | None = None
    refusals: tuple[type[ServiceError], ...] = ()
    undo: Callable[[R], Awaitable[None]] | None = None
    after: Callable[[R, V], Awaitable[None]] | None = None
    object_id: Callable[[R], str | None]
    account_of: Callable[[V], str | None]
    again: Callable[[Any], "Asked[R, V]"]


def for_account(
    session: AccountSession, account: AccountRow, kind: OperationType[P, Q, R, V], request: Q
) -> Asked[R, V]:
    """Make a call for an account. Rejected here if its kind does not support it."""
    part, look = session.part(account, kind.capability, kind.lacks), kind.look
    begin, unfinished, learned = kind.begin, kind.unfinished, kind.learned
    return Asked(
        name=kind.name,
        owner_id=account.owner_id,
        profile_id=account.profile_id,
        account_id=account.id,
        platform=account.platform,
        request=request,
        shown=kind.shown(request),
        answer=kind.answer,
        call=lambda _: session.call_as(account, lambda held: kind.call(part, held, request)),
        look=None if look is None else lambda _: session.call_as(account, lambda held: look(part, held, request)),
        creates=kind.creates,
        record=lambda tx, result: kind.record(tx, account, request, result),
        begin=None if begin is None else lambda tx: begin(tx, account, request),
        unfinished=None if unfinished is None else lambda tx, why: unfinished(tx, account, request, why),
        learned=None if learned is None else lambda tx: learned(tx, account, request),
        object_id=lambda result: kind.object_id(request, result),
        account_of=lambda _: str(account.id),
        again=lambda before: for_account(session, account, kind, before),
    )


def in_series(
    session: AccountSession, account: AccountRow, kind: SeriesType[P, Q, V], request: Q
) -> Asked[Mapping[str, str], V]:
    """Make several calls for an account."""
    series = Series(session, account, kind, request)
    return Asked(
        name=kind.name,
        owner_id=account.owner_id,
        profile_id=account.profile_id,
        account_id=account.id,
        platform=account.platform,
        request=request,
        shown=kind.shown(request),
        answer=kind.answer,
        call=series.run,
        look=series.look,
        give_up=series.give_up,
        find=series.find,
        record=lambda tx, made: kind.record(tx, account, request, made),
        object_id=lambda made: made[kind.last],
        account_of=lambda _: str(account.id),
        again=lambda before: in_series(session, account, kind, before),
    )


def to_connect(session: AccountSession, place: Place, kind: ConnectType[Q, R, V], request: Q) -> Asked[R, V]:
    """Make a call that connects an account. Rejected here if the platform is not configured."""
    connector, look, undo = session.connector(kind.platform), kind.look, kind.undo
    return Asked(
        name=kind.name,
        owner_id=place.owner_id,
        profile_id=place.profile_id,
        account_id=None,
        platform=kind.platform,
        request=request,
        shown=kind.shown(request),
        answer=kind.answer,
        call=lambda _: kind.call(connector, place, request),
        look=None if look is None else lambda _: look(connector, place, request),
        repeatable=look is None,
        record=lambda tx, result: kind.record(tx, place, request, result),
        refusals=kind.refusals,
        undo=None if undo is None else lambda result: undo(connector, result),
        after=lambda result, answer: kind.after(place, result, answer),
        object_id=lambda result: kind.object_id(request, result),
        account_of=kind.account_id,
        again=lambda before: to_connect(session, place, kind, before),
    )
