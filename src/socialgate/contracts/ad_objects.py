"""Campaigns, ad sets, creatives and ads, as connectors return them and the API shows them.

Connectors leave out `ad_account_id` and `etag`, which are not the platform's: `areas/ads/views.py` fills them in.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.contracts.ad_fields import ADSET, CAMPAIGN, CREATIVE, EXAMPLE_AD_ACCOUNT_ID
from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdPromotion,
    AdSchedule,
    AdStatus,
    AdTargeting,
    AdType,
    CallToAction,
    ConfiguredStatus,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.money import Money
from socialgate.core.fields import AdAccountIdField
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, UNREPORTED_FIELD, ResponseModel, build_unreported_field

_EXAMPLE_TIME = "2026-11-15T09:30:00Z"


def _no_options() -> Mapping[str, Any]:
    return {}


def build_type_field(kind: AdType) -> Any:
    """Return the default of `type`, which the documentation does not show."""

    def default() -> AdType:
        return kind

    return msgspec.field(default_factory=default)


class AdItem(ResponseModel, frozen=True, kw_only=True):
    """The fields of every object. `configuredStatus` is what it was set to, `status` the result: an active ad in a
    paused campaign is paused, and `statusReason` says why.
    """

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""
    ad_account_id: AdAccountIdField = msgspec.field(default_factory=str)
    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""
    name: str | None = UNREPORTED_FIELD
    """The name. Null if it has none."""
    status: AdStatus | None = UNREPORTED_FIELD
    """Whether it is shown to people now. Null if the platform does not report it."""
    configured_status: ConfiguredStatus | None = build_unreported_field("configuredStatus")
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""
    # In a sentence, or in the platform's own word.
    reason: str | None = build_unreported_field("statusReason")
    """Why it is not shown although it is active, for people to read. Null otherwise."""
    options: Mapping[str, Any] = msgspec.field(name="platformOptions", default_factory=_no_options)
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""
    created_at: datetime | None = UNREPORTED_FIELD
    """When it was created. Null if the platform does not report it."""
    updated_at: datetime | None = UNREPORTED_FIELD
    """When it was last changed. Null if the platform does not report it."""
    # Responses that were stored for an Idempotency-Key before there was this field do not have it.
    etag: str | None = None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""


def common_example(kind: str, object_id: str, name: str) -> dict[str, Any]:
    return {
        "id": object_id,
        "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
        "type": kind,
        "name": name,
        "status": "paused",
        "configuredStatus": "paused",
        "statusReason": None,
        "platformOptions": {},
        "createdAt": _EXAMPLE_TIME,
        "updatedAt": _EXAMPLE_TIME,
        "etag": '"0c3f7d1be82a49560d1f"',
    }


class Campaign(AdItem, frozen=True, kw_only=True):
    """A campaign. `goal` is null if the platform's own goal, `platformGoal`, has no equivalent here."""

    type: AdType = build_type_field(AdType.CAMPAIGN)
    goal: Goal | None = UNREPORTED_FIELD
    """What it is for. Null if the platform's own goal has no equivalent here."""
    platform_goal: str | None = UNREPORTED_FIELD
    """The platform's own word for it. Null if it does not report one."""
    budget: AdBudget | None = UNREPORTED_FIELD
    """Divided among its ad sets. Null if each ad set has its own."""
    spend_cap: Money | None = UNREPORTED_FIELD
    """The campaign stops once it has spent this much. Null: no cap."""
    bid: AdBid | None = UNREPORTED_FIELD
    """How it bids. Null if each ad set decides, or the platform does not report it."""
    schedule: AdSchedule | None = UNREPORTED_FIELD
    """When it runs. Null if each ad set decides."""
    special_categories: tuple[SpecialCategory, ...] = EMPTY_TUPLE_FIELD
    """What the law restricts about its ads. Empty if nothing."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("campaign", CAMPAIGN, "Christmas cakes"),
            "goal": "traffic",
            "platformGoal": "OUTCOME_TRAFFIC",
            "budget": AdBudget.example(),
            "spendCap": None,
            "bid": None,
            "schedule": None,
            "specialCategories": [],
        }


class AdSet(AdItem, frozen=True, kw_only=True):
    """An ad set (an ad group on TikTok): whom ads are shown to, when, and for how much."""

    type: AdType = build_type_field(AdType.ADSET)
    campaign_id: str
    """The platform's id of its campaign."""
    optimization: Optimization | None = UNREPORTED_FIELD
    """What delivery is optimized for. Null if the platform's own value has no equivalent here."""
    platform_optimization: str | None = UNREPORTED_FIELD
    """The platform's own word for it. Null if it does not report one."""
    budget: AdBudget | None = UNREPORTED_FIELD
    """What it spends. Null if the campaign has the budget."""
    bid: AdBid | None = UNREPORTED_FIELD
    """How it bids. Null if the campaign decides, or the platform does not report it."""
    schedule: AdSchedule | None = UNREPORTED_FIELD
    """When it runs. Null if the platform does not report it."""
    targeting: AdTargeting | None = UNREPORTED_FIELD
    """Whom its ads are shown to. Null if the platform does not report it."""
    promoted_object: AdPromotion | None = build_unreported_field("promotes")
    """What it promotes or counts. Null if nothing."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("adset", ADSET, "Lima, 18 to 45"),
            "campaignId": CAMPAIGN,
            "optimization": "clicks",
            "platformOptimization": "LINK_CLICKS",
            "budget": None,
            "bid": None,
            "schedule": AdSchedule.example(),
            "targeting": AdTargeting.example(),
            "promotes": None,
        }


class AdCreative(AdItem, frozen=True, kw_only=True):
    """A creative. TikTok does not have creatives as separate objects: Socialgate stores them, and their ids start with
    `crea_`.
    """

    type: AdType = build_type_field(AdType.ADCREATIVE)
    post_id: str | None = UNREPORTED_FIELD
    """The platform's id of the post that it shows, or that was created for it. Null if there is none."""
    text: str | None = UNREPORTED_FIELD
    """The text. Null if it has none."""
    headline: str | None = UNREPORTED_FIELD
    """The headline. Null if it has none."""
    description: str | None = UNREPORTED_FIELD
    """The line below the headline. Null if it has none."""
    url: str | None = UNREPORTED_FIELD
    """The page that opens when people click. Null if none does."""
    call_to_action: CallToAction | None = UNREPORTED_FIELD
    """The label of the button. Null if it has none."""
    image_url: str | None = UNREPORTED_FIELD
    """The URL of its image on the platform, which may expire. Null if it has none."""
    video_id: str | None = UNREPORTED_FIELD
    """The platform's id of its video. Null if it has none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("adcreative", CREATIVE, "Princess cake"),
            "postId": None,
            "text": "Fresh every morning.",
            "headline": "Princess cake",
            "description": None,
            "url": "https://bakery.example.com/cakes",
            "callToAction": "shopNow",
            "imageUrl": None,
            "videoId": None,
        }


class CreativeItem(AdCreative, frozen=True, kw_only=True):
    """A creative with all accounts in whose name it appears, by the platform's ids. The API does not show them: they
    decide who may use it.
    """

    publisher_ids: tuple[str, ...] = ()


class AdUnitItem(AdItem, frozen=True, kw_only=True):
    """An ad. Platforms without creatives as objects of their own have `creative_id` None and fill `creative`, of which
    the API shows a part in the ad itself.
    """

    type: AdType = build_type_field(AdType.AD)
    adset_id: str
    campaign_id: str | None = None
    creative_id: str | None = None
    creative: CreativeItem | None = None
    preview_url: str | None = None
