"""Audiences, pixels and custom conversions."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.ads.schemas import AdObjectFields, ByName, common_example
from socialgate.areas.ads.value_schemas import (
    AD_ACCOUNT,
    AUDIENCE,
    PIXEL,
    AdAccountId,
    Country,
    Money,
    Name,
    Options,
    PlatformId,
)
from socialgate.contracts.ad_audiences import AudienceKind
from socialgate.core.jobs.table import JobStatus
from socialgate.web.schema import Body, Shape, View

_TASK = "task_01h455vb4pex5vsknk084sn02q"
_HASHED = (
    "As it is, or already as SHA-256. It is normalised and hashed before anything is stored; only the hash is sent."
)
_Value = Annotated[str, Meta(min_length=1, max_length=200, description=_HASHED)]
Description = Annotated[str, Meta(max_length=500)]
EventName = Annotated[str, Meta(min_length=1, max_length=50, description="A standard event, such as `Purchase`.")]


class AudiencesQuery(LiveQuery, frozen=True, kw_only=True):
    """Whose audiences or pixels to list."""

    ad_account_id: AdAccountId
    q: ByName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT}


class AudiencePerson(Shape, frozen=True, kw_only=True):
    """A person of a list: everything that you know of them. Platforms match people by any of these."""

    email: _Value | None = None
    phone: Annotated[_Value, Meta(description=f"With its country code. {_HASHED}")] | None = None
    mobile_ad_id: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    external_id: Annotated[str, Meta(min_length=1, max_length=200, description="Your own id of the person.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ada@example.com", "phone": "+51987654321"}


class AudienceUploadResult(View, frozen=True, kw_only=True):
    """The result of the task that uploads people."""

    received: Annotated[int, Meta(description="How many people the platform received.")]
    invalid: Annotated[int, Meta(description="How many of them it could not use.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"received": 980, "invalid": 20}


class UploadTask(View, frozen=True, kw_only=True):
    """The task that uploads people. `GET /tasks/{id}` shows its progress, and its result counts what was received."""

    id: str
    type: str
    status: JobStatus
    people: int
    created_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _TASK,
            "type": "ads.audienceUpload",
            "status": "queued",
            "people": 1,
            "createdAt": "2026-11-15T09:30:00Z",
        }


class Audience(AdObjectFields, frozen=True, kw_only=True):
    """An audience. Platforms only show a size from some hundreds of people on, and count for up to a day."""

    kind: AudienceKind
    description: str | None
    size_min: int | None
    size_max: int | None
    retention_days: int | None
    upload: UploadTask | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("audience", AUDIENCE, "Regular customers"),
            "status": "processing",
            "configuredStatus": None,
            "kind": "customers",
            "description": None,
            "sizeMin": None,
            "sizeMax": None,
            "retentionDays": None,
            "upload": UploadTask.example(),
        }


class NewAudienceBody(Body, frozen=True, kw_only=True):
    """An audience to create, or people to add to or remove from a list of customers (`audienceId`).

    `customers` is a list of people, who are uploaded in the background. `website` are visitors whom a pixel saw, on
    pages whose URL contains one of `urlContains`, or who caused `event`. `lookalike` are people like those in
    `sourceId`, in `countries`; `ratio` is the part of the country's people.
    """

    ad_account_id: AdAccountId
    audience_id: Annotated[PlatformId, Meta(description="An existing list of customers, to change it.")] | None = None
    action: Literal["add", "remove"] = "add"
    name: Name | None = None
    kind: Literal["customers", "website", "lookalike"] = "customers"
    description: Description | None = None
    people: Annotated[list[AudiencePerson], Meta(max_length=10_000)] = msgspec.field(default_factory=list)
    retention_days: Annotated[int, Meta(ge=1, le=540)] | None = None
    pixel_id: PlatformId | None = None
    url_contains: Annotated[list[Annotated[str, Meta(min_length=1, max_length=300)]], Meta(max_length=20)] = (
        msgspec.field(default_factory=list)
    )
    event: EventName | None = None
    source_id: PlatformId | None = None
    countries: Annotated[list[Country], Meta(max_length=50)] = msgspec.field(default_factory=list)
    ratio: Annotated[float, Meta(ge=0.01, le=0.2)] | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "name": "Regular customers",
            "kind": "customers",
            "people": [AudiencePerson.example()],
        }


class Pixel(AdObjectFields, frozen=True, kw_only=True):
    """A pixel. `code` is the id in its script, if that differs from `id`."""

    code: str | None
    last_fired_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("pixel", PIXEL, "bakery.example.com"),
            "status": "active",
            "configuredStatus": None,
            "code": None,
            "lastFiredAt": "2026-11-15T09:30:00Z",
        }


class ConversionsQuery(AudiencesQuery, frozen=True, kw_only=True):
    """Which custom conversions to list."""

    pixel_id: Annotated[PlatformId, Meta(description="Only those of this pixel.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": AD_ACCOUNT, "pixelId": PIXEL}


class ConversionRule(Shape, frozen=True, kw_only=True):
    """A condition on an event: one of `values` must match. Which fields and operators there are depends on the
    platform. A `value` is in whole units of the currency, such as 349.00, not in its smallest unit.
    """

    field: Literal["url", "value", "currency", "contentId", "contentName", "contentCategory", "brand"]
    operator: Literal[
        "is", "isNot", "contains", "notContains", "startsWith", "greaterThan", "atLeast", "lessThan", "atMost"
    ]
    values: Annotated[list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(min_length=1, max_length=50)]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"field": "url", "operator": "contains", "values": ["/thank-you"]}


class CustomConversion(AdObjectFields, frozen=True, kw_only=True):
    """Events of a pixel that are counted as conversions. `rules` is null if it cannot express the platform's own rule,
    `platformRule`.
    """

    pixel_id: str | None
    event: str | None
    description: str | None
    rules: list[ConversionRule] | None
    platform_rule: Any
    value: Money | None
    last_fired_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("customConversion", "70900000000001", "Orders"),
            "status": "active",
            "configuredStatus": None,
            "pixelId": PIXEL,
            "event": "Purchase",
            "description": None,
            "rules": [ConversionRule.example()],
            "platformRule": {"and": [{"url": {"i_contains": "/thank-you"}}]},
            "value": None,
            "lastFiredAt": None,
        }


class NewConversionBody(Body, frozen=True, kw_only=True):
    """A custom conversion to create: counts events of a pixel that match all rules as `event`."""

    ad_account_id: AdAccountId
    pixel_id: PlatformId
    name: Name
    event: EventName
    description: Description | None = None
    rules: Annotated[list[ConversionRule], Meta(min_length=1, max_length=10)]
    value: Annotated[Money, Meta(description="What one conversion is worth.")] | None = None
    platform_options: Options = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": AD_ACCOUNT,
            "pixelId": PIXEL,
            "name": "Orders",
            "event": "Purchase",
            "rules": [ConversionRule.example()],
        }
