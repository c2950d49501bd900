"""Media of messages: uploaded, resolved to a URL that is valid for minutes, downloaded with the token, deleted."""

from base64 import b64encode
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import FileResponse, Response

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.kit import Call, StoredObject, VendorContext, generate_digits, generate_hex
from socialgate_sandbox.kit.media import Media, store_media
from socialgate_sandbox.vendors.whatsapp_cloud.errors import build_messaging_error
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import MESSAGING_SCOPE, require_scope, require_token

MEDIA_HOST = "lookaside.fbsbx.com"
_DAY_SECONDS, _URL_LIFETIME_SECONDS = 86400, 300
_MEGABYTE = 1 << 20
# The types that can be sent, and their maximum size.
MAX_BYTES_BY_TYPE = {
    **dict.fromkeys(("image/jpeg", "image/png"), 5 * _MEGABYTE),
    **dict.fromkeys(("video/mp4", "video/3gp", "video/3gpp"), 16 * _MEGABYTE),
    **dict.fromkeys(("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/opus"), 16 * _MEGABYTE),
    **dict.fromkeys(
        (
            "text/plain",
            "application/pdf",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        100 * _MEGABYTE,
    ),
    "image/webp": 500 * 1024,
}


class StoredMedia(StoredObject):
    """Media of a number (the parent), uploaded by the product or sent by a contact."""

    media: Media
    mime_type: str
    created_at: datetime = msgspec.field(name="made")
    days: int = 30


class Address(StoredObject):
    """A URL from which media (the parent) can be downloaded for a while; the id is the secret in it."""

    created_at: float = msgspec.field(name="made")


MEDIA_NODE_TYPE = NodeType("WhatsAppMedia", resolve_attributes("id"))


def create_stored_media(
    context: VendorContext, number: str, media: Media, mime_type: str = "", days: int = 30
) -> StoredMedia:
    stored = StoredMedia(
        id=generate_digits(16),
        parent=number,
        media=media,
        mime_type=mime_type or media.content_type,
        created_at=context.clock.now(),
        days=days,
    )
    return context.store.put(stored)


def receive_upload(call: Call, number: Number) -> Any:
    require_scope(call, MESSAGING_SCOPE)
    file = call.files.get("file")
    if call.params.get("messaging_product") != "whatsapp":
        return build_messaging_error(100, "Invalid parameter", "The parameter messaging_product is required.")
    if file is None:
        return build_messaging_error(100, "Invalid parameter", "The parameter file is required.")
    kind = str(call.params.get("type") or file.content_type).partition(";")[0].strip()
    if kind not in MAX_BYTES_BY_TYPE:
        allowed = ", ".join(sorted(MAX_BYTES_BY_TYPE))
        details = (
            f"Param file must be a file with one of the following types: {allowed}. Received file of type '{kind}'."
        )
        return build_messaging_error(100, details, details)
    if file.size > MAX_BYTES_BY_TYPE[kind]:
        return build_messaging_error(
            131053, "Media upload error", f"File size is larger than {MAX_BYTES_BY_TYPE[kind]} bytes."
        )
    return {"id": create_stored_media(call.context, number.id, store_media(call.context, file), kind).id}


def create_download_url(call: Call, stored_media: StoredMedia) -> Any:
    address = Address(id=generate_hex(40), parent=stored_media.id, created_at=call.context.clock.get_unix_time())
    call.context.store.put(address)
    folder = f"{call.context.url}/{MEDIA_HOST}/whatsapp_business/attachments/"
    return {
        "messaging_product": "whatsapp",
        "url": f"{folder}?mid={stored_media.id}&ext=300&hash={address.id}",
        "mime_type": stored_media.mime_type,
        "sha256": stored_media.media.sha256,
        "file_size": stored_media.media.size,
        "id": stored_media.id,
    }


def delete_media(call: Call, stored_media: StoredMedia) -> Any:
    call.context.store.delete(StoredMedia, stored_media.id)
    return {"success": True}


def serve_media(call: Call) -> Response:
    """Return the bytes to callers with both the URL and the token; the URL alone is not enough."""
    require_token(call)
    address = call.context.store.get(Address, call.query.get("hash", ""))
    stored = call.context.store.get(StoredMedia, address.parent) if address is not None else None
    if (
        address is None
        or stored is None
        or call.context.clock.get_unix_time() - address.created_at > _URL_LIFETIME_SECONDS
    ):
        return Response("URL signature expired", 404, media_type="text/plain")
    return FileResponse(call.context.files.path(stored.media.file), media_type=stored.mime_type)


def find_media_node(call: Call, key: str) -> Node | None:
    stored = call.context.store.get(StoredMedia, key)
    if stored is None or call.context.clock.get_seconds_since(stored.created_at) > stored.days * _DAY_SECONDS:
        return None
    number = call.context.store.get(Number, stored.parent)
    token = require_scope(call, MESSAGING_SCOPE)
    return Node(MEDIA_NODE_TYPE, stored) if number is not None and number.parent in token.wabas else None


def encode_digest(stored_media: StoredMedia) -> str:
    """Format the checksum as webhooks do, which differs from the response for the media itself."""
    return b64encode(bytes.fromhex(stored_media.media.sha256)).decode()
