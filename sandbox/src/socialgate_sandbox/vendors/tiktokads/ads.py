"""Ads with their creatives, among them posts that are boosted (Spark Ads)."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.kit.urls import parse_web_url
from socialgate_sandbox.society.ad_spend import TimedValue
from socialgate_sandbox.society.campaigns import Ad, AdSet, build_review_history, get_verdict
from socialgate_sandbox.vendors.tiktokads import adgroups
from socialgate_sandbox.vendors.tiktokads.ad_objects import (
    AdAccountContents,
    AdObjectLevel,
    authorize_ad_call,
    require_plain_text,
)
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.assets import require_images, require_video
from socialgate_sandbox.vendors.tiktokads.errors import (
    NOTHING_TO_UPDATE_CODE,
    build_error_response,
    build_refusal,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.identities import require_identity, require_post
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel
from socialgate_sandbox.vendors.tiktokads.state import LeadForm

_MAX_CREATIVES, _MAX_ADS, _MAX_TEXT_LENGTH, _MAX_IMAGES, _MAX_REVIEWED = 20, 50, 100, 35, 20
CALLS_TO_ACTION = (
    "APPLY_NOW", "BOOK_NOW", "CALL_NOW", "CONTACT_US", "DOWNLOAD_NOW", "EXPERIENCE_NOW", "GET_QUOTE", "GET_SHOWTIMES",
    "GET_TICKETS_NOW", "INSTALL_NOW", "INTERESTED", "LEARN_MORE", "LISTEN_NOW", "ORDER_NOW", "PLAY_GAME",
    "PREORDER_NOW", "READ_MORE", "SEND_MESSAGE", "SHOP_NOW", "SIGN_UP", "SUBSCRIBE", "VIEW_NOW", "VIEW_PROFILE",
    "VISIT_STORE", "WATCH_LIVE", "WATCH_NOW", "CHECK_AVAILABILITY",
)  # fmt: skip
_SWITCH_FIELD = Field(allowed_values=("ENABLE", "DISABLE"))
_AD_FIELDS = {
    "ad_name": Field(required=True),
    "ad_format": Field(required=True, allowed_values=(
        "SINGLE_VIDEO", "SINGLE_IMAGE", "CAROUSEL_ADS", "CATALOG_CAROUSEL", "LIVE_CONTENT", "CAROUSEL",
    )),
    "ad_text": Field(),
    "ad_texts": Field(list[str]),
    "identity_type": Field(allowed_values=("CUSTOMIZED_USER", "TT_USER", "BC_AUTH_TT", "AUTH_CODE")),
    "image_ids": Field(list[str], most=_MAX_IMAGES),
    "call_to_action": Field(allowed_values=CALLS_TO_ACTION),
    "dark_post_status": Field(allowed_values=("ON", "OFF")),
    "item_duet_status": _SWITCH_FIELD,
    "item_stitch_status": _SWITCH_FIELD,
    "promotional_music_disabled": Field(bool),
    "aigc_disclosure_type": Field(allowed_values=("NOT_DECLARED", "SELF_DISCLOSURE")),
    "utm_params": Field(list[dict[str, str]]),
    "page_id": Field(int),
    "tracking_pixel_id": Field(int),
    **dict.fromkeys(("identity_id", "identity_authorized_bc_id", "video_id", "tiktok_item_id", "music_id",
                     "landing_page_url", "display_name", "avatar_icon_web_uri", "call_to_action_id", "deeplink",
                     "deeplink_type", "impression_tracking_url", "click_tracking_url", "card_id", "catalog_id",
                     "product_set_id", "product_specific_type"), Field()),
}  # fmt: skip
# What can be changed by itself. Any other change replaces the whole creative.
_PATCHABLE_FIELDS = {
    "ad_name", "identity_id", "identity_type", "identity_authorized_bc_id", "video_id", "image_ids", "music_id",
    "tiktok_item_id", "ad_text",
}  # fmt: skip
# A change to anything else is reviewed again.
_FIELDS_WITHOUT_REVIEW = {"ad_name", "utm_params", "tracking_pixel_id", "impression_tracking_url", "click_tracking_url"}


class ReviewInfoParams(msgspec.Struct):
    ad_ids: list[str] = []


class AdParams(msgspec.Struct):
    adgroup_id: str = ""
    creatives: list[dict[str, Any]] = []
    patch_update: bool = False


def build_own_fields(_contents: AdAccountContents, _ad: Ad) -> dict[str, Any]:
    return {"is_aco": False}


AD_LEVEL = AdObjectLevel("ad", Ad, _AD_FIELDS, build_own_fields)


def create_ads(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, requires_write=True)
    group, sent = _require_adgroup(call, books)
    count = sum(ad.above == group.id for ad in books.ads.values())
    if count + len(sent.creatives) > _MAX_ADS:
        raise build_refusal("ad_limit")
    ads = []
    for place, creative in enumerate(sent.creatives):
        values = _validate_creative(
            books, group, AD_LEVEL.parse_values(creative, field_prefix=f"creatives.{place}."), f"creatives.{place}."
        )
        now, off = call.context.clock.now(), creative.get("operation_status") == "DISABLE"
        ad = Ad(
            id=generate_digits(16),
            parent=books.advertiser.id,
            above=group.id,
            name=values.pop("ad_name"),
            created_at=now,
            changed=now,
            switches=(TimedValue(now, "off" if off else "on"),),
            reviews=build_review_history(call.context, _list_texts(values)),
            video="video_id" in values or "tiktok_item_id" in values,
            fields=values,
        )
        books.ads[ad.id] = call.context.store.put(ad)
        ads.append(ad)
    return _build_ads_response(call, books, ads)


def update_ads(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, requires_write=True)
    group, sent = _require_adgroup(call, books)
    changed = []
    for place, creative in enumerate(sent.creatives):
        ad = AD_LEVEL.require_object(call, books, str(creative.get("ad_id", "")))
        values = AD_LEVEL.parse_values(creative, is_update=sent.patch_update, field_prefix=f"creatives.{place}.")
        if not values:
            return build_error_response(call, NOTHING_TO_UPDATE_CODE, "Nothing to update.")
        whole = "".join(sorted(values.keys() - _PATCHABLE_FIELDS)[:1]) if sent.patch_update else ""
        require(not whole, f"creatives.{place}.{whole}: not supported with patch_update.")
        kept = {"ad_name": ad.name, **ad.fields} if sent.patch_update else {}
        values = _validate_creative(books, group, kept | values, f"creatives.{place}.")
        ad.name, before, ad.fields = values.pop("ad_name"), ad.fields, values
        if any(before.get(name) != values.get(name) for name in {*before, *values} - _FIELDS_WITHOUT_REVIEW):
            ad.reviews = build_review_history(call.context, _list_texts(values), ad.reviews)
        ad.changed = call.context.clock.now()
        books.ads[ad.id] = call.context.store.put(ad)
        changed.append(ad)
    return _build_ads_response(call, books, changed)


def get_review_info(call: Call) -> Response:
    """Say what came of the review of ads, with the reasons for which they were rejected."""
    books, _asked = authorize_ad_call(call)
    keys = call.parse_params(ReviewInfoParams).ad_ids
    require(1 <= len(keys) <= _MAX_REVIEWED, f"ad_ids: between 1 and {_MAX_REVIEWED} ids are allowed.")
    return build_success_response(
        call,
        {"ad_review_map": {key: _build_review_json(books, AD_LEVEL.require_object(call, books, key)) for key in keys}},
    )


def _build_review_json(contents: AdAccountContents, ad: Ad) -> dict[str, Any]:
    verdict = get_verdict(contents.world, ad)
    approved = verdict.stage == "approved"
    reasons = [{"reasons": [verdict.reason], "suggestion": ""}] if verdict.stage == "rejected" else []
    return {
        "ad_id": ad.id,
        "is_approved": approved,
        "review_status": "ALL_AVAILABLE" if approved else "UNAVAILABLE",
        "appeal_status": None,
        "last_audit_time": None,
        "reject_info": reasons,
        **{f"forbidden_{name}": [] for name in ("ages", "locations", "operation_systems", "placements")},
    }


def _require_adgroup(call: Call, contents: AdAccountContents) -> tuple[AdSet, AdParams]:
    sent = call.parse_params(AdParams)
    require(1 <= len(sent.creatives) <= _MAX_CREATIVES, f"creatives: between 1 and {_MAX_CREATIVES} are allowed.")
    return adgroups.ADGROUP_LEVEL.require_object(call, contents, sent.adgroup_id), sent


def _build_ads_response(call: Call, contents: AdAccountContents, ads: list[Ad]) -> Response:
    shown = [AD_LEVEL.build_json(contents, ad) for ad in ads]
    return build_success_response(call, {"ad_ids": [ad.id for ad in ads], "creatives": shown})


def _list_texts(values: dict[str, Any]) -> list[str]:
    return [values.get("ad_text") or "", *(values.get("ad_texts") or []), values.get("landing_page_url") or ""]


def _validate_creative(
    contents: AdAccountContents, adgroup: AdSet, values: dict[str, Any], field_prefix: str
) -> dict[str, Any]:
    """Check a creative as a whole."""
    world, mine, kind = contents.world, contents.advertiser.id, values["ad_format"]
    require_plain_text(f"{field_prefix}ad_name", values["ad_name"], 512)
    identity = require_identity(world, mine, values, field_prefix)
    if "tiktok_item_id" in values:
        post = require_post(world, identity, values["tiktok_item_id"], field_prefix)
        shown = "CAROUSEL_ADS" if post.photo else "SINGLE_VIDEO"
        require(kind == shown, f"{field_prefix}ad_format: must be {shown} for this post.")
        require("image_ids" not in values, f"{field_prefix}image_ids: not supported with tiktok_item_id.")
    else:
        require_plain_text(f"{field_prefix}ad_text", values.get("ad_text") or "", _MAX_TEXT_LENGTH)
        require_images(world, mine, values.get("image_ids") or [], field_prefix)
        _validate_media(contents, adgroup, kind, values, field_prefix)
    own = identity.kind != "CUSTOMIZED_USER"
    require(
        "dark_post_status" not in values or own,
        f"{field_prefix}dark_post_status: needs the identity of a TikTok account.",
    )
    url = values.get("landing_page_url")
    require(not url or parse_web_url(url) is not None, f"{field_prefix}landing_page_url: Not a valid URL.")
    elsewhere = any(values.get(name) for name in ("page_id", "catalog_id", "deeplink"))
    require(
        url or elsewhere or not _leads_to_website(adgroup),
        f"{field_prefix}landing_page_url: Missing data for required field.",
    )
    for name, thing in (("page_id", LeadForm), ("tracking_pixel_id", Pixel)):
        stored_object = world.store.get(thing, str(values[name])) if values.get(name) else None
        require(
            not values.get(name) or (stored_object and stored_object.parent == mine),
            f"{field_prefix}{name}: does not exist.",
        )
    return values


def _leads_to_website(adgroup: AdSet) -> bool:
    """Whether people who tap an ad of a group get to a website, which every ad then has to name."""
    target = adgroup.fields.get("promotion_target_type")
    return adgroup.fields.get("promotion_type") == "WEBSITE" or target == "EXTERNAL_WEBSITE"


def _validate_media(
    contents: AdAccountContents, adgroup: AdSet, ad_format: str, values: dict[str, Any], field_prefix: str
) -> None:
    images = values.get("image_ids") or []
    feed = "PLACEMENT_TIKTOK" in (adgroup.fields.get("placements") or ["PLACEMENT_TIKTOK"])
    if ad_format == "SINGLE_VIDEO":
        require(values.get("video_id"), f"{field_prefix}video_id: Missing data for required field.")
        require_video(contents.world, contents.advertiser.id, values["video_id"], field_prefix)
        require(len(images) == 1, f"{field_prefix}image_ids: a video needs one image as its cover.")
    elif ad_format == "SINGLE_IMAGE":
        require(not feed, f"{field_prefix}ad_format: SINGLE_IMAGE is not supported by the placement PLACEMENT_TIKTOK.")
        require(len(images) == 1, f"{field_prefix}image_ids: one image is needed.")
    elif ad_format == "CAROUSEL_ADS":
        require(images, f"{field_prefix}image_ids: Missing data for required field.")
        require(values.get("music_id"), f"{field_prefix}music_id: Missing data for required field.")


ROUTES = [
    *AD_LEVEL.routes,
    *build_api_routes("POST", "ad/create", create_ads),
    *build_api_routes("POST", "ad/update", update_ads),
    *build_api_routes("GET", "ad/review_info", get_review_info),
]
