"""Files that the simulated platforms received. They are written as they arrive, never held in memory."""

from pathlib import Path
from uuid import uuid4

import msgspec

_LONGEST_NAME = 100


class Upload(msgspec.Struct, frozen=True):
    """A file of a call. It is deleted after the response unless `Files.keep` takes it over."""

    name: str
    content_type: str
    path: Path
    size: int


class Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new(self) -> Path:
        """Return a path to write to."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / uuid4().hex

    def keep(self, upload: Upload) -> str:
        """Keep the file permanently and return the name by which `path` finds it."""
        kept = self.new()
        upload.path.rename(kept)
        return kept.name

    def save(self, content: bytes) -> str:
        """Keep bytes permanently and return the name by which `path` finds them."""
        path = self.new()
        path.write_bytes(content)
        return path.name

    def path(self, name: str) -> Path:
        # Longer names than a file can have lead nowhere, instead of failing.
        return self._folder / Path(name).name[:_LONGEST_NAME]
