"""Photos as they stand in posts and comments."""

from typing import Any

from socialgate.sandbox.kit import Call
from socialgate.sandbox.vendors.graph.media import Media
from socialgate.sandbox.vendors.meta.accounts import CDN
from socialgate.sandbox.vendors.meta.content import Photo


def photo_attachment(call: Call, photo: Photo) -> dict[str, Any]:
    url = f"https://www.facebook.com/photo.php?fbid={photo.id}"
    target = {"id": photo.id, "url": url}
    return {"media_type": "photo", "type": "photo", "url": url, "media": _image(call, photo.media), "target": target}


def _image(call: Call, media: Media) -> dict[str, Any]:
    return {"image": {"height": media.height, "src": media.url(call.world, CDN), "width": media.width}}
