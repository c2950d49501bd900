"""Uploads of any size: small files in one request, large ones in chunks that continue after a broken connection."""

from __future__ import annotations

import io
import os
from base64 import b64encode
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeGuard, Union

from ._call import Call, new_key
from ._errors import ApiError, ConnectionError, RateLimited, SocialgateError, UploadInterrupted  # noqa: A004 - ours
from ._resource import AsyncResource, Resource
from ._wire import fill, pack_query
from .types import MediaItem, UploadState

if TYPE_CHECKING:
    from ._client import Flow

CHUNK_BYTES = 8 * 1024 * 1024
# With the last chunk the service assembles the file before it responds.
_CHUNK_TIMEOUT = 600.0
# How often in a row a chunk may fail without any progress.
_MAX_FAILURES = 10
_TUS = {"Tus-Resumable": "1.0.0"}

File = Union[str, "os.PathLike[str]", bytes, IO[bytes]]
# Called with the number of bytes that were received, and with the size of the file.
UploadProgress = Callable[[int, int], object]


def upload_file(
    file: File,
    profile_id: str | None,
    file_name: str | None,
    on_progress: UploadProgress | None,
    resume: str | None,
    chunk_bytes: int,
) -> Flow[MediaItem]:
    """Send a file, in one request or in chunks."""
    with _open(file) as source:
        size = source.seek(0, io.SEEK_END)
        name = file_name or _name_of(file)
        if size <= chunk_bytes and resume is None:
            media = yield from _send_at_once(source, profile_id, name)
        else:
            media = yield from _send_in_chunks(source, size, profile_id, name, on_progress, resume, chunk_bytes)
        if on_progress is not None:
            on_progress(size, size)
    return media


def _send_at_once(source: io.BufferedIOBase, profile_id: str | None, name: str) -> Flow[MediaItem]:
    source.seek(0)
    call: Call[MediaItem] = Call(
        method="POST",
        path="/upload",
        returns=MediaItem,
        query=pack_query({"profileId": profile_id, "fileName": name}),
        content=source.read(),
        headers={"Content-Type": "application/octet-stream"},
        idempotency_key=new_key(),
        timeout=_CHUNK_TIMEOUT,
    )
    return call.read((yield call))


def _send_in_chunks(
    source: io.BufferedIOBase,
    size: int,
    profile_id: str | None,
    name: str,
    on_progress: UploadProgress | None,
    resume: str | None,
    chunk_bytes: int,
) -> Flow[MediaItem]:
    upload_id = resume or (yield from _create(size, profile_id, name))
    path = fill("/uploads/{}", upload_id)
    try:
        offset = yield from _ask_offset(path, size)
        failures = 0
        while offset < size:
            if on_progress is not None:
                on_progress(offset, size)
            source.seek(offset)
            reached = yield from _send_chunk(path, offset, source.read(chunk_bytes), size)
            failures = _count_failures(failures, offset, reached)
            offset = reached
    except ConnectionError as error:
        raise UploadInterrupted(f"{error} Continue the upload with resume={upload_id!r}.", upload_id) from error
    call: Call[UploadState] = Call(method="GET", path=path, returns=UploadState, timeout=_CHUNK_TIMEOUT)
    state = call.read((yield call))
    if state.media is None:
        raise SocialgateError(f"The upload {upload_id} is not complete: {state.received} of {state.size} bytes.")
    return state.media


def _count_failures(failures: int, offset: int, reached: int) -> int:
    if reached > offset:
        return 0
    if failures + 1 >= _MAX_FAILURES:
        raise ConnectionError("The upload makes no progress.")
    return failures + 1


def _create(size: int, profile_id: str | None, name: str) -> Flow[str]:
    headers = {**_TUS, "Upload-Length": str(size), "Upload-Metadata": f"filename {b64encode(name.encode()).decode()}"}
    # An upload that is created twice, and of which one stays empty, is deleted after a day.
    query = pack_query({"profileId": profile_id})
    answer = yield Call(method="POST", path="/uploads", query=query, headers=headers, may_repeat=True)
    return str(answer.headers["location"]).rpartition("/")[2]


def _ask_offset(path: str, size: int) -> Flow[int]:
    """Ask how much was received."""
    answer = yield Call(method="HEAD", path=path, headers=_TUS)
    if int(answer.headers["upload-length"]) != size:
        raise SocialgateError(f"{path} expects {answer.headers['upload-length']} bytes, and the file has {size}.")
    return int(answer.headers["upload-offset"])


def _send_chunk(path: str, offset: int, chunk: bytes, size: int) -> Flow[int]:
    """Send a chunk, and return how much was received then. After a break, the service says where to continue."""
    headers = {**_TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
    # It is never sent again by itself: a part of it may have been received.
    call: Call[None] = Call(
        method="PATCH", path=path, content=chunk, headers=headers, timeout=_CHUNK_TIMEOUT, may_repeat=False
    )
    try:
        answer: Any = yield call
    except (ConnectionError, RateLimited):
        return (yield from _ask_offset(path, size))
    except ApiError as error:
        if error.status != HTTPStatus.CONFLICT:
            raise
        return (yield from _ask_offset(path, size))
    return int(answer.headers["upload-offset"])


def _open(file: File) -> io.BufferedIOBase:
    if isinstance(file, bytes):
        return io.BytesIO(file)
    if isinstance(file, (str, os.PathLike)):
        return Path(file).open("rb")
    # What cannot be read twice cannot continue after a break: it is read once, now.
    return _Kept(file) if file.seekable() else io.BytesIO(file.read())


class _Kept(io.BufferedIOBase):
    """A file of the caller, which stays open."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def read(self, size: int | None = -1) -> bytes:
        return self._file.read(-1 if size is None else size)


def _name_of(file: File) -> str:
    path = file if isinstance(file, (str, os.PathLike)) else getattr(file, "name", None)
    return Path(path).name if _is_path(path) else "file"


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, (str, os.PathLike))


class MediaUploads(Resource):
    """Adds uploads to the methods of media."""

    def upload(
        self,
        file: File,
        *,
        profile_id: str | None = None,
        file_name: str | None = None,
        on_progress: UploadProgress | None = None,
        resume: str | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> MediaItem:
        """Upload a file of any size, and return it when the service has it.

        A file that is larger than a chunk is sent in chunks, and goes on where it stopped when the connection breaks.

        Args:
            file: The path of a file, its bytes, or a file that is open in binary mode.
            profile_id: The profile that the file belongs to.
            file_name: The name of the file; by default that of the path.
            on_progress: Called with the number of bytes that were received, and the size of the file.
            resume: Continue an upload that stopped: the `upload_id` of `UploadInterrupted`.
            chunk_bytes: How many bytes are sent at a time.

        """
        return self._root.run(upload_file(file, profile_id, file_name, on_progress, resume, chunk_bytes))


class AsyncMediaUploads(AsyncResource):
    """Adds uploads to the methods of media."""

    async def upload(
        self,
        file: File,
        *,
        profile_id: str | None = None,
        file_name: str | None = None,
        on_progress: UploadProgress | None = None,
        resume: str | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> MediaItem:
        """Upload a file of any size, and return it when the service has it.

        A file that is larger than a chunk is sent in chunks, and goes on where it stopped when the connection breaks.

        Args:
            file: The path of a file, its bytes, or a file that is open in binary mode.
            profile_id: The profile that the file belongs to.
            file_name: The name of the file; by default that of the path.
            on_progress: Called with the number of bytes that were received, and the size of the file.
            resume: Continue an upload that stopped: the `upload_id` of `UploadInterrupted`.
            chunk_bytes: How many bytes are sent at a time.

        """
        return await self._root.run(upload_file(file, profile_id, file_name, on_progress, resume, chunk_bytes))
