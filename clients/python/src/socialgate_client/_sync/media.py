# Generated from `_async` by `make reference`. Do not edit: change it there and run it again.
"""Uploads."""

from __future__ import annotations

from .._resource import Resource
from .._uploads import PATIENCE, File, OnRetry, OnStart, UploadOptions, UploadProgress, upload_file
from ..types import MediaItem


class MediaUploads(Resource):
    """Adds uploads to the methods of media."""

    def upload(
        self,
        file: File,
        *,
        profile_id: str | None = None,
        file_name: str | None = None,
        on_progress: UploadProgress | None = None,
        on_start: OnStart | None = None,
        on_retry: OnRetry | None = None,
        resume: str | None = None,
        chunk_bytes: int | None = None,
        patience: float = PATIENCE,
    ) -> MediaItem:
        """Upload a file of any size, and return it when the service has it.

        A file of more than 8 MiB is sent in chunks, and goes on where it stopped when the connection breaks. In the end
        the checksum of the service is compared with that of the file.

        Args:
            file: The path of a file, its bytes, or a file that is open in binary mode.
            profile_id: The profile that the file belongs to.
            file_name: The name of the file; by default that of the path.
            on_progress: Called with the number of bytes that were received, and the size of the file.
            on_start: Called with the id of the upload: keep it, and `resume` continues even after your program has
                ended. With it, small files are sent in chunks too.
            on_retry: Called with the error each time that something failed that may pass, and is tried again.
            resume: Continue an upload that stopped: the `upload_id` of `UploadInterrupted`.
            chunk_bytes: How many bytes are sent at a time. Without it, as many as take a second or two.
            patience: How many seconds it is tried again without any progress.

        Raises:
            UploadInterrupted: It made no progress for too long. It can be continued.
            ChecksumMismatch: The service has other bytes than the file.

        """
        options = UploadOptions(
            profile_id=profile_id,
            file_name=file_name,
            on_progress=on_progress,
            on_start=on_start,
            on_retry=on_retry,
            resume=resume,
            chunk_bytes=chunk_bytes,
            patience=patience,
        )
        return self._root.run(upload_file(file, options))
