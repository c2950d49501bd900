"""Media that callers hand over, as a file or by its address: kept byte for byte, so that it can be compared later."""

from hashlib import file_digest
from http import HTTPStatus
from pathlib import Path
from struct import unpack

import msgspec
from starlette.responses import FileResponse, Response

from socialgate.sandbox.kit import Call, ShownMedia, Upload, World

_HEAD = 1 << 18
# The most that Meta fetches of a film.
LARGEST_VIDEO = 1 << 30
_PNG, _JPEG, _GIF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8"
_FRAME_HEADERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


class Media(msgspec.Struct, frozen=True):
    """A medium. `file` is empty for one that is too large to be kept, and for one out of the sandbox's reach, which is
    believed to be what it should be.
    """

    content_type: str
    size: int = 0
    sha256: str = ""
    file: str = ""
    source: str = ""
    width: int = 1080
    height: int = 1080

    @property
    def is_video(self) -> bool:
        return self.content_type.startswith("video/")

    @property
    def ratio(self) -> float:
        return self.width / self.height

    def url(self, world: World, host: str) -> str:
        return f"{world.url}/{host}/media/{self.file}" if self.file else self.source


async def download(world: World, url: str, believed: str, most: int) -> Media | None:
    """Get what lies at an address, None if nothing does. `believed` is the type of what cannot be looked at.

    Of what is larger than `most` only the beginning is looked at: callers see it by its size.
    """
    found = await world.fetch(url, most)
    if found is None:
        return Media(content_type=believed, source=url)
    if found.status != HTTPStatus.OK:
        return None
    width, height = _dimensions(found.body)
    return Media(
        content_type=_kind(found.body),
        size=found.size,
        sha256=found.sha256,
        file=world.files.save(found.body) if found.is_whole else "",
        source=url,
        width=width,
        height=height,
    )


def keep(world: World, upload: Upload) -> Media:
    path = world.files.path(world.files.keep(upload))
    return _described(path)


def of_file(world: World, name: str) -> Media:
    """Describe a file that was put together from chunks."""
    return _described(world.files.path(name))


def serve_media(call: Call) -> Response:
    path = call.world.files.path(call.args["name"])
    if not path.is_file():
        return Response("Bad URL hash", 403, media_type="text/plain")
    with path.open("rb") as file:
        return FileResponse(path, media_type=_kind(file.read(16)))


def _described(path: Path) -> Media:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(0)
        digest = file_digest(file, "sha256").hexdigest()
    width, height = _dimensions(head)
    return Media(
        content_type=_kind(head),
        size=path.stat().st_size,
        sha256=digest,
        file=path.name,
        width=width,
        height=height,
    )


def _kind(content: bytes) -> str:
    """Tell what it is by how it begins: the platforms do not trust what a server says about it either."""
    if content.startswith(_PNG):
        return "image/png"
    if content.startswith(_JPEG):
        return "image/jpeg"
    if content.startswith(_GIF):
        return "image/gif"
    return "video/mp4" if content[4:8] == b"ftyp" else "application/octet-stream"


def _dimensions(content: bytes) -> tuple[int, int]:
    if content.startswith(_PNG):
        width, height = unpack(">II", content[16:24])
        return width, height
    if content.startswith(_GIF):
        width, height = unpack("<HH", content[6:10])
        return width, height
    return _jpeg_dimensions(content) if content.startswith(_JPEG) else (1080, 1080)


def _jpeg_dimensions(content: bytes) -> tuple[int, int]:
    """Go from marker to marker until the one that begins a frame."""
    place = 2
    while place + 9 < len(content):
        marker, length = content[place + 1], int.from_bytes(content[place + 2 : place + 4])
        if marker in _FRAME_HEADERS:
            height, width = unpack(">HH", content[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return 1080, 1080


def shown(media: Media, alt: str = "", cover: Media | None = None) -> ShownMedia:
    """Give a medium as a feed shows it."""
    return ShownMedia(
        content_type=media.content_type,
        size=media.size,
        sha256=media.sha256,
        file=media.file,
        alt=alt,
        cover=None if cover is None else shown(cover),
    )


def summary(world: World, host: str, media: Media) -> dict[str, object]:
    """Describe a medium for people and tests, with what they need to compare it."""
    return {
        "contentType": media.content_type,
        "size": media.size,
        "sha256": media.sha256,
        "source": media.source,
        "url": media.url(world, host),
    }
