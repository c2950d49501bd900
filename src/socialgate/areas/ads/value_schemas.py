"""What objects of several types are made of: money, budgets, bids, schedules and targeting."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.contracts.ad_values import BidStrategy
from socialgate.contracts.money import MOST
from socialgate.web.faults import HINT
from socialgate.web.schema import Shape

AD_ACCOUNT = "adacc_01h455vb4pex5vsknk084sn02q"
CAMPAIGN, ADSET, AD, CREATIVE = (f"12033000000000000{number}" for number in range(1, 5))
PIXEL, AUDIENCE = "6980000000000001", "23850000000000001"
_UNIT = "Amounts are integers in the currency's smallest unit: 9.99 USD is 999."
_OPTIONS = "Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."

AdAccountId = Annotated[
    str, Meta(min_length=1, max_length=40, description="The id of an ad account, from `GET /adaccounts`.")
]
PlatformId = Annotated[str, Meta(min_length=1, max_length=100)]
Name = Annotated[str, Meta(min_length=1, max_length=400)]
Address = Annotated[str, Meta(max_length=2000, pattern=r"^https?://[^\s/?#]+\S*$")]
Moment = Annotated[datetime, Meta(tz=True)]
Country = Annotated[str, Meta(pattern="^[A-Z]{2}$", description="ISO 3166 code, such as `PE`.")]
Options = Annotated[dict[str, Any], Meta(max_length=50, description=_OPTIONS)]
_Ids = Annotated[list[PlatformId], Meta(max_length=500)]
_Age = Annotated[int, Meta(ge=13, le=100)]


class Money(Shape, frozen=True, kw_only=True):
    """An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: Annotated[int, Meta(ge=0, le=MOST, extra={HINT: _UNIT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 1999, "currency": "SEK"}


class AdBudget(Shape, frozen=True, kw_only=True):
    """How much to spend: per day, or in total until the end of the schedule, in the currency of the ad account."""

    amount: Annotated[int, Meta(ge=1, le=MOST, extra={HINT: _UNIT})]
    """An integer in the currency's smallest unit: 9.99 USD is 999. It must be in the currency of the ad account."""
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code, such as `USD`.")]
    type: Literal["daily", "lifetime"] = "daily"
    """Per day, or in total. `lifetime` needs the end of the schedule."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"amount": 50000, "currency": "SEK", "type": "daily"}


class AdBid(Shape, frozen=True, kw_only=True):
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


class AdSchedule(Shape, frozen=True, kw_only=True):
    """When it runs. Without a start it starts at once, without an end it runs until it is paused."""

    start: Moment | None = None
    """When it starts. Null: at once."""
    end: Moment | None = None
    """When it ends. Null: it runs until it is paused."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"start": "2026-12-01T08:00:00Z", "end": "2026-12-24T18:00:00Z"}


class AdTargeting(Shape, frozen=True, kw_only=True):
    """Whom to show ads to. `GET /ads/locations` finds the ids of places and interests, `GET /ads/audiences` lists
    audiences.
    """

    countries: Annotated[list[Country], Meta(max_length=250)] = msgspec.field(default_factory=list)
    """ISO 3166 codes, such as `NO`. TikTok stores them as places: they are listed in `locations` afterwards."""
    regions: _Ids = msgspec.field(default_factory=list)
    """The platform's ids of regions."""
    cities: _Ids = msgspec.field(default_factory=list)
    """The platform's ids of cities."""
    locations: Annotated[_Ids, Meta(description="Places of any type, by the ids of GET /ads/locations.")] = (
        msgspec.field(default_factory=list)
    )
    excluded_locations: _Ids = msgspec.field(default_factory=list)
    """Places where ads are not shown, by the ids of GET /ads/locations."""
    age_min: _Age | None = None
    """The youngest age. Null: the platform's own minimum."""
    age_max: (
        Annotated[_Age, Meta(description="The highest value of a platform also includes all older people.")] | None
    ) = None
    genders: Annotated[
        list[Literal["male", "female"]],
        Meta(max_length=2, description="Only people of these genders. Empty: everybody."),
    ] = msgspec.field(default_factory=list)
    languages: Annotated[
        list[Annotated[str, Meta(pattern="^[a-z]{2}$", description="ISO 639-1.")]], Meta(max_length=100)
    ] = msgspec.field(default_factory=list)
    """ISO 639-1 codes, such as `nb`. Empty: all languages."""
    interests: _Ids = msgspec.field(default_factory=list)
    """The ids of GET /ads/locations?kind=interest. Empty: people with any interests."""
    audiences: _Ids = msgspec.field(default_factory=list)
    """Only people in one of these audiences, by their ids."""
    excluded_audiences: _Ids = msgspec.field(default_factory=list)
    """Nobody in these audiences, by their ids."""
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"countries": ["PE"], "ageMin": 18, "ageMax": 45, "genders": ["female"], "interests": ["6003139266461"]}


class AdPromotion(Shape, frozen=True, kw_only=True):
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
    app_store_url: Address | None = None
    """The page of the app in its store."""
    catalog_id: PlatformId | None = None
    """The platform's id of the catalog whose products are shown."""
    product_set_id: PlatformId | None = None
    """The platform's id of the product set whose products are shown."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"pixelId": PIXEL, "event": "Purchase"}
