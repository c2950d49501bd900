"""Requests and responses of hooks, deliveries and events. Their descriptions and examples take many lines."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from socialgate.core.events import EVENT_TYPES, MessageReceived
from socialgate.core.fields import CreatedAt, UpdatedAt
from socialgate.web.pagination import DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

MAX_SECRET_OVERLAP_SECONDS = 604_800
DEFAULT_SECRET_OVERLAP_SECONDS = 86_400
# How many events one call of `recover` queues at most.
MAX_RECOVERED_EVENTS = 10_000

# The service validates the names, because it can list them; the documentation lists them too.
EventName = Annotated[str, Meta(extra_json_schema={"enum": list(EVENT_TYPES)})]
EventNames = Annotated[
    list[EventName],
    Meta(
        min_length=1,
        description="The events to receive, each once. `webhook.test` is only sent by the test route, listed or not.",
        extra_json_schema={"uniqueItems": True},
    ),
]
HookUrl = Annotated[
    str,
    Meta(
        description="Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the "
        "public internet.",
        extra_json_schema={"format": "uri", "maxLength": 2048},
    ),
]
HookSecret = Annotated[
    str,
    Meta(
        description="The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated.",
        extra_json_schema={"minLength": 16, "maxLength": 256, "pattern": "^[ -~]+$"},
    ),
]
Description = Annotated[str, Meta(max_length=500, description="A note for your own use.")]
OrderedDelivery = Annotated[
    bool, Meta(description="Deliver events strictly in order: a failing delivery holds back the newer ones.")
]
MaxAttemptsPerSecond = Annotated[
    int, Meta(ge=1, le=1000, description="Maximum number of attempts per second. Null: no limit.")
]
HookActive = Annotated[
    bool,
    Meta(
        description="Whether events are delivered. `true` also ends a pause after failures; pending deliveries are "
        "sent immediately."
    ),
]
Since = Annotated[datetime, Meta(tz=True, description="The start, inclusive.")]
Until = Annotated[datetime, Meta(tz=True, description="The end, exclusive.")]

DisabledReason = Literal["owner", "gone", "failing"]


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    # Never stored: it is pending, and a worker has it.
    DELIVERING = "delivering"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    # The operator restored a backup, and has not decided yet whether to send it (again).
    HELD = "held"


_EXAMPLE_HOOK_ID = "hook_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_EVENT_ID = "evt_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_DELIVERY_ID = "dlv_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_OWNER_ID = "own_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD3hyNTpvh0Cs="  # noqa: S105 - an example, it opens nothing
_EXAMPLE_CURSOR = "NDEyLmV2dF8wMWg0NTV2YjRwZXg1dnNrbmswODRzbjAycQ"


class NewHook(RequestBody, frozen=True, kw_only=True):
    """A hook to create."""

    url: HookUrl
    events: EventNames
    secret: HookSecret | None = None
    description: Description | None = None
    ordered: OrderedDelivery = False
    max_per_second: MaxAttemptsPerSecond | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://hooks.example.com/in", "events": ["message.received", "post.published"]}


class HookChanges(RequestBody, frozen=True, kw_only=True):
    """What to change. Omitted fields stay as they are."""

    url: HookUrl | UnsetType = UNSET
    events: EventNames | UnsetType = UNSET
    active: HookActive | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    ordered: OrderedDelivery | UnsetType = UNSET
    max_per_second: MaxAttemptsPerSecond | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"events": ["message.received"], "active": True}


class HookStats(ResponseModel, frozen=True, kw_only=True):
    """Delivery statistics of a hook. Test events are not counted."""

    succeeded: int
    """How many deliveries were accepted."""
    failed: int
    """How many deliveries were given up after their last attempt."""
    last_success_at: datetime | None
    """When a delivery was last accepted. Null if none was."""
    last_failure_at: datetime | None
    """When an attempt last failed. Null if none did."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"succeeded": 1204, "failed": 3, "lastSuccessAt": "2026-11-15T09:30:00Z", "lastFailureAt": None}


class Hook(ResponseModel, frozen=True, kw_only=True):
    """A hook. Its secret is shown when it is created or rotated, and never again."""

    id: str
    """The id, `hook_…`."""
    url: str
    """Where deliveries are sent."""
    events: list[str]
    """The events that it receives."""
    active: bool
    """Whether events are delivered."""
    profile_scope: Annotated[
        Literal["all"] | list[str],
        Meta(description='Whose events it receives: "all" profiles of the owner, or those listed.'),
    ]
    description: str | None
    """A note for your own use. Null if there is none."""
    ordered: bool
    """Whether events are delivered strictly in order."""
    max_per_second: int | None
    """The maximum number of attempts per second. Null: no limit."""
    disabled_reason: Annotated[
        DisabledReason | None,
        Meta(
            description="Why it is disabled: by its owner, because its URL returned 410, or because it failed for days."
        ),
    ]
    stats: HookStats
    """How its deliveries went."""
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_HOOK_ID,
            "url": "https://hooks.example.com/in",
            "events": ["message.received", "post.published"],
            "active": True,
            "profileScope": "all",
            "description": None,
            "ordered": False,
            "maxPerSecond": None,
            "disabledReason": None,
            "stats": HookStats.example(),
            "createdAt": "2026-11-15T09:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class HookCreated(Hook, frozen=True, kw_only=True):
    """A new hook. `secret` is only in this response; a replay has `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("secret",)

    secret: str | UnsetType = UNSET
    """The key of the signatures. Only in the first response."""
    secret_withheld: bool | UnsetType = UNSET
    """True in a replayed response, instead of `secret`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**Hook.example(), "secret": _EXAMPLE_SECRET}


class SecretRotation(RequestBody, frozen=True, kw_only=True):
    """A new secret, and how long the previous one stays valid."""

    secret: HookSecret | None = None
    overlap_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_SECRET_OVERLAP_SECONDS,
            description="How long `webhook-signature` also contains a signature with the old secret. "
            "`X-Service-Signature` uses the new one immediately.",
        ),
    ] = DEFAULT_SECRET_OVERLAP_SECONDS

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"overlapSeconds": 3600}


class SecretRotated(ResponseModel, frozen=True, kw_only=True):
    """The new secret, only in this response; a replay has `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("secret",)

    id: str
    """The hook, `hook_…`."""
    secret: str | UnsetType = UNSET
    """The key of the signatures. Only in the first response."""
    secret_withheld: bool | UnsetType = UNSET
    """True in a replayed response, instead of `secret`."""
    previous_valid_until: Annotated[
        datetime | None, Meta(description="When the old secret ends; null if it ended immediately.")
    ]
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_HOOK_ID,
            "secret": _EXAMPLE_SECRET,
            "previousValidUntil": "2026-11-15T10:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class DeliveryQueued(ResponseModel, frozen=True, kw_only=True):
    """A delivery that is queued. Its history is at `GET /hooks/{hookId}/deliveries/{deliveryId}`."""

    delivery_id: str
    """The delivery, `dlv_…`."""
    event: str
    """The name of the event."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"deliveryId": _EXAMPLE_DELIVERY_ID, "event": "webhook.test"}


class DeliveriesQuery(ListQuery, frozen=True, kw_only=True):
    """Which deliveries to list. The times are those at which they were queued."""

    status: DeliveryStatus | None = None
    """Only deliveries with this status."""
    event: EventName | None = None
    """Only deliveries of this event."""
    since: Since | None = None
    until: Until | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": DEFAULT_PAGE_LIMIT, "status": "failed"}


class DeliveryAttempt(ResponseModel, frozen=True, kw_only=True):
    """One attempt. `statusCode` is null if there was no response, and `error` says why."""

    number: int
    """1 for the first attempt."""
    at: datetime
    """When it was made."""
    duration_ms: int
    """How long it took, in milliseconds."""
    status_code: int | None
    """The HTTP status of your receiver. Null if there was no response."""
    error: str | None
    """Why it failed. Null if it succeeded."""
    response_body: Annotated[str | None, Meta(description="The first 4 KiB of the response.")]
    next_attempt_at: datetime | None
    """When the next attempt was planned after this one. Null if there was none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "number": 1,
            "at": "2026-11-15T09:30:00Z",
            "durationMs": 48,
            "statusCode": 200,
            "error": None,
            "responseBody": "ok",
            "nextAttemptAt": None,
        }


class Delivery(ResponseModel, frozen=True, kw_only=True):
    """The delivery of one event to one hook: its status, and every attempt."""

    id: str
    """The id, `dlv_…`. The same as the header `X-Service-Delivery`."""
    hook_id: str
    """The hook, `hook_…`."""
    event_id: str
    """The event, `evt_…`. The same as the header `webhook-id`."""
    event: str
    """The name of the event."""
    status: DeliveryStatus
    """`failed` after the last attempt; `cancelled` if the hook was deleted, returned 410 or stayed disabled."""
    attempts: list[DeliveryAttempt]
    """The attempts, oldest first."""
    attempt_count: int
    """How many attempts were made."""
    created_at: datetime
    """When it was queued."""
    completed_at: datetime | None
    """When it succeeded, failed for the last time, or was cancelled. Null until then."""
    next_attempt_at: datetime | None
    """When the next attempt is due. Null if it has ended, or the hook is disabled."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_DELIVERY_ID,
            "hookId": _EXAMPLE_HOOK_ID,
            "eventId": _EXAMPLE_EVENT_ID,
            "event": "message.received",
            "status": "succeeded",
            "attempts": [DeliveryAttempt.example()],
            "attemptCount": 1,
            "createdAt": "2026-11-15T09:30:00Z",
            "completedAt": "2026-11-15T09:30:00Z",
            "nextAttemptAt": None,
        }


class DeliveryRequest(ResponseModel, frozen=True, kw_only=True):
    """What was sent. The signatures are of exactly this body."""

    headers: Annotated[dict[str, str], Meta(description="Those of the last attempt; empty before the first.")]
    body: str
    """The body exactly as it was sent."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "headers": {"Content-Type": "application/json", "X-Service-Event": "message.received"},
            "body": (
                f'{{"event":"message.received","ownerId":"{_EXAMPLE_OWNER_ID}",'
                f'"profileId":"{_EXAMPLE_PROFILE_ID}","data":{{}}}}'
            ),
        }


class DeliveryDetail(Delivery, frozen=True, kw_only=True):
    """A delivery with its request. `request` is null if the event is older than the retention period."""

    request: DeliveryRequest | None
    """What was sent. Null if the event is older than the retention period."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**Delivery.example(), "request": DeliveryRequest.example()}


class HookRecovery(RequestBody, frozen=True, kw_only=True):
    """The period to recover."""

    since: Since
    until: Until | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-15T09:00:00Z", "until": "2026-11-15T12:00:00Z"}


class RecoveredDeliveries(ResponseModel, frozen=True, kw_only=True):
    """How many deliveries were queued."""

    queued: Annotated[
        int, Meta(description=f"{MAX_RECOVERED_EVENTS} means that there may be more: send the same request again.")
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"queued": 37}


class StreamQuery(QueryParameters, frozen=True, kw_only=True):
    """Where to start the stream, and which events it contains."""

    after: (
        Annotated[str, Meta(max_length=200, description="Start after this cursor. `Last-Event-ID` takes precedence.")]
        | None
    ) = None
    event: EventName | None = None
    """Only events with this name."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"event": "message.received"}


class EventsQuery(QueryParameters, frozen=True, kw_only=True):
    """Where to continue, and how many events to return."""

    after: (
        Annotated[
            str,
            Meta(
                max_length=200, description="`nextCursor` of the previous call. Unset: the oldest event that is kept."
            ),
        ]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE_LIMIT, description="Maximum number of events per page.")] = (
        DEFAULT_PAGE_LIMIT
    )
    event: EventName | None = None
    """Only events with this name."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"after": _EXAMPLE_CURSOR, "limit": DEFAULT_PAGE_LIMIT}


class Event(ResponseModel, frozen=True, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""
    event: str
    """The name of the event."""
    owner_id: str
    """The owner, `own_…`."""
    profile_id: str
    """The profile that it happened in, `prf_…`."""
    data: dict[str, Any]
    """The details; their form depends on `event`."""
    created_at: datetime
    """When it happened."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_EVENT_ID,
            "event": "message.received",
            "ownerId": _EXAMPLE_OWNER_ID,
            "profileId": _EXAMPLE_PROFILE_ID,
            "data": MessageReceived.example(),
            "createdAt": "2026-11-15T09:30:00Z",
        }


class EventPage(ResponseModel, frozen=True, kw_only=True):
    """Events, oldest first. `nextCursor` is where to continue, even if there were no events."""

    data: list[Event]
    """The events, oldest first."""
    next_cursor: str
    """Send it as `after` to continue, now or when more events have happened."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [Event.example()], "nextCursor": _EXAMPLE_CURSOR}
