"""Where files lie: a folder, or an object store of any of the big clouds, behind one way to reach them.

Files are streamed in and out; none is ever held whole. A file exists when it was written to its end, and not before.
"""

from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, from_url

from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.settings import Settings, SettingsError

_READ_CHUNK = 1024 * 1024
_WRITE_AT_ONCE = 2
_SIGNED_FOR = timedelta(minutes=10)


class Storage:
    def __init__(self, store: Any, folder: Path | None) -> None:
        self._store = store
        self._folder = folder

    async def write(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """Write a file. If the chunks end with an error there is no file, and the error passes through."""
        try:
            await obstore.put_async(self._store, key, chunks, max_concurrency=_WRITE_AT_ONCE)
        except (BaseError, OSError) as error:
            raise _explained(error) from error

    async def read(self, key: str, start: int, length: int) -> AsyncIterator[bytes]:
        """Read a part of a file, chunk by chunk."""
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
                continue
            except (BaseError, OSError) as error:
                raise _explained(error) from error

    def open(self, key: str) -> BufferedReader:
        """Open a file for a library that seeks. It blocks: use it in a thread."""
        return BufferedReader(_Seekable(obstore.open_reader(self._store, key)), _READ_CHUNK)

    async def location(self, key: str) -> str:
        """Tell where a program of its own can read a file: a path, or an address that is good for minutes."""
        if self._folder is not None:
            return str(self._folder / key)
        return str(await obstore.sign_async(self._store, "GET", key, _SIGNED_FOR))


class _Seekable(RawIOBase):
    """A file of the store as Python knows files."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        found = bytes(self._file.read(len(buffer)))
        buffer[: len(found)] = found
        return len(found)


def open_storage(settings: Settings) -> Storage:
    if settings.storage_url is None:
        folder = settings.data_dir.resolve() / "media"
        folder.mkdir(parents=True, exist_ok=True)
        return Storage(LocalStore(folder), folder)
    try:
        return Storage(from_url(settings.storage_url), None)
    except (BaseError, ValueError) as error:
        raise SettingsError(
            f"SOCIALGATE_STORAGE_URL: {error}. Use one such as s3://bucket/folder, gs://bucket or az://container."
        ) from error


def _explained(error: Exception) -> Exception:
    if "No space left" in str(error) or "os error 28" in str(error):
        return StorageFull("The disk under the storage is full, so nothing was stored. Make room, then send it again.")
    if isinstance(error, FileNotFoundError):
        return error
    return Unavailable("The storage does not answer, so nothing was stored. Send it again.", retry_after=2)
