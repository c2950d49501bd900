"""Posts as they are read: fields, attachments, lists."""

from collections.abc import Callable
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.media import build_pixel_fields
from socialgate_sandbox.dialects.graph.nodes import (
    Node,
    NodeType,
    parse_requested_fields,
    resolve_attributes,
    resolve_optional_attributes,
    select_fields,
)
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.times import filter_by_time, format_time
from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST, require_page_read
from socialgate_sandbox.vendors.meta.content import Photo, Post, Story, Video
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.pages.page_audience import PAGE_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, has_any_scope, require_token
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_page

_DAY_SECONDS = 86400
_ALWAYS_FALSE_FIELDS = ("is_hidden", "is_expired", "is_popular", "is_spherical", "is_app_share")
_PUBLIC_PRIVACY = {"allow": "", "deny": "", "description": "Public", "friends": "", "value": "EVERYONE"}
_WEBHOOK_ITEMS = {"added_photos": "photo", "added_video": "video", "shared_story": "share"}


def build_permalink(post: Post) -> str:
    page, _, number = post.id.partition("_")
    return f"https://www.facebook.com/{page}/posts/{number}"


def build_page_reference(call: Call, key: str) -> dict[str, str]:
    page = call.context.store.get(Page, key)
    return {"name": page.name if page is not None else "", "id": key}


def build_photo_attachment(call: Call, photo: Photo) -> dict[str, Any]:
    """Return a photo as shown in posts and comments."""
    url, media = f"https://www.facebook.com/photo.php?fbid={photo.id}", photo.media
    image = {"image": {"src": media.url(call.context, CDN_HOST), **build_pixel_fields(media)}}
    return {"media_type": "photo", "type": "photo", "url": url, "media": image, "target": {"id": photo.id, "url": url}}


def build_attachments(call: Call, post: Post) -> list[dict[str, Any]]:
    rows = [build_photo_attachment(call, photo) for photo in call.context.store.get_all(Photo, post.photos)]
    video = call.context.store.get(Video, post.video)
    if len(rows) > 1:
        album = {"media_type": "album", "type": "album", "url": build_permalink(post), "title": "Photos from this post"}
        return [{**album, "media": rows[0]["media"], "subattachments": {"data": rows}}]
    if video is not None:
        url = f"https://www.facebook.com/{post.parent}/videos/{video.id}/"
        image = {"height": 640, "src": build_video_picture_url(call, video), "width": 640}
        media = {"image": image} | (
            {"source": video.media.url(call.context, CDN_HOST)} if video.media is not None else {}
        )
        row = {"media_type": "video", "type": "video_inline", "url": url, "title": video.title, "media": media}
        rows = [row | {"target": {"id": video.id, "url": url}}]
    if post.link and not rows:
        rows = [{"media_type": "link", "type": "share", "url": post.link, "title": post.link}]
    return rows


def _resolve_picture(call: Call, post: Post, _field: RequestedField) -> str | None:
    photo = call.context.store.get(Photo, post.photos[0]) if post.photos else None
    if photo is not None:
        return photo.media.url(call.context, CDN_HOST)
    video = call.context.store.get(Video, post.video)
    return build_video_picture_url(call, video) if video is not None else None


def build_video_picture_url(call: Call, video: Video) -> str:
    """Return the image shown for a video: the chosen one, or one of its frames."""
    return (
        video.cover.url(call.context, CDN_HOST)
        if video.cover is not None
        else build_picture_url(call.context, CDN_HOST, video.id, 640)
    )


def _build_summary_edge(summary: dict[str, Any]) -> Callable[[Call, Post | Photo | Video], Any]:
    """Create an edge of what other people did: empty here, and counted if the caller wants that and may."""

    def edge(call: Call, thing: Post | Photo | Video) -> Any:
        if not call.params.get("summary"):
            return {"data": []}
        if not has_any_scope(call, "pages_read_user_content"):
            raise build_missing_scope_error("Requires pages_read_user_content permission to read the summary", 10)
        post = thing if isinstance(thing, Post) else call.context.store.get(Post, thing.post)
        count = PAGE_AUDIENCE_READER.count_post_metric(call.context, post, "likes") if post is not None else 0
        return {"data": [], "summary": {"total_count": count, **summary}}

    return edge


count_reactions = _build_summary_edge({"viewer_reaction": "NONE"})
count_likes = _build_summary_edge({"can_like": True, "has_liked": False})


def list_attachments(call: Call, post: Post) -> Any:
    return select_fields({"data": build_attachments(call, post)}, parse_requested_fields(call))


def _resolve_shares(call: Call, post: Post, _field: RequestedField) -> dict[str, int] | None:
    count = PAGE_AUDIENCE_READER.count_post_metric(call.context, post, "shares")
    return {"count": count} if count else None


def is_promotable(context: VendorContext, post: Post) -> bool:
    return post.for_ads or post.is_published(context)


def _resolve_scheduled_time(_call: Call, post: Post, _field: RequestedField) -> int | None:
    return int(post.visible.timestamp()) if post.scheduled and post.visible is not None else None


POST_NODE_TYPE = NodeType(
    "PagePost",
    {
        **resolve_attributes("id", "status_type"),
        **resolve_optional_attributes("message", "link"),
        "created_time": lambda call, post, _field: format_time(_get_appearance_time(call, post)),
        "updated_time": lambda call, post, _field: format_time(post.edited or _get_appearance_time(call, post)),
        "permalink_url": lambda _call, post, _field: build_permalink(post),
        "full_picture": _resolve_picture,
        "picture": _resolve_picture,
        "is_published": lambda call, post, _field: post.is_published(call.context),
        **dict.fromkeys(_ALWAYS_FALSE_FIELDS, lambda _call, _post, _field: False),
        "is_eligible_for_promotion": lambda call, post, _field: is_promotable(call.context, post),
        "promotable_id": lambda call, post, _field: post.id if is_promotable(call.context, post) else None,
        "promotion_status": lambda call, post, _field: (
            "inactive" if is_promotable(call.context, post) else "ineligible"
        ),
        "privacy": lambda _call, _post, _field: _PUBLIC_PRIVACY,
        "scheduled_publish_time": _resolve_scheduled_time,
        "from": lambda call, post, _field: build_page_reference(call, post.parent),
        "shares": _resolve_shares,
    },
    ("created_time", "message", "story", "id"),
)


def _get_appearance_time(call: Call, post: Post) -> Any:
    """Return when it appeared: a scheduled post is as old as its appearance."""
    return post.visible if post.visible is not None and post.is_published(call.context) else post.created_at


def _resolve_source(call: Call, photo: Photo, _field: RequestedField) -> str:
    return photo.media.url(call.context, CDN_HOST)


PHOTO_NODE_TYPE = NodeType(
    "Photo",
    {
        **resolve_attributes("id"),
        "name": lambda _call, photo, _field: photo.caption or None,
        "alt_text_custom": lambda _call, photo, _field: photo.alt_text or None,
        "created_time": lambda _call, photo, _field: format_time(photo.created_at),
        "images": lambda call, photo, field: [
            {"source": _resolve_source(call, photo, field), **build_pixel_fields(photo.media)}
        ],
        **dict.fromkeys(("picture", "source"), _resolve_source),
        "link": lambda _call, photo, _field: f"https://www.facebook.com/photo.php?fbid={photo.id}",
        "page_story_id": lambda _call, photo, _field: photo.post or None,
        "height": lambda _call, photo, _field: build_pixel_fields(photo.media)["height"],
        "width": lambda _call, photo, _field: build_pixel_fields(photo.media)["width"],
        "from": lambda call, photo, _field: build_page_reference(call, photo.parent),
    },
    ("created_time", "name", "id"),
)
STORY_NODE_TYPE = NodeType(
    "Story",
    {
        "post_id": lambda _call, story, _field: story.id,
        "status": lambda call, story, _field: get_story_status(call.context, story),
        "creation_time": lambda _call, story, _field: str(int(story.created_at.timestamp())),
        **resolve_attributes("media_type", "media_id"),
        "url": lambda _call, story, _field: f"https://facebook.com/stories/{story.parent}/{story.id}",
    },
    ("post_id", "status", "creation_time", "media_type", "media_id", "url"),
)


def get_story_status(context: VendorContext, story: Story) -> str:
    return "PUBLISHED" if context.clock.get_seconds_since(story.created_at) < _DAY_SECONDS else "ARCHIVED"


def _list_posts(call: Call, page: Page, is_included: Callable[[Post], bool]) -> Any:
    require_page_read(call)
    posts = [post for post in call.context.store.find(Post, parent=page.id, newest_first=True) if is_included(post)]
    posts.sort(key=lambda post: post.visible or post.created_at, reverse=True)
    return build_page(
        call,
        [
            Node(POST_NODE_TYPE, post)
            for post in filter_by_time(call, posts, lambda post: post.visible or post.created_at)
        ],
    )


def list_published_posts(call: Call, page: Page) -> Any:
    return _list_posts(call, page, lambda post: post.is_published(call.context))


def list_scheduled_posts(call: Call, page: Page) -> Any:
    return _list_posts(call, page, lambda post: post.scheduled and not post.is_published(call.context))


def list_ads_posts(call: Call, page: Page) -> Any:
    return _list_posts(call, page, lambda post: post.for_ads)


def list_photos(call: Call, page: Page) -> Any:
    require_page_read(call)
    photos = call.context.store.find(Photo, parent=page.id, newest_first=True)
    return build_page(call, [Node(PHOTO_NODE_TYPE, photo) for photo in photos if photo.post])


def list_stories(call: Call, page: Page) -> Any:
    require_page_read(call)
    request = str(call.params.get("status", "")).strip('[]"').replace('"', "")
    stories = call.context.store.find(Story, parent=page.id, newest_first=True)
    rows = [story for story in stories if not request or get_story_status(call.context, story) in request.split(",")]
    return build_page(call, [Node(STORY_NODE_TYPE, story) for story in rows])


def find_post_node(call: Call, key: str) -> Node | None:
    for kind, node_type in ((Post, POST_NODE_TYPE), (Photo, PHOTO_NODE_TYPE)):
        thing = call.context.store.get(kind, key)
        if thing is not None and get_role_for_token(call.context, require_token(call), thing.parent) is not None:
            require_page_read(call)
            return Node(node_type, thing)
    return None


def notify_post(context: VendorContext, post: Post, verb: str) -> None:
    """Notify of a change to the Page's own posts. If a post is not public yet, the notification is sent when it is."""
    value: dict[str, Any] = {
        "from": {"id": post.parent},
        "item": _WEBHOOK_ITEMS.get(post.status_type, "status"),
        "verb": verb,
        "post_id": post.id,
        "published": 1,
        "created_time": int(post.created_at.timestamp()),
    }
    page = context.store.get(Page, post.parent)
    if page is not None:
        value["from"]["name"] = page.name
    value |= {name: text for name, text in (("message", post.message), ("link", post.link)) if text}
    after = -context.clock.get_seconds_since(post.visible) if post.visible is not None else 0.0
    notify_page(
        context, post.parent, "feed", {"changes": [{"field": "feed", "value": value}]}, delay_seconds=max(0.0, after)
    )
