"""Audiences, pixels and custom conversions."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.areas.ads.schemas import NameFilter
from socialgate.contracts.ad_audiences import AudienceItem, ConversionRule
from socialgate.contracts.ad_fields import (
    EXAMPLE_AD_ACCOUNT_ID,
    EXAMPLE_AUDIENCE_ID,
    EXAMPLE_PIXEL_ID,
    AdAccountId,
    AdObjectName,
    CountryCode,
    PlatformId,
    PlatformOptions,
)
from socialgate.contracts.ad_objects import common_example
from socialgate.contracts.money import Money
from socialgate.core.fields import CreatedAt
from socialgate.core.jobs.job_store import JobStatus
from socialgate.web.schemas import ApiModel, RequestBody, ResponseModel

_EXAMPLE_TASK_ID = "task_01h455vb4pex5vsknk084sn02q"
_HASHED_VALUE_DESCRIPTION = (
    "The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is "
    "sent."
)
_HashableValue = Annotated[str, Meta(min_length=1, max_length=200, description=_HASHED_VALUE_DESCRIPTION)]
Description = Annotated[str, Meta(max_length=500)]
EventName = Annotated[str, Meta(min_length=1, max_length=50, description="A standard event, such as `Purchase`.")]


class AudiencesQuery(LiveQuery, frozen=True, kw_only=True):
    """Whose audiences or pixels to list."""

    ad_account_id: AdAccountId
    q: NameFilter | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID}


class AudiencePerson(ApiModel, frozen=True, kw_only=True):
    """A person in a list. Send everything that you know: platforms match people by any of these values."""

    email: _HashableValue | None = None
    phone: Annotated[_HashableValue, Meta(description=f"With its country code. {_HASHED_VALUE_DESCRIPTION}")] | None = (
        None
    )
    mobile_ad_id: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    """The advertising id of a phone (IDFA or GAID)."""
    external_id: Annotated[str, Meta(min_length=1, max_length=200, description="Your own id of the person.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ada@example.com", "phone": "+51987654321"}


class AudienceUploadResult(ResponseModel, frozen=True, kw_only=True):
    """The result of the task that uploads people."""

    received: Annotated[int, Meta(description="How many people the platform received.")]
    invalid: Annotated[int, Meta(description="How many of them it could not use.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"received": 980, "invalid": 20}


class AudienceUploadTask(ResponseModel, frozen=True, kw_only=True):
    """The task that uploads people. `GET /tasks/{id}` shows its progress; its result counts the received people."""

    id: str
    """The id, `task_…`."""
    type: str
    """Always `ads.audienceUpload`."""
    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""
    people: int
    """How many people are uploaded."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_TASK_ID,
            "type": "ads.audienceUpload",
            "status": "queued",
            "people": 1,
            "createdAt": "2026-11-15T09:30:00Z",
        }


class Audience(AudienceItem, frozen=True, kw_only=True):
    """An audience. Platforms show its size only if it has some hundreds of people, and take up to a day to count."""

    upload: AudienceUploadTask | None = None
    """The task that uploads people. Only in the response that started it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            **common_example("audience", EXAMPLE_AUDIENCE_ID, "Regular customers"),
            "status": "processing",
            "configuredStatus": None,
            "kind": "customers",
            "description": None,
            "sizeMin": None,
            "sizeMax": None,
            "retentionDays": None,
            "upload": AudienceUploadTask.example(),
        }


class NewAudienceBody(RequestBody, frozen=True, kw_only=True):
    """An audience to create, or people to add to or remove from a list of customers (`audienceId`).

    `customers` is a list of people, who are uploaded in the background. `website` consists of the visitors that a pixel
    saw: on pages whose URL contains one of `urlContains`, or with `event`. `lookalike` consists of people in
    `countries` who resemble those in `sourceId`; `ratio` is their share of the population.
    """

    ad_account_id: AdAccountId
    audience_id: Annotated[PlatformId, Meta(description="An existing list of customers, to change it.")] | None = None
    action: Literal["add", "remove"] = "add"
    """With `audienceId`: whether to add or to remove `people`."""
    name: AdObjectName | None = None
    """The name. Required unless `audienceId` is given."""
    kind: Literal["customers", "website", "lookalike"] = "customers"
    """What it consists of."""
    description: Description | None = None
    """A note, for platforms that have one."""
    people: Annotated[list[AudiencePerson], Meta(max_length=10_000)] = msgspec.field(default_factory=list)
    """For `customers`: the people. More can be added later."""
    retention_days: Annotated[int, Meta(ge=1, le=540)] | None = None
    """For `website`: how many days people stay in it. 1 to 180 on Meta; 7, 14, 30, 60, 90 or 180 on TikTok."""
    pixel_id: PlatformId | None = None
    """For `website`: the platform's id of the pixel that saw the visitors."""
    url_contains: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=300)], ...], Meta(max_length=20)] = ()
    """For `website`: only visitors of pages whose URL contains one of these texts."""
    event: EventName | None = None
    source_id: PlatformId | None = None
    """For `lookalike`: the id of the audience that it resembles."""
    countries: Annotated[tuple[CountryCode, ...], Meta(max_length=50)] = ()
    """For `lookalike`: where the people are, as ISO 3166 codes."""
    ratio: Annotated[float, Meta(ge=0.01, le=0.2)] | None = None
    """For `lookalike`: the part of the country's people, from 0.01 (most similar) to 0.2."""
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "name": "Regular customers",
            "kind": "customers",
            "people": [AudiencePerson.example()],
        }


class ConversionsQuery(AudiencesQuery, frozen=True, kw_only=True):
    """Which custom conversions to list."""

    pixel_id: Annotated[PlatformId, Meta(description="Only those of this pixel.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "adAccountId": EXAMPLE_AD_ACCOUNT_ID, "pixelId": EXAMPLE_PIXEL_ID}


class NewConversionBody(RequestBody, frozen=True, kw_only=True):
    """A custom conversion to create. Events of the pixel that match all rules are counted as `event`."""

    ad_account_id: AdAccountId
    pixel_id: PlatformId
    """The platform's id of the pixel whose events are counted."""
    name: AdObjectName
    """The name, which only you see."""
    event: EventName
    description: Description | None = None
    """A note, for platforms that have one."""
    rules: Annotated[tuple[ConversionRule, ...], Meta(min_length=1, max_length=10)]
    """All of them must match."""
    value: Money | None = None
    """What one conversion is worth."""
    platform_options: PlatformOptions = msgspec.field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "pixelId": EXAMPLE_PIXEL_ID,
            "name": "Orders",
            "event": "Purchase",
            "rules": [ConversionRule.example()],
        }
