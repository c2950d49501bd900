"""Media of messages: uploaded, resolved to a URL that is valid for minutes, downloaded with the token, deleted."""

from base64 import b64encode
from datetime import datetime
from typing import Any

from starlette.responses import FileResponse, Response

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.kit import Call, Thing, World, digits, hexadecimal
from socialgate_sandbox.kit.media import Media, keep
from socialgate_sandbox.vendors.whatsapp_cloud.errors import messaging
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import SEND, require, viewer

HOST = "lookaside.fbsbx.com"
_DAY, _FIVE_MINUTES = 86400, 300
_MEGABYTE = 1 << 20
# The types that can be sent, and their maximum size.
LARGEST = {
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


class StoredMedia(Thing):
    """Media of a number (the parent), uploaded by the product or sent by a contact."""

    media: Media
    mime_type: str
    made: datetime
    days: int = 30


class Address(Thing):
    """A URL from which media (the parent) can be downloaded for a while; the id is the secret in it."""

    made: float


MEDIA = NodeType("WhatsAppMedia", own("id"))


def store(world: World, number: str, media: Media, mime_type: str = "", days: int = 30) -> StoredMedia:
    stored = StoredMedia(
        id=digits(16),
        parent=number,
        media=media,
        mime_type=mime_type or media.content_type,
        made=world.clock.now(),
        days=days,
    )
    return world.store.put(stored)


def upload(call: Call, number: Number) -> Any:
    require(call, SEND)
    file = call.files.get("file")
    if call.params.get("messaging_product") != "whatsapp":
        return messaging(100, "Invalid parameter", "The parameter messaging_product is required.")
    if file is None:
        return messaging(100, "Invalid parameter", "The parameter file is required.")
    kind = str(call.params.get("type") or file.content_type).partition(";")[0].strip()
    if kind not in LARGEST:
        allowed = ", ".join(sorted(LARGEST))
        details = (
            f"Param file must be a file with one of the following types: {allowed}. Received file of type '{kind}'."
        )
        return messaging(100, details, details)
    if file.size > LARGEST[kind]:
        return messaging(131053, "Media upload error", f"File size is larger than {LARGEST[kind]} bytes.")
    return {"id": store(call.world, number.id, keep(call.world, file), kind).id}


def resolve(call: Call, stored: StoredMedia) -> Any:
    address = Address(id=hexadecimal(40), parent=stored.id, made=call.world.clock.time())
    call.world.store.put(address)
    return {
        "messaging_product": "whatsapp",
        "url": f"{call.world.url}/{HOST}/whatsapp_business/attachments/?mid={stored.id}&ext=300&hash={address.id}",
        "mime_type": stored.mime_type,
        "sha256": stored.media.sha256,
        "file_size": stored.media.size,
        "id": stored.id,
    }


def delete(call: Call, stored: StoredMedia) -> Any:
    call.world.store.delete(StoredMedia, stored.id)
    return {"success": True}


def download(call: Call) -> Response:
    """Return the bytes to callers with both the URL and the token; the URL alone is not enough."""
    viewer(call)
    address = call.world.store.get(Address, call.query.get("hash", ""))
    stored = call.world.store.get(StoredMedia, address.parent) if address is not None else None
    if address is None or stored is None or call.world.clock.time() - address.made > _FIVE_MINUTES:
        return Response("URL signature expired", 404, media_type="text/plain")
    return FileResponse(call.world.files.path(stored.media.file), media_type=stored.mime_type)


def media_node(call: Call, key: str) -> Node | None:
    stored = call.world.store.get(StoredMedia, key)
    if stored is None or call.world.clock.since(stored.made) > stored.days * _DAY:
        return None
    number = call.world.store.get(Number, stored.parent)
    token = require(call, SEND)
    return Node(MEDIA, stored) if number is not None and number.parent in token.wabas else None


def base64_digest(stored: StoredMedia) -> str:
    """Format the checksum as webhooks do, which differs from the response for the media itself."""
    return b64encode(bytes.fromhex(stored.media.sha256)).decode()
