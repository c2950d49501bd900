"""Posts as they are read: fields, attachments, lists."""

from collections.abc import Callable
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.media import pixels
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, optional, own, projected, wanted
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import within, written
from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.meta.accounts import CDN, require_reader
from socialgate_sandbox.vendors.meta.content import Photo, Post, Story, Video
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.pages.audiences import ON_FACEBOOK
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import may, reachable, viewer
from socialgate_sandbox.vendors.meta.webhooks import notify_page

_DAY = 86400
_NEVER = ("is_hidden", "is_expired", "is_popular", "is_spherical", "is_app_share")
_EVERYONE = {"allow": "", "deny": "", "description": "Public", "friends": "", "value": "EVERYONE"}
_ITEMS = {"added_photos": "photo", "added_video": "video", "shared_story": "share"}


def permalink(post: Post) -> str:
    page, _, number = post.id.partition("_")
    return f"https://www.facebook.com/{page}/posts/{number}"


def page_reference(call: Call, key: str) -> dict[str, str]:
    page = call.world.store.get(Page, key)
    return {"name": page.name if page is not None else "", "id": key}


def photo_attachment(call: Call, photo: Photo) -> dict[str, Any]:
    """Return a photo as shown in posts and comments."""
    url, media = f"https://www.facebook.com/photo.php?fbid={photo.id}", photo.media
    image = {"image": {"src": media.url(call.world, CDN), **pixels(media)}}
    return {"media_type": "photo", "type": "photo", "url": url, "media": image, "target": {"id": photo.id, "url": url}}


def attached_to(call: Call, post: Post) -> list[dict[str, Any]]:
    rows = [photo_attachment(call, photo) for photo in call.world.store.get_all(Photo, post.photos)]
    video = call.world.store.get(Video, post.video)
    if len(rows) > 1:
        album = {"media_type": "album", "type": "album", "url": permalink(post), "title": "Photos from this post"}
        return [{**album, "media": rows[0]["media"], "subattachments": {"data": rows}}]
    if video is not None:
        url = f"https://www.facebook.com/{post.parent}/videos/{video.id}/"
        image = {"height": 640, "src": picture_of(call, video), "width": 640}
        media = {"image": image} | ({"source": video.media.url(call.world, CDN)} if video.media is not None else {})
        row = {"media_type": "video", "type": "video_inline", "url": url, "title": video.title, "media": media}
        rows = [row | {"target": {"id": video.id, "url": url}}]
    if post.link and not rows:
        rows = [{"media_type": "link", "type": "share", "url": post.link, "title": post.link}]
    return rows


def _full_picture(call: Call, post: Post, _field: Field) -> str | None:
    photo = call.world.store.get(Photo, post.photos[0]) if post.photos else None
    if photo is not None:
        return photo.media.url(call.world, CDN)
    video = call.world.store.get(Video, post.video)
    return picture_of(call, video) if video is not None else None


def picture_of(call: Call, video: Video) -> str:
    """Return the image shown for a video: the chosen one, or one of its frames."""
    return video.cover.url(call.world, CDN) if video.cover is not None else picture_url(call.world, CDN, video.id, 640)


def _counted(summary: dict[str, Any]) -> Callable[[Call, Post | Photo | Video], Any]:
    """Create an edge of what other people did: empty here, and counted if the caller wants that and may."""

    def edge(call: Call, thing: Post | Photo | Video) -> Any:
        if not call.params.get("summary"):
            return {"data": []}
        if not may(call, "pages_read_user_content"):
            raise missing_scope("Requires pages_read_user_content permission to read the summary", 10)
        post = thing if isinstance(thing, Post) else call.world.store.get(Post, thing.post)
        count = ON_FACEBOOK.total(call.world, post, "likes") if post is not None else 0
        return {"data": [], "summary": {"total_count": count, **summary}}

    return edge


reactions = _counted({"viewer_reaction": "NONE"})
likes = _counted({"can_like": True, "has_liked": False})


def attachments(call: Call, post: Post) -> Any:
    return projected({"data": attached_to(call, post)}, wanted(call))


def _shares(call: Call, post: Post, _field: Field) -> dict[str, int] | None:
    count = ON_FACEBOOK.total(call.world, post, "shares")
    return {"count": count} if count else None


def is_promotable(world: World, post: Post) -> bool:
    return post.for_ads or post.is_published(world)


def _due(_call: Call, post: Post, _field: Field) -> int | None:
    return int(post.visible.timestamp()) if post.scheduled and post.visible is not None else None


POST = NodeType(
    "PagePost",
    {
        **own("id", "status_type"),
        **optional("message", "link"),
        "created_time": lambda call, post, _field: written(_shown(call, post)),
        "updated_time": lambda call, post, _field: written(post.edited or _shown(call, post)),
        "permalink_url": lambda _call, post, _field: permalink(post),
        "full_picture": _full_picture,
        "picture": _full_picture,
        "is_published": lambda call, post, _field: post.is_published(call.world),
        **dict.fromkeys(_NEVER, lambda _call, _post, _field: False),
        "is_eligible_for_promotion": lambda call, post, _field: is_promotable(call.world, post),
        "promotable_id": lambda call, post, _field: post.id if is_promotable(call.world, post) else None,
        "promotion_status": lambda call, post, _field: "inactive" if is_promotable(call.world, post) else "ineligible",
        "privacy": lambda _call, _post, _field: _EVERYONE,
        "scheduled_publish_time": _due,
        "from": lambda call, post, _field: page_reference(call, post.parent),
        "shares": _shares,
    },
    ("created_time", "message", "story", "id"),
)


def _shown(call: Call, post: Post) -> Any:
    """Return when it appeared: a scheduled post is as old as its appearance."""
    return post.visible if post.visible is not None and post.is_published(call.world) else post.made


def _source(call: Call, photo: Photo, _field: Field) -> str:
    return photo.media.url(call.world, CDN)


PHOTO = NodeType(
    "Photo",
    {
        **own("id"),
        "name": lambda _call, photo, _field: photo.caption or None,
        "alt_text_custom": lambda _call, photo, _field: photo.alt_text or None,
        "created_time": lambda _call, photo, _field: written(photo.made),
        "images": lambda call, photo, field: [{"source": _source(call, photo, field), **pixels(photo.media)}],
        **dict.fromkeys(("picture", "source"), _source),
        "link": lambda _call, photo, _field: f"https://www.facebook.com/photo.php?fbid={photo.id}",
        "page_story_id": lambda _call, photo, _field: photo.post or None,
        "height": lambda _call, photo, _field: pixels(photo.media)["height"],
        "width": lambda _call, photo, _field: pixels(photo.media)["width"],
        "from": lambda call, photo, _field: page_reference(call, photo.parent),
    },
    ("created_time", "name", "id"),
)
STORY = NodeType(
    "Story",
    {
        "post_id": lambda _call, story, _field: story.id,
        "status": lambda call, story, _field: story_status(call.world, story),
        "creation_time": lambda _call, story, _field: str(int(story.made.timestamp())),
        **own("media_type", "media_id"),
        "url": lambda _call, story, _field: f"https://facebook.com/stories/{story.parent}/{story.id}",
    },
    ("post_id", "status", "creation_time", "media_type", "media_id", "url"),
)


def story_status(world: World, story: Story) -> str:
    return "PUBLISHED" if world.clock.since(story.made) < _DAY else "ARCHIVED"


def _posts(call: Call, page: Page, shown: Callable[[Post], bool]) -> Any:
    require_reader(call)
    found = [post for post in call.world.store.find(Post, parent=page.id, newest_first=True) if shown(post)]
    found.sort(key=lambda post: post.visible or post.made, reverse=True)
    return listing(call, [Node(POST, post) for post in within(call, found, lambda post: post.visible or post.made)])


def published_posts(call: Call, page: Page) -> Any:
    return _posts(call, page, lambda post: post.is_published(call.world))


def scheduled_posts(call: Call, page: Page) -> Any:
    return _posts(call, page, lambda post: post.scheduled and not post.is_published(call.world))


def ads_posts(call: Call, page: Page) -> Any:
    return _posts(call, page, lambda post: post.for_ads)


def photos(call: Call, page: Page) -> Any:
    require_reader(call)
    found = call.world.store.find(Photo, parent=page.id, newest_first=True)
    return listing(call, [Node(PHOTO, photo) for photo in found if photo.post])


def stories(call: Call, page: Page) -> Any:
    require_reader(call)
    asked = str(call.params.get("status", "")).strip('[]"').replace('"', "")
    found = call.world.store.find(Story, parent=page.id, newest_first=True)
    rows = [story for story in found if not asked or story_status(call.world, story) in asked.split(",")]
    return listing(call, [Node(STORY, story) for story in rows])


def post_node(call: Call, key: str) -> Node | None:
    for kind, node_type in ((Post, POST), (Photo, PHOTO)):
        thing = call.world.store.get(kind, key)
        if thing is not None and reachable(call.world, viewer(call), thing.parent) is not None:
            require_reader(call)
            return Node(node_type, thing)
    return None


def tell(world: World, post: Post, verb: str) -> None:
    """Notify of a change to the Page's own posts. If a post is not public yet, the notification is sent when it is."""
    value: dict[str, Any] = {
        "from": {"id": post.parent},
        "item": _ITEMS.get(post.status_type, "status"),
        "verb": verb,
        "post_id": post.id,
        "published": 1,
        "created_time": int(post.made.timestamp()),
    }
    page = world.store.get(Page, post.parent)
    if page is not None:
        value["from"]["name"] = page.name
    value |= {name: text for name, text in (("message", post.message), ("link", post.link)) if text}
    after = -world.clock.since(post.visible) if post.visible is not None else 0.0
    notify_page(world, post.parent, "feed", {"changes": [{"field": "feed", "value": value}]}, after=max(0.0, after))
