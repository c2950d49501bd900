"""Listening to facts inside the transaction that records them.

An area declares the types of facts it listens to; the code that records a fact does not know who listens. What a
listener writes commits with the fact or not at all, so if a listener fails, the whole unit runs again.
"""

from collections.abc import Awaitable, Callable
from typing import Any

# A listener gets the transaction, the fact, and what it concerns (the accounts, or the owner and profile).
Listener = Callable[[Any, Any, Any], Awaitable[None]]


class Facts:
    def __init__(self) -> None:
        self._listeners: dict[type, list[Listener]] = {}

    def listen(self, kind: type, listener: Listener) -> None:
        self._listeners.setdefault(kind, []).append(listener)

    def is_heard(self, kind: type) -> bool:
        return kind in self._listeners

    async def tell(self, tx: Any, fact: Any, about: Any) -> None:
        for listener in self._listeners.get(type(fact), ()):
            await listener(tx, fact, about)
