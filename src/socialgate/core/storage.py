"""File storage: a local folder, or an object store of any of the big clouds, behind one interface.

Files are streamed in and out and never held in memory as a whole. A file exists only after it was written completely.
"""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, from_url

from socialgate.core.errors import StorageFull, StorageUnavailable, Unavailable
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings, SettingsError

_READ_CHUNK = 1024 * 1024
_MAX_CONCURRENT_PARTS = 2
# How many requests may have tried to write the same file when their processes died. Looking for all of them would mean
# listing a folder of any size.
_MAX_UNFINISHED_FILES = 4
_SPACE_CHECK_BYTES = 4 * 1024 * 1024
_RETRY_AFTER_SECONDS = 60
_SIGNED_URL_LIFETIME = timedelta(minutes=10)
_MIN_FREE_BYTES = 256 * 1024 * 1024
# A check must end soon and say why it failed, so it retries less often than a request would.
_CHECK_RETRIES: Any = {"max_retries": 2, "retry_timeout": timedelta(seconds=3)}
_STATUS_CODE_PATTERN = re.compile(r"status code: (\d{3})")
_METADATA_SERVICES = ("169.254.169.254", "169.254.170.2", "metadata.google.internal", "/latest/api/token")


class MissingFile(FileNotFoundError):
    """There is no file with this key."""


class Storage:
    """`reserve` bytes of the folder's disk stay free, because the database and the logs need space. `checked` is the
    same store with fewer retries, for checks.
    """

    def __init__(self, store: Any, folder: Path | None, reserve_bytes: int = 0, checked: Any = None) -> None:
        self._store = store
        self._folder = folder
        self._reserve = reserve_bytes
        self._checked = checked or store
        # Why the last check failed (`StorageWatch`). Until a check succeeds again, nothing is written.
        self.outage: Unavailable | None = None

    async def write(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """Write a file. If the chunks end with an error, no file is created and the error is raised."""
        self.require_ready()
        try:
            await obstore.put_async(
                self._store, key, self._check_space_between_chunks(chunks), max_concurrency=_MAX_CONCURRENT_PARTS
            )
        except MissingFile:
            # Raised by the chunks, which were read from another file.
            raise
        except (BaseError, OSError) as error:
            raise build_storage_error(error) from error

    async def read(self, key: str, start: int, length: int) -> AsyncIterator[bytes]:
        """Read part of a file, chunk by chunk."""
        try:
            get_result = await obstore.get_async(self._store, key, options={"range": (start, start + length)})
            async for chunk in get_result.stream(min_chunk_size=_READ_CHUNK):
                yield bytes(chunk)
        except FileNotFoundError as error:
            raise MissingFile(f"There is no file {key}.") from error
        except (BaseError, OSError) as error:
            raise build_storage_error(error) from error

    async def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            try:
                await obstore.delete_async(self._store, key)
            except FileNotFoundError:
                pass
            except (BaseError, OSError) as error:
                raise build_storage_error(error) from error
            if self._folder is not None:
                _remove_unfinished(self._folder / key)

    async def delete_prefix(self, prefix: str) -> None:
        """Delete everything under a prefix, whether it is referenced or not."""
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder / prefix, ignore_errors=True)
            return
        try:
            async for result in obstore.list(self._store, prefix=prefix):
                await self.delete([item["path"] for item in result])
        except (BaseError, OSError) as error:
            raise build_storage_error(error) from error

    async def check(self) -> None:
        """Write, read and delete a small file. Raises what would go wrong with a real one."""
        key, content = f"health-check-{new_id('chk')}", os.urandom(16)
        try:
            if self._folder is not None and not self._folder.is_dir():
                raise StorageUnavailable("The folder for media files does not exist.")
            await obstore.put_async(self._checked, key, content)
            data = bytes(await (await obstore.get_async(self._checked, key)).bytes_async())
            await obstore.delete_async(self._checked, key)
        except (BaseError, OSError) as error:
            raise build_storage_error(error) from error
        if data != content:
            raise StorageUnavailable("The media storage returns something else than what was stored.")

    def require_ready(self, additional_bytes: int = 0) -> None:
        """Refuse to write while the storage is known to be unavailable, or if this many more bytes would leave less
        free disk space than the reserve.
        """
        if self.outage is not None:
            raise type(self.outage)(
                f"{self.outage.detail} Nothing was stored. Send the request again later.",
                retry_after=self.outage.retry_after,
            )
        self._require_room(additional_bytes)

    def _require_room(self, additional_bytes: int = 0) -> None:
        if self._folder is not None and self._free_bytes() - additional_bytes < self._reserve:
            raise StorageFull(
                "The disk of the media files is almost full, so nothing was stored. The operator must free up disk "
                "space or lower SOCIALGATE_STORAGE_RESERVE_GIB; then send the request again.",
                retry_after=_RETRY_AFTER_SECONDS,
            )

    @property
    def disk_shortage(self) -> str | None:
        """Say that there is little disk space left, if so."""
        if self._folder is None:
            return None
        free = self._free_bytes()
        left = f"Only {free // 1024**2} MiB are free on the disk of the media files"
        if free < self._reserve:
            return f"{left}, so uploads are rejected. Free up disk space or lower SOCIALGATE_STORAGE_RESERVE_GIB."
        return f"{left}." if free < _MIN_FREE_BYTES else None

    def _free_bytes(self) -> int:
        try:
            return shutil.disk_usage(self._folder or "").free
        except OSError as error:
            raise build_storage_error(error) from error

    async def _check_space_between_chunks(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        written = 0
        async for chunk in chunks:
            written += len(chunk)
            if written >= _SPACE_CHECK_BYTES:
                self._require_room()
                written = 0
            yield chunk

    async def get_location(self, key: str) -> str:
        """Return where a separate program can read a file: a path, or a URL that is valid for a few minutes."""
        if self._folder is not None:
            return str(self._folder / key)
        return str(await obstore.sign_async(self._store, "GET", key, _SIGNED_URL_LIFETIME))


def open_storage(settings: Settings) -> Storage:
    if settings.storage_url is None:
        folder = settings.data_dir.resolve() / "media"
        folder.mkdir(parents=True, exist_ok=True)
        return Storage(LocalStore(folder), folder, reserve_bytes=int(settings.storage_reserve_gib * 1024**3))
    try:
        checked = from_url(settings.storage_url, retry_config=_CHECK_RETRIES)
        return Storage(from_url(settings.storage_url), None, checked=checked)
    except (BaseError, ValueError) as error:
        raise SettingsError(
            f"SOCIALGATE_STORAGE_URL: {error}. Use one such as s3://bucket/folder, gs://bucket or az://container."
        ) from error


def _remove_unfinished(path: Path) -> None:
    """Delete what a crashed process left of a file: until it is complete, its name has a number appended."""
    for number in range(1, _MAX_UNFINISHED_FILES + 1):
        path.with_name(f"{path.name}#{number}").unlink(missing_ok=True)


def build_storage_error(error: Exception) -> Unavailable:
    """Say what a failure means, without the URL and the identifiers in the original message: clients see this."""
    text = str(error)
    if "No space left" in text or "os error 28" in text:
        return StorageFull("The disk of the media files is full. The operator must free up disk space.", retry_after=60)
    return StorageUnavailable(f"The media storage cannot be used: {_get_failure_reason(error, text)}.", retry_after=15)


def _get_failure_reason(error: Exception, text: str) -> str:
    if isinstance(error, PermissionDeniedError | UnauthenticatedError | PermissionError):
        return "it denies access"
    if isinstance(error, FileNotFoundError):
        return "the bucket or folder does not exist"
    if any(service in text for service in _METADATA_SERVICES):
        return "no credentials are configured for it"
    status = _STATUS_CODE_PATTERN.search(text)
    if status is not None:
        return f"it returned the status {status[1]}"
    return "it does not respond"
