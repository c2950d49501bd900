"""Calls that change something on a platform: what an area declares for each kind of call.

The operations area makes the call at most once and records the result; see there.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from socialgate.contracts.account_connection import AccountCredentials, AccountOwner
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.platforms import Capability, Platform
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError
from socialgate.core.facts import FactAbout
from socialgate.core.unit_of_work import UnitOfWork

Q = TypeVar("Q", bound=msgspec.Struct)
R = TypeVar("R")
V = TypeVar("V", bound=msgspec.Struct)
P = TypeVar("P")


class NotFoundYet(msgspec.Struct, frozen=True):
    """The platform does not show it so far: it was not done, unless the platform is still processing it.

    For what is found by reading a list. It counts as not done once the call is so old that it cannot take effect any
    more, and as unknown until then.
    """


LookupResult: TypeAlias = R | SafeToRetry | NotFoundYet | Inconclusive


class OperationFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call has no outcome to record: it failed permanently, or its result is unknown (so far)."""

    code: str
    detail: str
    final: bool


class OperationConfirmed(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A platform's own report proves that it executed a call whose response was lost. Published with the owner.

    The call is the one whose `shown` has this value under this name.
    """

    get_account_id: str
    operation: str
    name: str
    value: str


class OperationType(msgspec.Struct, Generic[P, Q, R, V], frozen=True, kw_only=True):
    """One kind of call for a connected account, such as `comments.create`.

    `capability` is what an account must support; `unsupported_phrase` completes the sentence about one that does not,
    such as "has no comments". `call` makes the call, once. `look` finds out the result after a lost response by
    reading; without it a person has to. `record` writes the area's own rows and events and returns the response, in one
    transaction with the outcome. `summarize_request` is what may be seen of the request: neither secrets nor people's
    texts.

    An area whose rows show a call before its outcome is known writes them in `record_start`, together with the record
    of the operation, and records in `record_failure` that it failed or that its result is unknown. If platforms report
    on their own what they did, `find_reported_result` returns what such a report has proven; it is asked before the
    platform is. An area that learns it publishes `OperationConfirmed`, so that the operation does not have to wait for
    its next lookup.

    A call that `creates` something has an object of its own: what `look` finds is not its result if another call of
    this type created it.
    """

    name: str
    request: type[Q]
    response_type: type[V]
    capability: Capability[P]
    unsupported_phrase: str
    call: Callable[[P, AccountCredentials, Q], Awaitable[R]]
    record: Callable[[Tx, AccountRow, Q, R], Awaitable[V]]
    look: Callable[[P, AccountCredentials, Q], Awaitable[LookupResult[R]]] | None = None
    record_start: Callable[[Tx, AccountRow, Q], Awaitable[None]] | None = None
    record_failure: Callable[[Tx, AccountRow, Q, OperationFailure], Awaitable[None]] | None = None
    find_reported_result: Callable[[Tx, AccountRow, Q], Awaitable[R | None]] | None = None
    summarize_request: Callable[[Q], Mapping[str, Any]]
    get_object_id: Callable[[Q, R], str | None]
    creates: bool = False


class SeriesStep(msgspec.Struct, Generic[P, Q], frozen=True, kw_only=True):
    """One of several calls. `call` gets the ids of what the earlier steps created, by their names, and returns its own.

    `look` finds out the result after a lost response, and `undo` removes what the step created. Both are required: what
    a run that failed has created does not stay behind.
    """

    name: str
    call: Callable[[P, AccountCredentials, Q, Mapping[str, str]], Awaitable[str]]
    look: Callable[[P, AccountCredentials, Q, Mapping[str, str]], Awaitable[LookupResult[str]]]
    undo: Callable[[P, AccountCredentials, str], Awaitable[None]]


class OperationSeriesType(msgspec.Struct, Generic[P, Q, V], frozen=True, kw_only=True):
    """Several calls that only make sense together, such as `ads.boost`: all of them are made, or none stays.

    Each step is recorded before and after its call. If one fails, or the process dies between two, everything that was
    created is removed, the newest first; what cannot be removed is named. `record` gets the ids by the names of the
    steps, and `result_step` is the step whose object is the result. `read_result_details` reads what else `record`
    needs to know of it, once everything is created; it may be missing if the platform does not respond. The rest is as
    in `OperationType`.
    """

    name: str
    request: type[Q]
    response_type: type[V]
    capability: Capability[P]
    unsupported_phrase: str
    build_steps: Callable[[P, Q], Sequence[SeriesStep[P, Q]]]
    record: Callable[[Tx, AccountRow, Q, Mapping[str, str]], Awaitable[V]]
    summarize_request: Callable[[Q], Mapping[str, Any]]
    result_step: str
    read_result_details: Callable[[P, AccountCredentials, Mapping[str, str]], Awaitable[Mapping[str, str]]] | None = (
        None
    )


class ConnectOperationType(msgspec.Struct, Generic[Q, R, V], frozen=True, kw_only=True):
    """One kind of call that connects an account, such as `connect.wasender`: there is no account yet.

    Like `OperationType`, with the connector of the platform instead of an account's part of it. Without `look` the call
    leaves nothing behind that could be duplicated, and a repeated request makes it again. `record` may reject what was
    created by raising one of `undoable_errors`; `undo` then removes it from the platform. `after_stored` runs once the
    account is stored, and must not fail. `get_account_id` finds the new account in the response.
    """

    name: str
    platform: Platform
    request: type[Q]
    response_type: type[V]
    call: Callable[[Connector, AccountOwner, Q], Awaitable[R]]
    record: Callable[[Tx, AccountOwner, Q, R], Awaitable[V]]
    look: Callable[[Connector, AccountOwner, Q], Awaitable[LookupResult[R]]] | None = None
    undo: Callable[[Connector, R], Awaitable[None]] | None = None
    after_stored: Callable[[AccountOwner, R, V], Awaitable[None]]
    undoable_errors: tuple[type[ServiceError], ...]
    summarize_request: Callable[[Q], Mapping[str, Any]]
    get_object_id: Callable[[Q, R], str | None]
    get_account_id: Callable[[V], str]


def look_up_deletion(
    call: Callable[[P, AccountCredentials, Q], Awaitable[None]],
) -> Callable[[P, AccountCredentials, Q], Awaitable[LookupResult[None]]]:
    """Return the `look` of a deletion: delete again. What is gone was deleted, because platforms never reuse an id."""

    async def look(part: P, credentials: AccountCredentials, request: Q) -> None:
        with suppress(PlatformNotFoundError):
            await call(part, credentials, request)

    return look


AnyOperationType: TypeAlias = OperationType[Any, Any, Any, Any] | OperationSeriesType[Any, Any, Any]
AnyConnectType: TypeAlias = ConnectOperationType[Any, Any, Any]


class ConnectOperationRunner(Protocol):
    """Connects accounts through operations. The accounts area is below the one that implements this."""

    async def run_connect_operation(
        self, work: UnitOfWork, place: AccountOwner, operation_type: ConnectOperationType[Q, R, V], request: Q
    ) -> V:
        """Make the call that connects an account, and answer the request with what `record` returns."""
