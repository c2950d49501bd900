"""Instagram media as it is read, changed and deleted, and how much more may be published."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_parameter_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import (
    Node,
    NodeType,
    parse_requested_fields,
    render_node,
    resolve_attributes,
    resolve_optional_attributes,
)
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_flag
from socialgate_sandbox.dialects.graph.times import filter_by_time, format_time
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.kit.quotas import DAY_SECONDS, count_day_uses
from socialgate_sandbox.society.comments import list_comments
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST, require_instagram_scope
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.instagram.instagram_audience import INSTAGRAM_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.instagram.instagram_publishing import get_publishing_quota, require_create_content
from socialgate_sandbox.vendors.meta.stored_objects import Instagram
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, require_token

MODERATION_SCOPE = "instagram_manage_comments"


def _get_owner(call: Call, media: InstagramMedia) -> Instagram | None:
    return call.context.store.get(Instagram, media.parent)


def _resolve_url(call: Call, media: InstagramMedia, _field: RequestedField) -> str | None:
    """Return the URL of the media; an album has none of its own, only its slides do."""
    shown = media if media.media is not None or not media.children else _get_slides(call, media)[0]
    return shown.media.url(call.context, CDN_HOST) if shown.media is not None else None


def _get_slides(call: Call, media: InstagramMedia) -> list[InstagramMedia]:
    return call.context.store.get_all(InstagramMedia, media.children)


def _resolve_permalink(call: Call, media: InstagramMedia, field: RequestedField) -> str:
    if media.product_type == "STORY":
        return f"https://www.instagram.com/stories/{_resolve_username(call, media, field)}/{_get_instagram_id(media)}"
    return f"https://www.instagram.com/{'reel' if media.product_type == 'REELS' else 'p'}/{media.shortcode}/"


def _get_instagram_id(media: InstagramMedia) -> str:
    """Return the id that Instagram itself uses, which is not that of the Graph API."""
    return str(3_000_000_000_000_000_000 + int(media.id))


def _resolve_username(call: Call, media: InstagramMedia, _field: RequestedField) -> str | None:
    owner = _get_owner(call, media)
    return owner.username if owner is not None else None


def _resolve_thumbnail(call: Call, media: InstagramMedia, _field: RequestedField) -> str | None:
    """Return the image shown for a video: the chosen cover, or one of its frames."""
    if media.media_type != "VIDEO":
        return None
    cover = media.extras.cover
    return (
        cover.url(call.context, CDN_HOST)
        if cover is not None
        else build_picture_url(call.context, CDN_HOST, media.id, 640)
    )


MEDIA_NODE_TYPE = NodeType(
    "ShadowIGMedia",
    {
        **resolve_attributes("id", "media_type", "shortcode"),
        **resolve_optional_attributes("caption"),
        **resolve_optional_attributes("alt_text", parent_path="extras"),
        "media_product_type": lambda _call, media, _field: media.product_type,
        "media_url": _resolve_url,
        "thumbnail_url": _resolve_thumbnail,
        "permalink": _resolve_permalink,
        "timestamp": lambda _call, media, _field: format_time(media.created_at),
        "username": _resolve_username,
        "owner": lambda _call, media, _field: {"id": media.parent},
        "like_count": lambda call, media, _field: INSTAGRAM_AUDIENCE_READER.count_post_metric(
            call.context, media, "likes"
        ),
        "comments_count": lambda call, media, _field: len(list_comments(call.context, InstagramComment, media.id)),
        "is_comment_enabled": lambda _call, media, _field: media.comments_on,
        "is_shared_to_feed": lambda _call, media, _field: media.extras.share_to_feed,
        "ig_id": lambda _call, media, _field: _get_instagram_id(media),
        "is_ai_generated": lambda _call, media, _field: media.extras.is_ai_generated,
        "boost_eligibility_info": lambda _call, _media, _field: {"eligible_to_boost": True},
    },
)
LIMIT_NODE_TYPE = NodeType(
    "ContentPublishingLimit",
    {
        "quota_usage": lambda call, account, _field: count_day_uses(call.context, account.id),
        "config": lambda call, _account, _field: {
            "quota_total": get_publishing_quota(call),
            "quota_duration": DAY_SECONDS,
        },
    },
    ("quota_usage",),
)


def get_publishing_limit(call: Call, account: Instagram) -> Any:
    require_create_content(call, account)
    return {"data": [render_node(call, Node(LIMIT_NODE_TYPE, account), parse_requested_fields(call))]}


def list_media(call: Call, account: Instagram) -> Any:
    """List posts and reels, newest first. Stories have a list of their own."""
    instagram_medias = [
        instagram_media for instagram_media in _list_all_media(call, account) if instagram_media.product_type != "STORY"
    ]
    return build_page(
        call,
        [Node(MEDIA_NODE_TYPE, item) for item in filter_by_time(call, instagram_medias, lambda item: item.created_at)],
    )


def list_stories(call: Call, account: Instagram) -> Any:
    instagram_medias = [
        instagram_media for instagram_media in _list_all_media(call, account) if instagram_media.product_type == "STORY"
    ]
    return build_page(
        call,
        [
            Node(MEDIA_NODE_TYPE, instagram_media)
            for instagram_media in instagram_medias
            if call.context.clock.get_seconds_since(instagram_media.created_at) < DAY_SECONDS
        ],
    )


def _list_all_media(call: Call, account: Instagram) -> list[InstagramMedia]:
    require_instagram_scope(call)
    instagram_medias = call.context.store.find(InstagramMedia, parent=account.id, newest_first=True)
    return [instagram_media for instagram_media in instagram_medias if not instagram_media.is_slide]


def list_children(call: Call, album: InstagramMedia) -> Any:
    return build_page(call, [Node(MEDIA_NODE_TYPE, slide) for slide in _get_slides(call, album)])


def update_media(call: Call, media: InstagramMedia) -> Any:
    require_instagram_scope(call, MODERATION_SCOPE)
    if "comment_enabled" not in call.params:
        return build_parameter_response("The parameter comment_enabled is required")
    media.comments_on = get_flag(call, "comment_enabled")
    call.context.store.put(media)
    return {"success": True}


def delete_media(call: Call, media: InstagramMedia) -> Any:
    """Delete a post with all its slides. A single slide cannot be deleted."""
    require_instagram_scope(call, "instagram_manage_contents")
    if media.is_slide:
        return build_parameter_response("A single item of a carousel cannot be deleted")
    for key in [media.id, *media.children]:
        call.context.store.delete(InstagramMedia, key)
        call.context.store.delete_all(InstagramComment, parent=key)
    owner = _get_owner(call, media)
    if owner is not None and media.product_type != "STORY":
        owner.media_count -= 1
        call.context.store.put(owner)
    return {"success": True}


def find_media_node(call: Call, key: str) -> Node | None:
    instagram_media = call.context.store.get(InstagramMedia, key)
    owner = _get_owner(call, instagram_media) if instagram_media is not None else None
    if owner is None or get_role_for_token(call.context, require_token(call), owner.parent) is None:
        return None
    require_instagram_scope(call)
    return Node(MEDIA_NODE_TYPE, instagram_media)
