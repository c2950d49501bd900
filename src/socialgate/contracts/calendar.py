"""Calendars: the events of an account, single and recurring."""

from collections.abc import Sequence
from datetime import date as day
from datetime import datetime
from typing import Annotated, Any, Literal, Protocol, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.operations import LookupResult
from socialgate.contracts.platforms import Capability
from socialgate.contracts.webhooks import AffectedAccounts, PlatformFact
from socialgate.core.facts import FactAbout
from socialgate.core.shapes import UNREPORTED_FIELD, RequestBody, ResponseModel, StoredValue

EXAMPLE_START = {"dateTime": "2026-11-20T09:00:00+01:00", "date": None, "timezone": "Europe/Stockholm"}

NotifyScope: TypeAlias = Literal["all", "externalOnly", "none"]
SeriesScope: TypeAlias = Literal["this", "following", "all"]
GuestResponse: TypeAlias = Literal["needsAction", "accepted", "declined", "tentative"]


class EventTime(ResponseModel, StoredValue, frozen=True, kw_only=True):
    """A time, or a whole day. `timezone` is the time zone in which the event was planned."""

    date_time: datetime | None = UNREPORTED_FIELD
    """The time, with its offset. Null for a whole day."""
    date: day | None = UNREPORTED_FIELD
    """The day, such as `2026-11-20`. Null if there is a time."""
    timezone: str | None = UNREPORTED_FIELD
    """The IANA time zone in which the event was planned. Null if the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return EXAMPLE_START


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """An invited person. `response` is their answer, as far as the platform knows; they may add a comment, and bring
    others.
    """

    email: str
    name: str | None = None
    optional: bool = False
    response: GuestResponse = "needsAction"
    comment: str | None = None
    additional_guests: int = msgspec.field(default=0, name="brings")


class EventReminder(RequestBody, StoredValue, frozen=True, kw_only=True):
    """A reminder before the event: an email or a pop-up."""

    method: Literal["email", "popup"]
    """Whether to send an email or show a pop-up."""
    minutes: Annotated[int, Meta(ge=0, le=40_320, description="Minutes before the start; at most four weeks.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"method": "popup", "minutes": 15}


class EventReminders(RequestBody, StoredValue, frozen=True, kw_only=True):
    """How the owner of the calendar is reminded: with the calendar's defaults, or only with `overrides`."""

    use_default: bool = True
    """Whether the defaults of the calendar apply. With false, only `overrides` do."""
    overrides: Annotated[tuple[EventReminder, ...], Meta(max_length=5)] = ()
    """The reminders of this event."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"useDefault": False, "overrides": [EventReminder.example()]}


class EventItem(msgspec.Struct, frozen=True, kw_only=True):
    """An event on the platform. An occurrence has the id of its series in `recurring_event_id`, and its planned time in
    `original_start`. A deleted event has the status `cancelled`, and may have nothing but its id. `request_marker` is
    that of our last request that wrote it.
    """

    id: str
    calendar_id: str
    title: str
    description: str | None
    location: str | None
    start: EventTime
    end: EventTime
    recurrence: tuple[str, ...]
    recurring_event_id: str | None
    original_start: EventTime | None = None
    attendees: tuple[Guest, ...]
    conference_url: str | None
    reminders: EventReminders
    status: str
    etag: str
    html_url: str | None
    updated_at: datetime | None
    request_marker: str = msgspec.field(default="", name="mark")


class EventPage(msgspec.Struct, frozen=True, kw_only=True):
    """The last page of a list that can be continued has a `sync_token` for that."""

    items: Sequence[EventItem]
    cursor: str | None
    sync_token: str | None = None


class EventQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which events to list. `expand` lists each occurrence of a series, in chronological order.

    A `sync_token` lists what has changed since it was issued, including deletions; only the calendar can be chosen with
    it. `tokens_only` omits the events: a caller interested only in future changes needs none.
    """

    calendar_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None
    expand: bool = False
    sync_token: str | None = None
    tokens_only: bool = False
    limit: int
    cursor: str | None = None


class EventFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields to write. Unset fields stay unchanged, None removes a field. `with_video_meeting` adds a meeting."""

    title: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    location: str | UnsetType | None = UNSET
    start: EventTime | UnsetType = UNSET
    end: EventTime | UnsetType = UNSET
    recurrence: tuple[str, ...] | UnsetType = UNSET
    attendees: tuple[Guest, ...] | UnsetType = UNSET
    reminders: EventReminders | UnsetType = UNSET
    with_video_meeting: bool | UnsetType = msgspec.field(default=UNSET, name="meet")


class EventRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What all requests share. `request_marker` is written into the event, so that the result can be looked up if the
    response is lost; marks sort by the time of their requests. We choose the id of a new event for the same reason.
    """

    event_id: str
    calendar_id: str | None = None
    notify: NotifyScope = "none"
    request_marker: str = msgspec.field(name="mark")


class NewEvent(EventRequest, frozen=True, kw_only=True):
    fields: EventFields


class EventUpdateRequest(EventRequest, frozen=True, kw_only=True):
    """`expected_etag` is the etag of the version to change; any other version is left unchanged. If a series is split,
    the new one gets the id `split_id`.
    """

    split_id: str
    fields: EventFields
    scope: SeriesScope | None = None
    expected_etag: str | None = msgspec.field(default=None, name="expected")


class EventDeletion(EventRequest, frozen=True, kw_only=True):
    scope: SeriesScope | None = None
    expected_etag: str | None = msgspec.field(default=None, name="expected")


class CalendarNoticed(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that something in a calendar has changed, but not what."""

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts()


class CalendarEventChanged(msgspec.Struct, FactAbout[AccountRow], frozen=True, kw_only=True):
    """An event of an account was written or deleted, by anybody. Without an id, it may be any event."""

    event_id: str | None
    deleted: bool = False


class CalendarAdapter(Protocol):
    """Without a scope, the id of an occurrence means that occurrence, and the id of a series the whole series.

    Raises `VersionConflictError` if the version is not the expected one.
    """

    async def list(self, credentials: AccountCredentials, query: EventQuery) -> EventPage:
        """List events. The cursor and the sync token are the platform's own; a token that it no longer accepts is
        `SyncTokenExpiredError`.
        """

    async def create(self, credentials: AccountCredentials, new: NewEvent) -> EventItem:
        """Create an event, with the id that was chosen for it."""

    async def look_up_created(self, credentials: AccountCredentials, new: NewEvent) -> LookupResult[EventItem]:
        """Look up the result of a `create` whose response was lost."""

    async def update(self, credentials: AccountCredentials, change: EventUpdateRequest) -> EventItem:
        """Update an event, and return it as it is now."""

    async def look_up_updated(
        self, credentials: AccountCredentials, change: EventUpdateRequest
    ) -> LookupResult[EventItem]:
        """Look up the result of an `update` whose response was lost."""

    async def delete(self, credentials: AccountCredentials, deletion: EventDeletion) -> None:
        """Delete an event. PlatformNotFound if it does not exist."""

    async def look_up_deleted(self, credentials: AccountCredentials, deletion: EventDeletion) -> LookupResult[None]:
        """Look up the result of a `delete` whose response was lost."""


CALENDAR_CAPABILITY: Capability[CalendarAdapter] = Capability("calendar")
"""Events of a calendar: read live from the platform; created, updated and deleted there at most once."""
