"""Leases of work in progress, renewed while it lasts, so that only a dead process loses its claims."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.queue import ClaimedRow, RowKey

T = TypeVar("T")

# Much shorter than any lease.
_RENEW_INTERVAL_SECONDS = 3.0

log = structlog.get_logger(__name__)


class LeaseQueue(Protocol[T]):
    async def renew_leases(self, tx: Tx, claims: Sequence[ClaimedRow[T]]) -> None:
        """Keep the leases of these rows."""


class LeaseRenewer(Generic[T]):
    def __init__(self, db: Database, queue: LeaseQueue[T]) -> None:
        self._db = db
        self._queue = queue
        self._active_claims: dict[int, ClaimedRow[T]] = {}
        self._renew_task: asyncio.Task[None] | None = None

    @contextmanager
    def keep_renewed(self, claimed: ClaimedRow[T]) -> Iterator[None]:
        """Renew a lease for as long as the block runs."""
        self._active_claims[id(claimed)] = claimed
        if self._renew_task is None:
            self._renew_task = asyncio.create_task(self._renew_all())
        try:
            yield
        finally:
            del self._active_claims[id(claimed)]
            if not self._active_claims and self._renew_task is not None:
                self._renew_task.cancel()
                self._renew_task = None

    def is_renewing(self, key: RowKey) -> bool:
        """Return whether this process works on a row, by its key."""
        return any(claimed.key == key for claimed in self._active_claims.values())

    async def _renew_all(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_INTERVAL_SECONDS)
            try:
                await self._db.write(self._queue.renew_leases, list(self._active_claims.values()))
            except ServiceError as error:
                log.warning("leases_not_renewed", code=error.code, detail=error.detail)
            except Exception:
                log.exception("leases_not_renewed")
