"""Creatives at Meta: existing posts that are promoted, and posts that only exist as ads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from socialgate.connectors.advertising import invert_table, validate_choice
from socialgate.connectors.json_paths import get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.ads import reserved_options
from socialgate.connectors.meta.ads.mappings import VENDOR_NAMES_BY_CALL_TO_ACTION
from socialgate.connectors.meta.ads.objects import MetaAdObjects
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import CreativeItem
from socialgate.contracts.ad_values import AdIdentity, AdMediaAsset
from socialgate.contracts.ads import AdObjectChanges, NewCreative
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import Fault

CREATIVE_FIELDS = (
    "id,name,status,body,title,object_story_id,effective_object_story_id,source_instagram_media_id,"
    "effective_instagram_media_id,object_story_spec,link_url,call_to_action_type,image_url,thumbnail_url,video_id,"
    "actor_id,object_id,instagram_user_id"
)
# What a form opens from: Meta requires a link, and shows the form instead.
_LEAD_FORM_PLACEHOLDER_URL = "https://fb.me/"
_CALLS_TO_ACTION_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_CALL_TO_ACTION)
_MAX_CAROUSEL_CARDS = 10


class MetaCreatives(MetaAdObjects[CreativeItem, NewCreative]):
    """They have no time of creation, and cannot be changed, except for their name."""

    edge = "adcreatives"
    fields = CREATIVE_FIELDS
    changeable_fields = frozenset({"name"})
    reserved_options = reserved_options.RESERVED_CREATIVE_OPTIONS

    def _validate_new(self, new: NewCreative) -> Iterator[Fault]:
        yield from validate_creative(new)

    async def _build_create_params(self, credentials: AccountCredentials, new: NewCreative) -> Mapping[str, Any]:
        del credentials
        return encode_creative(new)

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del credentials, before
        return {"name": change.name}

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> CreativeItem:
        del credentials
        return parse_creative(row, self._parse_common_fields(row))


def validate_creative(new: NewCreative) -> Iterator[Fault]:
    yield from validate_choice("Meta", "/callToAction", new.call_to_action, VENDOR_NAMES_BY_CALL_TO_ACTION)
    if new.post_id is not None:
        return
    if len(new.assets) > _MAX_CAROUSEL_CARDS:
        yield Fault("/media", "too_many", f"A carousel has at most {_MAX_CAROUSEL_CARDS} images.")
    if len(new.assets) > 1 and new.url is None:
        yield Fault("/url", "required", "A carousel requires a URL.")
    if len(new.assets) > 1 and any(asset.type == "video" for asset in new.assets):
        yield Fault("/media", "media_mixed", "Use one video, or only images.")
    if not (new.assets or new.url or new.text or new.form_id):
        yield Fault("/text", "required", "An ad requires a text, media or a URL.")
    if new.call_to_action is not None and new.url is None and new.form_id is None:
        yield Fault("/url", "required", "A button requires a URL or a lead form.")


def encode_creative(new: NewCreative) -> dict[str, Any]:
    """Write a creative: also as a part of an ad."""
    ad_identity, post = new.publisher, new.post_id
    if post is None:
        return {"name": new.name, "object_story_spec": _build_story_spec(new)}
    if ad_identity is not None and ad_identity.kind is Kind.INSTAGRAM:
        written = {
            "name": new.name,
            "object_id": ad_identity.page_id,
            "instagram_user_id": ad_identity.id,
            "source_instagram_media_id": post,
            "call_to_action": _build_call_to_action(new),
        }
        return drop_none(written)
    whole = post if "_" in post or ad_identity is None else f"{ad_identity.page_id or ad_identity.id}_{post}"
    return drop_none({"name": new.name, "object_story_id": whole, "call_to_action": _build_call_to_action(new)})


def parse_creative(row: Mapping[str, Any], common: Mapping[str, Any]) -> CreativeItem:
    """Read a creative, from the post that Meta created for it or from what was sent."""
    spec = row.get("object_story_spec")
    parts = ("link_data", "video_data", "photo_data", "text_data", "template_data")
    data: Any = next((result for part in parts if (result := get_path(spec, part))), None)
    stories = ("effective_object_story_id", "object_story_id", "effective_instagram_media_id")
    # An Instagram post also gets a story of the Page.
    posts = ("source_instagram_media_id", *stories)
    button = get_text_or_number(row, "call_to_action_type") or get_text_or_number(data, "call_to_action", "type")
    return CreativeItem(
        **common,
        post_id=_get_first_text(row, posts),
        publisher_ids=_parse_publisher_ids(row, spec),
        text=_get_first_text(row, ("body",)) or _get_first_text(data, ("message", "caption")),
        headline=_get_first_text(row, ("title",)) or _get_first_text(data, ("name", "title")),
        description=_get_first_text(data, ("description", "link_description")),
        url=_get_first_text(row, ("link_url",)) or _get_first_text(data, ("link",)) or _parse_link(data),
        call_to_action=_CALLS_TO_ACTION_BY_VENDOR_NAME.get(button),
        image_url=_get_first_text(row, ("image_url", "thumbnail_url"))
        or _get_first_text(data, ("picture", "image_url")),
        video_id=_get_first_text(row, ("video_id",)) or _get_first_text(data, ("video_id",)),
    )


def _parse_publisher_ids(row: Mapping[str, Any], spec: Any) -> tuple[str, ...]:
    """List in whose name a creative appears. The id of a Facebook post begins with its Page."""
    stories = (get_text_or_number(row, name) for name in ("object_story_id", "effective_object_story_id"))
    pages = (story.partition("_")[0] for story in stories if "_" in story)
    named = (get_text_or_number(row, name) for name in ("actor_id", "object_id", "instagram_user_id"))
    spoken = (get_text_or_number(spec, name) for name in ("page_id", "instagram_user_id", "instagram_actor_id"))
    return tuple(dict.fromkeys(filter(None, (*pages, *named, *spoken))))


def _build_story_spec(new: NewCreative) -> dict[str, Any]:
    ad_identity = new.publisher
    if ad_identity is None:
        text = "Send `accountId` or `publisherId`: the Page that the ad comes from."
        raise PlatformRejectedError(text, platform=Platform.META, field="/accountId")
    return {**_build_publisher_params(ad_identity), **_build_story_content(new)}


def _build_publisher_params(ad_identity: AdIdentity) -> dict[str, Any]:
    if ad_identity.kind is Kind.INSTAGRAM:
        return drop_none({"page_id": ad_identity.page_id, "instagram_user_id": ad_identity.id})
    return {"page_id": ad_identity.id}


def _build_story_content(new: NewCreative) -> dict[str, Any]:
    first = new.assets[0] if new.assets else None
    button, url = _build_call_to_action(new), new.url or (_LEAD_FORM_PLACEHOLDER_URL if new.form_id else None)
    if first is not None and first.type == "video":
        cover = _build_cover_params(first)
        response = {"title": new.headline, "message": new.text, "link_description": new.description}
        return {"video_data": drop_none({"video_id": first.id, **cover, **response, "call_to_action": button})}
    if url is not None:
        response = {"link": url, "message": new.text, "name": new.headline, "description": new.description}
        image = {"image_hash": first.id} if first is not None and len(new.assets) == 1 else {}
        cards = [
            drop_none({"link": url, "name": new.headline, "image_hash": asset.id})
            for asset in new.assets[1:] and new.assets
        ]
        return {
            "link_data": drop_none({**response, **image, "child_attachments": cards or None, "call_to_action": button})
        }
    if first is not None:
        return {"photo_data": drop_none({"image_hash": first.id, "caption": new.text})}
    return {"text_data": {"message": new.text or ""}}


def _build_cover_params(video: AdMediaAsset) -> dict[str, str]:
    if video.cover is None:
        return {}
    return {"image_url" if video.cover.startswith("http") else "image_hash": video.cover}


def _build_call_to_action(new: NewCreative) -> dict[str, Any] | None:
    """Write the button. Without one, an ad with a form or a video still needs what it leads to."""
    is_video = bool(new.assets) and new.assets[0].type == "video"
    if new.call_to_action is None and not new.form_id and not (is_video and new.url):
        return None
    value = drop_none({"link": new.url, "lead_gen_form_id": new.form_id})
    kind = (
        VENDOR_NAMES_BY_CALL_TO_ACTION[new.call_to_action]
        if new.call_to_action
        else ("SIGN_UP" if new.form_id else "LEARN_MORE")
    )
    return {"type": kind, "value": value}


def _get_first_text(row: Any, names: Sequence[str]) -> str | None:
    return next((text for name in names if (text := get_text_or_number(row, name))), None)


def _parse_link(data: Any) -> str | None:
    cards = get_objects(data, "child_attachments")
    return (
        get_text_or_number(data, "call_to_action", "value", "link")
        or (get_text_or_number(cards[0], "link") if cards else "")
        or None
    )
