"""Files: uploaded, fetched from a URL, or sent again by their id."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, StoredObject, Upload, VendorContext, draw_plain_png, generate_alphanumeric
from socialgate_sandbox.kit.media import Media, describe_file, download_media, store_media
from socialgate_sandbox.vendors.telegram.access import authenticate_bot
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, build_refusal, require
from socialgate_sandbox.vendors.telegram.method_parameters import get_text
from socialgate_sandbox.vendors.telegram.state import Bot, Json

FileKind = Literal["photo", "video", "animation", "audio", "voice", "document", "sticker", "video_note"]


class _FileKindRules(NamedTuple):
    """How files of a kind are named. Telegram recognizes what an id names by its first letters.

    `thumbnail_size` is the length of the longer side of their thumbnail, 0 if they have none.
    """

    id_prefix: str
    folder: str
    thumbnail_size: int = 0


_RULES_BY_KIND: Mapping[str, _FileKindRules] = {
    "photo": _FileKindRules("AgACAgIAAxkB", "photos", 90),
    "video": _FileKindRules("BAACAgIAAxkB", "videos", 320),
    "animation": _FileKindRules("CgACAgIAAxkB", "animations", 320),
    "audio": _FileKindRules("CQACAgIAAxkB", "music"),
    "voice": _FileKindRules("AwACAgIAAxkB", "voice"),
    "document": _FileKindRules("BQACAgIAAxkB", "documents"),
    "sticker": _FileKindRules("CAACAgIAAxkB", "stickers"),
    "video_note": _FileKindRules("DQACAgIAAxkB", "video_notes", 320),
}
UNKNOWN_MIME_TYPE = "application/octet-stream"
BYTES_PER_MIB = 1 << 20
_MAX_PHOTO_BYTES = 10 * BYTES_PER_MIB
_MAX_FILE_BYTES = 50 * BYTES_PER_MIB
_MAX_BY_URL_BYTES = {"photo": 5 * BYTES_PER_MIB}
_MAX_OTHER_BY_URL_BYTES = 20 * BYTES_PER_MIB
_MAX_DOWNLOAD_BYTES = 20 * BYTES_PER_MIB
_MAX_PIXELS = 10_000
_MAX_ASPECT_RATIO = 20
_DOCUMENT_URL_TYPES = {"application/pdf", "application/zip", "image/gif"}


class File(StoredObject, kw_only=True):
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
        return f"{_RULES_BY_KIND[self.kind].folder}/file_{self.number}{suffix}"


async def resolve_file(call: Call, bot: Bot, kind: FileKind, field: str, reference: str) -> File | None:
    """Find what a field of a call names: an upload, a URL, or an id. None if there is nothing."""
    attached = reference.removeprefix("attach://") if reference.startswith("attach://") else ""
    if reference.startswith(("http://", "https://")):
        return await _fetch_file(call, bot, kind, reference)
    if reference and not attached:
        return _require_stored_file(call.context, reference)
    upload = call.files.get(attached or field)
    return None if upload is None else _store_upload(call.context, bot, kind, upload)


def store_file(context: VendorContext, bot: str, kind: FileKind, name: str, mime: str, path: Path) -> File:
    """Store a file. A photo must be an image."""
    media = store_media(context, Upload(name, mime, path, path.stat().st_size))
    _validate_media(kind, media)
    return _store_with_thumbnail(context, bot, kind, name, mime, media)


def _require_stored_file(context: VendorContext, file_id: str) -> File:
    file = context.store.get(File, file_id)
    if file is None:
        raise build_bad_request("wrong remote file identifier specified: Wrong string length")
    return file


async def _fetch_file(call: Call, bot: Bot, kind: FileKind, url: str) -> File:
    parts = urlsplit(url)
    if not parts.hostname:
        raise build_refusal("url_wrong")
    name = unquote(PurePosixPath(parts.path).name) or "file"
    largest = _MAX_BY_URL_BYTES.get(kind, _MAX_OTHER_BY_URL_BYTES)
    media = await download_media(call.context, url, UNKNOWN_MIME_TYPE, largest)
    if media is None or media.size > largest:
        raise build_refusal("url_failed")
    if media.has_content and not _accepts_mime_type(kind, media.declared):
        raise build_refusal("url_content")
    # What is out of reach or too large to be kept is assumed to be good.
    if media.file:
        _validate_media(kind, media)
    return _store_with_thumbnail(call.context, bot.id, kind, name, media.declared, media)


def _accepts_mime_type(kind: FileKind, mime: str) -> bool:
    if kind == "document":
        return mime in _DOCUMENT_URL_TYPES
    if kind == "photo":
        return mime.startswith("image/")
    return not mime.startswith("text/")


def _store_upload(context: VendorContext, bot: Bot, kind: FileKind, upload: Upload) -> File:
    if upload.size > _MAX_FILE_BYTES:
        raise build_refusal("too_large")
    return store_file(context, bot.id, kind, upload.name, upload.content_type, upload.path)


def _validate_media(kind: FileKind, media: Media) -> None:
    require(media.size, "file must be non-empty")
    if kind != "photo":
        return
    if media.size > _MAX_PHOTO_BYTES:
        message = (
            f"file of size {media.size} bytes is too big for a photo; the maximum size is {_MAX_PHOTO_BYTES} bytes"
        )
        raise build_bad_request(message)
    require(media.width and media.height, "IMAGE_PROCESS_FAILED")
    longer, shorter = max(media.width, media.height), min(media.width, media.height)
    require(longer + shorter <= _MAX_PIXELS and longer <= _MAX_ASPECT_RATIO * shorter, "PHOTO_INVALID_DIMENSIONS")


def _store_with_thumbnail(context: VendorContext, bot: str, kind: FileKind, name: str, mime: str, media: Media) -> File:
    file = _build_file(
        context,
        bot,
        kind,
        _RULES_BY_KIND[kind].id_prefix,
        name,
        _detect_mime_type(kind, name, mime, media.content_type),
        media,
    )
    if 0 < _RULES_BY_KIND[kind].thumbnail_size < max(media.width, media.height):
        file.small = _create_thumbnail(context, file)
    return context.store.put(file)


def _build_file(
    context: VendorContext, bot: str, kind: FileKind, prefix: str, name: str, mime: str, media: Media
) -> File:
    return File(
        id=f"{prefix}{generate_alphanumeric(60)}",
        parent=bot,
        kind=kind,
        unique=f"AQAD{generate_alphanumeric(11)}",
        number=context.store.get_next_number(f"file:{bot}", 0),
        name=name,
        mime=mime,
        media=media,
    )


def _detect_mime_type(kind: FileKind, name: str, declared_type: str, detected_type: str) -> str:
    """Detect the type from the bytes, for a document from its name. What the sender says counts last."""
    ways = [detected_type if detected_type != UNKNOWN_MIME_TYPE else None, mimetypes.guess_type(name)[0]]
    result = next(filter(None, reversed(ways) if kind == "document" else ways), None)
    return result or declared_type or UNKNOWN_MIME_TYPE


def _create_thumbnail(context: VendorContext, file: File) -> Json:
    """Create a thumbnail of a file, which is a file of its own."""
    media, most = file.media, _RULES_BY_KIND[file.kind].thumbnail_size
    longest = max(media.width, media.height)
    width, height = max(1, media.width * most // longest), max(1, media.height * most // longest)
    content = describe_file(context, context.files.store_bytes(draw_plain_png(file.id, width, height)))
    created_file = _build_file(context, file.parent, "photo", "AAMCAgADGQEA", "thumbnail.png", "image/png", content)
    return build_photo_size_json(context.store.put(created_file))


def build_photo_size_json(file: File) -> Json:
    """Return an image as one of the sizes of something."""
    return build_file_json(file) | {"width": file.media.width or 1280, "height": file.media.height or 960}


def build_file_json(file: File) -> Json:
    body: Json = {"file_id": file.id, "file_unique_id": file.unique}
    return body | {"file_size": file.media.size} if file.media.size else body


def get_file(call: Call, _bot: Bot) -> Json:
    value = get_text(call, "file_id")
    require(value, "file_id not specified")
    file = call.context.store.get(File, value)
    if file is None:
        raise build_bad_request("invalid file_id")
    if file.media.size > _MAX_DOWNLOAD_BYTES:
        raise build_refusal("file_too_big")
    if not file.media.file:
        raise build_refusal("file_unknown")
    return build_file_json(file) | {"file_path": file.path}


def serve_file(call: Call) -> Response:
    bot = authenticate_bot(call)
    files = call.context.store.find(File, parent=bot.id)
    existing_file = next((file for file in files if file.path == call.path_params["path"] and file.media.file), None)
    if existing_file is None:
        raise build_refusal("path_unknown")
    return FileResponse(call.context.files.path(existing_file.media.file), media_type="application/octet-stream")
