"""Publishing on Instagram: a container, some processing time, and the publish call."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.containers import add_container, fetch_video, slides_given, status
from socialgate_sandbox.dialects.graph.errors import failure, unknown_object
from socialgate_sandbox.dialects.graph.given import flag
from socialgate_sandbox.dialects.graph.given import text as given
from socialgate_sandbox.dialects.graph.media import LARGEST_VIDEO
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.kit import Call, Refused, digits, quotas, text
from socialgate_sandbox.kit.lifecycle import processing
from socialgate_sandbox.kit.media import Media, download, keep
from socialgate_sandbox.vendors.meta.accounts import require_instagram
from socialgate_sandbox.vendors.meta.content import (
    IMAGE_SECONDS,
    VIDEO_SECONDS,
    Container,
    InstagramMedia,
)
from socialgate_sandbox.vendors.meta.errors import ERRORS, missing_scope, refusal
from socialgate_sandbox.vendors.meta.instagram.extras import LARGEST_IMAGE, problem, read_extras
from socialgate_sandbox.vendors.meta.pages.videos import UPLOAD_HOST, upload_failed
from socialgate_sandbox.vendors.meta.state import Instagram
from socialgate_sandbox.vendors.meta.viewer import reachable, role, viewer

DAY = 86400
_NARROWEST, _WIDEST = 0.8, 1.91
_LONGEST_CAPTION, _MOST_TAGS, _MOST_MENTIONS = 2200, 30, 20
_MOST_SLIDES = 10
_TYPES = {"", "IMAGE", "VIDEO", "REELS", "STORIES", "CAROUSEL"}
_BAD_VIDEO, _NO_VIDEO = "2207026", "2207076"
_TOLD: Mapping[str, str] = {
    "FINISHED": "Finished: Media has been uploaded and it is ready to be published.",
    "IN_PROGRESS": "In Progress: Media is still being processed.",
    "PUBLISHED": "Published: Media has been successfully published.",
    "EXPIRED": "Expired: The container was not published within 24 hours and has expired.",
}


def _status(call: Call, container: Container) -> str:
    code = status(call.world, container)
    return _TOLD.get(code) or f"Error: Media upload has failed with error code {container.failure}"


CONTAINER = NodeType(
    "ShadowIGMediaBuilder",
    {
        **own("id"),
        "status_code": lambda call, container, _field: status(call.world, container),
        "status": lambda call, container, _field: _status(call, container),
    },
)


def require_creator(call: Call, account: Instagram) -> None:
    require_instagram(call, "instagram_content_publish")
    held = role(call.world, viewer(call).parent, account.parent)
    if held is None or "CREATE_CONTENT" not in held.tasks:
        raise missing_scope("The user does not have the CREATE_CONTENT task on the Page")


async def create_container(call: Call, account: Instagram) -> Any:
    """Accept media by URL. Images are validated immediately, videos while they are processed."""
    require_creator(call, account)
    kind = given(call, "media_type").upper()
    _check_words(call, kind)
    extras, is_carousel = await read_extras(call, kind), kind == "CAROUSEL"
    resumable = given(call, "upload_type") == "resumable" and not is_carousel
    media, failed = (None, "") if resumable or is_carousel else await _media_of(call, kind)
    with call.world.store.transaction():
        is_video = resumable or (bool(given(call, "video_url")) and not is_carousel)
        container = add_container(
            call.world,
            Container,
            account.id,
            VIDEO_SECONDS if is_video else IMAGE_SECONDS,
            slides=_slides(call, account) if is_carousel else (),
            media_type=kind or "IMAGE",
            media=media,
            failure=failed,
            is_item=flag(call, "is_carousel_item") and not is_carousel,
            text=given(call, "caption"),
            extras=extras,
        )
        if resumable:
            container.ready = None
            call.world.store.put(container)
    uri = f"{call.world.url}/{UPLOAD_HOST}/ig-api-upload/v26.0/{container.id}"
    return {"id": container.id, "uri": uri} if resumable else {"id": container.id}


def _check_words(call: Call, kind: str) -> None:
    caption = given(call, "caption")
    if kind not in _TYPES:
        raise problem(100, 2207023, "Unknown media type", f"The media type {kind} is unknown.")
    if len(caption) > _LONGEST_CAPTION:
        raise problem(110, 2207010, "Caption is too long", "The caption can have at most 2200 characters.")
    if caption.count("#") > _MOST_TAGS or caption.count("@") > _MOST_MENTIONS:
        raise problem(100, 2207040, "Too many tags", "A caption can have at most 30 hashtags and 20 mentions.")


async def _media_of(call: Call, kind: str) -> tuple[Media, str]:
    """Return the media, and the subcode with which its processing will fail."""
    image, video = given(call, "image_url"), given(call, "video_url")
    needs_video = kind in {"REELS", "VIDEO"}
    if not video and (needs_video or not image):
        name = "video_url" if needs_video else "image_url"
        raise Refused(failure(f"(#100) The parameter {name} is required.", 100))
    if video:
        return await fetch_video(call.world, video, _NO_VIDEO, _BAD_VIDEO)
    media = await download(call.world, image, "image/jpeg", LARGEST_IMAGE)
    if media is None:
        raise refusal("media_fetch_failed")
    _check_image(media, kind)
    return media, ""


def _check_image(media: Media, kind: str) -> None:
    if media.content_type != "image/jpeg":
        raise problem(36001, 2207005, "Image format is not supported", "The image format is not supported.")
    if media.size > LARGEST_IMAGE:
        raise problem(36000, 2207004, "Image size is too large", "The image is too large to download.")
    if kind != "STORIES" and not _NARROWEST <= round(media.ratio, 2) <= _WIDEST:
        advice = f"The submitted image with aspect ratio {media.width}:{media.height} cannot be published."
        raise problem(36003, 2207009, "Image's aspect ratio is not valid", advice)


def _slides(call: Call, account: Instagram) -> list[Container]:
    advice = "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10."
    wrong_number = problem(100, 2207028, "Carousel validation failed", advice)
    return slides_given(call, Container, account.id, _MOST_SLIDES, wrong_number, refusal("container_not_found"))


async def upload(call: Call) -> Any:
    """Accept the bytes of a resumable container on the upload host."""
    viewer(call)
    container = _reachable(call, call.args["container"])
    if container is None:
        raise unknown_object(call.method, call.args["container"])
    media = await _uploaded(call)
    if media is None:
        return upload_failed("ProcessingFailedError", "Request processing failed", 400)
    with call.world.store.transaction():
        container.media = media
        container.ready, fated = processing(call.world, container.parent, VIDEO_SECONDS)
        container.failure = fated or ("" if media.is_video else _BAD_VIDEO)
        call.world.store.put(container)
    return {"success": True, "message": "Upload successful."}


async def _uploaded(call: Call) -> Media | None:
    url = call.headers.get("file_url", "")
    if url:
        return await download(call.world, url, "video/mp4", LARGEST_VIDEO)
    sent = call.upload()
    if call.headers.get("offset") != "0" or call.headers.get("file_size") != str(sent.size):
        return None
    return keep(call.world, sent)


def quota(call: Call) -> int:
    """Return how much may be published in a day. Meta's documents say 25, 50 and 100; the settings can override it."""
    return int(call.world.app.more.get("instagram_quota", "100"))


def publish(call: Call, account: Instagram) -> Any:
    require_creator(call, account)
    store = call.world.store
    container = store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != account.id:
        return ERRORS["container_not_found"](call)
    state = status(call.world, container)
    if state == "EXPIRED":
        message = "The media has expired. Please create a new container."
        return failure(message, -2, subcode=2207020, transient=False, title="Media expired")
    if state != "FINISHED" or container.is_item:
        return ERRORS["media_not_ready"](call)
    if quotas.used(call.world, account.id) >= quota(call):
        return ERRORS["publish_quota"](call)
    media = _appear(call, container)
    container.published = media.id
    store.put(container)
    # A use stays when the media is deleted.
    quotas.spend(call.world, account.id)
    account.media_count += media.product_type != "STORY"
    store.put(account)
    return {"id": media.id}


def _appear(call: Call, container: Container, *, is_slide: bool = False) -> InstagramMedia:
    items = call.world.store.get_all(Container, container.children)
    slides = [_appear(call, item, is_slide=True) for item in items]
    is_video = container.media is not None and container.media.is_video
    kind = "CAROUSEL_ALBUM" if slides else "VIDEO" if is_video else "IMAGE"
    products = {"STORIES": "STORY", "REELS": "REELS"}
    return call.world.store.put(
        InstagramMedia(
            id=f"179{digits(14)}",
            parent=container.parent,
            media_type=kind,
            product_type=products.get(container.media_type, "FEED"),
            shortcode=f"D{text(10)}",
            made=call.world.clock.now(),
            media=container.media,
            caption=container.text,
            extras=container.extras,
            children=[slide.id for slide in slides],
            is_slide=is_slide,
        )
    )


def container_node(call: Call, key: str) -> Node | None:
    container = _reachable(call, key)
    return None if container is None else Node(CONTAINER, container)


def _reachable(call: Call, key: str) -> Container | None:
    container = call.world.store.get(Container, key)
    account = call.world.store.get(Instagram, container.parent) if container is not None else None
    return None if account is None or reachable(call.world, viewer(call), account.parent) is None else container
