"""Media that callers provide, as a file or by URL: kept byte for byte, so that it can be compared later."""

from hashlib import file_digest
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from socialgate_sandbox.kernel.probe import UNKNOWN
from socialgate_sandbox.kit import ShownMedia, Upload, World, probe


class Media(msgspec.Struct, frozen=True):
    """A media file. Its type, pixels and duration are read from its bytes; `declared` is the type its sender named.

    `file` is empty if it is too large to be kept or out of the sandbox's reach. What cannot be read is 0 and is assumed
    to be as it should be.
    """

    content_type: str
    size: int = 0
    sha256: str = ""
    file: str = ""
    source: str = ""
    declared: str = ""
    width: int = 0
    height: int = 0
    seconds: float = 0.0

    @property
    def is_seen(self) -> bool:
        """Whether the sandbox could look at its bytes."""
        return bool(self.size or self.sha256)

    @property
    def is_video(self) -> bool:
        return self.content_type in {"video/mp4", "video/quicktime"}

    @property
    def ratio(self) -> float:
        return self.width / self.height if self.width and self.height else 1.0

    def url(self, world: World, host: str) -> str:
        return f"{world.url}/{host}/media/{self.file}" if self.file else self.source


async def download(world: World, url: str, believed: str, most: int) -> Media | None:
    """Fetch a URL; None if there is nothing. `believed` is the type assumed if it cannot be fetched.

    If it is larger than `most`, only its beginning is inspected: callers check its size.
    """
    found = await world.fetch(url, most)
    if found is None:
        return Media(content_type=believed, source=url)
    if found.status != HTTPStatus.OK:
        return None
    file = world.files.save(found.body) if found.is_whole else ""
    declared = found.content_type.partition(";")[0].strip()
    about = _measured(found.body)
    return Media(size=found.size, sha256=found.sha256, file=file, source=url, declared=declared, **about)


def keep(world: World, upload: Upload, declared: str = "") -> Media:
    """Keep an upload permanently."""
    return of_file(world, world.files.keep(upload), declared)


def of_file(world: World, name: str, declared: str = "") -> Media:
    """Describe a kept file, such as one that was assembled from chunks."""
    path = world.files.path(name)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return Media(size=path.stat().st_size, sha256=digest, file=name, declared=declared, **_measured(path))


def _measured(content: Path | bytes) -> dict[str, Any]:
    return msgspec.structs.asdict(probe(content))


def shown(media: Media, alt: str = "", cover: Media | None = None, name: str = "") -> ShownMedia:
    """Return a media file as a feed shows it."""
    return ShownMedia(
        content_type=media.declared or UNKNOWN if media.content_type == UNKNOWN else media.content_type,
        size=media.size,
        sha256=media.sha256,
        file=media.file,
        name=name,
        alt=alt,
        cover=None if cover is None else shown(cover),
    )
