"""Ads at TikTok, with their creatives: there are none by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from socialgate.connectors.advertising import inverse, option_faults, unsupported, word_faults
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import list_at, text_at
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.objects import TikTokObjects
from socialgate.connectors.tiktokads.ads.posts import format_of, identity_of
from socialgate.connectors.tiktokads.ads.words import BUTTONS, SWITCHES, text_of
from socialgate.connectors.tiktokads.commerce import access
from socialgate.contracts.ad_objects import AdUnitItem, CreativeItem
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import Change, NewAdUnit, NewCreative
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_LONGEST_TEXT, _MOST_IMAGES = 100, 35
_BUTTONS_READ = inverse(BUTTONS)
_CUSTOM = "CUSTOMIZED_USER"
_MOST_REVIEWS = 20
# What TikTok can change by itself. Any other change replaces the whole ad, so the rest must be sent again.
_BY_ITSELF = frozenset({
    "ad_name", "identity_id", "identity_type", "identity_authorized_bc_id", "video_id", "image_ids", "music_id",
    "tiktok_item_id", "ad_text",
})  # fmt: skip
_CREATIVE = (
    "identity_type", "identity_id", "identity_authorized_bc_id", "ad_format", "ad_text", "tiktok_item_id", "video_id",
    "image_ids", "music_id", "dark_post_status", "call_to_action", "call_to_action_id", "landing_page_url", "page_id",
)  # fmt: skip
_AROUND = (
    "ad_name", "app_name", "deeplink", "deeplink_type", "utm_params", "card_id", "playable_url", "tracking_pixel_id",
    "tracking_app_id", "tracking_offline_event_set_ids", "impression_tracking_url", "click_tracking_url",
    "video_view_tracking_url", "aigc_disclosure_type", "promotional_music_disabled", "item_duet_status",
    "item_stitch_status",
)  # fmt: skip


class AdUnits(TikTokObjects[AdUnitItem, NewAdUnit]):
    noun = "ad"
    able = frozenset({"name", "switch", "creative"})
    reserved = options.ADS
    _spends: ClassVar[tuple[tuple[str, int], ...]] = (("calls", 1), ("adCreations", 1))

    def _faults(self, new: NewAdUnit) -> Iterator[Fault]:
        if new.creative is None:
            yield Fault(
                "/creative", "required", "TikTok does not have creatives as separate objects. Describe it here."
            )
        else:
            yield from creative_faults(new.creative)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        yield from () if change.creative is None else creative_faults(change.creative)

    def _above(self, new: NewAdUnit) -> Mapping[str, Any]:
        return {"adgroup_ids": [new.adset_id]}

    async def _body(self, held: AccountCredentials, new: NewAdUnit) -> Mapping[str, Any]:
        assert new.creative is not None, "an ad without a creative was rejected before"
        about = {
            "ad_name": new.name,
            "operation_status": SWITCHES[new.switch],
            "tracking_pixel_id": _number(new.pixel_id),
        }
        creative = {**new.options, **new.creative.options, **given({**await self._sent(held, new.creative), **about})}
        return {"adgroup_id": new.adset_id, "creatives": [creative]}

    def _made(self, made: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = made.get("creatives")
        first = rows[0] if isinstance(rows, list) and rows else {}
        ids = list_at(made, "ad_ids")
        return {**first, "ad_id": str(ids[0])} if ids else first

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        if change.creative is None:
            return {"ad_name": change.name}
        return {**change.creative.options, **await self._sent(held, change.creative), "ad_name": change.name}

    def _update(self, item_id: str, body: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change only what is given, if TikTok can do that. Otherwise send again what stays as it is."""
        by_itself = body.keys() <= _BY_ITSELF
        kept = {} if by_itself else _kept(before, whole="ad_format" not in body)
        creative = {**kept, **body, "ad_id": item_id}
        return {"adgroup_id": text_at(before, "adgroup_id"), "patch_update": by_itself, "creatives": [creative]}

    async def _sent(self, held: AccountCredentials, new: NewCreative) -> dict[str, Any]:
        sent = sent_creative(new)
        if new.post_id is not None and new.publisher is not None:
            sent["ad_format"] = await format_of(self._api, held, new.publisher.id, new.post_id) or sent["ad_format"]
        return sent

    async def _explained(
        self, held: AccountCredentials, rows: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Look up why ads were rejected."""
        bad = [text_at(row, "ad_id") for row in rows if self._common(row)["status"] is AdStatus.REJECTED]
        known: dict[str, Any] = {}
        for start in range(0, len(bad), _MOST_REVIEWS):
            some = text_of(bad[start : start + _MOST_REVIEWS])
            try:
                read = access(self._api, held).get
                found = await read(
                    "ad/review_info/", dict[str, Any], advertiser_id=held.platform_account_id, ad_ids=some
                )
            except (PermissionMissing, PlatformNotFound, Rejected):
                continue
            known |= found.get("ad_review_map") or {}
        return [{**row, **given({"reject_info": _reasons(known.get(text_at(row, "ad_id")))})} for row in rows]

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> AdUnitItem:
        del held
        sent = list_at(row, "creatives")
        row = {**(sent[0] if sent else {}), **row}
        creative = CreativeItem(
            id=text_at(row, "ad_id"),
            post_id=text_at(row, "tiktok_item_id") or None,
            text=text_at(row, "ad_text") or None,
            url=text_at(row, "landing_page_url") or None,
            call_to_action=_BUTTONS_READ.get(text_at(row, "call_to_action")),
            video_id=text_at(row, "video_id") or None,
        )
        return AdUnitItem(
            **self._common(row),
            adset_id=text_at(row, "adgroup_id"),
            campaign_id=text_at(row, "campaign_id") or None,
            creative=creative,
        )


def creative_faults(new: NewCreative) -> Iterator[Fault]:
    yield from word_faults("TikTok", "/callToAction", new.call_to_action, BUTTONS)
    yield from unsupported("/headline", new.headline, "TikTok has no headlines. Use the text.")
    yield from unsupported("/description", new.description, "TikTok has no descriptions. Use the text.")
    yield from option_faults(new.options, options.ADS)
    if len(new.text or "") > _LONGEST_TEXT:
        yield Fault("/text", "too_long", f"TikTok allows at most {_LONGEST_TEXT} characters.")
    if new.post_id is not None:
        return
    if not new.text:
        yield Fault("/text", "required", "TikTok requires a text.")
    videos = [one for one in new.assets if one.type == "video"]
    if not new.assets:
        yield Fault("/media", "required", "TikTok requires a video, or images for a carousel.")
    elif videos and len(new.assets) > 1:
        yield Fault("/media", "media_mixed", "Use one video, or only images.")
    elif not videos and "music_id" not in new.options:
        text = "TikTok requires music for a carousel. Set the id of a track of its library."
        yield Fault("/platformOptions/music_id", "required", text)
    if len(new.assets) > _MOST_IMAGES:
        yield Fault("/media", "too_many", f"A carousel has at most {_MOST_IMAGES} images.")


def sent_creative(new: NewCreative) -> dict[str, Any]:
    """Write a creative: a post that exists (Spark Ads), or one that is only shown as an ad."""
    if new.publisher is None:
        raise Rejected(
            "Send `accountId` or `publisherId`: who the ad comes from.", platform=Platform.TIKTOKADS, field="/accountId"
        )
    who = identity_of(new.publisher.id)
    is_video = bool(new.assets) and new.assets[0].type == "video"
    covers = [new.assets[0].cover] if is_video and new.assets[0].cover else []
    images = covers if is_video else [one.id for one in new.assets]
    return {
        **who,
        "ad_format": "SINGLE_VIDEO" if is_video or new.post_id is not None else "CAROUSEL_ADS",
        "ad_text": new.text,
        "tiktok_item_id": new.post_id,
        "video_id": new.assets[0].id if is_video else None,
        "image_ids": images or None,
        # Without it, the video would also appear on the profile.
        "dark_post_status": "ON" if new.post_id is None and is_video and who["identity_type"] != _CUSTOM else None,
        "call_to_action": BUTTONS[new.call_to_action] if new.call_to_action else None,
        "landing_page_url": new.url,
        "page_id": _number(new.form_id),
    }


def _kept(before: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """Return what an ad keeps: everything (`whole`), or what is not part of its creative."""
    names = (*_AROUND, *(_CREATIVE if whole else ()))
    kept = {name: before[name] for name in names if before.get(name)}
    if kept.get("tiktok_item_id"):
        # Those of the post, which cannot be sent.
        kept = {name: value for name, value in kept.items() if name not in {"image_ids", "video_id", "music_id"}}
    return kept


def _reasons(review: Any) -> Any:
    return review.get("reject_info") if isinstance(review, dict) else None


def _number(id_: str | None) -> int | None:
    """Write one of the two ids that are numbers here."""
    return int(id_) if id_ and id_.isdecimal() else None
