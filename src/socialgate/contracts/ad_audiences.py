"""Audiences, pixels, their events, and custom conversions.

Data of people arrives here hashed: what identifies somebody is normalised and hashed before anything is stored or sent,
in the way that `Hashing` describes for each platform.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from socialgate.contracts.ad_values import NOTHING
from socialgate.contracts.ads import AdItem, New, Objects, Readable
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault

# The names of standard events, as pixels of all platforms have them. Others are custom events.
STANDARD_EVENTS = (
    "AddPaymentInfo", "AddToCart", "AddToWishlist", "CompleteRegistration", "Contact", "CustomizeProduct", "Download",
    "FindLocation", "InitiateCheckout", "Lead", "PageView", "Purchase", "Schedule", "Search", "StartTrial",
    "SubmitApplication", "Subscribe", "ViewContent",
)  # fmt: skip


class Hashing(NamedTuple):
    """How a platform wants what identifies a person: everything as SHA-256 except what is `plain`, which is only
    normalised. Names are those of the fields of `PersonData`.
    """

    phone_with_plus: bool
    plain: frozenset[str] = frozenset()


class PersonData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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
    """`size_min` and `size_max` are the number of people that the platform shows, None while it is too small or being
    counted. `status` is `processing` meanwhile, and `blocked` if it cannot be used.
    """

    kind: AudienceKind = AudienceKind.OTHER
    description: str | None = None
    size_min: int | None = None
    size_max: int | None = None
    retention_days: int | None = None


class NewAudience(New, frozen=True, kw_only=True):
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


class Uploaded(msgspec.Struct, frozen=True, kw_only=True):
    """How many people the platform received, and how many of them it could not read."""

    received: int
    invalid: int = 0


class Audiences(Objects[AudienceItem, NewAudience], Protocol):
    """`most_people` is how many people fit into one call. `identifiers` are the fields of PersonData that can be
    uploaded: `email`, `phone`, `mobile_ad_id`, `external_id`, and others where the platform has them.
    """

    hashing: Hashing
    most_people: int
    identifiers: frozenset[str]

    async def upload(
        self, held: AccountCredentials, audience_id: str, people: Sequence[PersonData], action: Literal["add", "remove"]
    ) -> Uploaded:
        """Add people to a list of customers, or remove them. Doing it again has no further effect."""


class PixelItem(AdItem, frozen=True, kw_only=True):
    """`code` is the id in the pixel's script, if it differs from the id that ad sets use."""

    code: str | None = None
    last_fired_at: datetime | None = None


class ProductRef(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    quantity: int | None = None
    price: Money | None = None
    name: str | None = None
    brand: str | None = None
    category: str | None = None


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
    person: PersonData
    value: Money | None = None
    products: tuple[ProductRef, ...] = ()
    order_id: str | None = None
    search: str | None = None
    options: Mapping[str, Any] = NOTHING


class EventFault(NamedTuple):
    """Why the platform did not take an event; its position in the batch."""

    position: int
    detail: str


class Pixels(Readable[PixelItem], Protocol):
    """Pixels and the events that a server sends to them."""

    hashing: Hashing
    most_events: int

    def event_faults(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        """Report why the platform would not accept an event: `/at`, `/url`, `/user/userAgent`. On some platforms one
        bad event fails all that are sent with it.
        """

    async def send(
        self, held: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[EventFault]:
        """Send events in one call, and return those that the platform did not take. Rejected if it took none.

        Platforms ignore an event that they already have, so this may be repeated.
        """


class ConversionRule(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on an event; all rules must match. `event` is not a field: see `NewConversion`."""

    field: Literal["url", "value", "currency", "contentId", "contentName", "contentCategory", "brand"]
    operator: Literal[
        "is", "isNot", "contains", "notContains", "startsWith", "greaterThan", "atLeast", "lessThan", "atMost"
    ]
    values: tuple[str, ...]


class ConversionItem(AdItem, frozen=True, kw_only=True):
    """`rules` is None if ours cannot express the platform's own, `platform_rule`."""

    pixel_id: str | None = None
    event: str | None = None
    description: str | None = None
    rules: tuple[ConversionRule, ...] | None = None
    platform_rule: Any = None
    value: Money | None = None
    last_fired_at: datetime | None = None


class NewConversion(New, frozen=True, kw_only=True):
    """Counts events of a pixel that match all rules as `event`, one of the standard events."""

    pixel_id: str
    event: str
    description: str | None = None
    rules: tuple[ConversionRule, ...]
    value: Money | None = None


class CustomConversions(Objects[ConversionItem, NewConversion], Protocol):
    """On platforms that list them by pixel, `AdQuery.pixel_id` is required: `needs_pixel`."""

    needs_pixel: bool


AUDIENCES: Capability[Audiences] = Capability("audiences")
PIXELS: Capability[Pixels] = Capability("pixels")
CUSTOM_CONVERSIONS: Capability[CustomConversions] = Capability("customConversions")
