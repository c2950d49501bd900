"""Ads at TikTok, with their creatives: there are none by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from socialgate.connectors.advertising import invert_table, reject_if_given, validate_choice, validate_options
from socialgate.connectors.json_paths import get_list, get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.ads import reserved_options
from socialgate.connectors.tiktokads.ads.mappings import (
    VENDOR_NAMES_BY_CALL_TO_ACTION,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    encode_json,
)
from socialgate.connectors.tiktokads.ads.objects import TikTokAdObjects
from socialgate.connectors.tiktokads.ads.spark_ads import fetch_ad_format, parse_identity
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import AdUnitItem, CreativeItem
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdObjectChanges, NewAdUnit, NewCreative
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_MAX_TEXT_LENGTH, _MAX_CAROUSEL_IMAGES = 100, 35
_CALLS_TO_ACTION_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_CALL_TO_ACTION)
_CUSTOM_IDENTITY_TYPE = "CUSTOMIZED_USER"
_MAX_REVIEWS_PER_CALL = 20
# What TikTok can change by itself. Any other change replaces the whole ad, so the rest must be sent again.
_PATCHABLE_FIELDS = frozenset({
    "ad_name", "identity_id", "identity_type", "identity_authorized_bc_id", "video_id", "image_ids", "music_id",
    "tiktok_item_id", "ad_text",
})  # fmt: skip
_CREATIVE_FIELDS = (
    "identity_type", "identity_id", "identity_authorized_bc_id", "ad_format", "ad_text", "tiktok_item_id", "video_id",
    "image_ids", "music_id", "dark_post_status", "call_to_action", "call_to_action_id", "landing_page_url", "page_id",
)  # fmt: skip
_NON_CREATIVE_FIELDS = (
    "ad_name", "app_name", "deeplink", "deeplink_type", "utm_params", "card_id", "playable_url", "tracking_pixel_id",
    "tracking_app_id", "tracking_offline_event_set_ids", "impression_tracking_url", "click_tracking_url",
    "video_view_tracking_url", "aigc_disclosure_type", "promotional_music_disabled", "item_duet_status",
    "item_stitch_status",
)  # fmt: skip


class AdUnits(TikTokAdObjects[AdUnitItem, NewAdUnit]):
    object_type = "ad"
    changeable_fields = frozenset({"name", "configured_status", "creative"})
    reserved_options = reserved_options.RESERVED_AD_OPTIONS
    _quota_costs: ClassVar[tuple[tuple[str, int], ...]] = (("calls", 1), ("adCreations", 1))

    def _validate_new(self, new: NewAdUnit) -> Iterator[Fault]:
        if new.creative is None:
            yield Fault(
                "/creative", "required", "TikTok does not have creatives as separate objects. Describe it here."
            )
        else:
            yield from creative_faults(new.creative)

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        yield from () if change.creative is None else creative_faults(change.creative)

    def _get_parent_filter(self, new: NewAdUnit) -> Mapping[str, Any]:
        return {"adgroup_ids": [new.adset_id]}

    async def _build_create_params(self, credentials: AccountCredentials, new: NewAdUnit) -> Mapping[str, Any]:
        assert new.creative is not None, "an ad without a creative was rejected before"
        about = {
            "ad_name": new.name,
            "operation_status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            "tracking_pixel_id": _parse_numeric_id(new.pixel_id),
        }
        creative = {
            **new.options,
            **new.creative.options,
            **drop_none({**await self._encode_creative_with_format(credentials, new.creative), **about}),
        }
        return {"adgroup_id": new.adset_id, "creatives": [creative]}

    def _extract_created_row(self, created: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = created.get("creatives")
        first = rows[0] if isinstance(rows, list) and rows else {}
        ids = get_list(created, "ad_ids")
        return {**first, "ad_id": str(ids[0])} if ids else first

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del before
        if change.creative is None:
            return {"ad_name": change.name}
        return {
            **change.creative.options,
            **await self._encode_creative_with_format(credentials, change.creative),
            "ad_name": change.name,
        }

    def _build_update_body(self, item_id: str, body: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change only what is given, if TikTok can do that. Otherwise send again what stays as it is."""
        by_itself = body.keys() <= _PATCHABLE_FIELDS
        kept = {} if by_itself else _get_kept_fields(before, include_creative="ad_format" not in body)
        creative = {**kept, **body, "ad_id": item_id}
        return {
            "adgroup_id": get_text_or_number(before, "adgroup_id"),
            "patch_update": by_itself,
            "creatives": [creative],
        }

    async def _encode_creative_with_format(self, credentials: AccountCredentials, new: NewCreative) -> dict[str, Any]:
        sent = encode_creative(new)
        if new.post_id is not None and new.publisher is not None:
            sent["ad_format"] = (
                await fetch_ad_format(self._api, credentials, new.publisher.id, new.post_id) or sent["ad_format"]
            )
        return sent

    async def _add_rejection_reasons(
        self, credentials: AccountCredentials, rows: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Look up why ads were rejected."""
        bad = [
            get_text_or_number(row, "ad_id")
            for row in rows
            if self._parse_common_fields(row)["status"] is AdStatus.REJECTED
        ]
        known: dict[str, Any] = {}
        for start in range(0, len(bad), _MAX_REVIEWS_PER_CALL):
            some = encode_json(bad[start : start + _MAX_REVIEWS_PER_CALL])
            try:
                read = api_for_account(self._api, credentials).get
                result = await read(
                    "ad/review_info/", dict[str, Any], advertiser_id=credentials.platform_account_id, ad_ids=some
                )
            except (PermissionMissingError, PlatformNotFoundError, PlatformRejectedError):
                continue
            known |= result.get("ad_review_map") or {}
        return [
            {**row, **drop_none({"reject_info": _get_reject_info(known.get(get_text_or_number(row, "ad_id")))})}
            for row in rows
        ]

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdUnitItem:
        del credentials
        sent = get_list(row, "creatives")
        row = {**(sent[0] if sent else {}), **row}
        creative = CreativeItem(
            id=get_text_or_number(row, "ad_id"),
            post_id=get_text_or_number(row, "tiktok_item_id") or None,
            text=get_text_or_number(row, "ad_text") or None,
            url=get_text_or_number(row, "landing_page_url") or None,
            call_to_action=_CALLS_TO_ACTION_BY_VENDOR_NAME.get(get_text_or_number(row, "call_to_action")),
            video_id=get_text_or_number(row, "video_id") or None,
        )
        return AdUnitItem(
            **self._parse_common_fields(row),
            adset_id=get_text_or_number(row, "adgroup_id"),
            campaign_id=get_text_or_number(row, "campaign_id") or None,
            creative=creative,
        )


def creative_faults(new: NewCreative) -> Iterator[Fault]:
    yield from validate_choice("TikTok", "/callToAction", new.call_to_action, VENDOR_NAMES_BY_CALL_TO_ACTION)
    yield from reject_if_given("/headline", new.headline, "TikTok has no headlines. Use the text.")
    yield from reject_if_given("/description", new.description, "TikTok has no descriptions. Use the text.")
    yield from validate_options(new.options, reserved_options.RESERVED_AD_OPTIONS)
    if len(new.text or "") > _MAX_TEXT_LENGTH:
        yield Fault("/text", "too_long", f"TikTok allows at most {_MAX_TEXT_LENGTH} characters.")
    if new.post_id is not None:
        return
    if not new.text:
        yield Fault("/text", "required", "TikTok requires a text.")
    videos = [asset for asset in new.assets if asset.type == "video"]
    if not new.assets:
        yield Fault("/media", "required", "TikTok requires a video, or images for a carousel.")
    elif videos and len(new.assets) > 1:
        yield Fault("/media", "media_mixed", "Use one video, or only images.")
    elif not videos and "music_id" not in new.options:
        text = "TikTok requires music for a carousel. Set the id of a track of its library."
        yield Fault("/platformOptions/music_id", "required", text)
    if len(new.assets) > _MAX_CAROUSEL_IMAGES:
        yield Fault("/media", "too_many", f"A carousel has at most {_MAX_CAROUSEL_IMAGES} images.")


def encode_creative(new: NewCreative) -> dict[str, Any]:
    """Write a creative: a post that exists (Spark Ads), or one that is only shown as an ad."""
    if new.publisher is None:
        raise PlatformRejectedError(
            "Send `accountId` or `publisherId`: who the ad comes from.", platform=Platform.TIKTOKADS, field="/accountId"
        )
    person = parse_identity(new.publisher.id)
    is_video = bool(new.assets) and new.assets[0].type == "video"
    covers = [new.assets[0].cover] if is_video and new.assets[0].cover else []
    images = covers if is_video else [asset.id for asset in new.assets]
    return {
        **person,
        "ad_format": "SINGLE_VIDEO" if is_video or new.post_id is not None else "CAROUSEL_ADS",
        "ad_text": new.text,
        "tiktok_item_id": new.post_id,
        "video_id": new.assets[0].id if is_video else None,
        "image_ids": images or None,
        # Without it, the video would also appear on the profile.
        "dark_post_status": "ON"
        if new.post_id is None and is_video and person["identity_type"] != _CUSTOM_IDENTITY_TYPE
        else None,
        "call_to_action": VENDOR_NAMES_BY_CALL_TO_ACTION[new.call_to_action] if new.call_to_action else None,
        "landing_page_url": new.url,
        "page_id": _parse_numeric_id(new.form_id),
    }


def _get_kept_fields(before: Mapping[str, Any], *, include_creative: bool) -> dict[str, Any]:
    """Return what an ad keeps: everything (`include_creative`), or what is not part of its creative."""
    names = (*_NON_CREATIVE_FIELDS, *(_CREATIVE_FIELDS if include_creative else ()))
    kept = {name: before[name] for name in names if before.get(name)}
    if kept.get("tiktok_item_id"):
        # Those of the post, which cannot be sent.
        kept = {name: value for name, value in kept.items() if name not in {"image_ids", "video_id", "music_id"}}
    return kept


def _get_reject_info(review: Any) -> Any:
    return review.get("reject_info") if isinstance(review, dict) else None


def _parse_numeric_id(id_: str | None) -> int | None:
    """Write one of the two ids that are numbers here."""
    return int(id_) if id_ and id_.isdecimal() else None
