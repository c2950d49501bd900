"""Instagram media as it is read, changed and deleted, and how much more may be published."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import bad_parameter
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import flag
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, optional, own, render, wanted
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import within, written
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.kit.quotas import DAY, used
from socialgate_sandbox.society.comments import comments_on
from socialgate_sandbox.vendors.meta.accounts import CDN, require_instagram
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.instagram.audiences import ON_INSTAGRAM
from socialgate_sandbox.vendors.meta.instagram.publish import quota, require_creator
from socialgate_sandbox.vendors.meta.state import Instagram
from socialgate_sandbox.vendors.meta.viewer import reachable, viewer

MODERATING = "instagram_manage_comments"


def _owner(call: Call, media: InstagramMedia) -> Instagram | None:
    return call.world.store.get(Instagram, media.parent)


def _url(call: Call, media: InstagramMedia, _field: Field) -> str | None:
    """Return the URL of the media; an album has none of its own, only its slides do."""
    shown = media if media.media is not None or not media.children else _slides(call, media)[0]
    return shown.media.url(call.world, CDN) if shown.media is not None else None


def _slides(call: Call, media: InstagramMedia) -> list[InstagramMedia]:
    return call.world.store.get_all(InstagramMedia, media.children)


def _permalink(call: Call, media: InstagramMedia, field: Field) -> str:
    if media.product_type == "STORY":
        return f"https://www.instagram.com/stories/{_username(call, media, field)}/{_number(media)}"
    return f"https://www.instagram.com/{'reel' if media.product_type == 'REELS' else 'p'}/{media.shortcode}/"


def _number(media: InstagramMedia) -> str:
    """Return the id that Instagram itself uses, which is not that of the Graph API."""
    return str(3_000_000_000_000_000_000 + int(media.id))


def _username(call: Call, media: InstagramMedia, _field: Field) -> str | None:
    owner = _owner(call, media)
    return owner.username if owner is not None else None


def _thumbnail(call: Call, media: InstagramMedia, _field: Field) -> str | None:
    """Return the image shown for a video: the chosen cover, or one of its frames."""
    if media.media_type != "VIDEO":
        return None
    cover = media.extras.cover
    return cover.url(call.world, CDN) if cover is not None else picture_url(call.world, CDN, media.id, 640)


MEDIA = NodeType(
    "ShadowIGMedia",
    {
        **own("id", "media_type", "shortcode"),
        **optional("caption"),
        **optional("alt_text", of="extras"),
        "media_product_type": lambda _call, media, _field: media.product_type,
        "media_url": _url,
        "thumbnail_url": _thumbnail,
        "permalink": _permalink,
        "timestamp": lambda _call, media, _field: written(media.made),
        "username": _username,
        "owner": lambda _call, media, _field: {"id": media.parent},
        "like_count": lambda call, media, _field: ON_INSTAGRAM.total(call.world, media, "likes"),
        "comments_count": lambda call, media, _field: len(comments_on(call.world, InstagramComment, media.id)),
        "is_comment_enabled": lambda _call, media, _field: media.comments_on,
        "is_shared_to_feed": lambda _call, media, _field: media.extras.share_to_feed,
        "ig_id": lambda _call, media, _field: _number(media),
        "is_ai_generated": lambda _call, media, _field: media.extras.is_ai_generated,
        "boost_eligibility_info": lambda _call, _media, _field: {"eligible_to_boost": True},
    },
)
LIMIT = NodeType(
    "ContentPublishingLimit",
    {
        "quota_usage": lambda call, account, _field: used(call.world, account.id),
        "config": lambda call, _account, _field: {"quota_total": quota(call), "quota_duration": DAY},
    },
    ("quota_usage",),
)


def publishing_limit(call: Call, account: Instagram) -> Any:
    require_creator(call, account)
    return {"data": [render(call, Node(LIMIT, account), wanted(call))]}


def media(call: Call, account: Instagram) -> Any:
    """List posts and reels, newest first. Stories have a list of their own."""
    found = [one for one in _all(call, account) if one.product_type != "STORY"]
    return listing(call, [Node(MEDIA, one) for one in within(call, found, lambda one: one.made)])


def stories(call: Call, account: Instagram) -> Any:
    found = [one for one in _all(call, account) if one.product_type == "STORY"]
    return listing(call, [Node(MEDIA, one) for one in found if call.world.clock.since(one.made) < DAY])


def _all(call: Call, account: Instagram) -> list[InstagramMedia]:
    require_instagram(call)
    found = call.world.store.find(InstagramMedia, parent=account.id, newest_first=True)
    return [one for one in found if not one.is_slide]


def children(call: Call, whole: InstagramMedia) -> Any:
    return listing(call, [Node(MEDIA, slide) for slide in _slides(call, whole)])


def update_media(call: Call, found: InstagramMedia) -> Any:
    require_instagram(call, MODERATING)
    if "comment_enabled" not in call.params:
        return bad_parameter("The parameter comment_enabled is required")
    found.comments_on = flag(call, "comment_enabled")
    call.world.store.put(found)
    return {"success": True}


def delete_media(call: Call, found: InstagramMedia) -> Any:
    """Delete a post with all its slides. A single slide cannot be deleted."""
    require_instagram(call, "instagram_manage_contents")
    if found.is_slide:
        return bad_parameter("A single item of a carousel cannot be deleted")
    for key in [found.id, *found.children]:
        call.world.store.delete(InstagramMedia, key)
        call.world.store.clear(InstagramComment, parent=key)
    owner = _owner(call, found)
    if owner is not None and found.product_type != "STORY":
        owner.media_count -= 1
        call.world.store.put(owner)
    return {"success": True}


def media_node(call: Call, key: str) -> Node | None:
    found = call.world.store.get(InstagramMedia, key)
    owner = _owner(call, found) if found is not None else None
    if owner is None or reachable(call.world, viewer(call), owner.parent) is None:
        return None
    require_instagram(call)
    return Node(MEDIA, found)
