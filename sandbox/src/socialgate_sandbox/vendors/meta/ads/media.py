"""Images and videos in the library of an ad account."""

import hashlib
from base64 import b64decode
from binascii import Error
from datetime import datetime
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, wrong
from socialgate_sandbox.dialects.graph.given import parsed, text, words
from socialgate_sandbox.dialects.graph.media import pixels
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, finder, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, Thing, World
from socialgate_sandbox.kit.media import Media, keep, of_file
from socialgate_sandbox.vendors.meta.accounts import CDN
from socialgate_sandbox.vendors.meta.ads.accounts import ad_account_node, require_advertiser
from socialgate_sandbox.vendors.meta.content import Video
from socialgate_sandbox.vendors.meta.pages.video_nodes import VIDEO
from socialgate_sandbox.vendors.meta.pages.videos import receive_video
from socialgate_sandbox.vendors.meta.state import AdAccount


class AdImage(Thing, kw_only=True):
    """An image of an ad account (the parent), named by the hash of its bytes."""

    hash: str
    name: str
    made: datetime
    media: Media


AD_IMAGE = NodeType(
    "AdImage",
    {
        **own("id", "hash", "name"),
        "account_id": lambda _call, image, _field: image.parent.removeprefix("act_"),
        "status": lambda _call, _image, _field: "ACTIVE",
        **dict.fromkeys(("created_time", "updated_time"), lambda _call, image, _field: written(image.made)),
        **dict.fromkeys(("url", "url_128", "permalink_url"), lambda call, image, _field: _url(call.world, image)),
        **dict.fromkeys(("width", "original_width"), lambda _call, image, _field: pixels(image.media)["width"]),
        **dict.fromkeys(("height", "original_height"), lambda _call, image, _field: pixels(image.media)["height"]),
    },
    ("hash", "id"),
)


def _url(world: World, image: AdImage) -> str:
    return image.media.url(world, CDN)


def image_of(world: World, account: str, key: str) -> AdImage | None:
    return world.store.get(AdImage, f"{account.removeprefix('act_')}:{key}")


def create_images(call: Call, account: AdAccount) -> Any:
    """Accept the bytes of an image as base64, as files, or an image of another account."""
    require_advertiser(call, account.id)
    found = _given(call)
    if not found:
        raise Refused(failure("(#100) One of the parameters bytes, copy_from or a file is required", 100))
    return {"images": {name: _kept(call, account, name, media) for name, media in found.items()}}


def _given(call: Call) -> dict[str, Media]:
    if call.files:
        return {upload.name or name: keep(call.world, upload) for name, upload in call.files.items()}
    copied = parsed(call.params.get("copy_from"))
    if isinstance(copied, dict):
        source = f"act_{copied.get('source_account_id')}"
        image = image_of(call.world, source, str(copied.get("hash")))
        if image is None or ad_account_node(call, source) is None:
            raise wrong("The image to copy does not exist")
        return {image.name: image.media}
    try:
        sent = b64decode(text(call, "bytes"), validate=True)
    except (Error, ValueError) as error:
        raise wrong("Param bytes must be a base64 string") from error
    return {"bytes": of_file(call.world, call.world.files.save(sent))} if sent else {}


def _kept(call: Call, account: AdAccount, name: str, media: Media) -> dict[str, Any]:
    if not media.content_type.startswith("image/"):
        advice = "Your image could not be read. Use a JPG or PNG file."
        raise Refused(failure("Invalid parameter", 100, title="Invalid Image File", advice=advice))
    digest = hashlib.md5(call.world.files.path(media.file).read_bytes(), usedforsecurity=False).hexdigest()
    key = f"{account.account_id}:{digest}"
    image = AdImage(id=key, parent=account.id, hash=digest, name=name, made=call.world.clock.now(), media=media)
    call.world.store.put(image)
    return {"hash": digest, "url": _url(call.world, image), "name": name, **pixels(media)}


def list_images(call: Call, account: AdAccount) -> Any:
    wanted = words(call.params.get("hashes"))
    found = call.world.store.find(AdImage, parent=account.id, newest_first=True)
    return listing(call, [Node(AD_IMAGE, image) for image in found if not wanted or image.hash in wanted])


def delete_image(call: Call, account: AdAccount) -> Any:
    require_advertiser(call, account.id)
    image = image_of(call.world, account.id, text(call, "hash"))
    if image is None:
        raise wrong("Param hash must be the hash of an image of the ad account")
    call.world.store.delete(AdImage, image.id)
    return {"success": True}


image_node = finder(AdImage, AD_IMAGE, lambda call, image: ad_account_node(call, image.parent) is not None)


async def create_video(call: Call, account: AdAccount) -> Any:
    require_advertiser(call, account.id)
    return await receive_video(call, account, "ad")


def list_videos(call: Call, account: AdAccount) -> Any:
    found = call.world.store.find(Video, parent=account.id, newest_first=True)
    return listing(call, [Node(VIDEO, video) for video in found])
