"""Listening to facts inside the transaction that records them.

An area declares the types of facts it listens to; the code that records a fact does not know who listens. What a
listener writes commits with the fact or not at all, so if a listener fails, the whole unit runs again.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    # The database calls the listeners with its transactions.
    from socialgate.core.db import Tx

A = TypeVar("A")
F = TypeVar("F", bound="FactAbout[Any]")

# A listener gets the transaction, the fact, and what the fact is about.
Listener: TypeAlias = "Callable[[Tx, F, A], Awaitable[None]]"
# One among listeners of other types.
AnyListener: TypeAlias = "Callable[[Tx, Any, Any], Awaitable[None]]"


class FactAbout(Generic[A]):
    """The base of all facts. `A` is the type of what one is about: the accounts that it concerns, or an id."""

    __slots__ = ()

    @classmethod
    def build_listener(cls, listener: "Listener[Self, A]") -> "FactListener":
        """Declare a listener, which takes facts of this type and what they are about."""
        return FactListener(cls, listener)


class FactListener(NamedTuple):
    """A type of facts, and a listener of that type: `FactAbout.build_listener` creates it."""

    fact: type[FactAbout[Any]]
    listener: "AnyListener"


class FactDispatcher:
    def __init__(self) -> None:
        self._listeners: dict[type[FactAbout[Any]], list[AnyListener]] = {}

    def add_listener(self, fact: type[F], listener: "Listener[F, Any]") -> None:
        self._listeners.setdefault(fact, []).append(listener)

    async def dispatch(self, tx: "Tx", fact: FactAbout[A], subject: A) -> None:
        for listener in self._listeners.get(type(fact), ()):
            await listener(tx, fact, subject)
