"""Uploads of any size: small files in one request, large ones in chunks that continue after a broken connection."""

from __future__ import annotations

import hashlib
import io
import os
import time
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeGuard, Union

import msgspec

from ._call import CHECK_URL, Call, Sleep, Work, new_key, read_retry_after
from ._errors import ApiError, ChecksumMismatch, ConnectionError, SocialgateError, UploadInterrupted  # noqa: A004 - ours
from ._wire import fill, pack_query
from .types import MediaItem, UploadState

if TYPE_CHECKING:
    from ._requests import Flow

# What fits into one of these is sent in one request.
_MAX_CHUNK_BYTES = 8 * 1024 * 1024
_MIN_CHUNK_BYTES = _MAX_CHUNK_BYTES // 32
# Chunks are so large that each takes a second or two: a connection that breaks loses at most one.
_FIRST_CHUNK_BYTES = _MAX_CHUNK_BYTES // 8
_QUICK_CHUNK_SECONDS, _SLOW_CHUNK_SECONDS = 0.5, 3.0
_CHUNK_TIMEOUT = 120.0
# With the last chunk the service assembles the file before it responds.
_ASSEMBLY_BYTES_PER_SECOND = 20 * 1024 * 1024
_FIRST_DELAY, _MAX_DELAY_SECONDS, _MAX_WAIT_SECONDS = 0.25, 10.0, 60.0
PATIENCE = 60.0
_HASHED_AT_ONCE = 1024 * 1024
_TUS = {"Tus-Resumable": "1.0.0"}

File = Union[str, "os.PathLike[str]", bytes, IO[bytes]]
# Called with the number of bytes that were received, and with the size of the file.
UploadProgress = Callable[[int, int], object]
OnStart = Callable[[str], object]
OnRetry = Callable[[SocialgateError], object]


class UploadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What callers can choose, as `MediaUploads.upload` describes it."""

    profile_id: str | None
    file_name: str | None
    on_progress: UploadProgress | None
    on_start: OnStart | None
    on_retry: OnRetry | None
    resume: str | None
    chunk_bytes: int | None
    patience: float

    def is_sent_at_once(self, size: int) -> bool:
        """Return whether a file is sent in one request, which cannot be continued."""
        can_continue = self.resume is not None or self.on_start is not None
        return not can_continue and size <= (self.chunk_bytes or _MAX_CHUNK_BYTES)


def upload_file(file: File, options: UploadOptions) -> Flow[MediaItem]:
    """Send a file, in one request or in chunks, and compare what has arrived with it."""
    with _open(file) as source:
        size = source.seek(0, io.SEEK_END)
        name = (options.file_name or _name_of(file)).encode("utf-8", "replace").decode()
        upload = _Upload(source, size, name, options)
        media = yield from upload.send_at_once() if options.is_sent_at_once(size) else upload.send_in_chunks()
        if media.sha256 != (yield Work(partial(_compute_sha256, source))):
            raise ChecksumMismatch(
                "The service received other bytes than the file contains: it changed in the meantime, or another "
                "upload was continued. Upload it again.",
                media,
            )
    if options.on_progress is not None:
        options.on_progress(size, size)
    return media


class _Upload:
    """One file on its way. After a failure that may pass, it asks how much was received, and continues there."""

    def __init__(self, source: io.BufferedIOBase, size: int, name: str, options: UploadOptions) -> None:
        self._source = source
        self._size = size
        self._name = name
        self._options = options
        self._id = options.resume
        self._chunk_bytes = options.chunk_bytes or _FIRST_CHUNK_BYTES
        self._offset = 0
        self._delay = _FIRST_DELAY
        self._stuck_since: float | None = None

    def send_at_once(self) -> Flow[MediaItem]:
        content = yield Work(partial(_read_chunk, self._source, 0, self._size))
        call: Call[MediaItem] = Call(
            method="POST",
            path="/upload",
            returns=MediaItem,
            query=pack_query({"profileId": self._options.profile_id, "fileName": self._name}),
            content=content,
            headers={"Content-Type": "application/octet-stream"},
            idempotency_key=new_key(),
            timeout=self._timeout(is_last=True),
        )
        return call.read((yield from self._send(call)))

    def send_in_chunks(self) -> Flow[MediaItem]:
        if self._id is None:
            self._id = yield from self._create()
        path = fill("/uploads/{}", self._id)
        if self._options.on_start is not None:
            self._options.on_start(self._id)
        if self._options.resume is not None:
            yield from self._ask_offset(path)
        self._report_progress()
        while self._offset < self._size:
            yield from self._send_chunk(path)
            if self._offset < self._size:
                self._report_progress()
        call: Call[UploadState] = Call(
            method="GET", path=path, returns=UploadState, timeout=self._timeout(is_last=True)
        )
        state = call.read((yield from self._send(call)))
        media = getattr(state, "media", None)
        if not isinstance(media, MediaItem):
            raise SocialgateError(f"{path}: the response has no file, though all of it was sent. {CHECK_URL}")
        return media

    def _create(self) -> Flow[str]:
        file_name = b64encode(self._name.encode()).decode()
        headers = {**_TUS, "Upload-Length": str(self._size), "Upload-Metadata": f"filename {file_name}"}
        # An upload that is created twice, and of which one stays empty, is deleted after a day.
        query = pack_query({"profileId": self._options.profile_id})
        call: Call[None] = Call(method="POST", path="/uploads", query=query, headers=headers, may_repeat=True)
        answer = yield from self._send(call)
        upload_id = str(answer.headers.get("location", "")).rpartition("/")[2]
        if not upload_id:
            raise SocialgateError(f"The service does not say where to upload the file. {CHECK_URL}")
        return upload_id

    def _ask_offset(self, path: str) -> Flow[None]:
        """Ask how much was received."""
        answer = yield from self._send(Call(method="HEAD", path=path, headers=_TUS))
        received, size = (str(answer.headers.get(name, "")) for name in ("upload-offset", "upload-length"))
        if not received.isdecimal() or not size.isdecimal():
            raise SocialgateError(f"{path}: the response does not say how much was received. {CHECK_URL}")
        if int(size) != self._size:
            raise SocialgateError(f"{self._id} expects {size} bytes, and the file has {self._size}.")
        self._note_offset(int(received))

    def _send_chunk(self, path: str) -> Flow[None]:
        """Send a chunk. After a failure, the service says where to continue."""
        count = min(self._chunk_bytes, self._size - self._offset)
        chunk = yield Work(partial(_read_chunk, self._source, self._offset, count))
        headers = {**_TUS, "Upload-Offset": str(self._offset), "Content-Type": "application/offset+octet-stream"}
        # It is never sent again by itself: a part of it may have been received.
        call: Call[None] = Call(
            method="PATCH",
            path=path,
            content=chunk,
            headers=headers,
            timeout=self._timeout(is_last=self._offset + count == self._size),
            may_repeat=False,
        )
        started = time.monotonic()
        try:
            yield call
        except (ConnectionError, ApiError) as error:
            self._adapt_chunks(_SLOW_CHUNK_SECONDS)
            yield from self._wait_after(error, is_chunk=True)
            yield from self._ask_offset(path)
        else:
            self._adapt_chunks(time.monotonic() - started)
            self._note_offset(self._offset + count)

    def _send(self, call: Call[Any]) -> Flow[Any]:
        """Send a call until there is a response."""
        while True:
            try:
                return (yield call)
            except (ConnectionError, ApiError) as error:
                yield from self._wait_after(error)

    def _wait_after(self, error: ConnectionError | ApiError, *, is_chunk: bool = False) -> Flow[None]:
        """Wait before the next attempt. Raises what no attempt can help with, and what has lasted for too long."""
        if isinstance(error, ApiError) and not _may_pass(error, is_chunk=is_chunk):
            raise error
        now = time.monotonic()
        if self._stuck_since is None:
            self._stuck_since = now
        if now - self._stuck_since >= self._options.patience:
            if self._id is None:
                raise error
            message = f"{error} Continue the upload with resume={self._id!r}."
            raise UploadInterrupted(message, self._id) from error
        if self._options.on_retry is not None:
            self._options.on_retry(error)
        requested = read_retry_after(error.headers) if isinstance(error, ApiError) else None
        yield Sleep(max(self._delay, min(requested or 0, _MAX_WAIT_SECONDS)))
        self._delay = min(2 * self._delay, _MAX_DELAY_SECONDS)

    def _note_offset(self, offset: int) -> None:
        if offset > self._offset:
            self._stuck_since, self._delay = None, _FIRST_DELAY
        self._offset = offset

    def _adapt_chunks(self, seconds: float) -> None:
        if self._options.chunk_bytes is not None:
            return
        if seconds < _QUICK_CHUNK_SECONDS:
            self._chunk_bytes = min(self._chunk_bytes * 2, _MAX_CHUNK_BYTES)
        elif seconds >= _SLOW_CHUNK_SECONDS:
            self._chunk_bytes = max(self._chunk_bytes // 2, _MIN_CHUNK_BYTES)

    def _timeout(self, *, is_last: bool) -> float:
        return _CHUNK_TIMEOUT + (self._size / _ASSEMBLY_BYTES_PER_SECOND if is_last else 0)

    def _report_progress(self) -> None:
        if self._options.on_progress is not None:
            self._options.on_progress(self._offset, self._size)


def _may_pass(error: ApiError, *, is_chunk: bool) -> bool:
    # A chunk conflicts with another request that was faster, such as one on a broken connection.
    is_conflict = is_chunk and error.status == HTTPStatus.CONFLICT
    is_busy = error.status == HTTPStatus.TOO_MANY_REQUESTS or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return is_conflict or is_busy


def _read_chunk(source: io.BufferedIOBase, offset: int, count: int) -> bytes:
    source.seek(offset)
    chunk = source.read(count)
    if len(chunk) < count:
        raise SocialgateError("The file became shorter during the upload. Upload it again.")
    return chunk


def _compute_sha256(source: io.BufferedIOBase) -> str:
    digest = hashlib.sha256()
    source.seek(0)
    while piece := source.read(_HASHED_AT_ONCE):
        digest.update(piece)
    return digest.hexdigest()


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
