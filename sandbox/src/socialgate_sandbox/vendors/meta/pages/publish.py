"""Publishing on Pages: texts, links, photos, several photos; now, later, or as a draft."""

from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, require, unknown_object
from socialgate_sandbox.dialects.graph.given import flag, moment, parsed, text
from socialgate_sandbox.dialects.graph.nodes import Node, render, wanted
from socialgate_sandbox.kit import Call, Refused, World, digits
from socialgate_sandbox.kit.media import Media, download, keep
from socialgate_sandbox.vendors.meta.content import PageComment, Photo, Post, Story, Video
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.pages.posts import POST, tell
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import role, scopes, viewer

_SOONEST, _LATEST = timedelta(minutes=10), timedelta(days=30)
_LARGEST_PHOTO = 10 * 1024 * 1024
_LONGEST = 63206
_REFUSAL = (
    "If posting to a group, requires app being installed in the group, and \\\n          either publish_to_groups "
    "permission with user token, or both pages_read_engagement \\\n          and pages_manage_posts permission with "
    "page token; If posting to a page, \\\n          requires both pages_read_engagement and pages_manage_posts as an "
    "admin with \\\n          sufficient administrative permission"
)


def require_publisher(call: Call, page: str) -> None:
    """Accept callers that act as the Page, were granted the scope to publish, and may create content there."""
    token = viewer(call)
    held = role(call.world, token.parent, page)
    granted = set(scopes(call.world, token)) >= {"pages_manage_posts", "pages_read_engagement"}
    if token.page != page or not granted or held is None or "CREATE_CONTENT" not in held.tasks:
        raise missing_scope(_REFUSAL)


def create_post(call: Call, page: Page) -> Any:
    require_publisher(call, page.id)
    message, link = text(call, "message"), text(call, "link")
    attached = _attached(call, page)
    require(message or link or attached, "Missing message or attachment")
    require(len(message) <= _LONGEST, "The text is too long")
    if link and not link.startswith(("http://", "https://")):
        return failure("(#1500) The url you supplied is invalid", 1500)
    photos = [thing.id for thing in attached if isinstance(thing, Photo)]
    videos = [thing.id for thing in attached if isinstance(thing, Video)]
    kind = _status_type(photos, videos, link)
    post = new_post(call, page.id, kind, message=message, link=link, photos=photos, video="".join(videos))
    for thing in attached:
        thing.post = post.id
        call.world.store.put(thing)
    return _written(call, post)


def _status_type(photos: list[str], videos: list[str], link: str) -> str:
    if photos or videos:
        return "added_photos" if photos else "added_video"
    return "shared_story" if link else "mobile_status_update"


def _attached(call: Call, page: Page) -> list[Photo | Video]:
    """Find what to attach: a list, or form keys `attached_media[0]`, of media that is not in a post yet."""
    given = parsed(call.params.get("attached_media")) or [
        parsed(value) for name, value in sorted(call.params.items()) if name.startswith("attached_media[")
    ]
    found: list[Photo | Video] = []
    for row in given if isinstance(given, list) else [given]:
        key = str(row.get("media_fbid", "")) if isinstance(row, dict) else ""
        thing = call.world.store.get(Photo, key) or call.world.store.get(Video, key)
        if thing is None or thing.parent != page.id or thing.post:
            raise Refused(bad_parameter(f"Invalid parameter: attached_media {key!r} is not an unpublished medium"))
        found.append(thing)
    require(len({type(thing) for thing in found}) <= 1, "Photos and videos cannot be mixed in one post")
    return found


def new_post(call: Call, page: str, kind: str, *, visible: datetime | None = None, **content: Any) -> Post:
    """Create a post that is public when the caller wants it, but not before `visible`."""
    world, now = call.world, call.world.clock.now()
    due = _due(call)
    published = flag(call, "published", default=True)
    shown = due or (max(now, visible or now) if published else None)
    post = Post(
        id=f"{page}_{digits(15)}",
        parent=page,
        made=now,
        visible=shown,
        status_type=kind,
        scheduled=due is not None,
        for_ads=not published and text(call, "unpublished_content_type") == "ADS_POST",
        **content,
    )
    world.store.put(post)
    if published and due is None:
        tell(world, post, "add")
    return post


def _due(call: Call) -> datetime | None:
    """Read the scheduled time of a post, which must not also be published right away."""
    given = call.params.get("scheduled_publish_time")
    if not given:
        return None
    due, now = moment(given), call.world.clock.now()
    if flag(call, "published", default=True):
        raise Refused(bad_parameter("You cannot specify a scheduled publish time on a published post"))
    if due is None or not now + _SOONEST <= due <= now + _LATEST:
        raise Refused(bad_parameter("The specified scheduled publish time is invalid.", subcode=1363039))
    return due


def _written(call: Call, post: Post) -> Any:
    """Respond with the id, or with what `fields` asks for."""
    return render(call, Node(POST, post), wanted(call)) if call.params.get("fields") else {"id": post.id}


async def create_photo(call: Call, page: Page) -> Any:
    """Accept a photo. A published one creates a post, any other can be attached to one."""
    require_publisher(call, page.id)
    media = await _photo_of(call)
    with call.world.store.transaction():
        caption = text(call, "caption") or text(call, "message")
        now = call.world.clock.now()
        photo = Photo(id=digits(15), parent=page.id, media=media, made=now, caption=caption)
        photo.alt_text = text(call, "alt_text_custom")
        alone = flag(call, "published", default=True) or bool(call.params.get("scheduled_publish_time"))
        if alone:
            photo.post = new_post(call, page.id, "added_photos", message=caption, photos=[photo.id]).id
        call.world.store.put(photo)
    return {"id": photo.id, "post_id": photo.post} if alone else {"id": photo.id}


async def _photo_of(call: Call) -> Media:
    upload = next(iter(call.files.values()), None)
    url = text(call, "url")
    if upload is None and not url:
        raise Refused(failure("(#324) Requires upload file", 324))
    if upload is not None and upload.size > _LARGEST_PHOTO:
        raise Refused(_bad_photo())
    return await fetch_photo(call, url) if upload is None else _checked(keep(call.world, upload))


async def fetch_photo(call: Call, url: str) -> Media:
    return _checked(await download(call.world, url, "image/jpeg", _LARGEST_PHOTO))


def _checked(media: Media | None) -> Media:
    if media is None or not media.content_type.startswith("image/"):
        message = "(#324) Missing or invalid image file"
        raise Refused(failure(message, 324, subcode=2069019, title="Image Invalid"))
    if media.size > _LARGEST_PHOTO:
        raise Refused(_bad_photo())
    return media


def _bad_photo() -> Any:
    advice = (
        "Your photos couldn't be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF "
        "or WebP files."
    )
    return failure("Invalid parameter", 100, subcode=1366046, title="Can't Read Files", advice=advice)


def update_post(call: Call, post: Post) -> Any:
    """Change the text, publish a pending post now, or reschedule it."""
    require_publisher(call, post.parent)
    world = call.world
    if call.params.get("scheduled_publish_time"):
        require(not post.is_published(world), "This post is already published")
        call.params.setdefault("published", "false")
        post.visible, post.scheduled = _due(call), True
    if flag(call, "is_published") and not post.is_published(world):
        post.visible, post.scheduled = world.clock.now(), False
        tell(world, post, "add")
    if "message" in call.params:
        post.message, post.edited = text(call, "message"), world.clock.now()
        tell(world, post, "edited")
    world.store.put(post)
    return {"success": True}


def delete_post(call: Call, post: Post) -> Any:
    require_publisher(call, post.parent)
    forget_post(call.world, post)
    return {"success": True}


def delete_medium(call: Call, medium: Photo | Video) -> Any:
    require_publisher(call, medium.parent)
    call.world.store.delete(type(medium), medium.id)
    _drop_from_post(call, medium.post, medium.id)
    return {"success": True}


def forget_post(world: World, post: Post) -> None:
    world.store.delete(Post, post.id)
    for key in post.photos:
        world.store.delete(Photo, key)
    world.store.delete(Video, post.video)
    world.store.clear(PageComment, parent=post.id)
    if post.is_published(world):
        tell(world, post, "remove")


def _drop_from_post(call: Call, key: str, medium: str) -> None:
    """Remove a media file from its post; a post that becomes empty is deleted. A story cannot be deleted this way."""
    world = call.world
    if any(story.media_id == medium for story in world.store.find(Story)):
        raise unknown_object(call.method, medium)
    post = world.store.get(Post, key)
    if post is None:
        return
    post.photos = [photo for photo in post.photos if photo != medium]
    post.video = "" if post.video == medium else post.video
    if post.photos or post.video:
        world.store.put(post)
    else:
        forget_post(world, post)
