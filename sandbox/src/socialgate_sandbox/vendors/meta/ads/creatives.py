"""Creatives: what an ad shows. It is a post of a Page, an Instagram post, or a new post that is only shown as an ad."""

from collections.abc import Iterator
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.nodes import NodeType, declared, own
from socialgate_sandbox.dialects.graph.objects import Objects, anything, choice, invalid, mapping, stored, string
from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.kit.lifecycle import stage
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.society.campaigns import Kept
from socialgate_sandbox.vendors.meta.accounts import CDN
from socialgate_sandbox.vendors.meta.ads.accounts import advertisable, require_advertiser
from socialgate_sandbox.vendors.meta.ads.media import image_of
from socialgate_sandbox.vendors.meta.content import InstagramMedia, Post, Video
from socialgate_sandbox.vendors.meta.pages.posts import is_promotable
from socialgate_sandbox.vendors.meta.state import Instagram

_SOURCES = ("object_story_id", "object_story_spec", "source_instagram_media_id", "asset_feed_spec", "product_set_id")
_FORMS = ("link_data", "video_data", "photo_data", "text_data", "template_data")
_TEXTS = ("message", "name", "description", "caption", "title", "link_description", "text")


class Creative(Kept, kw_only=True):
    """`story` is the post that it shows, `video` whether that is a video."""

    story: str = ""
    status: str = "ACTIVE"
    video: bool = False


def texts(call: Call, one: Creative) -> list[str]:
    """List everything that a creative says, for its review."""
    post = call.world.store.get(Post, one.story)
    said = [post.message] if post is not None else []
    return [*said, *_said(one.fields.get("object_story_spec")), *_said(one.fields.get("asset_feed_spec"))]


def _said(spec: Any) -> Iterator[str]:
    if isinstance(spec, list):
        for one in spec:
            yield from _said(one)
    elif isinstance(spec, dict):
        yield from (value for name, value in spec.items() if name in _TEXTS and isinstance(value, str))
        for value in spec.values():
            yield from _said(value)


def _page(call: Call, field: str, key: str) -> None:
    if key not in {page.id for page in advertisable(call)}:
        said = "You cannot advertise for this Page. Ask its owner for the task ADVERTISE."
        raise invalid(field, said, title="Page Permissions Missing")


def _write(call: Call, one: Creative, given: dict[str, Any]) -> None:
    one.status = one.fields.pop("status", one.status)
    if not given.keys() & set(_SOURCES):
        if not one.fields.keys() & set(_SOURCES):
            raise invalid("object_story_spec", "The creative needs a post or a story spec.", title="Creative Is Empty")
        return
    if "object_story_id" in given:
        _boost(call, one)
    elif "source_instagram_media_id" in given:
        _boost_instagram(call, one)
    elif "object_story_spec" in given:
        _compose(call, one, one.fields["object_story_spec"])
    elif "asset_feed_spec" in given:
        raise invalid("object_story_spec", "With asset_feed_spec it needs a page_id.", title="Page Is Missing")


def _boost(call: Call, one: Creative) -> None:
    post = call.world.store.get(Post, str(one.fields["object_story_id"]))
    if post is None:
        said = "The post is not available. It may have been deleted."
        raise invalid("object_story_id", said, subcode=1885557, title="Post Unavailable")
    _page(call, "object_story_id", post.parent)
    if not is_promotable(call.world, post):
        raise invalid("object_story_id", "This post cannot be promoted.", subcode=1487472, title="Cannot Be Promoted")
    one.story, one.video = post.id, bool(post.video)


def _boost_instagram(call: Call, one: Creative) -> None:
    media = call.world.store.get(InstagramMedia, str(one.fields["source_instagram_media_id"]))
    account = call.world.store.get(Instagram, media.parent) if media is not None else None
    if media is None or account is None or one.fields.get("instagram_user_id") != account.id:
        said = "The post does not exist on the Instagram account of instagram_user_id."
        raise invalid("source_instagram_media_id", said, subcode=2446149, title="Invalid Instagram Parameters")
    _page(call, "source_instagram_media_id", account.parent)
    one.video = media.media is not None and media.media.is_video


def _compose(call: Call, one: Creative, spec: dict[str, Any]) -> None:
    """Create the post that a spec describes, which is only shown as an ad."""
    page, feed = str(spec.get("page_id", "")), one.fields.get("asset_feed_spec") or {}
    _page(call, "object_story_spec", page)
    form = next((name for name in _FORMS if isinstance(spec.get(name), dict)), None)
    if form is None and not (feed.get("bodies") or feed.get("titles")):
        said = f"object_story_spec needs one of {', '.join(_FORMS)}."
        raise invalid("object_story_spec", said, title="Creative Is Incomplete")
    data = spec[form] if form is not None else {}
    if form == "link_data" and not str(data.get("link", "")).startswith(("http://", "https://")):
        raise invalid("object_story_spec", "Enter the URL of a website.", subcode=2446383, title="Link Is Missing")
    if form == "video_data" and "video_id" not in data:
        raise invalid("object_story_spec", "video_data needs a video_id.", title="Video Is Missing")
    for part in (data, *data.get("child_attachments", ()), *feed.get("images", ()), *feed.get("videos", ())):
        _check_part(call, one, part)
    message = str(data.get("message") or data.get("caption") or "")
    kind = {"video_data": "added_video", "photo_data": "added_photos"}.get(form or "", "shared_story")
    now, link = call.world.clock.now(), str(data.get("link", ""))
    post = Post(
        id=f"{page}_{digits(15)}", parent=page, made=now, visible=None, status_type=kind, message=message, link=link,
        video=str(data.get("video_id", "")), for_ads=True,
    )  # fmt: skip
    one.story, one.video = call.world.store.put(post).id, form == "video_data" or bool(feed.get("videos"))


def _check_part(call: Call, one: Creative, part: dict[str, Any]) -> None:
    image, video = part.get("image_hash") or part.get("hash"), part.get("video_id")
    if image and image_of(call.world, one.parent, str(image)) is None:
        raise invalid("object_story_spec", "The image does not exist in the ad account.", title="Image Not Found")
    found = call.world.store.get(Video, str(video)) if video else None
    if video and (found is None or stage(call.world, found.ready, found.failure) == "failed"):
        raise invalid("object_story_spec", "The video does not exist, or cannot be played.", title="Video Not Found")
    if found is not None and stage(call.world, found.ready, found.failure) != "ready":
        said = "The video is still being processed. Try again in a few minutes."
        raise invalid("object_story_spec", said, subcode=1885252, title="Video Not Ready for Use in an Ad")
    action = part.get("call_to_action") or {}
    if action and action.get("type") not in declared("AdCreative", "call_to_action_type"):
        raise invalid("object_story_spec", f"{action.get('type')} is not a call to action.", title="Invalid CTA")


def _data(name: str) -> Any:
    def resolve(_call: Call, one: Creative, _field: Field) -> Any:
        spec = one.fields.get("object_story_spec") or {}
        return next((spec[form].get(name) for form in _FORMS if isinstance(spec.get(form), dict)), None)

    return resolve


def _action(call: Call, one: Creative, field: Field) -> str | None:
    found = _data("call_to_action")(call, one, field) or one.fields.get("call_to_action") or {}
    return found.get("type")


_PARAMS = (*_SOURCES, "object_id", "instagram_user_id", "call_to_action", "url_tags", "degrees_of_freedom_spec")
CREATIVE = NodeType(
    "AdCreative",
    {
        **own("id", "name", "status"),
        **stored(*_PARAMS, "adlabels", "template_url", "image_url", "thumbnail_url"),
        "account_id": lambda _call, one, _field: one.parent.removeprefix("act_"),
        "effective_object_story_id": lambda _call, one, _field: one.story or None,
        "effective_instagram_media_id": lambda _call, one, _field: one.fields.get("source_instagram_media_id"),
        "actor_id": lambda _call, one, _field: one.story.partition("_")[0] or None,
        "object_type": lambda _call, one, _field: "VIDEO" if one.video else "SHARE",
        "body": _data("message"),
        "title": _data("name"),
        "link_url": _data("link"),
        "image_hash": _data("image_hash"),
        "video_id": _data("video_id"),
        "call_to_action_type": _action,
        "thumbnail_url": lambda call, one, _field: picture_url(call.world, CDN, one.id, 64),
    },
    ("id",),
)


def _remove(call: Call, one: Creative) -> None:
    one.status = "DELETED"
    call.world.store.put(one)


CREATIVES = Objects(
    node=CREATIVE,
    kind=Creative,
    params={
        **dict.fromkeys(("name", "object_story_id", "source_instagram_media_id", "product_set_id"), string),
        **dict.fromkeys(("instagram_user_id", "object_id", "url_tags", "template_url", "image_url"), string),
        **dict.fromkeys(("object_story_spec", "asset_feed_spec", "call_to_action", "degrees_of_freedom_spec"), mapping),
        "status": choice("AdCreative", "status"),
        "adlabels": anything,
    },
    guard=require_advertiser,
    write=_write,
    required=(),
    changes=("name", "status", "adlabels"),
    remove=_remove,
)
