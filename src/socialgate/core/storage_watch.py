"""Checks in the background whether files can be stored, so that health checks and uploads know it without waiting."""

import asyncio
from contextlib import suppress

import structlog

from socialgate.core.errors import StorageUnavailable, Unavailable
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage

STORAGE_CHECK_INTERVAL_SECONDS = 5.0

log = structlog.get_logger(__name__)


class StorageWatch:
    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage = storage
        self._every = settings.storage_check_seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Check now, without making the caller wait, and then regularly."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            try:
                self._record_outage(await find_storage_outage(self._storage))
            except Exception:
                # The check must go on, and what it knew is better than nothing.
                log.exception("storage_check_failed")
            await asyncio.sleep(self._every)

    def _record_outage(self, outage: Unavailable | None) -> None:
        before, self._storage.outage = self._storage.outage, outage
        if outage is not None and (before is None or before.detail != outage.detail):
            log.warning("storage_unavailable", detail=outage.detail)
        elif outage is None and before is not None:
            log.info("storage_available_again")


async def find_storage_outage(storage: Storage) -> Unavailable | None:
    """Return why files cannot be stored, or None if they can."""
    try:
        async with asyncio.timeout(STORAGE_CHECK_INTERVAL_SECONDS):
            await storage.check()
    except TimeoutError:
        return StorageUnavailable(
            f"The media storage cannot be used: it did not respond within {STORAGE_CHECK_INTERVAL_SECONDS:g} s.",
            retry_after=15,
        )
    except Unavailable as outage:
        return outage
    return None
