"""Files: uploaded for a day, decrypted for an hour."""

import binascii
from base64 import b64decode
from pathlib import Path

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, Refused, Route, Upload, World, hexadecimal, media, reply
from socialgate_sandbox.vendors.wasender.access import session_of
from socialgate_sandbox.vendors.wasender.errors import failed, invalid_fields, unknown_path
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message

_MIB = 1 << 20
LARGEST_DOCUMENT = 50 * _MIB
_LARGEST = {
    "image": 16 * _MIB,
    "video": 16 * _MIB,
    "audio": 16 * _MIB,
    "sticker": 5 * _MIB,
    "document": LARGEST_DOCUMENT,
}
_UPLOADED = 24 * 3600.0
_DECRYPTED = 3600.0
MEMBERS = ("imageMessage", "videoMessage", "audioMessage", "documentMessage", "stickerMessage")
# The first bytes of recognizable types; other types are trusted.
_MAGIC = {
    "image/png": (b"\x89PNG",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF8",),
    "image/webp": (b"RIFF",),
    "application/pdf": (b"%PDF",),
    "audio/ogg": (b"OggS",),
    "application/zip": (b"PK",),
}


class Decrypted(Media, kw_only=True):
    """A decrypted copy of an inbound file. `id` is that of its message."""


def category_of(mime: str) -> str:
    if mime == "image/webp":
        return "sticker"
    kind = mime.partition("/")[0]
    return kind if kind in _LARGEST else "document"


def keep(world: World, path: Path, mime: str, *, name: str = "", owner: str = "", media_key: str = "") -> Media:
    """Keep a file permanently."""
    file = media.keep(world, Upload(name, mime, path, path.stat().st_size), mime)
    return add_media(world, file, mime, name=name, owner=owner, media_key=media_key)


def add_media(world: World, file: media.Media, mime: str, *, owner: str, name: str = "", media_key: str = "") -> Media:
    now = world.clock.now()
    return world.store.put(
        Media(id=hexadecimal(32), parent=owner, mime=mime, file=file, made=now, name=name, media_key=media_key)
    )


def upload(call: Call) -> Response:
    session = session_of(call)
    mime, given = _given(call)
    if given.size > _LARGEST[category_of(mime)]:
        raise Refused(failed(413, f"The file is too large for its type {mime}."))
    with given.path.open("rb") as opened:
        head = opened.read(8)
    if not head or not head.startswith(_MAGIC.get(mime, (b"",))):
        raise Refused(failed(422, "The content of the file does not match its type."))
    stored = keep(call.world, given.path, mime, owner=session.id)
    return reply({"success": True, "publicUrl": f"{call.world.url}/api/media/{stored.id}"})


def _given(call: Call) -> tuple[str, Upload]:
    """Read the file from the body, or from the string in it."""
    if call.files:
        # Not documented, but sent by WaSender's own clients.
        given = next(iter(call.files.values()))
        return given.content_type or "application/octet-stream", given
    if call.content_type != "application/json":
        if not call.content_type or not call.size:
            raise invalid_fields({"file": ["The Content-Type header and a body are required."]})
        return call.content_type, call.upload()
    text = call.params.get("base64")
    if not isinstance(text, str) or not text:
        raise invalid_fields({"base64": ["The base64 field is required."]})
    head, comma, data = text.partition(",") if text.startswith("data:") else ("", "", text)
    mime = str(call.params.get("mimetype") or (head[5:].partition(";")[0] if comma else ""))
    if not mime:
        raise invalid_fields({"mimetype": ["The mimetype field is required."]})
    try:
        body = b64decode(data, validate=True)
    except binascii.Error as error:
        raise invalid_fields({"base64": ["The base64 field is invalid."]}) from error
    path = call.world.files.new()
    path.write_bytes(body)
    return mime, Upload("", mime, path, len(body))


def own_media(world: World, url: str) -> Media | None:
    """Find the upload that one of our addresses names."""
    prefix = f"{world.url}/api/media/"
    found = world.store.get(Media, url.removeprefix(prefix)) if url.startswith(prefix) else None
    return None if found is None or world.clock.since(found.made) > _UPLOADED else found


def serve_upload(call: Call) -> Response:
    found = call.world.store.get(Media, call.args["media"])
    if found is None or call.world.clock.since(found.made) > _UPLOADED:
        return unknown_path(call)
    return FileResponse(call.world.files.path(found.file.file), media_type=found.mime)


def decrypt(call: Call) -> Response:
    session = session_of(call)
    messages = _member(_member(call.params, "data"), "messages")
    found = call.world.store.get(Message, str(_member(messages, "key").get("id")))
    content = _member(messages, "message")
    name = next((name for name in MEMBERS if name in content), None)
    if name is None:
        raise invalid_fields({"data.messages.message": ["The message holds no media."]})
    given = _member(content, name)
    sent = None if found is None or found.parent != session.id else call.world.store.get(Media, found.file)
    if found is None or sent is None or not sent.file.file or given.get("mediaKey") != sent.media_key:
        raise Refused(failed(400, "Failed to decrypt media."))
    call.world.store.put(Decrypted(id=found.id, mime=sent.mime, file=sent.file, made=call.world.clock.now()))
    return reply({"success": True, "publicUrl": f"{call.world.url}/api/decrypted-media/{found.id}"})


def _member(value: Json, name: str) -> Json:
    found = value.get(name)
    if not isinstance(found, dict):
        raise invalid_fields({name: [f"The {name} field is required."]})
    return found


def serve_decrypted(call: Call) -> Response:
    found = call.world.store.get(Decrypted, call.args["message"])
    if found is None or call.world.clock.since(found.made) > _DECRYPTED:
        return unknown_path(call)
    return FileResponse(call.world.files.path(found.file.file), media_type=found.mime)


ROUTES = [
    Route("POST", "/api/upload", upload),
    Route("GET", "/api/media/{media}", serve_upload),
    Route("POST", "/api/decrypt-media", decrypt),
    Route("GET", "/api/decrypted-media/{message}", serve_decrypted),
]
