"""Claims of requests that ended while the database was unavailable, released as soon as it is back.

Such a request returned 503, and its client may send it again immediately. Without this module, the claim would block it
until the lease expires. It is unknown whether the last commit happened: a claim whose response was stored with its
effect is no longer open, and is left alone.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

import structlog

from socialgate.core.background import BackgroundTasks
from socialgate.core.db import Database, Tx

C = TypeVar("C")

ReleaseFunction = Callable[[Tx, Sequence[C]], Awaitable[None]]

# More than any outage of a lease's length leaves behind. Beyond that, leases expire by themselves.
_MAX_CLAIMS = 10_000
_RELEASE_BATCH_SIZE = 500
_INITIAL_DELAY_SECONDS = 0.05
_MAX_DELAY_SECONDS = 1.0

log = structlog.get_logger(__name__)


class ClaimReleaser(Generic[C]):
    """After `lease_seconds` a claim no longer blocks anything."""

    def __init__(self, db: Database, release: ReleaseFunction[C], lease_seconds: float) -> None:
        self._db = db
        self._release = release
        self._lease_seconds = lease_seconds
        self._claims: dict[str, tuple[C, float]] = {}
        self._release_task: asyncio.Task[None] | None = None
        self._background_tasks = BackgroundTasks()
        self._closed = False

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._claims

    def add(self, claim_id: str, claim: C) -> None:
        if self._closed or len(self._claims) >= _MAX_CLAIMS:
            return
        self._claims[claim_id] = claim, time.monotonic() + self._lease_seconds
        if self._release_task is None or self._release_task.done():
            self._release_task = self._background_tasks.start(self._release_all())

    @asynccontextmanager
    async def lifespan(self, _app: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self._closed = True
            await self._background_tasks.cancel_all()

    async def _release_all(self) -> None:
        pause = _INITIAL_DELAY_SECONDS
        while self._claims:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_DELAY_SECONDS)
            self._remove_claims([claim_id for claim_id, (_, until) in self._claims.items() if until < time.monotonic()])
            some = dict(list(self._claims.items())[:_RELEASE_BATCH_SIZE])
            try:
                await self._db.write(self._release, [claim for claim, _ in some.values()])
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again until the leases run out
                log.info("claims_not_released", count=len(self._claims), reason=type(error).__name__)
                continue
            self._remove_claims(some)
            pause = _INITIAL_DELAY_SECONDS

    def _remove_claims(self, claim_ids: Any) -> None:
        for claim_id in claim_ids:
            self._claims.pop(claim_id, None)
