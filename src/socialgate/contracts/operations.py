"""Calls that change something on a platform: what an area declares of each kind of them.

The operations area makes the call at most once and records what became of it; see there.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Capability
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.db import Tx

Q = TypeVar("Q", bound=msgspec.Struct)
R = TypeVar("R")
V = TypeVar("V", bound=msgspec.Struct)
P = TypeVar("P")

Looked: TypeAlias = R | NotThere | CannotTell


class OperationType(msgspec.Struct, Generic[P, Q, R, V], frozen=True, kw_only=True):
    """One kind of call, such as `comments.create`.

    `capability` is what an account must be able to do for it; `lacks` ends the sentence about one that cannot, as "has
    no comments". `call` makes the call, once. `look` finds out by reading what became of a call whose answer was lost;
    without it a person has to. `record` writes the area's own rows and events and gives the answer, in one transaction
    with the outcome. `shown` is what may be seen of the request: neither secrets nor what people wrote.
    """

    name: str
    request: type[Q]
    answer: type[V]
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials, Q], Awaitable[R]]
    record: Callable[[Tx, sa.Row[Any], Q, R], Awaitable[V]]
    look: Callable[[P, AccountCredentials, Q], Awaitable[Looked[R]]] | None = None
    shown: Callable[[Q], Mapping[str, Any]]
    object_id: Callable[[Q, R], str | None]


AnyOperationType: TypeAlias = OperationType[Any, Any, Any, Any]
