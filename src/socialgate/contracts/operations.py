"""Calls that change something on a platform: what an area declares for each kind of call.

The operations area makes the call at most once and records the result; see there.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import AccountCredentials, Place
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Capability, Platform
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.db import Tx
from socialgate.core.errors import ServiceError
from socialgate.core.facts import FactAbout
from socialgate.core.work import Work

Q = TypeVar("Q", bound=msgspec.Struct)
R = TypeVar("R")
V = TypeVar("V", bound=msgspec.Struct)
P = TypeVar("P")


class NotSeen(msgspec.Struct, frozen=True):
    """The platform does not show it so far: it was not done, unless the platform is still processing it.

    For what is found by reading a list. It counts as not done once the call is so old that it cannot take effect any
    more, and as unknown until then.
    """


Looked: TypeAlias = R | NotThere | NotSeen | CannotTell


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call has no outcome to record: it failed permanently, or its result is unknown (so far)."""

    code: str
    detail: str
    final: bool


class CallProven(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A platform's own report proves that it executed a call whose response was lost. Published with the owner.

    The call is the one whose `shown` has this value under this name.
    """

    account_id: str
    operation: str
    name: str
    value: str


class OperationType(msgspec.Struct, Generic[P, Q, R, V], frozen=True, kw_only=True):
    """One kind of call for a connected account, such as `comments.create`.

    `capability` is what an account must support; `lacks` completes the sentence about one that does not, such as "has
    no comments". `call` makes the call, once. `look` finds out the result after a lost response by reading; without it
    a person has to. `record` writes the area's own rows and events and returns the response, in one transaction with
    the outcome. `shown` is what may be seen of the request: neither secrets nor people's texts.

    An area whose rows show a call before its outcome is known writes them in `begin`, together with the record of the
    operation, and records in `unfinished` that it failed or that its result is unknown. If platforms report on their
    own what they did, `learned` returns what such a report has proven; it is asked before the platform is. An area that
    learns it publishes `CallProven`, so that the operation does not have to wait for its next lookup.

    A call that `creates` something has an object of its own: what `look` finds is not its result if another call of
    this type created it.
    """

    name: str
    request: type[Q]
    answer: type[V]
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials, Q], Awaitable[R]]
    record: Callable[[Tx, AccountRow, Q, R], Awaitable[V]]
    look: Callable[[P, AccountCredentials, Q], Awaitable[Looked[R]]] | None = None
    begin: Callable[[Tx, AccountRow, Q], Awaitable[None]] | None = None
    unfinished: Callable[[Tx, AccountRow, Q, Unfinished], Awaitable[None]] | None = None
    learned: Callable[[Tx, AccountRow, Q], Awaitable[R | None]] | None = None
    shown: Callable[[Q], Mapping[str, Any]]
    object_id: Callable[[Q, R], str | None]
    creates: bool = False


class Step(msgspec.Struct, Generic[P, Q], frozen=True, kw_only=True):
    """One of several calls. `call` gets the ids of what the earlier steps created, by their names, and returns its own.

    `look` finds out the result after a lost response, and `undo` removes what the step created. Both are required: what
    a run that failed has created does not stay behind.
    """

    name: str
    call: Callable[[P, AccountCredentials, Q, Mapping[str, str]], Awaitable[str]]
    look: Callable[[P, AccountCredentials, Q, Mapping[str, str]], Awaitable[Looked[str]]]
    undo: Callable[[P, AccountCredentials, str], Awaitable[None]]


class SeriesType(msgspec.Struct, Generic[P, Q, V], frozen=True, kw_only=True):
    """Several calls that only make sense together, such as `ads.boost`: all of them are made, or none stays.

    Each step is recorded before and after its call. If one fails, or the process dies between two, everything that was
    created is removed, the newest first; what cannot be removed is named. `record` gets the ids by the names of the
    steps, and `last` is the step whose object is the result. `seen` reads what else `record` needs to know of it, once
    everything is created; it may be missing if the platform does not respond. The rest is as in `OperationType`.
    """

    name: str
    request: type[Q]
    answer: type[V]
    capability: Capability[P]
    lacks: str
    steps: Callable[[P, Q], Sequence[Step[P, Q]]]
    record: Callable[[Tx, AccountRow, Q, Mapping[str, str]], Awaitable[V]]
    shown: Callable[[Q], Mapping[str, Any]]
    last: str
    seen: Callable[[P, AccountCredentials, Mapping[str, str]], Awaitable[Mapping[str, str]]] | None = None


class ConnectType(msgspec.Struct, Generic[Q, R, V], frozen=True, kw_only=True):
    """One kind of call that connects an account, such as `connect.wasender`: there is no account yet.

    Like `OperationType`, with the connector of the platform instead of an account's part of it. Without `look` the call
    leaves nothing behind that could be duplicated, and a repeated request makes it again. `record` may reject what was
    created by raising one of `refusals`; `undo` then removes it from the platform. `after` runs once the account is
    stored, and must not fail. `account_id` finds the new account in the response.
    """

    name: str
    platform: Platform
    request: type[Q]
    answer: type[V]
    call: Callable[[Connector, Place, Q], Awaitable[R]]
    record: Callable[[Tx, Place, Q, R], Awaitable[V]]
    look: Callable[[Connector, Place, Q], Awaitable[Looked[R]]] | None = None
    undo: Callable[[Connector, R], Awaitable[None]] | None = None
    after: Callable[[Place, R, V], Awaitable[None]]
    refusals: tuple[type[ServiceError], ...]
    shown: Callable[[Q], Mapping[str, Any]]
    object_id: Callable[[Q, R], str | None]
    account_id: Callable[[V], str]


def done_if_gone(
    call: Callable[[P, AccountCredentials, Q], Awaitable[None]],
) -> Callable[[P, AccountCredentials, Q], Awaitable[Looked[None]]]:
    """Return the `look` of a deletion: delete again. What is gone was deleted, because platforms never reuse an id."""

    async def look(part: P, held: AccountCredentials, request: Q) -> None:
        with suppress(PlatformNotFound):
            await call(part, held, request)

    return look


AnyOperationType: TypeAlias = OperationType[Any, Any, Any, Any] | SeriesType[Any, Any, Any]
AnyConnectType: TypeAlias = ConnectType[Any, Any, Any]


class Connecting(Protocol):
    """Connects accounts through operations. The accounts area is below the one that implements this."""

    async def connect(self, work: Work, place: Place, kind: ConnectType[Q, R, V], request: Q) -> V:
        """Make the call that connects an account, and answer the request with what `record` returns."""
