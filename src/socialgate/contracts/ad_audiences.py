"""Audiences, pixels, their events, and custom conversions.

Data of people arrives here hashed: what identifies somebody is normalised and hashed before anything is stored or sent,
in the way that `HashingRules` describes for each platform.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_fields import EXAMPLE_PIXEL_ID
from socialgate.contracts.ad_objects import AdItem, build_type_field, common_example
from socialgate.contracts.ad_values import EMPTY_OPTIONS, AdType
from socialgate.contracts.ads import AdObjectAdapter, AdObjectReader, NewAdObject
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault
from socialgate.core.shapes import UNREPORTED_FIELD, StoredValue

# The names of standard events, as pixels of all platforms have them. Others are custom events.
STANDARD_PIXEL_EVENTS = (
    "AddPaymentInfo", "AddToCart", "AddToWishlist", "CompleteRegistration", "Contact", "CustomizeProduct", "Download",
    "FindLocation", "InitiateCheckout", "Lead", "PageView", "Purchase", "Schedule", "Search", "StartTrial",
    "SubmitApplication", "Subscribe", "ViewContent",
)  # fmt: skip


class HashingRules(NamedTuple):
    """How a platform wants what identifies a person: everything as SHA-256 except the `unhashed_fields`, which is
    only normalised. Names are those of the fields of `HashedPerson`.
    """

    phone_with_plus: bool
    unhashed_fields: frozenset[str] = frozenset()


class HashedPerson(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What identifies a person, hashed as the platform requires. The second part is never hashed."""

    email: str | None = None
    phone: str | None = None
    external_id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    gender: str | None = None
    birthday: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None

    mobile_ad_id: str | None = None
    ip: str | None = None
    user_agent: str | None = None
    # From the URL of the ad (fbclid, ttclid), and from the pixel's cookie (fbp, ttp).
    click_id: str | None = None
    browser_id: str | None = None
    lead_id: str | None = None


class AudienceKind(StrEnum):
    """`customers` is a list of people, `website` the visitors that a pixel saw, `lookalike` resembles an audience."""

    CUSTOMERS = "customers"
    WEBSITE = "website"
    ENGAGEMENT = "engagement"
    LOOKALIKE = "lookalike"
    OTHER = "other"


class AudienceItem(AdItem, frozen=True, kw_only=True):
    """An audience. Platforms show its size only if it has some hundreds of people, and take up to a day to count.

    Meanwhile `status` is `processing`; it is `blocked` if the audience cannot be used.
    """

    type: AdType = build_type_field(AdType.AUDIENCE)
    kind: AudienceKind
    """What it consists of."""
    description: str | None = UNREPORTED_FIELD
    """A note. Null if there is none."""
    size_min: int | None = UNREPORTED_FIELD
    """The least number of people that the platform estimates. Null while it is unknown or too small to show."""
    size_max: int | None = UNREPORTED_FIELD
    """The largest number of people that the platform estimates. Null while it is unknown or too small to show."""
    retention_days: int | None = UNREPORTED_FIELD
    """How many days people stay in it. Null if they stay."""


class NewAudience(NewAdObject, frozen=True, kw_only=True):
    """A list of customers is created empty, and filled with `add`.

    `website`: people whom `pixel_id` saw in the last `retention_days`, on pages whose URL contains one of
    `url_contains`, or who caused `event`. `lookalike`: people in `countries` like those in `source_id`; `ratio` is the
    part of the country's people, from 0.01 to 0.2.
    """

    kind: AudienceKind
    description: str | None = None
    retention_days: int | None = None
    pixel_id: str | None = None
    url_contains: tuple[str, ...] = ()
    event: str | None = None
    source_id: str | None = None
    countries: tuple[str, ...] = ()
    ratio: float | None = None


class UploadedPeople(msgspec.Struct, frozen=True, kw_only=True):
    """How many people the platform received, and how many of them it could not read."""

    received: int
    invalid: int = 0


class AudienceAdapter(AdObjectAdapter[AudienceItem, NewAudience], Protocol):
    """`max_people_per_call` is how many people fit into one call. `uploadable_fields` are the fields of PersonData that
    can be uploaded: `email`, `phone`, `mobile_ad_id`, `external_id`, and others where the platform has them.
    """

    hashing: HashingRules
    max_people_per_call: int
    uploadable_fields: frozenset[str]

    async def upload_people(
        self,
        credentials: AccountCredentials,
        audience_id: str,
        people: Sequence[HashedPerson],
        action: Literal["add", "remove"],
    ) -> UploadedPeople:
        """Add people to a list of customers, or remove them. Doing it again has no further effect."""


class Pixel(AdItem, frozen=True, kw_only=True):
    """A pixel. `code` is the id in its script, if that differs from `id`."""

    type: AdType = build_type_field(AdType.PIXEL)
    code: str | None = UNREPORTED_FIELD
    """The id in its script, if that differs from `id`; otherwise null."""
    last_fired_at: datetime | None = UNREPORTED_FIELD
    """When it last received an event. Null if it never has, or the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("pixel", EXAMPLE_PIXEL_ID, "bakery.example.com"),
            "status": "active",
            "configuredStatus": None,
            "code": None,
            "lastFiredAt": "2026-11-15T09:30:00Z",
        }


class EventProduct(StoredValue, frozen=True, kw_only=True):
    """A product that an event is about, by its id in the catalog."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]
    """The id of the product in the catalog."""
    quantity: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """How many units of it."""
    price: Money | None = None
    """The price of one."""
    name: Annotated[str, Meta(max_length=300)] | None = None
    """The name of the product."""
    brand: Annotated[str, Meta(max_length=300)] | None = None
    """The brand of the product."""
    category: Annotated[str, Meta(max_length=300)] | None = None
    """The category of the product."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "cake-1", "quantity": 1, "price": {"amount": 34900, "currency": "SEK"}}


class PixelEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a person did. `id` and `name` identify it: platforms count what they receive twice, also from the
    pixel in the browser, only once.
    """

    name: str
    at: datetime
    id: str
    source: Literal["website", "app", "email", "phone", "chat", "store", "crm", "other"] = "website"
    url: str | None = None
    referrer: str | None = None
    person: HashedPerson
    value: Money | None = None
    products: tuple[EventProduct, ...] = ()
    order_id: str | None = None
    search: str | None = None
    options: Mapping[str, Any] = EMPTY_OPTIONS


class RejectedPixelEvent(NamedTuple):
    """Why the platform did not take an event; its position in the batch."""

    position: int
    detail: str


class PixelAdapter(AdObjectReader[Pixel], Protocol):
    """Pixels and the events that a server sends to them."""

    hashing: HashingRules
    max_events_per_call: int

    def validate_event(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        """Report why the platform would not accept an event: `/at`, `/url`, `/user/userAgent`. On some platforms one
        bad event fails all that are sent with it.
        """

    async def send_events(
        self, credentials: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[RejectedPixelEvent]:
        """Send events in one call, and return those that the platform did not take. Rejected if it took none.

        Platforms ignore an event that they already have, so this may be repeated.
        """


class ConversionRule(StoredValue, frozen=True, kw_only=True):
    """A condition on an event: one of `values` must match. Platforms support different fields and
    operators. A `value` is in whole units of the currency, such as 349.00, not in its smallest unit.
    """

    field: Literal["url", "value", "currency", "contentId", "contentName", "contentCategory", "brand"]
    """What of the event is compared."""
    operator: Literal[
        "is", "isNot", "contains", "notContains", "startsWith", "greaterThan", "atLeast", "lessThan", "atMost"
    ]
    """How it is compared."""
    values: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...], Meta(min_length=1, max_length=50)]
    """What it is compared with. One of them must match."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"field": "url", "operator": "contains", "values": ["/thank-you"]}


class CustomConversion(AdItem, frozen=True, kw_only=True):
    """Events of a pixel that are counted as conversions. `rules` is null if the platform's own rule, `platformRule`,
    cannot be expressed here.
    """

    type: AdType = build_type_field(AdType.CUSTOM_CONVERSION)
    pixel_id: str | None = UNREPORTED_FIELD
    """The platform's id of the pixel. Null if it does not report it."""
    event: str | None = UNREPORTED_FIELD
    """The event that is counted. Null if any event is."""
    description: str | None = UNREPORTED_FIELD
    """A note. Null if there is none."""
    rules: tuple[ConversionRule, ...] | None = UNREPORTED_FIELD
    """All of them must match. Null if they cannot express the platform's own rule."""
    platform_rule: Any = UNREPORTED_FIELD
    """The platform's own rule, in its own format."""
    value: Money | None = UNREPORTED_FIELD
    """What one conversion is worth. Null if no value is set."""
    last_fired_at: datetime | None = UNREPORTED_FIELD
    """When it last counted something. Null if it never has, or the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("customConversion", "70900000000001", "Orders"),
            "status": "active",
            "configuredStatus": None,
            "pixelId": EXAMPLE_PIXEL_ID,
            "event": "Purchase",
            "description": None,
            "rules": [ConversionRule.example()],
            "platformRule": {"and": [{"url": {"i_contains": "/thank-you"}}]},
            "value": None,
            "lastFiredAt": None,
        }


class NewConversion(NewAdObject, frozen=True, kw_only=True):
    """Counts events of a pixel that match all rules as `event`, one of the standard events."""

    pixel_id: str
    event: str
    description: str | None = None
    rules: tuple[ConversionRule, ...]
    value: Money | None = None


class ConversionAdapter(AdObjectAdapter[CustomConversion, NewConversion], Protocol):
    """On platforms that list them by pixel, `AdQuery.pixel_id` is required: `needs_pixel`."""

    needs_pixel: bool


AUDIENCES_CAPABILITY: Capability[AudienceAdapter] = Capability("audiences")
PIXELS_CAPABILITY: Capability[PixelAdapter] = Capability("pixels")
CUSTOM_CONVERSIONS_CAPABILITY: Capability[ConversionAdapter] = Capability("customConversions")
