"""Campaigns, ad sets and ads, and what changes and deletes objects of any type."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.ads.value_schemas import (
    AD,
    AD_ACCOUNT,
    ADSET,
    CAMPAIGN,
    CREATIVE,
    AdAccountId,
    AdBid,
    AdBudget,
    AdPromotion,
    AdSchedule,
    AdTargeting,
    Country,
    Money,
    Name,
    Options,
    PlatformId,
)
from socialgate.contracts.ad_values import AdStatus, AdType, Goal, Optimization, SpecialCategory, Switch
from socialgate.web.schema import Body, Query, View

_AT = "2026-11-15T09:30:00Z"
NewStatus = Annotated[
    Literal["active", "paused"],
    Meta(description="Nothing is shown and nothing is spent until it is `active`, together with everything above it."),
]
ByName = Annotated[str, Meta(min_length=1, max_length=200, description="Only those whose name contains this text.")]
Statuses = Annotated[
    str,
    Meta(
        max_length=200,
        description="Only objects with these statuses, separated by commas. By default all except `deleted`.",
    ),
]


class AdObjectFields(View, frozen=True, kw_only=True):
    """What every object has. `status` is what is true now, `configuredStatus` what it was set to: an active ad in a
    paused campaign is paused, and `statusReason` says why. Send `etag` as `If-Match` to change only this version.
    """

    id: str
    ad_account_id: str
    type: AdType
    name: str | None
    status: AdStatus | None
    configured_status: Switch | None
    status_reason: str | None
    platform_options: dict[str, Any]
    created_at: datetime | None
    updated_at: datetime | None
    # Responses that were stored for an Idempotency-Key before there was this field do not have it.
    etag: str | None = None


def common_example(kind: str, object_id: str, name: str) -> dict[str, Any]:
    return {
        "id": object_id,
        "adAccountId": AD_ACCOUNT,
        "type": kind,
        "name": name,
        "status": "paused",
        "configuredStatus": "paused",
        "statusReason": None,
        "platformOptions": {},
        "createdAt": _AT,
        "updatedAt": _AT,
        "etag": '"0c3f7d1be82a49560d1f"',
    }


class CampaignsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which campaigns to list."""

    ad_account_id: AdAccountId
    status: Statuses | None = None
    q: ByName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "status": "active,paused"}


class AdSetsQuery(CampaignsQuery, frozen=True, kw_only=True):
    """Which ad sets to list."""

    campaign_id: PlatformId | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "campaignId": CAMPAIGN}


class AdsQuery(AdSetsQuery, frozen=True, kw_only=True):
    """Which ads to list."""

    adset_id: PlatformId | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "adsetId": ADSET}


class Campaign(AdObjectFields, frozen=True, kw_only=True):
    """A campaign. `goal` is null if no word of this API fits the platform's own, `platformGoal`."""

    goal: Goal | None
    platform_goal: str | None
    budget: AdBudget | None
    spend_cap: Money | None
    bid: AdBid | None
    schedule: AdSchedule | None
    special_categories: list[SpecialCategory]

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


class NewCampaignBody(Body, frozen=True, kw_only=True):
    """A campaign to create. With a budget, it divides it among its ad sets; otherwise each ad set has its own."""

    ad_account_id: AdAccountId
    name: Name
    goal: Goal
    status: NewStatus = "paused"
    budget: AdBudget | None = None
    spend_cap: Annotated[Money, Meta(description="The campaign stops once it has spent this much.")] | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    special_categories: Annotated[
        list[SpecialCategory],
        Meta(max_length=5, description="Required by law for ads about credit, jobs, housing, politics or gambling."),
    ] = msgspec.field(default_factory=list)
    countries: Annotated[
        list[Country], Meta(max_length=250, description="Where ads of a special category are shown.")
    ] = msgspec.field(default_factory=list)
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "name": "Christmas cakes",
            "goal": "traffic",
            "budget": AdBudget.example(),
        }


class AdSet(AdObjectFields, frozen=True, kw_only=True):
    """An ad set (an ad group on TikTok): whom ads are shown to, when, and for how much."""

    campaign_id: str
    optimization: Optimization | None
    platform_optimization: str | None
    budget: AdBudget | None
    bid: AdBid | None
    schedule: AdSchedule | None
    targeting: AdTargeting | None
    promotes: AdPromotion | None

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


class NewAdSetBody(Body, frozen=True, kw_only=True):
    """An ad set to create. It needs a budget, unless its campaign has one.

    Without `optimization` the platform uses what fits the goal of the campaign.
    """

    ad_account_id: AdAccountId
    campaign_id: PlatformId
    name: Name
    status: NewStatus = "paused"
    optimization: Optimization | None = None
    budget: AdBudget | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    targeting: AdTargeting
    promotes: AdPromotion | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "campaignId": CAMPAIGN,
            "name": "Lima, 18 to 45",
            "optimization": "clicks",
            "schedule": AdSchedule.example(),
            "targeting": AdTargeting.example(),
        }


class Ad(AdObjectFields, frozen=True, kw_only=True):
    """An ad: a creative in an ad set. `creativeId` is null on platforms whose ads contain their creative."""

    adset_id: str
    campaign_id: str | None
    creative_id: str | None
    post_id: str | None
    text: str | None
    url: str | None
    preview_url: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("ad", AD, "Princess cake"),
            "adsetId": ADSET,
            "campaignId": CAMPAIGN,
            "creativeId": CREATIVE,
            "postId": None,
            "text": None,
            "url": None,
            "previewUrl": "https://fb.me/example",
        }


class NewAdBody(Body, frozen=True, kw_only=True):
    """An ad to create. `POST /ads/adcreatives` creates its creative."""

    ad_account_id: AdAccountId
    adset_id: PlatformId
    creative_id: PlatformId
    name: Name
    status: NewStatus = "paused"
    pixel_id: Annotated[PlatformId, Meta(description="A pixel that counts what people do after the ad.")] | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "adsetId": ADSET, "creativeId": CREATIVE, "name": "Princess cake"}


class ObjectChanges(Body, frozen=True, kw_only=True):
    """New values for an object of any type. Fields that you leave out stay as they are.

    What can be changed depends on the type and on the platform; anything else is rejected with 422. `targeting`
    replaces the previous one as a whole. Start and pause objects with `status`.
    """

    ad_account_id: AdAccountId
    type: AdType
    id: PlatformId
    name: Name | None = None
    status: Switch | None = None
    budget: AdBudget | None = None
    spend_cap: Money | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    targeting: AdTargeting | None = None
    optimization: Optimization | None = None
    creative_id: Annotated[PlatformId, Meta(description="For an ad: what it shows from now on.")] | None = None
    description: Annotated[str, Meta(max_length=500, description="Of an audience or a custom conversion.")] | None = (
        None
    )
    value: Annotated[Money, Meta(description="Of a custom conversion.")] | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "type": "campaign", "id": CAMPAIGN, "status": "active"}


class AdObject(AdObjectFields, frozen=True, kw_only=True):
    """An object of any type after a change. Fields that its type does not have are null."""

    budget: AdBudget | None = None
    spend_cap: Money | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    targeting: AdTargeting | None = None
    optimization: Optimization | None = None
    creative_id: str | None = None
    description: str | None = None
    value: Money | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        more = ("spendCap", "bid", "schedule", "targeting", "optimization", "creativeId", "description", "value")
        return {
            **common_example("campaign", CAMPAIGN, "Christmas cakes"),
            "status": "active",
            "configuredStatus": "active",
            "budget": AdBudget.example(),
            **dict.fromkeys(more),
        }


class ObjectQuery(Query, frozen=True, kw_only=True):
    """Which object to delete. Pixels cannot be deleted on any platform."""

    ad_account_id: AdAccountId
    type: AdType
    id: PlatformId

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "type": "campaign", "id": CAMPAIGN}


class AdObjectDeleted(View, frozen=True, kw_only=True):
    """The object that was deleted on the platform, with everything in it."""

    id: str
    ad_account_id: str
    type: AdType
    deleted: Literal[True] = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": CAMPAIGN, "adAccountId": AD_ACCOUNT, "type": "campaign", "deleted": True}
