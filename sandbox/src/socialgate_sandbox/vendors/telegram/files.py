"""Files: uploaded, fetched from a URL, or sent again by their id."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, Thing, Upload, World, draw, text
from socialgate_sandbox.kit.media import Media, download, keep, of_file
from socialgate_sandbox.vendors.telegram.access import bot_of
from socialgate_sandbox.vendors.telegram.args import text_of
from socialgate_sandbox.vendors.telegram.errors import bad_request, refusal, require
from socialgate_sandbox.vendors.telegram.state import Bot, Json

Kind = Literal["photo", "video", "animation", "audio", "voice", "document", "sticker", "video_note"]


class _Rules(NamedTuple):
    """How files of a kind are named. Telegram recognizes what an id names by its first letters.

    `thumbnail` is the length of the longer side of their thumbnail, 0 if they have none.
    """

    prefix: str
    folder: str
    thumbnail: int = 0


_KINDS: Mapping[str, _Rules] = {
    "photo": _Rules("AgACAgIAAxkB", "photos", 90),
    "video": _Rules("BAACAgIAAxkB", "videos", 320),
    "animation": _Rules("CgACAgIAAxkB", "animations", 320),
    "audio": _Rules("CQACAgIAAxkB", "music"),
    "voice": _Rules("AwACAgIAAxkB", "voice"),
    "document": _Rules("BQACAgIAAxkB", "documents"),
    "sticker": _Rules("CAACAgIAAxkB", "stickers"),
    "video_note": _Rules("DQACAgIAAxkB", "video_notes", 320),
}
UNKNOWN = "application/octet-stream"
MIB = 1 << 20
_LARGEST_PHOTO = 10 * MIB
_LARGEST = 50 * MIB
_LARGEST_BY_URL = {"photo": 5 * MIB}
_LARGEST_OTHER_BY_URL = 20 * MIB
_LARGEST_DOWNLOAD = 20 * MIB
_MOST_PIXELS = 10_000
_STEEPEST = 20
_BY_URL_AS_DOCUMENT = {"application/pdf", "application/zip", "image/gif"}


class File(Thing, kw_only=True):
    """`id` is the file_id, `mime` the type that bots see."""

    kind: str
    unique: str
    number: int
    name: str
    mime: str
    media: Media
    # The thumbnail, as bots see it; it can be downloaded as well.
    small: Json = {}

    @property
    def path(self) -> str:
        suffix = PurePosixPath(self.name).suffix or mimetypes.guess_extension(self.mime) or ""
        return f"{_KINDS[self.kind].folder}/file_{self.number}{suffix}"


async def file_of(call: Call, bot: Bot, kind: Kind, field: str, given: str) -> File | None:
    """Find what a field of a call names: an upload, a URL, or an id. None if there is nothing."""
    attached = given.removeprefix("attach://") if given.startswith("attach://") else ""
    if given.startswith(("http://", "https://")):
        return await _fetched(call, bot, kind, given)
    if given and not attached:
        return _known(call.world, given)
    upload = call.files.get(attached or field)
    return None if upload is None else _uploaded(call.world, bot, kind, upload)


def add_file(world: World, bot: str, kind: Kind, name: str, mime: str, path: Path) -> File:
    """Store a file. A photo must be an image."""
    media = keep(world, Upload(name, mime, path, path.stat().st_size))
    _check(kind, media)
    return _put(world, bot, kind, name, mime, media)


def _known(world: World, given: str) -> File:
    found = world.store.get(File, given)
    if found is None:
        raise bad_request("wrong remote file identifier specified: Wrong string length")
    return found


async def _fetched(call: Call, bot: Bot, kind: Kind, url: str) -> File:
    parts = urlsplit(url)
    if not parts.hostname:
        raise refusal("url_wrong")
    name = unquote(PurePosixPath(parts.path).name) or "file"
    largest = _LARGEST_BY_URL.get(kind, _LARGEST_OTHER_BY_URL)
    media = await download(call.world, url, UNKNOWN, largest)
    if media is None or media.size > largest:
        raise refusal("url_failed")
    if media.is_seen and not _fits(kind, media.declared):
        raise refusal("url_content")
    # What is out of reach or too large to be kept is assumed to be good.
    if media.file:
        _check(kind, media)
    return _put(call.world, bot.id, kind, name, media.declared, media)


def _fits(kind: Kind, mime: str) -> bool:
    if kind == "document":
        return mime in _BY_URL_AS_DOCUMENT
    if kind == "photo":
        return mime.startswith("image/")
    return not mime.startswith("text/")


def _uploaded(world: World, bot: Bot, kind: Kind, upload: Upload) -> File:
    if upload.size > _LARGEST:
        raise refusal("too_large")
    return add_file(world, bot.id, kind, upload.name, upload.content_type, upload.path)


def _check(kind: Kind, media: Media) -> None:
    require(media.size, "file must be non-empty")
    if kind != "photo":
        return
    if media.size > _LARGEST_PHOTO:
        said = f"file of size {media.size} bytes is too big for a photo; the maximum size is {_LARGEST_PHOTO} bytes"
        raise bad_request(said)
    require(media.width and media.height, "IMAGE_PROCESS_FAILED")
    longer, shorter = max(media.width, media.height), min(media.width, media.height)
    require(longer + shorter <= _MOST_PIXELS and longer <= _STEEPEST * shorter, "PHOTO_INVALID_DIMENSIONS")


def _put(world: World, bot: str, kind: Kind, name: str, mime: str, media: Media) -> File:
    file = _new(world, bot, kind, _KINDS[kind].prefix, name, _mime(kind, name, mime, media.content_type), media)
    if 0 < _KINDS[kind].thumbnail < max(media.width, media.height):
        file.small = _shrunk(world, file)
    return world.store.put(file)


def _new(world: World, bot: str, kind: Kind, prefix: str, name: str, mime: str, media: Media) -> File:
    return File(
        id=f"{prefix}{text(60)}",
        parent=bot,
        kind=kind,
        unique=f"AQAD{text(11)}",
        number=world.store.count_up(f"file:{bot}", 0),
        name=name,
        mime=mime,
        media=media,
    )


def _mime(kind: Kind, name: str, given: str, seen: str) -> str:
    """Detect the type from the bytes, for a document from its name. What the sender says counts last."""
    ways = [seen if seen != UNKNOWN else None, mimetypes.guess_type(name)[0]]
    found = next(filter(None, reversed(ways) if kind == "document" else ways), None)
    return found or given or UNKNOWN


def _shrunk(world: World, file: File) -> Json:
    """Create a thumbnail of a file, which is a file of its own."""
    media, most = file.media, _KINDS[file.kind].thumbnail
    longest = max(media.width, media.height)
    width, height = max(1, media.width * most // longest), max(1, media.height * most // longest)
    content = of_file(world, world.files.save(draw(file.id, width, height)))
    made = _new(world, file.parent, "photo", "AAMCAgADGQEA", "thumbnail.png", "image/png", content)
    return size_json(world.store.put(made))


def size_json(file: File) -> Json:
    """Return an image as one of the sizes of something."""
    return file_json(file) | {"width": file.media.width or 1280, "height": file.media.height or 960}


def file_json(file: File) -> Json:
    body: Json = {"file_id": file.id, "file_unique_id": file.unique}
    return body | {"file_size": file.media.size} if file.media.size else body


def get_file(call: Call, _bot: Bot) -> Json:
    given = text_of(call, "file_id")
    require(given, "file_id not specified")
    file = call.world.store.get(File, given)
    if file is None:
        raise bad_request("invalid file_id")
    if file.media.size > _LARGEST_DOWNLOAD:
        raise refusal("file_too_big")
    if not file.media.file:
        raise refusal("file_unknown")
    return file_json(file) | {"file_path": file.path}


def serve_file(call: Call) -> Response:
    bot = bot_of(call)
    files = call.world.store.find(File, parent=bot.id)
    found = next((file for file in files if file.path == call.args["path"] and file.media.file), None)
    if found is None:
        raise refusal("path_unknown")
    return FileResponse(call.world.files.path(found.media.file), media_type="application/octet-stream")
