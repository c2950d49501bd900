from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from socialgate.core.events import EVENTS, MessageReceived
from socialgate.web.paging import DEFAULT_LIMIT, MAX_LIMIT, ListQuery
from socialgate.web.schema import Body, Query, View

LONGEST_OVERLAP = 604_800
DEFAULT_OVERLAP = 86_400
# How many events one call of `recover` queues at most.
MOST_RECOVERED = 10_000

# Which names there are is checked by the service, which can say them; the documents list them too.
EventName = Annotated[str, Meta(extra_json_schema={"enum": list(EVENTS)})]
EventNames = Annotated[
    list[EventName],
    Meta(
        min_length=1,
        description="The events to receive, each once. `webhook.test` comes from the test route alone, listed or not.",
        extra_json_schema={"uniqueItems": True},
    ),
]
HookUrl = Annotated[
    str,
    Meta(
        description="Where deliveries go: an https URL of at most 2048 characters, without credentials, on the public "
        "internet.",
        extra_json_schema={"format": "uri", "maxLength": 2048},
    ),
]
Secret = Annotated[
    str,
    Meta(
        description="The key of the signatures: 16 to 256 printable ASCII characters. Left out, one is made.",
        extra_json_schema={"minLength": 16, "maxLength": 256, "pattern": "^[ -~]+$"},
    ),
]
Description = Annotated[str, Meta(max_length=500, description="A note for people.")]
Ordered = Annotated[
    bool, Meta(description="Deliver strictly in the order of the events: a failing delivery holds back the younger.")
]
MaxPerSecond = Annotated[int, Meta(ge=1, le=1000, description="Attempts per second at most. Null: no limit.")]
Active = Annotated[
    bool,
    Meta(
        description="Whether events are delivered. `true` also ends a pause after failures; deliveries that wait go "
        "out at once."
    ),
]
Since = Annotated[datetime, Meta(tz=True, description="The beginning, itself included.")]
Until = Annotated[datetime, Meta(tz=True, description="The end, itself not included.")]

DisabledReason = Literal["owner", "gone", "failing"]


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    # Never stored: it is pending, and a worker has it.
    DELIVERING = "delivering"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


_HOOK = "hook_01h455vb4pex5vsknk084sn02q"
_EVENT = "evt_01h455vb4pex5vsknk084sn02q"
_DELIVERY = "dlv_01h455vb4pex5vsknk084sn02q"
_PROFILE = "prf_01h455vb4pex5vsknk084sn02q"
_OWNER = "own_01h455vb4pex5vsknk084sn02q"
_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD3hyNTpvh0Cs="  # noqa: S105 - an example, it opens nothing
_CURSOR = "NDEyLmV2dF8wMWg0NTV2YjRwZXg1dnNrbmswODRzbjAycQ"


class NewHook(Body, frozen=True, kw_only=True):
    """A hook to create."""

    url: HookUrl
    events: EventNames
    secret: Secret | None = None
    description: Description | None = None
    ordered: Ordered = False
    max_per_second: MaxPerSecond | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://hooks.example.com/in", "events": ["message.received", "post.published"]}


class HookChanges(Body, frozen=True, kw_only=True):
    """What to change. A field that is left out stays as it is."""

    url: HookUrl | UnsetType = UNSET
    events: EventNames | UnsetType = UNSET
    active: Active | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    ordered: Ordered | UnsetType = UNSET
    max_per_second: MaxPerSecond | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"events": ["message.received"], "active": True}


class HookStats(View, frozen=True, kw_only=True):
    """How deliveries to a hook have fared. Test pings are not counted."""

    succeeded: int
    failed: int
    last_success_at: datetime | None
    last_failure_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"succeeded": 1204, "failed": 3, "lastSuccessAt": "2026-11-15T09:30:00Z", "lastFailureAt": None}


class Hook(View, frozen=True, kw_only=True):
    """A hook. Its secret is shown when it is made or rotated, and never again."""

    id: str
    url: str
    events: list[str]
    active: bool
    profile_scope: Annotated[
        Literal["all"] | list[str],
        Meta(description='Whose events it receives: "all" profiles of the owner, or those listed.'),
    ]
    description: str | None
    ordered: bool
    max_per_second: int | None
    disabled_reason: Annotated[
        DisabledReason | None,
        Meta(description="Why it is not active: its owner said so, its URL answered 410, or it failed for days."),
    ]
    stats: HookStats
    created_at: datetime
    updated_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _HOOK,
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
    """A new hook. `secret` is shown in this answer and never again; a replay says `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("secret",)

    secret: str | UnsetType = UNSET
    secret_withheld: bool | UnsetType = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**Hook.example(), "secret": _SECRET}


class SecretRotation(Body, frozen=True, kw_only=True):
    """A new secret, and how long the one before it stays valid beside it."""

    secret: Secret | None = None
    overlap_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=LONGEST_OVERLAP,
            description="How long `webhook-signature` carries a signature with the old secret too. "
            "`X-Service-Signature` uses the new one at once.",
        ),
    ] = DEFAULT_OVERLAP

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"overlapSeconds": 3600}


class SecretRotated(View, frozen=True, kw_only=True):
    """The new secret, in this answer and never again; a replay says `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("secret",)

    id: str
    secret: str | UnsetType = UNSET
    secret_withheld: bool | UnsetType = UNSET
    previous_valid_until: Annotated[
        datetime | None, Meta(description="When the old secret ends; null if it ended at once.")
    ]
    updated_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _HOOK,
            "secret": _SECRET,
            "previousValidUntil": "2026-11-15T10:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class DeliveryQueued(View, frozen=True, kw_only=True):
    """A delivery that is queued. Its history is at `GET /hooks/{hookId}/deliveries/{deliveryId}`."""

    delivery_id: str
    event: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"deliveryId": _DELIVERY, "event": "webhook.test"}


class DeliveriesQuery(ListQuery, frozen=True, kw_only=True):
    """Which deliveries to list. The times are those at which they were queued."""

    status: DeliveryStatus | None = None
    event: EventName | None = None
    since: Since | None = None
    until: Until | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": DEFAULT_LIMIT, "status": "failed"}


class DeliveryAttempt(View, frozen=True, kw_only=True):
    """One try. `statusCode` is null where no answer came, and `error` says why."""

    number: int
    at: datetime
    duration_ms: int
    status_code: int | None
    error: str | None
    response_body: Annotated[str | None, Meta(description="The first 4 KiB of the answer.")]
    next_attempt_at: datetime | None

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


class Delivery(View, frozen=True, kw_only=True):
    """One event on its way to one hook: how it went, and every attempt."""

    id: str
    hook_id: str
    event_id: str
    event: str
    status: DeliveryStatus
    attempts: list[DeliveryAttempt]
    attempt_count: int
    created_at: datetime
    completed_at: datetime | None
    next_attempt_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _DELIVERY,
            "hookId": _HOOK,
            "eventId": _EVENT,
            "event": "message.received",
            "status": "succeeded",
            "attempts": [DeliveryAttempt.example()],
            "attemptCount": 1,
            "createdAt": "2026-11-15T09:30:00Z",
            "completedAt": "2026-11-15T09:30:00Z",
            "nextAttemptAt": None,
        }


class DeliveryRequest(View, frozen=True, kw_only=True):
    """What was sent. The signatures are over exactly this body."""

    headers: Annotated[dict[str, str], Meta(description="Those of the last attempt; empty before the first.")]
    body: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "headers": {"Content-Type": "application/json", "X-Service-Event": "message.received"},
            "body": f'{{"event":"message.received","ownerId":"{_OWNER}","profileId":"{_PROFILE}","data":{{}}}}',
        }


class DeliveryDetail(Delivery, frozen=True, kw_only=True):
    """A delivery with its request. `request` is null once the event is older than the deployment keeps them."""

    request: DeliveryRequest | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**Delivery.example(), "request": DeliveryRequest.example()}


class Recovery(Body, frozen=True, kw_only=True):
    """Which time to make good for."""

    since: Since
    until: Until | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-15T09:00:00Z", "until": "2026-11-15T12:00:00Z"}


class Recovered(View, frozen=True, kw_only=True):
    """How many deliveries were queued."""

    queued: Annotated[
        int, Meta(description=f"{MOST_RECOVERED} means that more may be left: send the same request again.")
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"queued": 37}


class StreamQuery(Query, frozen=True, kw_only=True):
    """Where a stream of events begins, and of which events it is."""

    after: (
        Annotated[str, Meta(max_length=200, description="Begin behind this cursor. `Last-Event-ID` goes before it.")]
        | None
    ) = None
    event: EventName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"event": "message.received"}


class EventsQuery(Query, frozen=True, kw_only=True):
    """Where to read on, and how much."""

    after: (
        Annotated[str, Meta(max_length=200, description="`nextCursor` of the call before. Unset: the oldest kept.")]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=MAX_LIMIT, description="Events per page at most.")] = DEFAULT_LIMIT
    event: EventName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"after": _CURSOR, "limit": DEFAULT_LIMIT}


class Event(View, frozen=True, kw_only=True):
    """Something that happened: what a hook receives, with its id and time."""

    id: str
    event: str
    owner_id: str
    profile_id: str
    data: dict[str, Any]
    created_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EVENT,
            "event": "message.received",
            "ownerId": _OWNER,
            "profileId": _PROFILE,
            "data": MessageReceived.example(),
            "createdAt": "2026-11-15T09:30:00Z",
        }


class EventPage(View, frozen=True, kw_only=True):
    """Events, oldest first. `nextCursor` is where to read on, also when there was nothing."""

    data: list[Event]
    next_cursor: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [Event.example()], "nextCursor": _CURSOR}
