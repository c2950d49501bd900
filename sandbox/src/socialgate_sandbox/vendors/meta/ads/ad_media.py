"""Images and videos in the library of an ad account."""

import hashlib
from base64 import b64decode
from binascii import Error
from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error
from socialgate_sandbox.dialects.graph.media import build_pixel_fields
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, build_finder, resolve_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_json_text, parse_words
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, VendorContext
from socialgate_sandbox.kit.media import Media, describe_file, store_media
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST
from socialgate_sandbox.vendors.meta.ads.ad_accounts import find_ad_account_node, require_advertise_role
from socialgate_sandbox.vendors.meta.content import Video
from socialgate_sandbox.vendors.meta.pages.video_nodes import VIDEO_NODE_TYPE
from socialgate_sandbox.vendors.meta.pages.video_uploads import receive_video
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount


class AdImage(StoredObject, kw_only=True):
    """An image of an ad account (the parent), named by the hash of its bytes."""

    hash: str
    name: str
    created_at: datetime = msgspec.field(name="made")
    media: Media


AD_IMAGE_NODE_TYPE = NodeType(
    "AdImage",
    {
        **resolve_attributes("id", "hash", "name"),
        "account_id": lambda _call, image, _field: image.parent.removeprefix("act_"),
        "status": lambda _call, _image, _field: "ACTIVE",
        **dict.fromkeys(("created_time", "updated_time"), lambda _call, image, _field: format_time(image.created_at)),
        **dict.fromkeys(
            ("url", "url_128", "permalink_url"), lambda call, image, _field: _build_url(call.context, image)
        ),
        **dict.fromkeys(
            ("width", "original_width"), lambda _call, image, _field: build_pixel_fields(image.media)["width"]
        ),
        **dict.fromkeys(
            ("height", "original_height"), lambda _call, image, _field: build_pixel_fields(image.media)["height"]
        ),
    },
    ("hash", "id"),
)


def _build_url(context: VendorContext, image: AdImage) -> str:
    return image.media.url(context, CDN_HOST)


def find_image(context: VendorContext, account: str, image_hash: str) -> AdImage | None:
    return context.store.get(AdImage, f"{account.removeprefix('act_')}:{image_hash}")


def create_images(call: Call, account: AdAccount) -> Any:
    """Accept the bytes of an image as base64, as files, or an image of another account."""
    require_advertise_role(call, account.id)
    medias = _read_images(call)
    if not medias:
        raise CallRefusedError(
            build_error_response("(#100) One of the parameters bytes, copy_from or a file is required", 100)
        )
    return {"images": {name: _store_image(call, account, name, media) for name, media in medias.items()}}


def _read_images(call: Call) -> dict[str, Media]:
    if call.files:
        return {upload.name or name: store_media(call.context, upload) for name, upload in call.files.items()}
    copied = parse_json_text(call.params.get("copy_from"))
    if isinstance(copied, dict):
        source = f"act_{copied.get('source_account_id')}"
        image = find_image(call.context, source, str(copied.get("hash")))
        if image is None or find_ad_account_node(call, source) is None:
            raise build_parameter_error("The image to copy does not exist")
        return {image.name: image.media}
    try:
        sent = b64decode(get_text(call, "bytes"), validate=True)
    except (Error, ValueError) as error:
        raise build_parameter_error("Param bytes must be a base64 string") from error
    return {"bytes": describe_file(call.context, call.context.files.store_bytes(sent))} if sent else {}


def _store_image(call: Call, account: AdAccount, name: str, media: Media) -> dict[str, Any]:
    if not media.content_type.startswith("image/"):
        advice = "Your image could not be read. Use a JPG or PNG file."
        raise CallRefusedError(
            build_error_response("Invalid parameter", 100, title="Invalid Image File", advice=advice)
        )
    digest = hashlib.md5(call.context.files.path(media.file).read_bytes(), usedforsecurity=False).hexdigest()
    key = f"{account.account_id}:{digest}"
    image = AdImage(id=key, parent=account.id, hash=digest, name=name, created_at=call.context.clock.now(), media=media)
    call.context.store.put(image)
    return {"hash": digest, "url": _build_url(call.context, image), "name": name, **build_pixel_fields(media)}


def list_images(call: Call, account: AdAccount) -> Any:
    values = parse_words(call.params.get("hashes"))
    ad_images = call.context.store.find(AdImage, parent=account.id, newest_first=True)
    return build_page(
        call, [Node(AD_IMAGE_NODE_TYPE, image) for image in ad_images if not values or image.hash in values]
    )


def delete_image(call: Call, account: AdAccount) -> Any:
    require_advertise_role(call, account.id)
    image = find_image(call.context, account.id, get_text(call, "hash"))
    if image is None:
        raise build_parameter_error("Param hash must be the hash of an image of the ad account")
    call.context.store.delete(AdImage, image.id)
    return {"success": True}


find_image_node = build_finder(
    AdImage, AD_IMAGE_NODE_TYPE, lambda call, image: find_ad_account_node(call, image.parent) is not None
)


async def create_video(call: Call, account: AdAccount) -> Any:
    require_advertise_role(call, account.id)
    return await receive_video(call, account, "ad")


def list_videos(call: Call, account: AdAccount) -> Any:
    videos = call.context.store.find(Video, parent=account.id, newest_first=True)
    return build_page(call, [Node(VIDEO_NODE_TYPE, video) for video in videos])
