"""What an area brings to a deployment, declared in one place: the `AREA` of its package.

`entry` holds the list of areas and nothing else about them. Everything here that is a function or a class is built
from the parts that its arguments are annotated with (`core/parts.py`); handlers ask for services the same way.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec
from litestar.handlers import HTTPRouteHandler

from socialgate.contracts.automations import AutomationType
from socialgate.contracts.operations import AnyConnectType, AnyOperationType
from socialgate.core.db import Tx
from socialgate.core.facts import Listener
from socialgate.core.jobs.jobs import JobType

# Removes what has expired by now, and tells how many rows that were.
Purge = Callable[[Tx, datetime], Awaitable[int]]


class Background(Protocol):
    """Something that runs in a worker until it is stopped, and then finishes what it is doing."""

    def run(self) -> Coroutine[Any, Any, None]: ...

    def stop(self) -> None: ...


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """`services` says how to build what a constructor cannot say by itself, and who speaks which Protocol.

    `purges` are by table. `listens` gives listeners by the type of fact, `connects` the operations that connect
    accounts. `automates` are the triggers, conditions and actions that it brings to automations.
    """

    routes: Sequence[HTTPRouteHandler] = ()
    services: Mapping[Any, Callable[..., Any]] = {}
    workers: Sequence[Callable[..., Background]] = ()
    jobs: Sequence[Callable[..., JobType]] = ()
    operations: Sequence[AnyOperationType | Callable[..., AnyOperationType]] = ()
    connects: Callable[..., Sequence[AnyConnectType]] | None = None
    listens: Callable[..., Mapping[type, Listener]] | None = None
    automates: Sequence[AutomationType] = ()
    purges: Mapping[str, Purge] = {}
