"""Objects of ad accounts as the API shows them."""

import hashlib
from typing import Any

import msgspec

from socialgate.areas.ads import audience_schemas, creative_schemas, insight_schemas, schemas
from socialgate.areas.ads.values import (
    show_bid,
    show_budget,
    show_money,
    show_promoted,
    show_schedule,
    show_targeting,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import AudienceItem, ConversionItem, PixelItem
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.ads import AdItem, AdSetItem, AdUnitItem, CampaignItem, CreativeItem, PlaceItem

# What people set. What a platform finds out by itself, such as the result of a review or a size, is no new version.
_SET = (
    *("id", "name", "switch", "updated_at", "options", "budget", "spend_cap", "bid", "schedule", "special_categories"),
    *("targeting", "optimization", "promoted", "creative_id", "description", "value", "post_id", "text", "headline"),
    *("url", "call_to_action", "video_id"),
)


def etag_of(item: AdItem) -> str:
    """Name the version of an object by its content: platforms only show the second in which it was changed."""
    # Platforms without creatives as objects of their own have their content in the ad.
    parts = (item, getattr(item, "creative", None))
    content = [getattr(part, name, None) for part in parts for name in _SET]
    return f'"{hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:20]}"'


def _common(account: AccountRow, kind: AdType, item: AdItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "ad_account_id": account.id,
        "type": kind,
        "name": item.name,
        "status": item.status,
        "configured_status": item.switch,
        "status_reason": item.reason,
        "platform_options": dict(item.options),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
        "etag": etag_of(item),
    }


def show_campaign(account: AccountRow, item: CampaignItem) -> schemas.Campaign:
    return schemas.Campaign(
        **_common(account, AdType.CAMPAIGN, item),
        goal=item.goal,
        platform_goal=item.platform_goal,
        budget=show_budget(item.budget),
        spend_cap=show_money(item.spend_cap),
        bid=show_bid(item.bid),
        schedule=show_schedule(item.schedule),
        special_categories=list(item.special_categories),
    )


def show_adset(account: AccountRow, item: AdSetItem) -> schemas.AdSet:
    return schemas.AdSet(
        **_common(account, AdType.ADSET, item),
        campaign_id=item.campaign_id,
        optimization=item.optimization,
        platform_optimization=item.platform_optimization,
        budget=show_budget(item.budget),
        bid=show_bid(item.bid),
        schedule=show_schedule(item.schedule),
        targeting=show_targeting(item.targeting),
        promotes=show_promoted(item.promoted),
    )


def show_ad(account: AccountRow, item: AdUnitItem) -> schemas.Ad:
    inside = item.creative
    return schemas.Ad(
        **_common(account, AdType.AD, item),
        adset_id=item.adset_id,
        campaign_id=item.campaign_id,
        creative_id=item.creative_id,
        post_id=None if inside is None else inside.post_id,
        text=None if inside is None else inside.text,
        url=None if inside is None else inside.url,
        preview_url=item.preview_url,
    )


def show_creative(account: AccountRow, item: CreativeItem) -> creative_schemas.AdCreative:
    return creative_schemas.AdCreative(
        **_common(account, AdType.ADCREATIVE, item),
        post_id=item.post_id,
        text=item.text,
        headline=item.headline,
        description=item.description,
        url=item.url,
        call_to_action=item.call_to_action,
        image_url=item.image_url,
        video_id=item.video_id,
    )


def show_audience(account: AccountRow, item: AudienceItem) -> audience_schemas.Audience:
    return audience_schemas.Audience(
        **_common(account, AdType.AUDIENCE, item),
        kind=item.kind,
        description=item.description,
        size_min=item.size_min,
        size_max=item.size_max,
        retention_days=item.retention_days,
    )


def show_pixel(account: AccountRow, item: PixelItem) -> audience_schemas.Pixel:
    return audience_schemas.Pixel(
        **_common(account, AdType.PIXEL, item), code=item.code, last_fired_at=item.last_fired_at
    )


def show_conversion(account: AccountRow, item: ConversionItem) -> audience_schemas.CustomConversion:
    rules = None
    if item.rules is not None:
        rules = [
            audience_schemas.ConversionRule(field=rule.field, operator=rule.operator, values=list(rule.values))
            for rule in item.rules
        ]
    return audience_schemas.CustomConversion(
        **_common(account, AdType.CUSTOM_CONVERSION, item),
        pixel_id=item.pixel_id,
        event=item.event,
        description=item.description,
        rules=rules,
        platform_rule=item.platform_rule,
        value=show_money(item.value),
        last_fired_at=item.last_fired_at,
    )


def show_object(account: AccountRow, kind: AdType, item: AdItem) -> schemas.AdObject:
    """Show an object of any type: what can be changed of it."""
    return schemas.AdObject(
        **_common(account, kind, item),
        budget=show_budget(getattr(item, "budget", None)),
        spend_cap=show_money(getattr(item, "spend_cap", None)),
        bid=show_bid(getattr(item, "bid", None)),
        schedule=show_schedule(getattr(item, "schedule", None)),
        targeting=show_targeting(getattr(item, "targeting", None)),
        optimization=getattr(item, "optimization", None),
        creative_id=getattr(item, "creative_id", None),
        description=getattr(item, "description", None),
        value=show_money(getattr(item, "value", None)),
    )


def show_place(item: PlaceItem) -> insight_schemas.AdPlace:
    return insight_schemas.AdPlace(
        id=item.id,
        name=item.name,
        type=item.type,
        country=item.country,
        path=list(item.path),
        audience_min=item.audience_min,
        audience_max=item.audience_max,
    )
