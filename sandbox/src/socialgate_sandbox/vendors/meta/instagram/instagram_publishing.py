"""Publishing on Instagram: a container, some processing time, and the publish call."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.containers import (
    add_container,
    fetch_video,
    find_slides,
    get_status,
    is_accepted_video,
)
from socialgate_sandbox.dialects.graph.errors import build_error_response, build_unknown_object_error
from socialgate_sandbox.dialects.graph.media import MAX_VIDEO_BYTES
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.parameters import get_flag
from socialgate_sandbox.dialects.graph.parameters import get_text as given
from socialgate_sandbox.kit import Call, CallRefusedError, generate_alphanumeric, generate_digits, quotas
from socialgate_sandbox.kit.media import Media, download_media, store_media
from socialgate_sandbox.kit.post_processing import start_processing
from socialgate_sandbox.vendors.meta.account_nodes import require_instagram_scope
from socialgate_sandbox.vendors.meta.content import (
    IMAGE_SECONDS,
    VIDEO_SECONDS,
    Container,
    InstagramMedia,
)
from socialgate_sandbox.vendors.meta.errors import ERRORS, build_missing_scope_error, build_refusal
from socialgate_sandbox.vendors.meta.instagram.publish_options import (
    MAX_IMAGE_BYTES,
    build_invalid_error,
    parse_publish_options,
)
from socialgate_sandbox.vendors.meta.pages.video_uploads import UPLOAD_HOST, build_upload_error
from socialgate_sandbox.vendors.meta.stored_objects import Instagram
from socialgate_sandbox.vendors.meta.token_access import get_role, get_role_for_token, require_token

DAY_SECONDS = 86400
_MIN_ASPECT_RATIO, _MAX_ASPECT_RATIO = 0.8, 1.91
_MAX_CAPTION_LENGTH, _MAX_TAGS, _MAX_MENTIONS = 2200, 30, 20
_MAX_SLIDES = 10
_MEDIA_TYPES = {"", "IMAGE", "VIDEO", "REELS", "STORIES", "CAROUSEL"}
# "3 seconds to 15 minutes", and a minute for a story.
_FILM_SECONDS, _STORY_SECONDS = (3, 900), (3, 60)
_BAD_VIDEO_SUBCODE, _NO_VIDEO_SUBCODE = "2207026", "2207076"
_STATUS_TEXTS: Mapping[str, str] = {
    "FINISHED": "Finished: Media has been uploaded and it is ready to be published.",
    "IN_PROGRESS": "In Progress: Media is still being processed.",
    "PUBLISHED": "Published: Media has been successfully published.",
    "EXPIRED": "Expired: The container was not published within 24 hours and has expired.",
}


def _describe_status(call: Call, container: Container) -> str:
    code = get_status(call.context, container)
    return _STATUS_TEXTS.get(code) or f"Error: Media upload has failed with error code {container.failure}"


CONTAINER_NODE_TYPE = NodeType(
    "ShadowIGMediaBuilder",
    {
        **resolve_attributes("id"),
        "status_code": lambda call, container, _field: get_status(call.context, container),
        "status": lambda call, container, _field: _describe_status(call, container),
    },
)


def require_create_content(call: Call, account: Instagram) -> None:
    require_instagram_scope(call, "instagram_content_publish")
    current_role = get_role(call.context, require_token(call).parent, account.parent)
    if current_role is None or "CREATE_CONTENT" not in current_role.tasks:
        raise build_missing_scope_error("The user does not have the CREATE_CONTENT task on the Page")


async def create_container(call: Call, account: Instagram) -> Any:
    """Accept media by URL. Images are validated immediately, videos while they are processed."""
    require_create_content(call, account)
    kind = given(call, "media_type").upper()
    _validate_caption(call, kind)
    extras, is_carousel = await parse_publish_options(call, kind), kind == "CAROUSEL"
    resumable = given(call, "upload_type") == "resumable" and not is_carousel
    media, failed = (None, "") if resumable or is_carousel else await _fetch_media(call, kind)
    with call.context.store.transaction():
        is_video = resumable or (bool(given(call, "video_url")) and not is_carousel)
        container = add_container(
            call.context,
            Container,
            account.id,
            VIDEO_SECONDS if is_video else IMAGE_SECONDS,
            slides=_find_carousel_slides(call, account) if is_carousel else (),
            media_type=kind or "IMAGE",
            media=media,
            failure=failed,
            is_item=get_flag(call, "is_carousel_item") and not is_carousel,
            text=given(call, "caption"),
            extras=extras,
        )
        if resumable:
            container.ready = None
            call.context.store.put(container)
    uri = f"{call.context.url}/{UPLOAD_HOST}/ig-api-upload/v26.0/{container.id}"
    return {"id": container.id, "uri": uri} if resumable else {"id": container.id}


def _validate_caption(call: Call, media_type: str) -> None:
    caption = given(call, "caption")
    if media_type not in _MEDIA_TYPES:
        raise build_invalid_error(100, 2207023, "Unknown media type", f"The media type {media_type} is unknown.")
    if len(caption) > _MAX_CAPTION_LENGTH:
        raise build_invalid_error(110, 2207010, "Caption is too long", "The caption can have at most 2200 characters.")
    if caption.count("#") > _MAX_TAGS or caption.count("@") > _MAX_MENTIONS:
        raise build_invalid_error(
            100, 2207040, "Too many tags", "A caption can have at most 30 hashtags and 20 mentions."
        )


async def _fetch_media(call: Call, media_type: str) -> tuple[Media, str]:
    """Return the media, and the subcode with which its processing will fail."""
    image, video = given(call, "image_url"), given(call, "video_url")
    needs_video = media_type in {"REELS", "VIDEO"}
    if not video and (needs_video or not image):
        name = "video_url" if needs_video else "image_url"
        raise CallRefusedError(build_error_response(f"(#100) The parameter {name} is required.", 100))
    if video:
        return await fetch_video(
            call.context, video, _get_video_seconds(media_type), _NO_VIDEO_SUBCODE, _BAD_VIDEO_SUBCODE
        )
    media = await download_media(call.context, image, "image/jpeg", MAX_IMAGE_BYTES)
    if media is None:
        raise build_refusal("media_fetch_failed")
    _validate_image(media, media_type)
    return media, ""


def _get_video_seconds(media_type: str) -> tuple[float, float]:
    return _STORY_SECONDS if media_type == "STORIES" else _FILM_SECONDS


def _validate_image(media: Media, media_type: str) -> None:
    if media.content_type != "image/jpeg":
        raise build_invalid_error(36001, 2207005, "Image format is not supported", "The image format is not supported.")
    if media.size > MAX_IMAGE_BYTES:
        raise build_invalid_error(36000, 2207004, "Image size is too large", "The image is too large to download.")
    if media_type != "STORIES" and not _MIN_ASPECT_RATIO <= round(media.aspect_ratio, 2) <= _MAX_ASPECT_RATIO:
        advice = f"The submitted image with aspect ratio {media.width}:{media.height} cannot be published."
        raise build_invalid_error(36003, 2207009, "Image's aspect ratio is not valid", advice)


def _find_carousel_slides(call: Call, account: Instagram) -> list[Container]:
    advice = "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10."
    wrong_number = build_invalid_error(100, 2207028, "Carousel validation failed", advice)
    return find_slides(call, Container, account.id, _MAX_SLIDES, wrong_number, build_refusal("container_not_found"))


async def receive_upload(call: Call) -> Any:
    """Accept the bytes of a resumable container on the upload host."""
    require_token(call)
    container = _find_accessible_container(call, call.path_params["container"])
    if container is None:
        raise build_unknown_object_error(call.method, call.path_params["container"])
    media = await _store_uploaded_media(call)
    if media is None:
        return build_upload_error("ProcessingFailedError", "Request processing failed", 400)
    with call.context.store.transaction():
        container.media = media
        container.ready, fated = start_processing(call.context, container.parent, VIDEO_SECONDS)
        seconds = _get_video_seconds(container.media_type)
        container.failure = fated or ("" if is_accepted_video(media, seconds) else _BAD_VIDEO_SUBCODE)
        call.context.store.put(container)
    return {"success": True, "message": "Upload successful."}


async def _store_uploaded_media(call: Call) -> Media | None:
    url = call.headers.get("file_url", "")
    if url:
        return await download_media(call.context, url, "video/mp4", MAX_VIDEO_BYTES)
    sent = call.store_body_as_file()
    if call.headers.get("offset") != "0" or call.headers.get("file_size") != str(sent.size):
        return None
    return store_media(call.context, sent)


def get_publishing_quota(call: Call) -> int:
    """Return how much may be published in a day. Meta's documents say 25, 50 and 100; the settings can override it."""
    return int(call.context.app.more.get("instagram_quota", "100"))


def publish_container(call: Call, account: Instagram) -> Any:
    require_create_content(call, account)
    store = call.context.store
    container = store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != account.id:
        return ERRORS["container_not_found"](call)
    state = get_status(call.context, container)
    if state == "EXPIRED":
        message = "The media has expired. Please create a new container."
        return build_error_response(message, -2, subcode=2207020, transient=False, title="Media expired")
    if state != "FINISHED" or container.is_item:
        return ERRORS["media_not_ready"](call)
    if quotas.count_day_uses(call.context, account.id) >= get_publishing_quota(call):
        return ERRORS["publish_quota"](call)
    media = _create_media(call, container)
    container.published = media.id
    store.put(container)
    # A use stays when the media is deleted.
    quotas.record_use(call.context, account.id)
    account.media_count += media.product_type != "STORY"
    store.put(account)
    return {"id": media.id}


def _create_media(call: Call, container: Container, *, is_slide: bool = False) -> InstagramMedia:
    items = call.context.store.get_all(Container, container.children)
    slides = [_create_media(call, item, is_slide=True) for item in items]
    is_video = container.media is not None and container.media.is_video
    kind = "CAROUSEL_ALBUM" if slides else "VIDEO" if is_video else "IMAGE"
    products = {"STORIES": "STORY", "REELS": "REELS"}
    return call.context.store.put(
        InstagramMedia(
            id=f"179{generate_digits(14)}",
            parent=container.parent,
            media_type=kind,
            product_type=products.get(container.media_type, "FEED"),
            shortcode=f"D{generate_alphanumeric(10)}",
            created_at=call.context.clock.now(),
            media=container.media,
            caption=container.text,
            extras=container.extras,
            children=[slide.id for slide in slides],
            is_slide=is_slide,
        )
    )


def find_container_node(call: Call, key: str) -> Node | None:
    container = _find_accessible_container(call, key)
    return None if container is None else Node(CONTAINER_NODE_TYPE, container)


def _find_accessible_container(call: Call, key: str) -> Container | None:
    container = call.context.store.get(Container, key)
    account = call.context.store.get(Instagram, container.parent) if container is not None else None
    return (
        None
        if account is None or get_role_for_token(call.context, require_token(call), account.parent) is None
        else container
    )
