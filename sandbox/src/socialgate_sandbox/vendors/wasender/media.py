"""Files: uploaded for a day, decrypted for an hour."""

import binascii
from base64 import b64decode
from pathlib import Path

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    Route,
    Upload,
    VendorContext,
    build_json_response,
    generate_hex,
    media,
)
from socialgate_sandbox.vendors.wasender.access import authenticate_session
from socialgate_sandbox.vendors.wasender.errors import (
    build_error_response,
    build_invalid_fields_error,
    build_unknown_path_response,
)
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message

_BYTES_PER_MIB = 1 << 20
MAX_DOCUMENT_BYTES = 50 * _BYTES_PER_MIB
_MAX_BYTES_BY_CATEGORY = {
    "image": 16 * _BYTES_PER_MIB,
    "video": 16 * _BYTES_PER_MIB,
    "audio": 16 * _BYTES_PER_MIB,
    "sticker": 5 * _BYTES_PER_MIB,
    "document": MAX_DOCUMENT_BYTES,
}
_UPLOAD_LIFETIME_SECONDS = 24 * 3600.0
_DECRYPTED_LIFETIME_SECONDS = 3600.0
MEDIA_MESSAGE_FIELDS = ("imageMessage", "videoMessage", "audioMessage", "documentMessage", "stickerMessage")
# The first bytes of recognizable types; other types are trusted.
_MAGIC_BY_TYPE = {
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


def get_category(mime: str) -> str:
    if mime == "image/webp":
        return "sticker"
    kind = mime.partition("/")[0]
    return kind if kind in _MAX_BYTES_BY_CATEGORY else "document"


def store_file(
    context: VendorContext, path: Path, mime: str, *, name: str = "", owner: str = "", media_key: str = ""
) -> Media:
    """Keep a file permanently."""
    file = media.store_media(context, Upload(name, mime, path, path.stat().st_size), mime)
    return add_media(context, file, mime, name=name, owner=owner, media_key=media_key)


def add_media(
    context: VendorContext, file: media.Media, mime: str, *, owner: str, name: str = "", media_key: str = ""
) -> Media:
    now = context.clock.now()
    return context.store.put(
        Media(id=generate_hex(32), parent=owner, mime=mime, file=file, created_at=now, name=name, media_key=media_key)
    )


def upload_media(call: Call) -> Response:
    session = authenticate_session(call)
    mime, upload = _read_upload(call)
    if upload.size > _MAX_BYTES_BY_CATEGORY[get_category(mime)]:
        raise CallRefusedError(build_error_response(413, f"The file is too large for its type {mime}."))
    with upload.path.open("rb") as opened:
        head = opened.read(8)
    if not head or not head.startswith(_MAGIC_BY_TYPE.get(mime, (b"",))):
        raise CallRefusedError(build_error_response(422, "The content of the file does not match its type."))
    stored = store_file(call.context, upload.path, mime, owner=session.id)
    return build_json_response({"success": True, "publicUrl": f"{call.context.url}/api/media/{stored.id}"})


def _read_upload(call: Call) -> tuple[str, Upload]:
    """Read the file from the body, or from the string in it."""
    if call.files:
        # Not documented, but sent by WaSender's own clients.
        upload = next(iter(call.files.values()))
        return upload.content_type or "application/octet-stream", upload
    if call.content_type != "application/json":
        if not call.content_type or not call.size:
            raise build_invalid_fields_error({"file": ["The Content-Type header and a body are required."]})
        return call.content_type, call.store_body_as_file()
    text = call.params.get("base64")
    if not isinstance(text, str) or not text:
        raise build_invalid_fields_error({"base64": ["The base64 field is required."]})
    head, comma, data = text.partition(",") if text.startswith("data:") else ("", "", text)
    mime = str(call.params.get("mimetype") or (head[5:].partition(";")[0] if comma else ""))
    if not mime:
        raise build_invalid_fields_error({"mimetype": ["The mimetype field is required."]})
    try:
        body = b64decode(data, validate=True)
    except binascii.Error as error:
        raise build_invalid_fields_error({"base64": ["The base64 field is invalid."]}) from error
    path = call.context.files.create_path()
    path.write_bytes(body)
    return mime, Upload("", mime, path, len(body))


def find_own_media(context: VendorContext, url: str) -> Media | None:
    """Find the upload that one of our addresses names."""
    prefix = f"{context.url}/api/media/"
    media = context.store.get(Media, url.removeprefix(prefix)) if url.startswith(prefix) else None
    return (
        None if media is None or context.clock.get_seconds_since(media.created_at) > _UPLOAD_LIFETIME_SECONDS else media
    )


def serve_upload(call: Call) -> Response:
    media = call.context.store.get(Media, call.path_params["media"])
    if media is None or call.context.clock.get_seconds_since(media.created_at) > _UPLOAD_LIFETIME_SECONDS:
        return build_unknown_path_response(call)
    return FileResponse(call.context.files.path(media.file.file), media_type=media.mime)


def decrypt_media(call: Call) -> Response:
    session = authenticate_session(call)
    messages = _require_object(_require_object(call.params, "data"), "messages")
    message = call.context.store.get(Message, str(_require_object(messages, "key").get("id")))
    content = _require_object(messages, "message")
    name = next((name for name in MEDIA_MESSAGE_FIELDS if name in content), None)
    if name is None:
        raise build_invalid_fields_error({"data.messages.message": ["The message holds no media."]})
    params = _require_object(content, name)
    sent = None if message is None or message.parent != session.id else call.context.store.get(Media, message.file)
    if message is None or sent is None or not sent.file.file or params.get("mediaKey") != sent.media_key:
        raise CallRefusedError(build_error_response(400, "Failed to decrypt media."))
    call.context.store.put(
        Decrypted(id=message.id, mime=sent.mime, file=sent.file, created_at=call.context.clock.now())
    )
    return build_json_response({"success": True, "publicUrl": f"{call.context.url}/api/decrypted-media/{message.id}"})


def _require_object(value: Json, name: str) -> Json:
    result = value.get(name)
    if not isinstance(result, dict):
        raise build_invalid_fields_error({name: [f"The {name} field is required."]})
    return result


def serve_decrypted_media(call: Call) -> Response:
    decrypted = call.context.store.get(Decrypted, call.path_params["message"])
    if decrypted is None or call.context.clock.get_seconds_since(decrypted.created_at) > _DECRYPTED_LIFETIME_SECONDS:
        return build_unknown_path_response(call)
    return FileResponse(call.context.files.path(decrypted.file.file), media_type=decrypted.mime)


ROUTES = [
    Route("POST", "/api/upload", upload_media),
    Route("GET", "/api/media/{media}", serve_upload),
    Route("POST", "/api/decrypt-media", decrypt_media),
    Route("GET", "/api/decrypted-media/{message}", serve_decrypted_media),
]
