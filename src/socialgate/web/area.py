"""What an area adds to a deployment, declared in one place: the `AREA` of its package.

`entry` has the list of areas and knows nothing else about them. Functions and classes declared here are built from the
parts that their arguments are annotated with (`core/service_container.py`); handlers request services the same way.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec
from litestar.handlers import HTTPRouteHandler

from socialgate.contracts.automations import AutomationType
from socialgate.contracts.operations import AnyConnectType, AnyOperationType
from socialgate.core.db import Tx
from socialgate.core.facts import FactListener
from socialgate.core.jobs.service import JobType
from socialgate.core.restores import RestoreHolder

# Deletes what has expired, and returns how many rows that were.
Purge = Callable[[Tx, datetime], Awaitable[int]]


class BackgroundWorker(Protocol):
    """Something that runs in a worker until it is stopped, and then finishes what it is doing."""

    def run(self) -> Coroutine[Any, Any, None]: ...

    def stop(self) -> None: ...


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """`services` says how to build what a constructor cannot describe, and which class implements which Protocol.

    `purges` are by table. `fact_listeners` lists the listeners to facts, `connect_types` lists the operations that
    connect accounts. `automation_types` lists the triggers, conditions and actions that the area adds to automations.
    `holds` take rows out of their queues when a backup was restored.
    """

    routes: Sequence[HTTPRouteHandler] = ()
    services: Mapping[Any, Callable[..., Any]] = {}
    workers: Sequence[Callable[..., BackgroundWorker]] = ()
    jobs: Sequence[Callable[..., JobType]] = ()
    operations: Sequence[AnyOperationType | Callable[..., AnyOperationType]] = ()
    connect_types: Callable[..., Sequence[AnyConnectType]] | None = None
    fact_listeners: Callable[..., Sequence[FactListener]] | None = None
    automation_types: Sequence[AutomationType] = ()
    purges: Mapping[str, Purge] = {}
    holds: Sequence[Callable[..., RestoreHolder]] = ()
