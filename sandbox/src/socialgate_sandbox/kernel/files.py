"""Files that the simulated platforms received. They are written as they arrive, never held in memory."""

from pathlib import Path
from uuid import uuid4

import msgspec

_MAX_NAME_LENGTH = 100


class Upload(msgspec.Struct, frozen=True):
    """A file of a call. It is deleted after the response unless `FileStore.store_upload` takes it over."""

    name: str
    content_type: str
    path: Path
    size: int


class FileStore:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create_path(self) -> Path:
        """Return a path to write to."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / uuid4().hex

    def store_upload(self, upload: Upload) -> str:
        """Keep the file permanently and return the name by which `path` finds it."""
        kept = self.create_path()
        upload.path.rename(kept)
        return kept.name

    def store_bytes(self, content: bytes) -> str:
        """Keep bytes permanently and return the name by which `path` finds them."""
        path = self.create_path()
        path.write_bytes(content)
        return path.name

    def path(self, name: str) -> Path:
        # Longer names than a file can have lead nowhere, instead of failing.
        return self._folder / Path(name).name[:_MAX_NAME_LENGTH]
