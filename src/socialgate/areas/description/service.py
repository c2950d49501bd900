import os
import shutil
import time

from socialgate import __version__
from socialgate.areas.description.schemas import Health, HealthCheckResult, HealthCheckResults
from socialgate.core.db import DRIVER_ERRORS, Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.restores import has_holds
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage
from socialgate.core.worker_heartbeats import HEARTBEAT_STALE_AFTER, get_last_heartbeat

_MIN_FREE_BYTES = 256 * 1024 * 1024
_CACHE_SECONDS = 1.0
_RETRY_AFTER_SECONDS = 30
_DATABASE_UNREADABLE_MESSAGE = (
    "The check `database` failed: it responds, but its tables cannot be read. Run `socialgate doctor`."
)
_RESTORE_HELD_DETAIL = (
    "A backup was restored, and what may have been done since is held back until the operator decides. Run `socialgate "
    "restore-check`."
)
_DISK_FULL_DETAIL = (
    "The disk of the database is full. Nothing can be stored, but reading still works. Free up disk space."
)
_OK_CHECK = HealthCheckResult(status="ok")


class HealthCheck:
    """Checks what the service needs, at most once a second however often it is called."""

    def __init__(self, db: Database, storage: Storage, settings: Settings) -> None:
        self._db = db
        self._storage = storage
        self._settings = settings
        self._cached: tuple[float, Health] | None = None

    async def check(self) -> Health:
        if self._cached is not None and self._cached[0] > time.monotonic():
            return self._cached[1]
        try:
            worker, restore = await self._db.read(_check_worker_and_restore)
        except Unavailable as error:
            raise Unavailable(f"The check `database` failed: {error.detail}", retry_after=error.retry_after) from error
        except DRIVER_ERRORS as error:
            raise Unavailable(_DATABASE_UNREADABLE_MESSAGE, retry_after=_RETRY_AFTER_SECONDS) from error
        checks = HealthCheckResults(
            database=self._check_database(), storage=self._check_storage(), worker=worker, restore=restore
        )
        result = (checks.database, checks.storage, checks.worker, checks.restore)
        healthy = all(check.status == "ok" for check in result)
        health = Health(status="ok" if healthy else "degraded", version=__version__, checks=checks)
        self._cached = (time.monotonic() + _CACHE_SECONDS, health)
        return health

    def _check_database(self) -> HealthCheckResult:
        if self._db.is_disk_full:
            return HealthCheckResult(status="degraded", detail=_DISK_FULL_DETAIL)
        if not self._settings.uses_sqlite or not os.access(self._settings.data_dir, os.W_OK):
            return _OK_CHECK
        free = shutil.disk_usage(self._settings.data_dir).free
        if free < _MIN_FREE_BYTES:
            return HealthCheckResult(
                status="degraded", detail=f"Only {free // 1024 // 1024} MiB are free on the disk of the database."
            )
        return _OK_CHECK

    def _check_storage(self) -> HealthCheckResult:
        """Where media are stored. Nothing waits for the storage: `StorageWatch` checks it in the background."""
        if not os.access(self._settings.data_dir, os.W_OK):
            return HealthCheckResult(
                status="degraded", detail="The data directory is not writable. `socialgate doctor` says why."
            )
        try:
            problem = self._storage.disk_shortage if self._storage.outage is None else self._storage.outage.detail
        except Unavailable as error:
            problem = error.detail
        return _OK_CHECK if problem is None else HealthCheckResult(status="degraded", detail=problem)


async def _check_worker_and_restore(tx: Tx) -> tuple[HealthCheckResult, HealthCheckResult]:
    return await _check_worker(tx), await _check_restore(tx)


async def _check_restore(tx: Tx) -> HealthCheckResult:
    if await has_holds(tx):
        return HealthCheckResult(status="degraded", detail=_RESTORE_HELD_DETAIL)
    return _OK_CHECK


async def _check_worker(tx: Tx) -> HealthCheckResult:
    seen = await get_last_heartbeat(tx)
    if seen is None:
        return HealthCheckResult(status="degraded", detail="No worker is running. Start `socialgate work`.")
    if seen + HEARTBEAT_STALE_AFTER < tx.now:
        return HealthCheckResult(
            status="degraded", detail=f"The last heartbeat of a worker was at {seen:%Y-%m-%dT%H:%M:%SZ}."
        )
    return _OK_CHECK
