"""Leases of work in progress, renewed while it lasts, so that only a dead process loses its claims."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

import structlog

from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jobs.queue import Claimed, Key

T = TypeVar("T")

# Much shorter than any lease.
_RENEW_SECONDS = 3.0

log = structlog.get_logger(__name__)


class Renewable(Protocol[T]):
    async def renew(self, tx: Tx, claims: Sequence[Claimed[T]]) -> None:
        """Keep the leases of these rows."""


class Leases(Generic[T]):
    def __init__(self, db: Database, queue: Renewable[T]) -> None:
        self._db = db
        self._queue = queue
        self._held: dict[int, Claimed[T]] = {}
        self._renewing: asyncio.Task[None] | None = None

    @contextmanager
    def held(self, claimed: Claimed[T]) -> Iterator[None]:
        """Renew a lease for as long as the block runs."""
        self._held[id(claimed)] = claimed
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew_all())
        try:
            yield
        finally:
            del self._held[id(claimed)]
            if not self._held and self._renewing is not None:
                self._renewing.cancel()
                self._renewing = None

    def renews(self, key: Key) -> bool:
        """Tell whether this process works on a row, by its key."""
        return any(claimed.key == key for claimed in self._held.values())

    async def _renew_all(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                await self._db.write(self._queue.renew, list(self._held.values()))
            except ServiceError as error:
                log.warning("leases_not_renewed", code=error.code, detail=error.detail)
            except Exception:
                log.exception("leases_not_renewed")
