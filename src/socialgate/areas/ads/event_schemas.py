"""Events that a server sends to a pixel."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.contracts.ad_audiences import EventProduct
from socialgate.contracts.ad_fields import (
    EXAMPLE_AD_ACCOUNT_ID,
    EXAMPLE_PIXEL_ID,
    AdAccountId,
    AwareDatetime,
    HttpUrl,
    PlatformId,
    PlatformOptions,
)
from socialgate.contracts.money import Money
from socialgate.core.fields import AdAccountIdField
from socialgate.web.schemas import ApiModel, RequestBody, ResponseModel

MAX_PIXEL_EVENTS_PER_REQUEST = 1000
_HASHED_VALUE_DESCRIPTION = (
    "The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is "
    "sent."
)
_HashableValue = Annotated[str, Meta(min_length=1, max_length=200, description=_HASHED_VALUE_DESCRIPTION)]
_PlainValue = Annotated[str, Meta(min_length=1, max_length=1000)]


# Unlike `HashedPerson`, it is not hashed yet: nothing beyond the handler may have it.
class EventPerson(ApiModel, frozen=True, kw_only=True):
    """Who did it. The more you send, the better platforms can attribute the event to an ad.

    `ip`, `userAgent`, `clickId`, `browserId` and `leadId` are sent unhashed, because platforms require that.
    """

    email: _HashableValue | None = None
    phone: Annotated[_HashableValue, Meta(description=f"With its country code. {_HASHED_VALUE_DESCRIPTION}")] | None = (
        None
    )
    external_id: _HashableValue | None = None
    first_name: _HashableValue | None = None
    last_name: _HashableValue | None = None
    gender: Literal["female", "male"] | None = None
    """Hashed before anything is stored; only the hash is sent."""
    birthday: (
        Annotated[
            str,
            Meta(pattern="^[0-9]{8}$", description="As `YYYYMMDD`. Hashed before it is stored; only the hash is sent."),
        ]
        | None
    ) = None
    city: _HashableValue | None = None
    state: _HashableValue | None = None
    zip: _HashableValue | None = None
    country: (
        Annotated[
            str, Meta(min_length=2, max_length=64, description="ISO 3166 code, such as `PE`, or its SHA-256 hash.")
        ]
        | None
    ) = None
    ip: Annotated[str, Meta(min_length=2, max_length=45)] | None = None
    """The IP address of the browser. Sent as it is."""
    user_agent: _PlainValue | None = None
    """The `User-Agent` of the browser. Sent as it is."""
    click_id: (
        Annotated[_PlainValue, Meta(description="The id of the click on an ad: `fbc` or `ttclid`. Sent unhashed.")]
        | None
    ) = None
    browser_id: Annotated[_PlainValue, Meta(description="`fbp` or `ttp`: a cookie of the pixel.")] | None = None
    mobile_ad_id: _PlainValue | None = None
    """The advertising id of a phone (IDFA or GAID)."""
    lead_id: Annotated[_PlainValue, Meta(description="The platform's id of a lead.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ada@example.com", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0"}


# Unlike `PixelEvent`, it may have no id yet, and its person is not hashed.
class PixelEventBody(ApiModel, frozen=True, kw_only=True):
    """Something that a person did. Platforms count an event with the same `name` and `id` only once, even if the pixel
    in the browser sent it too. Without an `id`, one is created; it stays the same when you repeat the request with its
    `Idempotency-Key`.
    """

    name: Annotated[str, Meta(min_length=1, max_length=50, description="A standard event, or one of your own.")]
    at: AwareDatetime
    """When it happened. Platforms do not accept events that are too old."""
    id: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    """Your own id of the event, such as the id of an order. By default one is created."""
    source: Literal["website", "app", "email", "phone", "chat", "store", "crm", "other"] = "website"
    """Where it happened."""
    url: Annotated[HttpUrl, Meta(description="The page where it happened; required for `website`.")] | None = None
    referrer: HttpUrl | None = None
    """The page that the person came from."""
    user: EventPerson
    """Who did it. At least one value is required."""
    value: Money | None = None
    """What it was worth."""
    products: Annotated[tuple[EventProduct, ...], Meta(max_length=100)] = ()
    """The products that it is about."""
    order_id: Annotated[str, Meta(max_length=100)] | None = None
    """Your own id of the order."""
    search: Annotated[str, Meta(max_length=300)] | None = None
    """What the person searched for."""
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

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


class PixelEventsBody(RequestBody, frozen=True, kw_only=True):
    """Events for one pixel."""

    ad_account_id: AdAccountId
    pixel_id: PlatformId
    """The platform's id of the pixel."""
    events: Annotated[list[PixelEventBody], Meta(min_length=1, max_length=MAX_PIXEL_EVENTS_PER_REQUEST)]
    """The events, at most 1,000."""
    test_event_code: (
        Annotated[str, Meta(max_length=100, description="Shows them among the platform's test events.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "pixelId": EXAMPLE_PIXEL_ID, "events": [PixelEventBody.example()]}


class PixelEventResult(ResponseModel, frozen=True, kw_only=True):
    """The result of one event."""

    id: str
    """The `id` of the event, also if it was created."""
    status: Literal["accepted", "rejected"]
    """Whether the platform accepted it."""
    detail: str | None
    """Why it was rejected, for people to read. Null if it was accepted."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "order-1001", "status": "accepted", "detail": None}


class PixelEventsResult(ResponseModel, frozen=True, kw_only=True):
    """The result of each event, in order. A rejected event does not affect the others."""

    ad_account_id: AdAccountIdField
    pixel_id: str
    """The platform's id of the pixel."""
    accepted: int
    """How many events were accepted."""
    rejected: int
    """How many events were rejected."""
    events: list[PixelEventResult]
    """The result of each event, in the order in which you sent them."""
    sent_at: datetime
    """When they were sent to the platform."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "pixelId": EXAMPLE_PIXEL_ID,
            "accepted": 1,
            "rejected": 0,
            "events": [PixelEventResult.example()],
            "sentAt": "2026-11-15T09:30:00Z",
        }
