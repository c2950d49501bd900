"""Requests for campaigns, ad sets and ads, and what changes and deletes objects of any type."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.contracts.ad_fields import (
    AD,
    ADSET,
    CAMPAIGN,
    CREATIVE,
    EXAMPLE_AD_ACCOUNT_ID,
    AdAccountId,
    AdObjectName,
    CountryCode,
    PlatformId,
    PlatformOptions,
)
from socialgate.contracts.ad_objects import AdItem, common_example
from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdPromotion,
    AdSchedule,
    AdTargeting,
    AdType,
    ConfiguredStatus,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.money import Money
from socialgate.core.fields import AdAccountIdField, IsDeleted
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

InitialAdStatus = Annotated[
    Literal["active", "paused"],
    Meta(description="Ads are shown and money is spent only if it and everything above it are `active`."),
]
NameFilter = Annotated[str, Meta(min_length=1, max_length=200, description="Only those whose name contains this text.")]
StatusFilter = Annotated[
    str,
    Meta(
        max_length=200,
        description="Only objects with these statuses, separated by commas. By default all except `deleted`.",
    ),
]


class CampaignsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which campaigns to list."""

    ad_account_id: AdAccountId
    status: StatusFilter | None = None
    q: NameFilter | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "status": "active,paused"}


class AdSetsQuery(CampaignsQuery, frozen=True, kw_only=True):
    """Which ad sets to list."""

    campaign_id: PlatformId | None = None
    """Only those of this campaign, by the platform's id."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "campaignId": CAMPAIGN}


class AdsQuery(AdSetsQuery, frozen=True, kw_only=True):
    """Which ads to list."""

    adset_id: PlatformId | None = None
    """Only ads of this ad set, by the platform's id."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "adsetId": ADSET}


class NewCampaignBody(RequestBody, frozen=True, kw_only=True):
    """A campaign to create. It divides its budget among its ad sets; without one, each ad set has its own."""

    ad_account_id: AdAccountId
    name: AdObjectName
    """The name, which only you see."""
    goal: Goal
    """What it is for. It cannot be changed afterwards."""
    status: InitialAdStatus = "paused"
    budget: AdBudget | None = None
    """Divided among its ad sets. Omit it to give each ad set its own."""
    spend_cap: Money | None = None
    """The campaign stops once it has spent this much."""
    bid: AdBid | None = None
    """How to bid. By default for the lowest cost."""
    schedule: AdSchedule | None = None
    """When it runs. Omit it to let each ad set decide."""
    special_categories: Annotated[
        tuple[SpecialCategory, ...],
        Meta(max_length=5, description="Required by law for ads about credit, jobs, housing, politics or gambling."),
    ] = ()
    countries: Annotated[
        tuple[CountryCode, ...], Meta(max_length=250, description="Where ads of a special category are shown.")
    ] = ()
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "name": "Christmas cakes",
            "goal": "traffic",
            "budget": AdBudget.example(),
        }


class NewAdSetBody(RequestBody, frozen=True, kw_only=True):
    """An ad set to create. It needs a budget, unless its campaign has one.

    Without `optimization`, the default for the goal of the campaign is used.
    """

    ad_account_id: AdAccountId
    campaign_id: PlatformId
    """The platform's id of the campaign to create it in."""
    name: AdObjectName
    """The name, which only you see."""
    status: InitialAdStatus = "paused"
    optimization: Optimization | None = None
    """What delivery is optimized for. The default depends on the goal of the campaign."""
    budget: AdBudget | None = None
    """What it spends. Required unless the campaign has a budget."""
    bid: AdBid | None = None
    """How to bid. By default for the lowest cost."""
    schedule: AdSchedule | None = None
    """When it runs. By default from now on, until it is paused."""
    targeting: AdTargeting
    """Whom to show its ads to. At least one place or audience is required."""
    promotes: AdPromotion | None = None
    """What it promotes or counts. Some goals require it."""
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "campaignId": CAMPAIGN,
            "name": "Lima, 18 to 45",
            "optimization": "clicks",
            "schedule": AdSchedule.example(),
            "targeting": AdTargeting.example(),
        }


# Unlike `AdUnitItem`, it shows the content of a creative that is part of the ad.
class Ad(AdItem, frozen=True, kw_only=True):
    """An ad: a creative in an ad set. `creativeId` is null on platforms whose ads contain their creative."""

    adset_id: str
    """The platform's id of its ad set."""
    campaign_id: str | None
    """The platform's id of its campaign. Null if the platform does not report it."""
    creative_id: str | None
    """The id of its creative. Null on platforms whose ads contain their creative."""
    post_id: str | None
    """The platform's id of the post that it shows. Null if it shows none, or the creative has it."""
    text: str | None
    """The text that it shows. Null if the creative has it."""
    url: str | None
    """The page that opens when people click. Null if the creative has it."""
    preview_url: str | None
    """A page of the platform that shows the ad. Null if there is none."""

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


class NewAdBody(RequestBody, frozen=True, kw_only=True):
    """An ad to create. `POST /ads/adcreatives` creates its creative."""

    ad_account_id: AdAccountId
    adset_id: PlatformId
    """The platform's id of the ad set to create it in."""
    creative_id: PlatformId
    """The id of the creative that it shows."""
    name: AdObjectName
    """The name, which only you see."""
    status: InitialAdStatus = "paused"
    pixel_id: Annotated[PlatformId, Meta(description="A pixel that counts what people do after the ad.")] | None = None
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "adsetId": ADSET, "creativeId": CREATIVE, "name": "Princess cake"}


class AdObjectChangesBody(RequestBody, frozen=True, kw_only=True):
    """New values for an object of any type. Fields that you leave out stay as they are.

    What can be changed depends on the type and on the platform; anything else is rejected with 422. `targeting`
    replaces the previous one as a whole. Start and pause objects with `status`.
    """

    ad_account_id: AdAccountId
    type: AdType
    """What the object is."""
    id: PlatformId
    """The id of the object, as in the lists."""
    name: AdObjectName | None = None
    """The new name."""
    status: ConfiguredStatus | None = None
    """Starts, pauses or archives it."""
    budget: AdBudget | None = None
    """For a campaign or an ad set. TikTok cannot change the `type` of a budget."""
    spend_cap: Money | None = None
    """For a campaign: it stops once it has spent this much."""
    bid: AdBid | None = None
    """For a campaign or an ad set."""
    schedule: AdSchedule | None = None
    """For a campaign or an ad set. Only what you send is changed."""
    targeting: AdTargeting | None = None
    """For an ad set. Replaces the previous targeting as a whole."""
    optimization: Optimization | None = None
    """For an ad set: what delivery is optimized for."""
    creative_id: (
        Annotated[PlatformId, Meta(description="For an ad: the creative that it shows from now on.")] | None
    ) = None
    description: (
        Annotated[str, Meta(max_length=500, description="For an audience or a custom conversion: the new note.")] | None
    ) = None
    value: Money | None = None
    """For a custom conversion: what one conversion is worth."""
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "type": "campaign", "id": CAMPAIGN, "status": "active"}


class AdObject(AdItem, frozen=True, kw_only=True):
    """An object of any type after a change. Fields that its type does not have are null."""

    budget: AdBudget | None = None
    """What a campaign or an ad set spends."""
    spend_cap: Money | None = None
    """The campaign stops once it has spent this much."""
    bid: AdBid | None = None
    """How a campaign or an ad set bids."""
    schedule: AdSchedule | None = None
    """When a campaign or an ad set runs."""
    targeting: AdTargeting | None = None
    """Whom the ads of an ad set are shown to."""
    optimization: Optimization | None = None
    """What the delivery of an ad set is optimized for."""
    creative_id: str | None = None
    """The creative of an ad."""
    description: str | None = None
    """For an audience or a custom conversion: the new note."""
    value: Money | None = None
    """What one conversion is worth, for a custom conversion."""

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


class AdObjectDeletionQuery(QueryParameters, frozen=True, kw_only=True):
    """Which object to delete. Pixels cannot be deleted on any platform."""

    ad_account_id: AdAccountId
    type: AdType
    """What the object is."""
    id: PlatformId
    """The id of the object, as in the lists."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "type": "campaign", "id": CAMPAIGN}


class AdObjectDeleted(ResponseModel, frozen=True, kw_only=True):
    """The object that was deleted on the platform, with everything in it."""

    id: str
    """The id of the deleted object."""
    ad_account_id: AdAccountIdField
    type: AdType
    """The type of the deleted object."""
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": CAMPAIGN, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "type": "campaign", "deleted": True}
