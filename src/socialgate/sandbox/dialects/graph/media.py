"""Media that callers provide, as a file or by URL: kept byte for byte, so that it can be compared later."""

from hashlib import file_digest
from http import HTTPStatus
from pathlib import Path

import msgspec
from starlette.responses import FileResponse, Response

from socialgate.sandbox.kit import Call, ShownMedia, Upload, World, probe

# The most that Meta fetches of a video.
LARGEST_VIDEO = 1 << 30
# What is assumed of media whose bytes do not contain it.
_SIDE = 1080


class Media(msgspec.Struct, frozen=True):
    """A media file. `file` is empty if it is too large to be kept or out of the sandbox's reach; it is then assumed to
    be what it should be.
    """

    content_type: str
    size: int = 0
    sha256: str = ""
    file: str = ""
    source: str = ""
    width: int = _SIDE
    height: int = _SIDE
    seconds: float = 0.0

    @property
    def is_video(self) -> bool:
        return self.content_type in {"video/mp4", "video/quicktime"}

    @property
    def ratio(self) -> float:
        return self.width / self.height

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
    return _media(found.body, found.size, found.sha256, file, url)


def keep(world: World, upload: Upload) -> Media:
    path = world.files.path(world.files.keep(upload))
    return _described(path)


def of_file(world: World, name: str) -> Media:
    """Describe a file that was assembled from chunks."""
    return _described(world.files.path(name))


def serve_media(call: Call) -> Response:
    path = call.world.files.path(call.args["name"])
    if not path.is_file():
        return Response("Bad URL hash", 403, media_type="text/plain")
    return FileResponse(path, media_type=probe(path).content_type)


def _described(path: Path) -> Media:
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return _media(path, path.stat().st_size, digest, path.name, "")


def _media(content: Path | bytes, size: int, digest: str, file: str, source: str) -> Media:
    found = probe(content)
    return Media(
        content_type=found.content_type,
        size=size,
        sha256=digest,
        file=file,
        source=source,
        width=found.width or _SIDE,
        height=found.height or _SIDE,
        seconds=found.seconds,
    )


def shown(media: Media, alt: str = "", cover: Media | None = None) -> ShownMedia:
    """Return a media file as a feed shows it."""
    return ShownMedia(
        content_type=media.content_type,
        size=media.size,
        sha256=media.sha256,
        file=media.file,
        alt=alt,
        cover=None if cover is None else shown(cover),
    )


def summary(world: World, host: str, media: Media) -> dict[str, object]:
    """Describe a media file for people and tests, with what they need to compare it."""
    return {
        "contentType": media.content_type,
        "size": media.size,
        "sha256": media.sha256,
        "source": media.source,
        "url": media.url(world, host),
    }
