"""Publishing on Instagram: a container, some processing time, and the publish call."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure, unknown_object
from socialgate.sandbox.dialects.graph.given import flag, words
from socialgate.sandbox.dialects.graph.given import text as given
from socialgate.sandbox.dialects.graph.media import LARGEST_VIDEO, Media, download, of_file
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.kit import Call, Refused, digits, quotas, text
from socialgate.sandbox.vendors.meta.content import (
    IMAGE_SECONDS,
    VIDEO_SECONDS,
    Container,
    Extras,
    InstagramMedia,
    processing,
)
from socialgate.sandbox.vendors.meta.errors import ERRORS, missing_scope, refusal
from socialgate.sandbox.vendors.meta.extras import LARGEST_IMAGE, problem, read_extras
from socialgate.sandbox.vendors.meta.state import Instagram
from socialgate.sandbox.vendors.meta.videos import UPLOAD_HOST, upload_failed
from socialgate.sandbox.vendors.meta.viewer import may, reachable, role, viewer

_DAY = timedelta(days=1)
_NARROWEST, _WIDEST = 0.8, 1.91
_LONGEST_CAPTION, _MOST_TAGS, _MOST_MENTIONS = 2200, 30, 20
_FEWEST_SLIDES, _MOST_SLIDES = 2, 10
_TYPES = {"", "IMAGE", "VIDEO", "REELS", "STORIES", "CAROUSEL"}
_BAD_VIDEO, _NO_VIDEO = 2207026, 2207076
_TOLD: Mapping[str, str] = {
    "FINISHED": "Finished: Media has been uploaded and it is ready to be published.",
    "IN_PROGRESS": "In Progress: Media is still being processed.",
    "PUBLISHED": "Published: Media has been successfully published.",
    "EXPIRED": "Expired: The container was not published within 24 hours and has expired.",
}


def status_code(call: Call, container: Container) -> str:
    world = call.world
    if container.published:
        return "PUBLISHED"
    if world.clock.since(container.made) >= _DAY.total_seconds():
        return "EXPIRED"
    if container.ready > world.clock.now():
        return "IN_PROGRESS"
    return "ERROR" if container.failure else "FINISHED"


def _status(call: Call, container: Container) -> str:
    code = status_code(call, container)
    return _TOLD.get(code) or f"Error: Media upload has failed with error code {container.failure}"


CONTAINER = NodeType(
    "ShadowIGMediaBuilder",
    {
        **own("id"),
        "status_code": lambda call, container, _field: status_code(call, container),
        "status": lambda call, container, _field: _status(call, container),
    },
)


def require_creator(call: Call, account: Instagram) -> None:
    token = viewer(call)
    if not may(call, "instagram_content_publish"):
        raise missing_scope("Application does not have permission for this action", 10)
    held = role(call.world, token.parent, account.parent)
    if held is None or "CREATE_CONTENT" not in held.tasks:
        raise missing_scope("The user does not have the CREATE_CONTENT task on the Page")


async def create_container(call: Call, account: Instagram) -> Any:
    """Accept media by URL. Images are validated immediately, videos while they are processed."""
    require_creator(call, account)
    kind = given(call, "media_type").upper()
    _check_words(call, kind)
    extras = await read_extras(call, kind)
    if kind == "CAROUSEL":
        with call.world.store.transaction():
            return {"id": _carousel(call, account, extras).id}
    resumable = given(call, "upload_type") == "resumable"
    media, failed = (None, 0) if resumable else await _media_of(call, kind)
    with call.world.store.transaction():
        is_video = bool(given(call, "video_url")) or resumable
        ready, fated = processing(call.world, account.id, VIDEO_SECONDS if is_video else IMAGE_SECONDS)
        container = Container(
            id=digits(17),
            parent=account.id,
            media_type=kind or "IMAGE",
            made=call.world.clock.now(),
            ready=ready,
            media=media,
            failure=fated or failed,
            is_item=flag(call, "is_carousel_item"),
            caption=given(call, "caption"),
            extras=extras,
        )
        if resumable:
            container.ready = call.world.clock.now() + _DAY
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


async def _media_of(call: Call, kind: str) -> tuple[Media, int]:
    """Return the media, and the subcode with which its processing will fail."""
    image, video = given(call, "image_url"), given(call, "video_url")
    if not image and not video:
        name = "video_url" if kind in {"REELS", "VIDEO"} else "image_url"
        raise Refused(failure(f"(#100) The parameter {name} is required.", 100))
    if kind in {"REELS", "VIDEO"} and not video:
        raise Refused(failure("(#100) The parameter video_url is required.", 100))
    if video:
        media = await download(call.world, video, "video/mp4", LARGEST_VIDEO)
        if media is None:
            return Media(content_type="", source=video), _NO_VIDEO
        return media, 0 if media.is_video and media.size <= LARGEST_VIDEO else _BAD_VIDEO
    media = await download(call.world, image, "image/jpeg", LARGEST_IMAGE)
    if media is None:
        raise refusal("media_fetch_failed")
    _check_image(media, kind)
    return media, 0


def _check_image(media: Media, kind: str) -> None:
    if media.content_type != "image/jpeg":
        raise problem(36001, 2207005, "Image format is not supported", "The image format is not supported.")
    if media.size > LARGEST_IMAGE:
        raise problem(36000, 2207004, "Image size is too large", "The image is too large to download.")
    if kind != "STORIES" and not _NARROWEST <= round(media.ratio, 2) <= _WIDEST:
        advice = f"The submitted image with aspect ratio {media.width}:{media.height} cannot be published."
        raise problem(36003, 2207009, "Image's aspect ratio is not valid", advice)


def _carousel(call: Call, account: Instagram, extras: Extras) -> Container:
    """Combine slides. The carousel is ready when all of them are, and fails with the first that fails."""
    keys = words(call.params.get("children"))
    if not _FEWEST_SLIDES <= len(keys) <= _MOST_SLIDES:
        advice = "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10."
        raise problem(100, 2207028, "Carousel validation failed", advice)
    slides = [call.world.store.get(Container, key) for key in keys]
    mine = [slide for slide in slides if slide is not None and slide.parent == account.id and slide.is_item]
    if len(mine) < len(keys):
        raise refusal("container_not_found")
    ready, fated = processing(call.world, account.id, IMAGE_SECONDS)
    return call.world.store.put(
        Container(
            id=digits(17),
            parent=account.id,
            media_type="CAROUSEL",
            made=call.world.clock.now(),
            ready=max(ready, *(slide.ready for slide in mine)),
            failure=fated or next((slide.failure for slide in mine if slide.failure), 0),
            caption=given(call, "caption"),
            extras=extras,
            children=keys,
        )
    )


async def upload(call: Call) -> Any:
    """Accept the bytes of a resumable container on the upload host."""
    token = viewer(call)
    container = call.world.store.get(Container, call.args["container"])
    account = call.world.store.get(Instagram, container.parent) if container is not None else None
    if container is None or account is None or reachable(call.world, token, account.parent) is None:
        raise unknown_object(call.method, call.args["container"])
    media = await _uploaded(call)
    if media is None:
        return upload_failed("ProcessingFailedError", "Request processing failed", 400)
    with call.world.store.transaction():
        container.media = media
        container.ready, fated = processing(call.world, account.id, VIDEO_SECONDS)
        container.failure = fated or (0 if media.is_video else _BAD_VIDEO)
        call.world.store.put(container)
    return {"success": True, "message": "Upload successful."}


async def _uploaded(call: Call) -> Media | None:
    url = call.headers.get("file_url", "")
    if url:
        return await download(call.world, url, "video/mp4", LARGEST_VIDEO)
    sent = call.upload()
    if call.headers.get("offset") != "0" or call.headers.get("file_size") != str(sent.size):
        return None
    return of_file(call.world, call.world.files.keep(sent))


def quota(call: Call) -> int:
    """Return how much may be published in a day. Meta's documents say 25, 50 and 100; the settings can override it."""
    return int(call.world.app.more.get("instagram_quota", "100"))


def publish(call: Call, account: Instagram) -> Any:
    require_creator(call, account)
    store = call.world.store
    container = store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != account.id:
        return ERRORS["container_not_found"](call)
    state = status_code(call, container)
    if state == "EXPIRED":
        message = "The media has expired. Please create a new container."
        return failure(message, -2, subcode=2207020, transient=False, title="Media expired")
    if state != "FINISHED" or container.is_item:
        return _not_ready(call)
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


def _not_ready(call: Call) -> Response:
    return ERRORS["media_not_ready"](call)


def _appear(call: Call, container: Container, *, is_slide: bool = False) -> InstagramMedia:
    found = [slide for key in container.children if (slide := call.world.store.get(Container, key)) is not None]
    slides = [_appear(call, slide, is_slide=True) for slide in found]
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
            caption=container.caption,
            extras=container.extras,
            children=[slide.id for slide in slides],
            is_slide=is_slide,
        )
    )


def container_node(call: Call, key: str) -> Node | None:
    container = call.world.store.get(Container, key)
    account = call.world.store.get(Instagram, container.parent) if container is not None else None
    if account is None or reachable(call.world, viewer(call), account.parent) is None:
        return None
    return Node(CONTAINER, container)
