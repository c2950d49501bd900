"""Creatives, boosted posts and dark posts."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate.areas.ads.schemas import InitialAdStatus
from socialgate.contracts.ad_fields import (
    AD,
    ADSET,
    CAMPAIGN,
    CREATIVE,
    EXAMPLE_AD_ACCOUNT_ID,
    AdAccountId,
    AdObjectName,
    HttpUrl,
    PlatformId,
    PlatformOptions,
)
from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdPromotion,
    AdSchedule,
    AdStatus,
    AdTargeting,
    CallToAction,
    ConfiguredStatus,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.core.fields import AdAccountIdField
from socialgate.web.schemas import ApiModel, RequestBody, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_POST_ID = "post_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_MEDIA_ID = "med_01h455vb4pex5vsknk084sn02q"
_ACCOUNT_ID_DESCRIPTION = (
    "The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with "
    "`postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`."
)
AccountId = Annotated[str, Meta(min_length=1, max_length=40, description=_ACCOUNT_ID_DESCRIPTION)]
PublisherId = Annotated[
    str, Meta(min_length=1, max_length=100, description="The platform's own id of a Page or an identity.")
]
AdText = Annotated[str, Meta(min_length=1, max_length=5000)]
ShortAdText = Annotated[str, Meta(min_length=1, max_length=500)]


class AdMedia(ApiModel, frozen=True, kw_only=True):
    """An image or a video: an uploaded file, or a URL from which it is fetched."""

    media_id: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    """The id of an uploaded file, `med_…`."""
    url: HttpUrl | None = None
    """Instead of `mediaId`: a public URL from which the file is fetched."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"mediaId": _EXAMPLE_MEDIA_ID}


class CreativeFields(RequestBody, frozen=True, kw_only=True):
    """What an ad shows."""

    account_id: AccountId | None = None
    publisher_id: PublisherId | None = None
    text: Annotated[AdText, Meta(description="Shown above or below the image or video.")] | None = None
    headline: ShortAdText | None = None
    """The headline below the image or video. Meta only."""
    description: ShortAdText | None = None
    """The line below the headline. Meta only."""
    url: Annotated[HttpUrl, Meta(description="The page that opens when people click.")] | None = None
    call_to_action: CallToAction | None = None
    """The label of the button."""
    media: Annotated[
        list[AdMedia], Meta(max_length=10, description="One image or video, or the images of a carousel.")
    ] = msgspec.field(default_factory=list)
    form_id: Annotated[PlatformId, Meta(description="A lead form that opens when people click.")] | None = None


_EXAMPLE_CREATIVE = {
    "accountId": _EXAMPLE_ACCOUNT_ID,
    "text": "Fresh every morning.",
    "headline": "Princess cake",
    "url": "https://bakery.example.com/cakes",
    "callToAction": "shopNow",
    "media": [AdMedia.example()],
}


class NewCreativeBody(CreativeFields, frozen=True, kw_only=True):
    """A creative: an existing post (`postId` or `platformPostId`), or a text with images or a video."""

    ad_account_id: AdAccountId
    name: AdObjectName
    """The name, which only you see."""
    post_id: (
        Annotated[
            str, Meta(min_length=1, max_length=100, description="The id of a post made with Socialgate, `post_…`.")
        ]
        | None
    ) = None
    platform_post_id: Annotated[PlatformId, Meta(description="The platform's own id of a post.")] | None = None
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "name": "Princess cake", **_EXAMPLE_CREATIVE}


class PromotionFields(RequestBody, frozen=True, kw_only=True):
    """What boosts and dark posts have in common: a campaign, an ad set and an ad are created together."""

    ad_account_id: AdAccountId
    name: Annotated[AdObjectName, Meta(description="The name of everything that is created.")] | None = None
    goal: Goal = Goal.ENGAGEMENT
    """What the campaign is for."""
    optimization: Optimization | None = None
    """What delivery is optimized for. The default depends on the goal."""
    status: InitialAdStatus = "paused"
    budget: AdBudget
    """What is spent. `lifetime` needs the end of the schedule."""
    bid: AdBid | None = None
    """How to bid. By default for the lowest cost."""
    schedule: AdSchedule | None = None
    """When it runs. By default from now on, until it is paused."""
    targeting: AdTargeting
    """Whom to show the ad to. At least one place or audience is required."""
    promotes: AdPromotion | None = None
    """What is promoted or counted. Some goals require it."""
    special_categories: Annotated[tuple[SpecialCategory, ...], Meta(max_length=5)] = ()
    """Required by law for ads about credit, jobs, housing, politics or gambling."""
    adset_options: Annotated[
        PlatformOptions, Meta(description="`platformOptions` of the ad set, such as `dsa_beneficiary` on Meta.")
    ] = msgspec.field(default_factory=dict)


_EXAMPLE_PROMOTION = {
    "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
    "budget": {"amount": 500000, "currency": "SEK", "type": "lifetime"},
    "schedule": AdSchedule.example(),
    "targeting": AdTargeting.example(),
}


class BoostBody(PromotionFields, frozen=True, kw_only=True):
    """A published post to advertise: `postId` with the `accountId` where it is published, or `platformPostId`."""

    account_id: AccountId | None = None
    publisher_id: PublisherId | None = None
    post_id: (
        Annotated[
            str, Meta(min_length=1, max_length=100, description="The id of a post made with Socialgate, `post_…`.")
        ]
        | None
    ) = None
    platform_post_id: Annotated[PlatformId, Meta(description="The platform's own id of a post.")] | None = None
    url: Annotated[HttpUrl, Meta(description="The page that the button opens.")] | None = None
    call_to_action: CallToAction | None = None
    """The label of the button."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**_EXAMPLE_PROMOTION, "accountId": _EXAMPLE_ACCOUNT_ID, "postId": _EXAMPLE_POST_ID}


class DarkPostBody(PromotionFields, frozen=True, kw_only=True):
    """A post that only appears as an ad, never on the profile."""

    creative: "DarkPostCreative"
    """What the ad shows."""
    goal: Goal = Goal.TRAFFIC
    """What the campaign is for."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**_EXAMPLE_PROMOTION, "creative": DarkPostCreative.example()}


class DarkPostCreative(CreativeFields, frozen=True, kw_only=True):
    """What a dark post shows."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return dict(_EXAMPLE_CREATIVE)


class PromotedPost(ResponseModel, frozen=True, kw_only=True):
    """The campaign, the ad set, the creative and the ad that were created. Platforms review a new ad before they show
    it.
    """

    ad_account_id: AdAccountIdField
    name: str
    """The name of everything that was created."""
    status: AdStatus | None
    """Whether the ad is shown now. Null if the platform did not report it."""
    campaign_id: str
    """The platform's id of the campaign."""
    adset_id: str
    """The platform's id of the ad set."""
    creative_id: str | None
    """The id of the creative. Null on platforms whose ads contain their creative."""
    ad_id: str
    """The platform's id of the ad."""
    post_id: str | None
    """The post of this API, `post_…`, if the request named it; otherwise null."""
    # Responses that were stored for an Idempotency-Key before there were these fields do not have them.
    platform_post_id: str | None = None
    """The platform's own id of the post. Null if it is unknown."""
    configured_status: ConfiguredStatus | None = None
    """What you set it to. Null in responses stored by older versions."""
    status_reason: str | None = None
    """Why the ad is not shown although it is active, for people to read. Null otherwise."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "name": "Boost of Fresh every morning, 2026-11-15 09:30:00",
            "status": "paused",
            "campaignId": CAMPAIGN,
            "adsetId": ADSET,
            "creativeId": CREATIVE,
            "adId": AD,
            "postId": _EXAMPLE_POST_ID,
            "platformPostId": "1784_9021",
            "configuredStatus": "paused",
            "statusReason": None,
        }
