"""Reading stored files in parts, for code that uploads them to platforms."""

from socialgate.areas.media import store
from socialgate.contracts.failures import ErrorCategory, PlatformUnavailableError
from socialgate.core.errors import Unavailable
from socialgate.core.storage import Storage

# Takes the place of a platform in errors.
_STORAGE_PLATFORM = "storage"


class MediaUnavailableError(PlatformUnavailableError):
    """A file of the post could not be read, because the storage is not responding or has lost it. Nothing was sent.

    It is retried a few times. If the error persists, check the storage, or upload the file again.
    """

    code = "media_unavailable"
    title = "The file cannot be read right now"
    category: ErrorCategory = "system_error"
    source = "system"


class OwnerFileReader:
    """The files of one owner, for code that uploads them in parts.

    An unreadable file is treated like a platform error: nothing was sent, and it is retried.
    """

    def __init__(self, storage: Storage, owner_id: str) -> None:
        self._storage = storage
        self._owner_id = owner_id

    async def read(self, media_id: str, start: int, length: int) -> bytes:
        key = store.build_media_key(self._owner_id, media_id)
        try:
            data = b"".join([chunk async for chunk in self._storage.read(key, start, length)])
        except (FileNotFoundError, Unavailable):
            data = b""
        if len(data) < length:
            detail = f"The file {media_id} cannot be read from the storage, so nothing was sent. It will be retried."
            raise MediaUnavailableError(detail, platform=_STORAGE_PLATFORM)
        return data
