"""The words and values of advertising: goals, statuses, budgets, bids, schedules and targeting."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.contracts.ad_fields import (
    EXAMPLE_PIXEL_ID,
    AwareDatetime,
    CountryCode,
    HttpUrl,
    PlatformId,
    PlatformOptions,
)
from socialgate.contracts.money import AMOUNT_UNIT_HINT, MAX_AMOUNT, Money
from socialgate.contracts.platforms import Kind
from socialgate.core.shapes import HINT_KEY, StoredValue

EMPTY_OPTIONS: Mapping[str, Any] = {}


class AdType(StrEnum):
    CAMPAIGN = "campaign"
    ADSET = "adset"
    AD = "ad"
    ADCREATIVE = "adcreative"
    AUDIENCE = "audience"
    CUSTOM_CONVERSION = "customConversion"
    PIXEL = "pixel"


class AdStatus(StrEnum):
    """Whether an object is shown to people. An object in a paused one is `paused` too; `statusReason` says why."""

    ACTIVE = "active"
    PAUSED = "paused"
    SCHEDULED = "scheduled"
    COMPLETED = "completed"
    IN_REVIEW = "inReview"
    REJECTED = "rejected"
    # Something else stops it: a used-up budget, a problem with payment.
    BLOCKED = "blocked"
    PROCESSING = "processing"
    ARCHIVED = "archived"
    DELETED = "deleted"


# What somebody has set an object to, whatever else stops it. Only some platforms can archive.
ConfiguredStatus = Literal["active", "paused", "archived"]


class Goal(StrEnum):
    """What a campaign is for."""

    AWARENESS = "awareness"
    TRAFFIC = "traffic"
    ENGAGEMENT = "engagement"
    VIDEO_VIEWS = "videoViews"
    LEADS = "leads"
    CONVERSIONS = "conversions"
    APP_PROMOTION = "appPromotion"


class Optimization(StrEnum):
    """What the platform optimizes the delivery of an ad set for."""

    REACH = "reach"
    IMPRESSIONS = "impressions"
    CLICKS = "clicks"
    LANDING_PAGE_VIEWS = "landingPageViews"
    ENGAGEMENT = "engagement"
    FOLLOWERS = "followers"
    VIDEO_VIEWS = "videoViews"
    LEADS = "leads"
    CONVERSATIONS = "conversations"
    CONVERSIONS = "conversions"
    VALUE = "value"
    INSTALLS = "installs"


class BidStrategy(StrEnum):
    """`minRoas` has a `roas` instead of an amount, `lowestCost` neither."""

    LOWEST_COST = "lowestCost"
    COST_CAP = "costCap"
    BID_CAP = "bidCap"
    MIN_ROAS = "minRoas"


class SpecialCategory(StrEnum):
    """Ads that the law restricts: platforms limit whom they may be shown to."""

    CREDIT = "credit"
    EMPLOYMENT = "employment"
    HOUSING = "housing"
    POLITICS = "politics"
    GAMBLING = "gambling"


class CallToAction(StrEnum):
    """The button of an ad."""

    APPLY_NOW = "applyNow"
    BOOK_NOW = "bookNow"
    CALL_NOW = "callNow"
    CONTACT_US = "contactUs"
    DOWNLOAD = "download"
    GET_QUOTE = "getQuote"
    INSTALL = "install"
    LEARN_MORE = "learnMore"
    ORDER_NOW = "orderNow"
    SEND_MESSAGE = "sendMessage"
    SHOP_NOW = "shopNow"
    SIGN_UP = "signUp"
    SUBSCRIBE = "subscribe"
    WATCH_MORE = "watchMore"


_Ids = Annotated[tuple[PlatformId, ...], Meta(max_length=500)]
_Age = Annotated[int, Meta(ge=13, le=100)]


class AdBudget(StoredValue, frozen=True, kw_only=True):
    """How much to spend: per day, or in total until the end of the schedule, in the currency of the ad account."""

    amount: Annotated[int, Meta(ge=1, le=MAX_AMOUNT, extra={HINT_KEY: AMOUNT_UNIT_HINT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999. It must be in the currency of the ad account."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]
    type: Literal["daily", "lifetime"] = "daily"
    """Per day, or in total. `lifetime` needs the end of the schedule."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 50000, "currency": "SEK", "type": "daily"}

    @classmethod
    def from_money(cls, money: Money, kind: Literal["daily", "lifetime"]) -> "AdBudget":
        return cls(amount=money.amount, currency=money.currency, type=kind)

    @property
    def money(self) -> Money:
        return Money(self.amount, self.currency)

    def to_stored(self) -> Mapping[str, Any]:
        return {"money": self.money, "type": self.type}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**stored["money"], "type": stored["type"]}


class AdBid(StoredValue, frozen=True, kw_only=True):
    """How to bid. `costCap` and `bidCap` need an `amount`, `minRoas` needs `roas`."""

    strategy: BidStrategy
    """`lowestCost` needs no value, `costCap` and `bidCap` an `amount`, `minRoas` a `roas`."""
    amount: Money | None = None
    """For `costCap` and `bidCap`: the average or the highest cost per result."""
    roas: Annotated[float, Meta(gt=0, le=1000)] | None = None
    """For `minRoas`: the least value to earn for each unit of money spent. 2.5 is 250 %."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"strategy": "costCap", "amount": {"amount": 250, "currency": "SEK"}}


class AdSchedule(StoredValue, frozen=True, kw_only=True):
    """When it runs. Without a start it starts at once, without an end it runs until it is paused."""

    start: AwareDatetime | None = None
    """When it starts. Null: at once."""
    end: AwareDatetime | None = None
    """When it ends. Null: it runs until it is paused."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"start": "2026-12-01T08:00:00Z", "end": "2026-12-24T18:00:00Z"}


class AdTargeting(StoredValue, frozen=True, kw_only=True):
    """Whom to show ads to. `GET /ads/locations` finds the ids of places and interests, `GET /ads/audiences` lists
    audiences.
    """

    countries: Annotated[tuple[CountryCode, ...], Meta(max_length=250)] = ()
    """ISO 3166 codes, such as `NO`. TikTok stores them as places: they are listed in `locations` afterwards."""
    regions: _Ids = ()
    """The platform's ids of regions."""
    cities: _Ids = ()
    """The platform's ids of cities."""
    locations: Annotated[_Ids, Meta(description="Places of any type, by the ids of GET /ads/locations.")] = ()
    excluded_locations: _Ids = ()
    """Places where ads are not shown, by the ids of GET /ads/locations."""
    age_min: _Age | None = None
    """The youngest age. Null: the platform's own minimum."""
    age_max: (
        Annotated[_Age, Meta(description="The highest value of a platform also includes all older people.")] | None
    ) = None
    genders: Annotated[
        tuple[Literal["male", "female"], ...],
        Meta(max_length=2, description="Only people of these genders. Empty: everybody."),
    ] = ()
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern="^[a-z]{2}$", description="ISO 639-1.")], ...], Meta(max_length=100)
    ] = ()
    """ISO 639-1 codes, such as `nb`. Empty: all languages."""
    interests: _Ids = ()
    """The ids of GET /ads/locations?kind=interest. Empty: people with any interests."""
    audiences: _Ids = ()
    """Only people in one of these audiences, by their ids."""
    excluded_audiences: _Ids = ()
    """Nobody in these audiences, by their ids."""
    options: PlatformOptions = msgspec.field(name="platformOptions", default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"countries": ["PE"], "ageMin": 18, "ageMax": 45, "genders": ["female"], "interests": ["6003139266461"]}


class AdPromotion(StoredValue, frozen=True, kw_only=True):
    """What an ad set promotes or counts: a Page, events of a pixel, an app, or a catalog."""

    page_id: PlatformId | None = None
    """The platform's id of the Facebook Page that is promoted."""
    pixel_id: PlatformId | None = None
    """The platform's id of the pixel that counts conversions."""
    event: Annotated[str, Meta(min_length=1, max_length=50, description="A standard event: `Purchase`.")] | None = None
    custom_conversion_id: PlatformId | None = None
    """The platform's id of the custom conversion that is counted."""
    app_id: PlatformId | None = None
    """The platform's id of the app that is promoted."""
    app_store_url: HttpUrl | None = None
    """The page of the app in its store."""
    catalog_id: PlatformId | None = None
    """The platform's id of the catalog whose products are shown."""
    product_set_id: PlatformId | None = None
    """The platform's id of the product set whose products are shown."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"pixelId": EXAMPLE_PIXEL_ID, "event": "Purchase"}


class AdIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who an ad appears to come from: a connected account (`kind` is set), or an id of the platform as the caller gave
    it: of a Page or an Instagram account, or of a TikTok identity. `page_id` is the Page of an Instagram account.
    """

    id: str
    kind: Kind | None = None
    name: str | None = None
    username: str | None = None
    page_id: str | None = None


class AdMediaAsset(msgspec.Struct, frozen=True, kw_only=True):
    """A file in the platform's library. `cover` is the id or the URL of a video's cover, as the platform needs it."""

    id: str
    type: Literal["image", "video"]
    cover: str | None = None
