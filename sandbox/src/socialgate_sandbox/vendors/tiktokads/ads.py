"""Ads with their creatives, among them posts that are boosted (Spark Ads)."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.kit.addresses import parts_of
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.society.campaigns import Ad, AdSet, submitted, verdict_of
from socialgate_sandbox.society.spend import Mark
from socialgate_sandbox.vendors.tiktokads import adgroups
from socialgate_sandbox.vendors.tiktokads.assets import check_images, check_video
from socialgate_sandbox.vendors.tiktokads.errors import NO_UPDATE, answered, failed, refusal, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.identities import check_identity, check_post
from socialgate_sandbox.vendors.tiktokads.objects import Books, Level, asking, plain
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel
from socialgate_sandbox.vendors.tiktokads.state import LeadForm

_MOST_CREATIVES, _MOST_ADS, _LONGEST_TEXT, _MOST_IMAGES, _MOST_REVIEWED = 20, 50, 100, 35, 20
CALLS_TO_ACTION = (
    "APPLY_NOW", "BOOK_NOW", "CALL_NOW", "CONTACT_US", "DOWNLOAD_NOW", "EXPERIENCE_NOW", "GET_QUOTE", "GET_SHOWTIMES",
    "GET_TICKETS_NOW", "INSTALL_NOW", "INTERESTED", "LEARN_MORE", "LISTEN_NOW", "ORDER_NOW", "PLAY_GAME",
    "PREORDER_NOW", "READ_MORE", "SEND_MESSAGE", "SHOP_NOW", "SIGN_UP", "SUBSCRIBE", "VIEW_NOW", "VIEW_PROFILE",
    "VISIT_STORE", "WATCH_LIVE", "WATCH_NOW", "CHECK_AVAILABILITY",
)  # fmt: skip
_SWITCH = Field(words=("ENABLE", "DISABLE"))
_FIELDS = {
    "ad_name": Field(required=True),
    "ad_format": Field(required=True, words=("SINGLE_VIDEO", "SINGLE_IMAGE", "CAROUSEL_ADS", "CATALOG_CAROUSEL",
                                             "LIVE_CONTENT", "CAROUSEL")),
    "ad_text": Field(),
    "ad_texts": Field(list[str]),
    "identity_type": Field(words=("CUSTOMIZED_USER", "TT_USER", "BC_AUTH_TT", "AUTH_CODE")),
    "image_ids": Field(list[str], most=_MOST_IMAGES),
    "call_to_action": Field(words=CALLS_TO_ACTION),
    "dark_post_status": Field(words=("ON", "OFF")),
    "item_duet_status": _SWITCH,
    "item_stitch_status": _SWITCH,
    "promotional_music_disabled": Field(bool),
    "aigc_disclosure_type": Field(words=("NOT_DECLARED", "SELF_DISCLOSURE")),
    "utm_params": Field(list[dict[str, str]]),
    "page_id": Field(int),
    "tracking_pixel_id": Field(int),
    **dict.fromkeys(("identity_id", "identity_authorized_bc_id", "video_id", "tiktok_item_id", "music_id",
                     "landing_page_url", "display_name", "avatar_icon_web_uri", "call_to_action_id", "deeplink",
                     "deeplink_type", "impression_tracking_url", "click_tracking_url", "card_id", "catalog_id",
                     "product_set_id", "product_specific_type"), Field()),
}  # fmt: skip
# What can be changed by itself. Any other change replaces the whole creative.
_PATCHED = {
    "ad_name", "identity_id", "identity_type", "identity_authorized_bc_id", "video_id", "image_ids", "music_id",
    "tiktok_item_id", "ad_text",
}  # fmt: skip
# A change to anything else is reviewed again.
_UNREVIEWED = {"ad_name", "utm_params", "tracking_pixel_id", "impression_tracking_url", "click_tracking_url"}


class Reviewed(msgspec.Struct):
    ad_ids: list[str] = []


class Sent(msgspec.Struct):
    adgroup_id: str = ""
    creatives: list[dict[str, Any]] = []
    patch_update: bool = False


def show(_books: Books, _one: Ad) -> dict[str, Any]:
    return {"is_aco": False}


LEVEL = Level("ad", Ad, _FIELDS, show)


def create(call: Call) -> Response:
    books, _asked = asking(call, write=True)
    group, sent = _group(call, books)
    count = sum(one.above == group.id for one in books.ads.values())
    if count + len(sent.creatives) > _MOST_ADS:
        raise refusal("ad_limit")
    made = []
    for place, given in enumerate(sent.creatives):
        values = _checked(books, group, LEVEL.read(given, place=f"creatives.{place}."), f"creatives.{place}.")
        now, off = call.world.clock.now(), given.get("operation_status") == "DISABLE"
        ad = Ad(
            id=digits(16),
            parent=books.advertiser.id,
            above=group.id,
            name=values.pop("ad_name"),
            made=now,
            changed=now,
            switches=(Mark(now, "off" if off else "on"),),
            reviews=submitted(call.world, _texts(values)),
            video="video_id" in values or "tiktok_item_id" in values,
            fields=values,
        )
        books.ads[ad.id] = call.world.store.put(ad)
        made.append(ad)
    return _answer(call, books, made)


def update(call: Call) -> Response:
    books, _asked = asking(call, write=True)
    group, sent = _group(call, books)
    changed = []
    for place, given in enumerate(sent.creatives):
        ad = LEVEL.one_of(call, books, str(given.get("ad_id", "")))
        values = LEVEL.read(given, update=sent.patch_update, place=f"creatives.{place}.")
        if not values:
            return failed(call, NO_UPDATE, "Nothing to update.")
        whole = "".join(sorted(values.keys() - _PATCHED)[:1]) if sent.patch_update else ""
        require(not whole, f"creatives.{place}.{whole}: not supported with patch_update.")
        kept = {"ad_name": ad.name, **ad.fields} if sent.patch_update else {}
        values = _checked(books, group, kept | values, f"creatives.{place}.")
        ad.name, before, ad.fields = values.pop("ad_name"), ad.fields, values
        if any(before.get(name) != values.get(name) for name in {*before, *values} - _UNREVIEWED):
            ad.reviews = submitted(call.world, _texts(values), ad.reviews)
        ad.changed = call.world.clock.now()
        books.ads[ad.id] = call.world.store.put(ad)
        changed.append(ad)
    return _answer(call, books, changed)


def review(call: Call) -> Response:
    """Say what came of the review of ads, with the reasons for which they were rejected."""
    books, _asked = asking(call)
    keys = call.read(Reviewed).ad_ids
    require(1 <= len(keys) <= _MOST_REVIEWED, f"ad_ids: between 1 and {_MOST_REVIEWED} ids are allowed.")
    return answered(call, {"ad_review_map": {key: _review(books, LEVEL.one_of(call, books, key)) for key in keys}})


def _review(books: Books, ad: Ad) -> dict[str, Any]:
    verdict = verdict_of(books.world, ad)
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


def _group(call: Call, books: Books) -> tuple[AdSet, Sent]:
    sent = call.read(Sent)
    require(1 <= len(sent.creatives) <= _MOST_CREATIVES, f"creatives: between 1 and {_MOST_CREATIVES} are allowed.")
    return adgroups.LEVEL.one_of(call, books, sent.adgroup_id), sent


def _answer(call: Call, books: Books, ads: list[Ad]) -> Response:
    shown = [LEVEL.shown(books, ad) for ad in ads]
    return answered(call, {"ad_ids": [ad.id for ad in ads], "creatives": shown})


def _texts(values: dict[str, Any]) -> list[str]:
    return [values.get("ad_text") or "", *(values.get("ad_texts") or []), values.get("landing_page_url") or ""]


def _checked(books: Books, group: AdSet, values: dict[str, Any], place: str) -> dict[str, Any]:
    """Check a creative as a whole."""
    world, mine, kind = books.world, books.advertiser.id, values["ad_format"]
    plain(f"{place}ad_name", values["ad_name"], 512)
    identity = check_identity(world, mine, values, place)
    if "tiktok_item_id" in values:
        post = check_post(world, identity, values["tiktok_item_id"], place)
        shown = "CAROUSEL_ADS" if post.photo else "SINGLE_VIDEO"
        require(kind == shown, f"{place}ad_format: must be {shown} for this post.")
        require("image_ids" not in values, f"{place}image_ids: not supported with tiktok_item_id.")
    else:
        plain(f"{place}ad_text", values.get("ad_text") or "", _LONGEST_TEXT)
        check_images(world, mine, values.get("image_ids") or [], place)
        _check_media(books, group, kind, values, place)
    own = identity.kind != "CUSTOMIZED_USER"
    require(
        "dark_post_status" not in values or own, f"{place}dark_post_status: needs the identity of a TikTok account."
    )
    url = values.get("landing_page_url")
    require(not url or parts_of(url) is not None, f"{place}landing_page_url: Not a valid URL.")
    elsewhere = any(values.get(name) for name in ("page_id", "catalog_id", "deeplink"))
    require(
        url or elsewhere or not _leads_to_website(group),
        f"{place}landing_page_url: Missing data for required field.",
    )
    for name, thing in (("page_id", LeadForm), ("tracking_pixel_id", Pixel)):
        found = world.store.get(thing, str(values[name])) if values.get(name) else None
        require(not values.get(name) or (found and found.parent == mine), f"{place}{name}: does not exist.")
    return values


def _leads_to_website(group: AdSet) -> bool:
    """Whether people who tap an ad of a group get to a website, which every ad then has to name."""
    target = group.fields.get("promotion_target_type")
    return group.fields.get("promotion_type") == "WEBSITE" or target == "EXTERNAL_WEBSITE"


def _check_media(books: Books, group: AdSet, kind: str, values: dict[str, Any], place: str) -> None:
    images = values.get("image_ids") or []
    feed = "PLACEMENT_TIKTOK" in (group.fields.get("placements") or ["PLACEMENT_TIKTOK"])
    if kind == "SINGLE_VIDEO":
        require(values.get("video_id"), f"{place}video_id: Missing data for required field.")
        check_video(books.world, books.advertiser.id, values["video_id"], place)
        require(len(images) == 1, f"{place}image_ids: a video needs one image as its cover.")
    elif kind == "SINGLE_IMAGE":
        require(not feed, f"{place}ad_format: SINGLE_IMAGE is not supported by the placement PLACEMENT_TIKTOK.")
        require(len(images) == 1, f"{place}image_ids: one image is needed.")
    elif kind == "CAROUSEL_ADS":
        require(images, f"{place}image_ids: Missing data for required field.")
        require(values.get("music_id"), f"{place}music_id: Missing data for required field.")


ROUTES = [
    *LEVEL.routes,
    *api("POST", "ad/create", create),
    *api("POST", "ad/update", update),
    *api("GET", "ad/review_info", review),
]
