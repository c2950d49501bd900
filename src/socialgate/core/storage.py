"""File storage: a local folder, or an object store of any of the big clouds, behind one interface.

Files are streamed in and out and never held in memory as a whole. A file exists only after it was written completely.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, from_url

from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.settings import Settings, SettingsError

_READ_CHUNK = 1024 * 1024
_WRITE_AT_ONCE = 2
# How many requests may have tried to write the same file when their processes died. Looking for all of them would mean
# listing a folder of any size.
_MOST_UNFINISHED = 4
_CHECKED_EVERY = 4 * 1024 * 1024
_RETRY_AFTER_SECONDS = 60
_SIGNED_FOR = timedelta(minutes=10)


class Storage:
    """`reserve` bytes of the folder's disk stay free, because the database and the logs need space."""

    def __init__(self, store: Any, folder: Path | None, reserve: int = 0) -> None:
        self._store = store
        self._folder = folder
        self._reserve = reserve

    async def write(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """Write a file. If the chunks end with an error, no file is created and the error is raised."""
        self.require_room()
        try:
            await obstore.put_async(self._store, key, self._guarded(chunks), max_concurrency=_WRITE_AT_ONCE)
        except (BaseError, OSError) as error:
            raise _explained(error) from error

    async def read(self, key: str, start: int, length: int) -> AsyncIterator[bytes]:
        """Read part of a file, chunk by chunk."""
        try:
            found = await obstore.get_async(self._store, key, options={"range": (start, start + length)})
            async for chunk in found.stream(min_chunk_size=_READ_CHUNK):
                yield bytes(chunk)
        except (BaseError, OSError) as error:
            raise _explained(error) from error

    async def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            try:
                await obstore.delete_async(self._store, key)
            except FileNotFoundError:
                pass
            except (BaseError, OSError) as error:
                raise _explained(error) from error
            if self._folder is not None:
                _remove_unfinished(self._folder / key)

    async def delete_under(self, prefix: str) -> None:
        """Delete everything under a prefix, whether it is referenced or not."""
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder / prefix, ignore_errors=True)
            return
        try:
            async for found in obstore.list(self._store, prefix=prefix):
                await self.delete([one["path"] for one in found])
        except (BaseError, OSError) as error:
            raise _explained(error) from error

    def require_room(self, more: int = 0) -> None:
        """Refuse to write if this many more bytes would leave less free disk space than the reserve."""
        if self._folder is not None and shutil.disk_usage(self._folder).free - more < self._reserve:
            raise StorageFull(
                "The storage disk is almost full, so nothing was stored. The operator must free up disk space or "
                "lower SOCIALGATE_STORAGE_RESERVE_GIB; then send the request again.",
                retry_after=_RETRY_AFTER_SECONDS,
            )

    async def _guarded(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        written = 0
        async for chunk in chunks:
            written += len(chunk)
            if written >= _CHECKED_EVERY:
                self.require_room()
                written = 0
            yield chunk

    async def location(self, key: str) -> str:
        """Return where a separate program can read a file: a path, or a URL that is valid for a few minutes."""
        if self._folder is not None:
            return str(self._folder / key)
        return str(await obstore.sign_async(self._store, "GET", key, _SIGNED_FOR))


def open_storage(settings: Settings) -> Storage:
    if settings.storage_url is None:
        folder = settings.data_dir.resolve() / "media"
        folder.mkdir(parents=True, exist_ok=True)
        return Storage(LocalStore(folder), folder, reserve=int(settings.storage_reserve_gib * 1024**3))
    try:
        return Storage(from_url(settings.storage_url), None)
    except (BaseError, ValueError) as error:
        raise SettingsError(
            f"SOCIALGATE_STORAGE_URL: {error}. Use one such as s3://bucket/folder, gs://bucket or az://container."
        ) from error


def _remove_unfinished(path: Path) -> None:
    """Delete what a crashed process left of a file: until it is complete, its name has a number appended."""
    for number in range(1, _MOST_UNFINISHED + 1):
        path.with_name(f"{path.name}#{number}").unlink(missing_ok=True)


def _explained(error: Exception) -> Exception:
    if "No space left" in str(error) or "os error 28" in str(error):
        return StorageFull(
            "The storage disk is full, so nothing was stored. Free up disk space, then send the request again."
        )
    if isinstance(error, FileNotFoundError):
        return error
    return Unavailable("The storage is not responding, so nothing was stored. Send the request again.", retry_after=2)
