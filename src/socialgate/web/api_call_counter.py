"""Counting API calls without a database write for every request.

Each process counts in memory and writes once a second, and only if there were calls: one upsert for all credentials. A
process that stops normally writes what is left. One that is killed loses the calls of at most its last second. If the
database is not available, they are kept and written later.
"""

import asyncio
from collections import Counter

import structlog
from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.errors import ServiceError
from socialgate.core.metering import OWNER_PART_ID, UsageKey, UsageMetric, add_daily_usage
from socialgate.web.route import get_route_spec

_FLUSH_INTERVAL_SECONDS = 1.0

log = structlog.get_logger(__name__)


class ApiCallCounter:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._pending_counts = Counter[UsageKey]()
        self._flush_lock = asyncio.Lock()
        self._flush_task: asyncio.Task[None] | None = None

    def count(self, caller: Caller) -> None:
        """Count a call, under the API key if there is one: what a key is limited to then shows its own calls."""
        part_id = OWNER_PART_ID if caller.is_session else caller.credential_id
        self._pending_counts[UsageKey(caller.owner_id, UsageMetric.API_CALLS, self._clock.now().date(), part_id)] += 1
        if self._flush_task is None:
            self._flush_task = asyncio.create_task(self._flush_periodically())

    async def flush(self) -> None:
        """Write what was counted so far, as far as the database is available."""
        async with self._flush_lock:
            counted, self._pending_counts = self._pending_counts, Counter[UsageKey]()
            if not counted:
                return
            try:
                await self._db.write(add_daily_usage, counted)
            except ServiceError as error:
                self._pending_counts.update(counted)
                log.warning("calls_not_counted_yet", code=error.code, detail=error.detail)

    async def close(self) -> None:
        # Not while it writes: what it has taken out of the counter would be lost.
        async with self._flush_lock:
            if self._flush_task is not None:
                self._flush_task.cancel()
        await self.flush()

    async def _flush_periodically(self) -> None:
        try:
            while self._pending_counts:
                await asyncio.sleep(_FLUSH_INTERVAL_SECONDS)
                await self.flush()
        finally:
            self._flush_task = None


class CallCountMiddleware:
    """Counts the calls of the API. Pages for people are no calls."""

    def __init__(self, app: ASGIApp, calls: ApiCallCounter) -> None:
        self._app = app
        self._calls = calls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec, caller = get_route_spec(scope["route_handler"]), scope["state"].get("caller")
        if spec is not None and caller is not None and not spec.access.is_page:
            self._calls.count(caller)
        await self._app(scope, receive, send)
