"""Ads at TikTok, with their creatives: there are none by themselves."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from socialgate.connectors.advertising import inverse, option_faults, unsupported, word_faults
from socialgate.connectors.dialects.graph import list_at, text_at
from socialgate.connectors.forms import given
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.objects import TikTokObjects
from socialgate.connectors.tiktokads.ads.words import BUTTONS, SWITCHES
from socialgate.contracts.ads import AdUnitItem, Change, CreativeItem, NewAdUnit, NewCreative
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_LONGEST_TEXT, _MOST_IMAGES = 100, 35
_BUTTONS_READ = inverse(BUTTONS)
_CUSTOM = "CUSTOMIZED_USER"


class AdUnits(TikTokObjects[AdUnitItem, NewAdUnit]):
    noun = "ad"
    able = frozenset({"name", "switch", "creative"})
    reserved = options.ADS
    _spends: ClassVar[tuple[tuple[str, int], ...]] = (("calls", 1), ("adCreations", 1))

    def _faults(self, new: NewAdUnit) -> Iterator[Fault]:
        if new.creative is None:
            yield Fault("/creative", "required", "TikTok has no creatives by themselves. Describe it here.")
        else:
            yield from creative_faults(new.creative)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        yield from () if change.creative is None else creative_faults(change.creative)

    def _above(self, new: NewAdUnit) -> Mapping[str, Any]:
        return {"adgroup_ids": [new.adset_id]}

    async def _body(self, held: AccountCredentials, new: NewAdUnit) -> Mapping[str, Any]:
        del held
        assert new.creative is not None, "an ad without a creative was rejected before"
        about = {
            "ad_name": new.name,
            "operation_status": SWITCHES[new.switch],
            "tracking_pixel_id": _number(new.pixel_id),
        }
        creative = {**new.options, **new.creative.options, **given({**sent_creative(new.creative), **about})}
        return {"adgroup_id": new.adset_id, "creatives": [creative]}

    def _made(self, made: Mapping[str, Any]) -> Mapping[str, Any]:
        rows = made.get("creatives")
        first = rows[0] if isinstance(rows, list) and rows else {}
        ids = list_at(made, "ad_ids")
        return {**first, "ad_id": str(ids[0])} if ids else first

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del held, before
        creative = {} if change.creative is None else {**change.creative.options, **sent_creative(change.creative)}
        return {**creative, "ad_name": change.name}

    def _update(self, item_id: str, body: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change only what is given: otherwise TikTok replaces the whole creative."""
        creative = {**body, "ad_id": item_id}
        return {"adgroup_id": text_at(before, "adgroup_id"), "patch_update": True, "creatives": [creative]}

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
    kind, identity, center = (*new.publisher.id.split(":"), "", "")[:3]
    is_video = bool(new.assets) and new.assets[0].type == "video"
    covers = [new.assets[0].cover] if is_video and new.assets[0].cover else []
    images = covers if is_video else [one.id for one in new.assets]
    return {
        "identity_type": kind,
        "identity_id": identity,
        "identity_authorized_bc_id": center or None,
        "ad_format": "SINGLE_VIDEO" if is_video or new.post_id is not None else "CAROUSEL_ADS",
        "ad_text": new.text,
        "tiktok_item_id": new.post_id,
        "video_id": new.assets[0].id if is_video else None,
        "image_ids": images or None,
        # Without it, the video would also appear on the profile.
        "dark_post_status": "ON" if new.post_id is None and is_video and kind != _CUSTOM else None,
        "call_to_action": BUTTONS[new.call_to_action] if new.call_to_action else None,
        "landing_page_url": new.url,
        "page_id": _number(new.form_id),
    }


def _number(id_: str | None) -> int | None:
    """Write one of the two ids that are numbers here."""
    return int(id_) if id_ and id_.isdecimal() else None
