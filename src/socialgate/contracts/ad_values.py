"""The words and values of advertising: goals, statuses, budgets, bids, schedules and targeting."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

import msgspec

from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind

NOTHING: Mapping[str, Any] = {}


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
Switch = Literal["active", "paused", "archived"]


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


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    money: Money
    type: Literal["daily", "lifetime"]


class Bid(msgspec.Struct, frozen=True, kw_only=True):
    strategy: BidStrategy
    amount: Money | None = None
    roas: float | None = None


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """When it runs, in UTC. Without an end it runs until it is paused."""

    start: datetime | None = None
    end: datetime | None = None


class Targeting(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to show ads to. `countries` are ISO 3166 codes, `languages` ISO 639-1 codes. Everything else is an id:
    places and interests as `AdTargeting.search` returns them, audiences by their own ids.
    """

    countries: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    cities: tuple[str, ...] = ()
    # Places of any type.
    locations: tuple[str, ...] = ()
    excluded_locations: tuple[str, ...] = ()
    age_min: int | None = None
    age_max: int | None = None
    genders: tuple[Literal["male", "female"], ...] = ()
    languages: tuple[str, ...] = ()
    interests: tuple[str, ...] = ()
    audiences: tuple[str, ...] = ()
    excluded_audiences: tuple[str, ...] = ()
    options: Mapping[str, Any] = NOTHING


class Promoted(msgspec.Struct, frozen=True, kw_only=True):
    """What an ad set promotes or counts: a Page, what people do on a website or in an app, a catalog, a lead form.

    `event` is one of the standard events of pixels, such as `Purchase` (`ad_audiences.STANDARD_EVENTS`).
    """

    page_id: str | None = None
    pixel_id: str | None = None
    event: str | None = None
    custom_conversion_id: str | None = None
    app_id: str | None = None
    app_store_url: str | None = None
    catalog_id: str | None = None
    product_set_id: str | None = None


class Publisher(msgspec.Struct, frozen=True, kw_only=True):
    """Who an ad appears to come from: a connected account (`kind` is set), or an id of the platform as the caller gave
    it: of a Page or an Instagram account, or of a TikTok identity. `page_id` is the Page of an Instagram account.
    """

    id: str
    kind: Kind | None = None
    name: str | None = None
    username: str | None = None
    page_id: str | None = None


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """A file in the platform's library. `cover` is the id or the URL of a video's cover, as the platform needs it."""

    id: str
    type: Literal["image", "video"]
    cover: str | None = None
