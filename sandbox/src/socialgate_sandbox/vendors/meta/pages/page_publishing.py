"""Publishing on Pages: texts, links, photos, several photos; now, later, or as a draft."""

from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_response,
    build_unknown_object_error,
    require,
)
from socialgate_sandbox.dialects.graph.nodes import Node, parse_requested_fields, render_node
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text, parse_time
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, generate_digits
from socialgate_sandbox.kit.media import Media, download_media, store_media
from socialgate_sandbox.vendors.meta.content import PageComment, Photo, Post, Story, Video
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.pages.post_nodes import POST_NODE_TYPE, notify_post
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role, get_scopes, require_token

_MIN_SCHEDULE_DELAY, _MAX_SCHEDULE_DELAY = timedelta(minutes=10), timedelta(days=30)
# "Files can not exceed 10MB" (page-stories-api, in English). The guide to photo uploads only recommends "under 4MB",
# which the error still says.
_MAX_PHOTO_BYTES = 10 * 1024 * 1024
_MAX_MESSAGE_LENGTH = 63206
_NO_PERMISSION_MESSAGE = (
    "If posting to a group, requires app being installed in the group, and \\\n          either publish_to_groups "
    "permission with user token, or both pages_read_engagement \\\n          and pages_manage_posts permission with "
    "page token; If posting to a page, \\\n          requires both pages_read_engagement and pages_manage_posts as an "
    "admin with \\\n          sufficient administrative permission"
)


def require_publish_rights(call: Call, page: str) -> None:
    """Accept callers that act as the Page, were granted the scope to publish, and may create content there."""
    token = require_token(call)
    current_role = get_role(call.context, token.parent, page)
    granted = set(get_scopes(call.context, token)) >= {"pages_manage_posts", "pages_read_engagement"}
    if token.page != page or not granted or current_role is None or "CREATE_CONTENT" not in current_role.tasks:
        raise build_missing_scope_error(_NO_PERMISSION_MESSAGE)


def create_post(call: Call, page: Page) -> Any:
    require_publish_rights(call, page.id)
    message, link = get_text(call, "message"), get_text(call, "link")
    attached = _find_attached_media(call, page)
    require(message or link or attached, "Missing message or attachment")
    require(len(message) <= _MAX_MESSAGE_LENGTH, "The text is too long")
    if link and not link.startswith(("http://", "https://")):
        return build_error_response("(#1500) The url you supplied is invalid", 1500)
    photos = [thing.id for thing in attached if isinstance(thing, Photo)]
    videos = [thing.id for thing in attached if isinstance(thing, Video)]
    kind = _get_status_type(photos, videos, link)
    post = create_post_object(call, page.id, kind, message=message, link=link, photos=photos, video="".join(videos))
    for thing in attached:
        thing.post = post.id
        call.context.store.put(thing)
    return _build_post_response(call, post)


def _get_status_type(photos: list[str], videos: list[str], link: str) -> str:
    if photos or videos:
        return "added_photos" if photos else "added_video"
    return "shared_story" if link else "mobile_status_update"


def _find_attached_media(call: Call, page: Page) -> list[Photo | Video]:
    """Find what to attach: a list, or form keys `attached_media[0]`, of media that is not in a post yet."""
    input_value = parse_json_text(call.params.get("attached_media")) or [
        parse_json_text(value) for name, value in sorted(call.params.items()) if name.startswith("attached_media[")
    ]
    result: list[Photo | Video] = []
    for row in input_value if isinstance(input_value, list) else [input_value]:
        key = str(row.get("media_fbid", "")) if isinstance(row, dict) else ""
        thing = call.context.store.get(Photo, key) or call.context.store.get(Video, key)
        if thing is None or thing.parent != page.id or thing.post:
            raise CallRefusedError(
                build_parameter_response(f"Invalid parameter: attached_media {key!r} is not an unpublished medium")
            )
        result.append(thing)
    require(len({type(thing) for thing in result}) <= 1, "Photos and videos cannot be mixed in one post")
    return result


def create_post_object(
    call: Call, page: str, status_type: str, *, visible_from: datetime | None = None, **content: Any
) -> Post:
    """Create a post that is public when the caller wants it, but not before `visible_from`."""
    world, now = call.context, call.context.clock.now()
    due = _parse_scheduled_time(call)
    published = get_flag(call, "published", default=True)
    shown = due or (max(now, visible_from or now) if published else None)
    post = Post(
        id=f"{page}_{generate_digits(15)}",
        parent=page,
        created_at=now,
        visible=shown,
        status_type=status_type,
        scheduled=due is not None,
        for_ads=not published and get_text(call, "unpublished_content_type") == "ADS_POST",
        **content,
    )
    world.store.put(post)
    if published and due is None:
        notify_post(world, post, "add")
    return post


def _parse_scheduled_time(call: Call) -> datetime | None:
    """Read the scheduled time of a post, which must not also be published right away."""
    value = call.params.get("scheduled_publish_time")
    if not value:
        return None
    due, now = parse_time(value), call.context.clock.now()
    if get_flag(call, "published", default=True):
        raise CallRefusedError(
            build_parameter_response("You cannot specify a scheduled publish time on a published post")
        )
    if due is None or not now + _MIN_SCHEDULE_DELAY <= due <= now + _MAX_SCHEDULE_DELAY:
        raise CallRefusedError(
            build_parameter_response("The specified scheduled publish time is invalid.", subcode=1363039)
        )
    return due


def _build_post_response(call: Call, post: Post) -> Any:
    """Respond with the id, or with what `fields` asks for."""
    return (
        render_node(call, Node(POST_NODE_TYPE, post), parse_requested_fields(call))
        if call.params.get("fields")
        else {"id": post.id}
    )


async def create_photo(call: Call, page: Page) -> Any:
    """Accept a photo. A published one creates a post, any other can be attached to one."""
    require_publish_rights(call, page.id)
    media = await _read_photo(call)
    with call.context.store.transaction():
        caption = get_text(call, "caption") or get_text(call, "message")
        now = call.context.clock.now()
        photo = Photo(id=generate_digits(15), parent=page.id, media=media, created_at=now, caption=caption)
        photo.alt_text = get_text(call, "alt_text_custom")
        alone = get_flag(call, "published", default=True) or bool(call.params.get("scheduled_publish_time"))
        if alone:
            photo.post = create_post_object(call, page.id, "added_photos", message=caption, photos=[photo.id]).id
        call.context.store.put(photo)
    return {"id": photo.id, "post_id": photo.post} if alone else {"id": photo.id}


async def _read_photo(call: Call) -> Media:
    upload = next(iter(call.files.values()), None)
    url = get_text(call, "url")
    if upload is None and not url:
        raise CallRefusedError(build_error_response("(#324) Requires upload file", 324))
    if upload is not None and upload.size > _MAX_PHOTO_BYTES:
        raise CallRefusedError(_build_bad_photo_response())
    return await fetch_photo(call, url) if upload is None else _validate_photo(store_media(call.context, upload))


async def fetch_photo(call: Call, url: str) -> Media:
    return _validate_photo(await download_media(call.context, url, "image/jpeg", _MAX_PHOTO_BYTES))


def _validate_photo(media: Media | None) -> Media:
    if media is None or not media.content_type.startswith("image/"):
        message = "(#324) Missing or invalid image file"
        raise CallRefusedError(build_error_response(message, 324, subcode=2069019, title="Image Invalid"))
    if media.size > _MAX_PHOTO_BYTES:
        raise CallRefusedError(_build_bad_photo_response())
    return media


def _build_bad_photo_response() -> Any:
    advice = (
        "Your photos couldn't be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF "
        "or WebP files."
    )
    return build_error_response("Invalid parameter", 100, subcode=1366046, title="Can't Read Files", advice=advice)


def update_post(call: Call, post: Post) -> Any:
    """Change the text, publish a pending post now, or reschedule it."""
    require_publish_rights(call, post.parent)
    world = call.context
    if call.params.get("scheduled_publish_time"):
        require(not post.is_published(world), "This post is already published")
        call.params.setdefault("published", "false")
        post.visible, post.scheduled = _parse_scheduled_time(call), True
    if get_flag(call, "is_published") and not post.is_published(world):
        post.visible, post.scheduled = world.clock.now(), False
        notify_post(world, post, "add")
    if "message" in call.params:
        post.message, post.edited = get_text(call, "message"), world.clock.now()
        notify_post(world, post, "edited")
    world.store.put(post)
    return {"success": True}


def delete_post(call: Call, post: Post) -> Any:
    require_publish_rights(call, post.parent)
    delete_post_with_media(call.context, post)
    return {"success": True}


def delete_media(call: Call, medium: Photo | Video) -> Any:
    require_publish_rights(call, medium.parent)
    call.context.store.delete(type(medium), medium.id)
    _remove_from_post(call, medium.post, medium.id)
    return {"success": True}


def delete_post_with_media(context: VendorContext, post: Post) -> None:
    context.store.delete(Post, post.id)
    for key in post.photos:
        context.store.delete(Photo, key)
    context.store.delete(Video, post.video)
    context.store.delete_all(PageComment, parent=post.id)
    if post.is_published(context):
        notify_post(context, post, "remove")


def _remove_from_post(call: Call, key: str, medium: str) -> None:
    """Remove a media file from its post; a post that becomes empty is deleted. A story cannot be deleted this way."""
    world = call.context
    if any(story.media_id == medium for story in world.store.find(Story)):
        raise build_unknown_object_error(call.method, medium)
    post = world.store.get(Post, key)
    if post is None:
        return
    post.photos = [photo for photo in post.photos if photo != medium]
    post.video = "" if post.video == medium else post.video
    if post.photos or post.video:
        world.store.put(post)
    else:
        delete_post_with_media(world, post)
