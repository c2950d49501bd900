"""Events that a server sends to a pixel."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.ads.value_schemas import (
    AD_ACCOUNT,
    PIXEL,
    AdAccountId,
    Address,
    Moment,
    Money,
    Options,
    PlatformId,
)
from socialgate.web.schema import Body, Shape, View

MOST_EVENTS = 1000
_HASHED = (
    "As it is, or already as SHA-256. It is normalised and hashed before anything is stored; only the hash is sent."
)
_Value = Annotated[str, Meta(min_length=1, max_length=200, description=_HASHED)]
_Plain = Annotated[str, Meta(min_length=1, max_length=1000)]


class EventPerson(Shape, frozen=True, kw_only=True):
    """Who did it. The more of it you know, the better platforms can tell which ad it came from.

    `ip`, `userAgent`, `clickId`, `browserId` and `leadId` are sent as they are, because platforms require that.
    """

    email: _Value | None = None
    phone: Annotated[_Value, Meta(description=f"With its country code. {_HASHED}")] | None = None
    external_id: _Value | None = None
    first_name: _Value | None = None
    last_name: _Value | None = None
    gender: Literal["female", "male"] | None = None
    birthday: Annotated[str, Meta(pattern="^[0-9]{8}$", description="YYYYMMDD.")] | None = None
    city: _Value | None = None
    state: _Value | None = None
    zip: _Value | None = None
    country: Annotated[str, Meta(min_length=2, max_length=64, description="ISO 3166.")] | None = None
    ip: Annotated[str, Meta(min_length=2, max_length=45)] | None = None
    user_agent: _Plain | None = None
    click_id: Annotated[_Plain, Meta(description="`fbc` or `ttclid`.")] | None = None
    browser_id: Annotated[_Plain, Meta(description="`fbp` or `ttp`: a cookie of the pixel.")] | None = None
    mobile_ad_id: _Plain | None = None
    lead_id: Annotated[_Plain, Meta(description="The platform's id of a lead.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ada@example.com", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0"}


class EventProduct(Shape, frozen=True, kw_only=True):
    """A product that an event is about, by its id in the catalog."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]
    quantity: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    price: Money | None = None
    name: Annotated[str, Meta(max_length=300)] | None = None
    brand: Annotated[str, Meta(max_length=300)] | None = None
    category: Annotated[str, Meta(max_length=300)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "cake-1", "quantity": 1, "price": {"amount": 34900, "currency": "SEK"}}


class PixelEventBody(Shape, frozen=True, kw_only=True):
    """Something that a person did. Platforms count an event with the same `name` and `id` only once, also if the pixel
    in the browser sent it. Without an `id`, one is created, and is the same when you repeat the request with its
    `Idempotency-Key`.
    """

    name: Annotated[str, Meta(min_length=1, max_length=50, description="A standard event, or one of your own.")]
    at: Moment
    id: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    source: Literal["website", "app", "email", "phone", "chat", "store", "crm", "other"] = "website"
    url: Annotated[Address, Meta(description="The page where it happened; required for `website`.")] | None = None
    referrer: Address | None = None
    user: EventPerson
    value: Money | None = None
    products: Annotated[list[EventProduct], Meta(max_length=100)] = msgspec.field(default_factory=list)
    order_id: Annotated[str, Meta(max_length=100)] | None = None
    search: Annotated[str, Meta(max_length=300)] | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "Purchase",
            "at": "2026-11-15T09:30:00Z",
            "id": "order-1001",
            "url": "https://bakery.example.com/thank-you",
            "user": EventPerson.example(),
            "value": {"amount": 34900, "currency": "SEK"},
            "products": [EventProduct.example()],
        }


class PixelEventsBody(Body, frozen=True, kw_only=True):
    """Events for one pixel."""

    ad_account_id: AdAccountId
    pixel_id: PlatformId
    events: Annotated[list[PixelEventBody], Meta(min_length=1, max_length=MOST_EVENTS)]
    test_event_code: (
        Annotated[str, Meta(max_length=100, description="Shows them among the platform's test events.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": AD_ACCOUNT, "pixelId": PIXEL, "events": [PixelEventBody.example()]}


class EventResult(View, frozen=True, kw_only=True):
    """What became of an event. `detail` says why it was rejected."""

    id: str
    status: Literal["accepted", "rejected"]
    detail: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "order-1001", "status": "accepted", "detail": None}


class PixelEventsResult(View, frozen=True, kw_only=True):
    """The result of each event, in order. A rejected event does not affect the others."""

    ad_account_id: str
    pixel_id: str
    accepted: int
    rejected: int
    events: list[EventResult]
    sent_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "pixelId": PIXEL,
            "accepted": 1,
            "rejected": 0,
            "events": [EventResult.example()],
            "sentAt": "2026-11-15T09:30:00Z",
        }
