"""Creatives: what an ad shows. It is a post of a Page, an Instagram post, or a new post that is only shown as an ad."""

from collections.abc import Iterator
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    parse_any,
    parse_object,
    parse_string,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import NodeType, get_documented_names, resolve_attributes
from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.kit.post_processing import compute_stage
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.society.campaigns import AdAccountObject
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST
from socialgate_sandbox.vendors.meta.ads.ad_accounts import find_advertisable_pages, require_advertise_role
from socialgate_sandbox.vendors.meta.ads.ad_media import find_image
from socialgate_sandbox.vendors.meta.content import InstagramMedia, Post, Video
from socialgate_sandbox.vendors.meta.pages.post_nodes import is_promotable
from socialgate_sandbox.vendors.meta.stored_objects import Instagram

_SOURCE_PARAMS = (
    "object_story_id",
    "object_story_spec",
    "source_instagram_media_id",
    "asset_feed_spec",
    "product_set_id",
)
_STORY_SPEC_PARTS = ("link_data", "video_data", "photo_data", "text_data", "template_data")
_TEXT_FIELDS = ("message", "name", "description", "caption", "title", "link_description", "text")


class Creative(AdAccountObject, kw_only=True):
    """`story` is the post that it shows, `video` whether that is a video."""

    story: str = ""
    status: str = "ACTIVE"
    video: bool = False


def list_texts(call: Call, creative: Creative) -> list[str]:
    """List everything that a creative says, for its review."""
    post = call.context.store.get(Post, creative.story)
    payload = [post.message] if post is not None else []
    return [
        *payload,
        *_iterate_texts(creative.fields.get("object_story_spec")),
        *_iterate_texts(creative.fields.get("asset_feed_spec")),
    ]


def _iterate_texts(spec: Any) -> Iterator[str]:
    if isinstance(spec, list):
        for item in spec:
            yield from _iterate_texts(item)
    elif isinstance(spec, dict):
        yield from (value for name, value in spec.items() if name in _TEXT_FIELDS and isinstance(value, str))
        for value in spec.values():
            yield from _iterate_texts(value)


def _require_advertisable_page(call: Call, field: str, key: str) -> None:
    if key not in {page.id for page in find_advertisable_pages(call)}:
        message = "You cannot advertise for this Page. Ask its owner for the task ADVERTISE."
        raise build_blame_error(field, message, title="Page Permissions Missing")


def _validate_and_complete(call: Call, creative: Creative, values: dict[str, Any]) -> None:
    creative.status = creative.fields.pop("status", creative.status)
    if not values.keys() & set(_SOURCE_PARAMS):
        if not creative.fields.keys() & set(_SOURCE_PARAMS):
            raise build_blame_error(
                "object_story_spec", "The creative needs a post or a story spec.", title="Creative Is Empty"
            )
        return
    if "object_story_id" in values:
        _use_page_post(call, creative)
    elif "source_instagram_media_id" in values:
        _use_instagram_post(call, creative)
    elif "object_story_spec" in values:
        _create_ad_post(call, creative, creative.fields["object_story_spec"])
    elif "asset_feed_spec" in values:
        raise build_blame_error(
            "object_story_spec", "With asset_feed_spec it needs a page_id.", title="Page Is Missing"
        )


def _use_page_post(call: Call, creative: Creative) -> None:
    post = call.context.store.get(Post, str(creative.fields["object_story_id"]))
    if post is None:
        message = "The post is not available. It may have been deleted."
        raise build_blame_error("object_story_id", message, subcode=1885557, title="Post Unavailable")
    _require_advertisable_page(call, "object_story_id", post.parent)
    if not is_promotable(call.context, post):
        raise build_blame_error(
            "object_story_id", "This post cannot be promoted.", subcode=1487472, title="Cannot Be Promoted"
        )
    creative.story, creative.video = post.id, bool(post.video)


def _use_instagram_post(call: Call, creative: Creative) -> None:
    media = call.context.store.get(InstagramMedia, str(creative.fields["source_instagram_media_id"]))
    account = call.context.store.get(Instagram, media.parent) if media is not None else None
    if media is None or account is None or creative.fields.get("instagram_user_id") != account.id:
        message = "The post does not exist on the Instagram account of instagram_user_id."
        raise build_blame_error(
            "source_instagram_media_id", message, subcode=2446149, title="Invalid Instagram Parameters"
        )
    _require_advertisable_page(call, "source_instagram_media_id", account.parent)
    creative.video = media.media is not None and media.media.is_video


def _create_ad_post(call: Call, creative: Creative, spec: dict[str, Any]) -> None:
    """Create the post that a spec describes, which is only shown as an ad."""
    page, feed = str(spec.get("page_id", "")), creative.fields.get("asset_feed_spec") or {}
    _require_advertisable_page(call, "object_story_spec", page)
    form = next((name for name in _STORY_SPEC_PARTS if isinstance(spec.get(name), dict)), None)
    if form is None and not (feed.get("bodies") or feed.get("titles")):
        reported_message = f"object_story_spec needs one of {', '.join(_STORY_SPEC_PARTS)}."
        raise build_blame_error("object_story_spec", reported_message, title="Creative Is Incomplete")
    data = spec[form] if form is not None else {}
    if form == "link_data" and not str(data.get("link", "")).startswith(("http://", "https://")):
        raise build_blame_error(
            "object_story_spec", "Enter the URL of a website.", subcode=2446383, title="Link Is Missing"
        )
    if form == "video_data" and "video_id" not in data:
        raise build_blame_error("object_story_spec", "video_data needs a video_id.", title="Video Is Missing")
    for part in (data, *data.get("child_attachments", ()), *feed.get("images", ()), *feed.get("videos", ())):
        _validate_part(call, creative, part)
    message = str(data.get("message") or data.get("caption") or "")
    kind = {"video_data": "added_video", "photo_data": "added_photos"}.get(form or "", "shared_story")
    now, link = call.context.clock.now(), str(data.get("link", ""))
    post = Post(
        id=f"{page}_{generate_digits(15)}",
        parent=page,
        created_at=now,
        visible=None,
        status_type=kind,
        message=message,
        link=link,
        video=str(data.get("video_id", "")),
        for_ads=True,
    )
    creative.story, creative.video = call.context.store.put(post).id, form == "video_data" or bool(feed.get("videos"))


def _validate_part(call: Call, creative: Creative, part: dict[str, Any]) -> None:
    image, video = part.get("image_hash") or part.get("hash"), part.get("video_id")
    if image and find_image(call.context, creative.parent, str(image)) is None:
        raise build_blame_error(
            "object_story_spec", "The image does not exist in the ad account.", title="Image Not Found"
        )
    existing_video = call.context.store.get(Video, str(video)) if video else None
    if video and (
        existing_video is None or compute_stage(call.context, existing_video.ready, existing_video.failure) == "failed"
    ):
        raise build_blame_error(
            "object_story_spec", "The video does not exist, or cannot be played.", title="Video Not Found"
        )
    if (
        existing_video is not None
        and compute_stage(call.context, existing_video.ready, existing_video.failure) != "ready"
    ):
        message = "The video is still being processed. Try again in a few minutes."
        raise build_blame_error("object_story_spec", message, subcode=1885252, title="Video Not Ready for Use in an Ad")
    action = part.get("call_to_action") or {}
    if action and action.get("type") not in get_documented_names("AdCreative", "call_to_action_type"):
        raise build_blame_error(
            "object_story_spec", f"{action.get('type')} is not a call to action.", title="Invalid CTA"
        )


def _build_spec_resolver(name: str) -> Any:
    def resolve(_call: Call, creative: Creative, _field: RequestedField) -> Any:
        spec = creative.fields.get("object_story_spec") or {}
        return next((spec[form].get(name) for form in _STORY_SPEC_PARTS if isinstance(spec.get(form), dict)), None)

    return resolve


def _resolve_call_to_action(call: Call, creative: Creative, field: RequestedField) -> str | None:
    result = (
        _build_spec_resolver("call_to_action")(call, creative, field) or creative.fields.get("call_to_action") or {}
    )
    return result.get("type")


_STORED_PARAMS = (
    *_SOURCE_PARAMS,
    "object_id",
    "instagram_user_id",
    "call_to_action",
    "url_tags",
    "degrees_of_freedom_spec",
)
CREATIVE_NODE_TYPE = NodeType(
    "AdCreative",
    {
        **resolve_attributes("id", "name", "status"),
        **resolve_stored(*_STORED_PARAMS, "adlabels", "template_url", "image_url", "thumbnail_url"),
        "account_id": lambda _call, item, _field: item.parent.removeprefix("act_"),
        "effective_object_story_id": lambda _call, item, _field: item.story or None,
        "effective_instagram_media_id": lambda _call, item, _field: item.fields.get("source_instagram_media_id"),
        "actor_id": lambda _call, item, _field: item.story.partition("_")[0] or None,
        "object_type": lambda _call, item, _field: "VIDEO" if item.video else "SHARE",
        "body": _build_spec_resolver("message"),
        "title": _build_spec_resolver("name"),
        "link_url": _build_spec_resolver("link"),
        "image_hash": _build_spec_resolver("image_hash"),
        "video_id": _build_spec_resolver("video_id"),
        "call_to_action_type": _resolve_call_to_action,
        "thumbnail_url": lambda call, item, _field: build_picture_url(call.context, CDN_HOST, item.id, 64),
    },
    ("id",),
)


def _mark_deleted(call: Call, creative: Creative) -> None:
    creative.status = "DELETED"
    call.context.store.put(creative)


CREATIVES = ManagedObjects(
    node=CREATIVE_NODE_TYPE,
    kind=Creative,
    parameter_parsers={
        **dict.fromkeys(("name", "object_story_id", "source_instagram_media_id", "product_set_id"), parse_string),
        **dict.fromkeys(("instagram_user_id", "object_id", "url_tags", "template_url", "image_url"), parse_string),
        **dict.fromkeys(
            ("object_story_spec", "asset_feed_spec", "call_to_action", "degrees_of_freedom_spec"), parse_object
        ),
        "status": build_choice_parser("AdCreative", "status"),
        "adlabels": parse_any,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    required=(),
    changeable_params=("name", "status", "adlabels"),
    remove=_mark_deleted,
)
