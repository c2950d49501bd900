"""Files: uploaded, fetched from a URL, or sent again by their id."""

import hashlib
import mimetypes
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from starlette.responses import FileResponse, Response

from socialgate.sandbox.kit import Call, Fetched, Probed, Thing, Upload, World, draw, probe, text
from socialgate.sandbox.vendors.telegram.access import bot_of
from socialgate.sandbox.vendors.telegram.args import text_of
from socialgate.sandbox.vendors.telegram.errors import bad_request, refusal
from socialgate.sandbox.vendors.telegram.state import Bot, Json

Kind = Literal["photo", "video", "animation", "audio", "voice", "document", "sticker", "video_note"]

# Telegram recognizes what an id names by these letters.
_PREFIXES = {
    "photo": "AgACAgIAAxkB",
    "video": "BAACAgIAAxkB",
    "animation": "CgACAgIAAxkB",
    "audio": "CQACAgIAAxkB",
    "voice": "AwACAgIAAxkB",
    "document": "BQACAgIAAxkB",
    "sticker": "CAACAgIAAxkB",
    "video_note": "DQACAgIAAxkB",
}
_FOLDERS = {
    "photo": "photos",
    "video": "videos",
    "animation": "animations",
    "audio": "music",
    "voice": "voice",
    "document": "documents",
    "sticker": "stickers",
    "video_note": "video_notes",
}
# Kinds that have a thumbnail, and the length of its longer side.
_SMALL = {"photo": 90, "video": 320, "animation": 320, "video_note": 320}
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
    """`id` is the file_id. `kept` is empty if the file was out of the sandbox's reach or too large to be kept."""

    kind: str
    unique: str
    number: int
    name: str
    mime: str
    size: int
    kept: str
    sha256: str
    width: int = 0
    height: int = 0
    seconds: float = 0.0
    # The thumbnail, as bots see it; it can be downloaded as well.
    small: Json = {}

    @property
    def path(self) -> str:
        suffix = PurePosixPath(self.name).suffix or mimetypes.guess_extension(self.mime) or ""
        return f"{_FOLDERS[self.kind]}/file_{self.number}{suffix}"


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
    size = path.stat().st_size
    if size == 0:
        raise bad_request("file must be non-empty")
    seen = probe(path)
    if kind == "photo":
        _check_photo(size, seen.width, seen.height)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    kept = world.files.keep(Upload(name, mime, path, size))
    return _put(world, bot, kind, name, mime, size, kept, digest, seen)


def _known(world: World, given: str) -> File:
    found = world.store.get(File, given)
    if found is None:
        raise bad_request("wrong remote file identifier specified: Wrong string length")
    return found


async def _fetched(call: Call, bot: Bot, kind: Kind, url: str) -> File:
    host = urlsplit(url).hostname
    if not host:
        raise refusal("url_wrong")
    name = unquote(PurePosixPath(urlsplit(url).path).name) or "file"
    largest = _LARGEST_BY_URL.get(kind, _LARGEST_OTHER_BY_URL)
    answer = await call.world.fetch(url, largest)
    if answer is None:
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return _put(call.world, bot.id, kind, name, mime, 0, "", "", Probed(UNKNOWN))
    mime = answer.content_type.partition(";")[0].strip()
    if answer.status != HTTPStatus.OK or answer.size > largest:
        raise refusal("url_failed")
    if not _fits(kind, mime):
        raise refusal("url_content")
    path = call.world.files.path(call.world.files.save(answer.body))
    if not answer.is_whole:
        return _noted(call.world, bot, kind, name, mime, path, answer)
    return add_file(call.world, bot.id, kind, name, mime, path)


def _noted(world: World, bot: Bot, kind: Kind, name: str, mime: str, path: Path, answer: Fetched) -> File:
    """Record a file that is too large to be kept."""
    seen = probe(path)
    path.unlink()
    return _put(world, bot.id, kind, name, mime, answer.size, "", answer.sha256, seen)


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


def _check_photo(size: int, width: int, height: int) -> None:
    if size > _LARGEST_PHOTO:
        most = f"the maximum size is {_LARGEST_PHOTO} bytes"
        raise bad_request(f"file of size {size} bytes is too big for a photo; {most}")
    if not width or not height:
        raise bad_request("IMAGE_PROCESS_FAILED")
    if width + height > _MOST_PIXELS or max(width, height) > _STEEPEST * min(width, height):
        raise bad_request("PHOTO_INVALID_DIMENSIONS")


def _put(
    world: World, bot: str, kind: Kind, name: str, mime: str, size: int, kept: str, digest: str, seen: Probed
) -> File:
    file = File(
        id=f"{_PREFIXES[kind]}{text(60)}",
        parent=bot,
        kind=kind,
        unique=f"AQAD{text(11)}",
        number=world.store.count_up(f"file:{bot}", 0),
        name=name,
        mime=_mime(kind, name, mime, seen),
        size=size,
        kept=kept,
        sha256=digest,
        width=seen.width,
        height=seen.height,
        seconds=seen.seconds,
    )
    if kind in _SMALL and max(seen.width, seen.height) > _SMALL[kind]:
        file.small = _shrunk(world, file)
    return world.store.put(file)


def _mime(kind: Kind, name: str, given: str, seen: Probed) -> str:
    """Detect the type from the bytes, for a document from its name. What the sender says counts last."""
    ways = [seen.content_type if seen.content_type != UNKNOWN else None, mimetypes.guess_type(name)[0]]
    found = next(filter(None, reversed(ways) if kind == "document" else ways), None)
    return found or given or UNKNOWN


def _shrunk(world: World, file: File) -> Json:
    """Create a thumbnail of a file, which is a file of its own."""
    longest, most = max(file.width, file.height), _SMALL[file.kind]
    width, height = max(1, file.width * most // longest), max(1, file.height * most // longest)
    content = draw(file.id, width, height)
    made = File(
        id=f"AAMCAgADGQEA{text(60)}",
        parent=file.parent,
        kind="photo",
        unique=f"AQAD{text(11)}",
        number=world.store.count_up(f"file:{file.parent}", 0),
        name="thumbnail.png",
        mime="image/png",
        size=len(content),
        kept=world.files.save(content),
        sha256=hashlib.sha256(content).hexdigest(),
        width=width,
        height=height,
    )
    return size_json(world.store.put(made))


def size_json(file: File) -> Json:
    """Return an image as one of the sizes of something."""
    return file_json(file) | {"width": file.width or 1280, "height": file.height or 960}


def file_json(file: File) -> Json:
    body: Json = {"file_id": file.id, "file_unique_id": file.unique}
    return body | {"file_size": file.size} if file.size else body


def get_file(call: Call, _bot: Bot) -> Json:
    given = text_of(call, "file_id")
    if not given:
        raise bad_request("file_id not specified")
    file = call.world.store.get(File, given)
    if file is None:
        raise bad_request("invalid file_id")
    if file.size > _LARGEST_DOWNLOAD:
        raise refusal("file_too_big")
    if not file.kept:
        raise refusal("file_unknown")
    return file_json(file) | {"file_path": file.path}


def download(call: Call) -> Response:
    bot = bot_of(call)
    files = call.world.store.find(File, parent=bot.id)
    found = next((file for file in files if file.path == call.args["path"] and file.kept), None)
    if found is None:
        raise refusal("path_unknown")
    return FileResponse(call.world.files.path(found.kept), media_type="application/octet-stream")
