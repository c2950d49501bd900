"""The job that makes a file fit: on any worker, claimed once, and started again from the beginning after a crash."""

import errno
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from socialgate.areas.media import store as media
from socialgate.areas.media.limited_process import ProgramKilledError
from socialgate.areas.media.quota import StorageQuota, StorageQuotaReachedError
from socialgate.areas.media.renditions import store
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.renditions.views import build_rendition
from socialgate.areas.media.renditions.work_folder import (
    NoCoreFreeError,
    build_disk_full_error,
    delete_abandoned_folders,
    open_work_folder,
)
from socialgate.areas.media.schemas import MediaItem, Rendition
from socialgate.areas.media.store import MediaRow
from socialgate.areas.media.uploading import MediaUploads
from socialgate.contracts.renditions import RenditionFailed, RenditionReady
from socialgate.core.caller import Caller
from socialgate.core.concurrency import OwnerConcurrencyLimiter
from socialgate.core.db import Database, Tx
from socialgate.core.errors import InvalidRequest, ServiceError, StorageFull, Unavailable
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobPostponed, JobRun, JobType
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage

PREPARE_JOB = "media.prepare"
_MAX_PER_OWNER = 2
# Conversions of one process that run or wait for a core.
_MAX_CALLERS = 16
_TURN_DELAY = timedelta(seconds=5)
# How often a result for which there was no space looks whether there is some now.
_SPACE_DELAY = timedelta(minutes=10)
_CHUNK_BYTES = 1024 * 1024
_TOTAL_PERCENT = 100
_SOURCE = "source"
# How often a conversion is started that the machine ends, and after how long again.
_MAX_KILLED = 3
_KILLED_RETRY_SECONDS = 60


class MediaNotConvertible(InvalidRequest):
    """A file of the post cannot be made to fit what the platform accepts, because it is damaged or too demanding.

    Save it again in a common format (JPEG or PNG, MP4 with H.264), upload it and replace it in the post.
    """

    code = "media_not_convertible"
    title = "The file cannot be converted"


class PreparationInput(msgspec.Struct, frozen=True, kw_only=True):
    preparation: Preparation
    # How long the result is needed.
    until: datetime


class RenditionJob:
    """Its state is the size of a result for which there was no space, 0 if it is not known; None before that."""

    def __init__(
        self, db: Database, storage: Storage, uploads: MediaUploads, quota: StorageQuota, settings: Settings
    ) -> None:
        self._db = db
        self._storage = storage
        self._uploads = uploads
        self._quota = quota
        self._converter = Converter()
        self._folder = settings.data_dir.resolve() / "preparing"
        self._uses_quota = settings.storage_counts_renditions
        self._reserve = int(settings.storage_reserve_gib * 1024**3)
        self._max_bytes = int(settings.renditions_per_owner_gib * 1024**3)
        # A conversion uses a core for minutes: more at once would only make each of them slower.
        self._cores = os.cpu_count() or 1
        self._turns = OwnerConcurrencyLimiter(max_per_owner=1, max_total=self._cores)
        self._callers = 0

    def build_type(self) -> JobType:
        delete_abandoned_folders(self._folder)
        return JobType(
            name=PREPARE_JOB,
            run=self.run,
            max_per_owner=_MAX_PER_OWNER,
            result=Rendition,
            on_permanent_failure=_report_failure,
        )

    async def run(self, run: JobRun) -> None:
        request = msgspec.convert(run.input, PreparationInput)
        preparation = request.preparation
        ready = await self._db.read(store.find_renditions, run.owner_id, [preparation.key])
        if preparation.key in ready:
            await run.finish(_announce, run.owner_id, preparation.key)
            return
        source = await self._db.read(store.find_source, run.owner_id, preparation.media_id, preparation.source_sha256)
        if source is None:
            raise _build_deleted_error(preparation)
        size = run.state or 0
        try:
            # Before it is converted for nothing.
            self._storage.require_ready(size)
            self._require_room(source.size + (size or source.size))
            if size and self._uses_quota:
                await self._db.write(self._quota.require_free_storage, run.owner_id, size)
            async with self._take_turn(run.owner_id):
                with self._open_folder(run.id) as folder:
                    await self._copy_source(source, folder)
                    result = await self._convert(run, folder, source, preparation)
                    size = _measure(result)
                    await self._store_result(run, result, source, request)
        except (StorageQuotaReachedError, StorageFull) as error:
            await self._wait_for_space(run, request, size, error)

    def _require_room(self, additional_bytes: int = 0) -> None:
        """Leave the reserve of the disk free, also while a file is converted."""
        free = shutil.disk_usage(self._folder.parent).free
        if self._reserve and free - additional_bytes < self._reserve:
            raise build_disk_full_error()

    async def _wait_for_space(
        self, run: JobRun, request: PreparationInput, size: int, error: StorageQuotaReachedError | StorageFull
    ) -> NoReturn:
        """Say that there is no space, and look again later if that is before the result is needed. A full disk is also
        tried again after that, a few times.
        """
        due_at = self._db.clock.now() + _SPACE_DELAY
        if due_at > request.until - store.RENDITION_RETENTION:
            raise error
        fact = RenditionFailed(key=request.preparation.key, code=error.code, detail=error.detail)
        await run.write_step(lambda tx: tx.publish_fact(fact, run.owner_id), size, error=error)
        raise JobPostponed(due_at, error)

    @contextmanager
    def _open_folder(self, run_id: str) -> Iterator[Path]:
        """Open a folder to work in, unless other processes of this machine use all of its cores."""
        try:
            with open_work_folder(self._folder, run_id, self._cores) as folder:
                yield folder
        except NoCoreFreeError:
            raise JobPostponed(self._db.clock.now() + _TURN_DELAY) from None

    @asynccontextmanager
    async def _take_turn(self, owner_id: str) -> AsyncIterator[None]:
        """Wait for a core, with a few others. More would take the places of jobs that need none."""
        if self._callers >= _MAX_CALLERS:
            raise JobPostponed(self._db.clock.now() + _TURN_DELAY)
        self._callers += 1
        try:
            async with self._turns.acquire(owner_id):
                yield
        finally:
            self._callers -= 1

    async def _convert(self, run: JobRun, folder: Path, source: MediaRow, preparation: Preparation) -> Path:
        async def report(share: float) -> None:
            self._require_room()
            await run.record_step(run.state, done=int(share * _TOTAL_PERCENT), total=_TOTAL_PERCENT, unit="percent")

        try:
            return await self._converter.convert(folder, source.mime_type, preparation.recipe, report)
        except ConversionError as error:
            raise MediaNotConvertible(str(error)) from None
        except ProgramKilledError:
            raise _build_killed_error(run.tries + 1) from None

    async def _copy_source(self, source: MediaRow, folder: Path) -> None:
        key = media.build_media_key(source.owner_id, source.id)
        try:
            with (folder / _SOURCE).open("wb") as file:
                async for chunk in self._storage.read(key, 0, source.size):
                    file.write(chunk)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise build_disk_full_error() from None

    async def _store_result(self, run: JobRun, result: Path, source: MediaRow, request: PreparationInput) -> None:
        """Store the result like an upload. It becomes known in the transaction that ends the job."""
        preparation = request.preparation
        values = {
            "kind": preparation.kind,
            "role": preparation.role,
            "changes": msgspec.to_builtins(preparation.changes),
        }

        async def within(media_id: str, add: Callable[[Tx], Awaitable[MediaItem]]) -> MediaItem:
            items: list[MediaItem] = []

            async def finish(tx: Tx) -> Rendition:
                if not await store.is_source_present(tx, run.owner_id, source.sha256):
                    raise _build_deleted_error(preparation)
                items.append(await add(tx))
                await store.mark_rendition(tx, run.owner_id, media_id, source, preparation.key, request.until, values)
                if self._max_bytes:
                    await store.expire_beyond(tx, run.owner_id, self._max_bytes, media_id)
                return await _announce(tx, run.owner_id, preparation.key)

            await run.finish(finish)
            return items[-1]

        caller = Caller(owner_id=run.owner_id, credential_id="renditions")
        await self._uploads.store_file_in_transaction(
            caller,
            source.profile_id,
            source.file_name,
            _read_file(result),
            within,
            announced=_measure(result),
            uses_quota=self._uses_quota,
        )


def _build_deleted_error(preparation: Preparation) -> MediaNotConvertible:
    return MediaNotConvertible(f"The file {preparation.media_id} was deleted. Upload it again.")


def _build_killed_error(tries: int) -> ServiceError:
    """Say that the machine ended a conversion. It is tried again, because it may have more memory later."""
    cause = "The machine ended the program that converts the file, most likely because it has too little memory."
    if tries < _MAX_KILLED:
        return Unavailable(f"{cause} It is tried again.", retry_after=_KILLED_RETRY_SECONDS)
    return MediaNotConvertible(f"{cause} This happened {tries} times. Use a smaller file.")


async def _announce(tx: Tx, owner_id: str, key: str) -> Rendition:
    """Have those continue that wait for a result, and return it as that of the job."""
    ready = await store.find_renditions(tx, owner_id, [key])
    await tx.publish_fact(RenditionReady(key=key), owner_id)
    return build_rendition(ready[key])


async def _report_failure(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
    key = msgspec.convert(job.input, PreparationInput).preparation.key
    await tx.publish_fact(RenditionFailed(key=key, code=error["code"], detail=error["detail"]), job.owner_id)


def _measure(path: Path) -> int:
    return path.stat().st_size


async def _read_file(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
