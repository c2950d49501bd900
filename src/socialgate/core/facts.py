"""Hearing of what happened elsewhere, inside the transaction that records it.

An area declares which facts it listens to, by their type; whoever records a fact does not know who listens. What a
listener writes commits with the fact or not at all, so a listener that fails makes the whole unit run again.
"""

from collections.abc import Awaitable, Callable
from typing import Any

# What is heard: the transaction, the fact, and what it is about (the accounts, or the owner and profile).
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
