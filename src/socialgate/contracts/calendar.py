"""Calendars: the events of an account, one by one and in series."""

from collections.abc import Sequence
from datetime import date as day
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.inbound import Concern, Fact
from socialgate.contracts.operations import Looked
from socialgate.contracts.platforms import Capability

Notify: TypeAlias = Literal["all", "externalOnly", "none"]
Scope: TypeAlias = Literal["this", "following", "all"]
Response: TypeAlias = Literal["needsAction", "accepted", "declined", "tentative"]


class EventTime(msgspec.Struct, frozen=True, kw_only=True):
    """A whole day, or a moment. A moment without an offset is one on the clocks of `timezone`."""

    date: day | None = None
    date_time: datetime | None = None
    timezone: str | None = None


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who is invited. `response` is what the platform knows of their answer."""

    email: str
    name: str | None = None
    optional: bool = False
    response: Response = "needsAction"


class Reminder(msgspec.Struct, frozen=True, kw_only=True):
    method: Literal["email", "popup"]
    minutes: int


class Reminders(msgspec.Struct, frozen=True, kw_only=True):
    """`use_default` stands for what the calendar does for all its events."""

    use_default: bool = True
    overrides: tuple[Reminder, ...] = ()


class EventItem(msgspec.Struct, frozen=True, kw_only=True):
    """An event as the platform shows it. One of a series names it in `recurring_event_id`, and when it was to be in
    `original_start`. One that was deleted has the status `cancelled`, and may have nothing but its id. `mark` is that
    of the last request of ours that wrote it.
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
    reminders: Reminders
    status: str
    etag: str
    html_url: str | None
    updated_at: datetime | None
    mark: str = ""


class EventPage(msgspec.Struct, frozen=True, kw_only=True):
    """The last page of a list that can be gone on with brings the `sync_token` for that."""

    items: Sequence[EventItem]
    cursor: str | None
    sync_token: str | None = None


class EventQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which events to list. `expand` shows each occurrence of a series, in the order of time.

    With a `sync_token`, what has changed since that was given, deleted events too: it goes with no other choice than
    the calendar. `tokens_only` leaves the events out: who only wants to know what changes from now on needs none.
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
    """What is to be written. What is unset stays as it is, and None removes it. `meet` is a video meeting."""

    title: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    location: str | UnsetType | None = UNSET
    start: EventTime | UnsetType = UNSET
    end: EventTime | UnsetType = UNSET
    recurrence: tuple[str, ...] | UnsetType = UNSET
    attendees: tuple[Guest, ...] | UnsetType = UNSET
    reminders: Reminders | UnsetType = UNSET
    meet: bool | UnsetType = UNSET


class EventRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What all requests have. `mark` is written into the event, so that a lost answer can be looked up by it; marks
    sort by the time of their requests. A new event has an id that we chose, for the same reason.
    """

    event_id: str
    calendar_id: str | None = None
    notify: Notify = "none"
    mark: str


class NewEvent(EventRequest, frozen=True, kw_only=True):
    fields: EventFields


class EventChange(EventRequest, frozen=True, kw_only=True):
    """`expected` is the etag of the version to change; of another one nothing is changed. Where a series is split, the
    new one has the id `split_id`.
    """

    split_id: str
    fields: EventFields
    scope: Scope | None = None
    expected: str | None = None


class EventDeletion(EventRequest, frozen=True, kw_only=True):
    scope: Scope | None = None
    expected: str | None = None


class CalendarNoticed(Fact, frozen=True, kw_only=True):
    """The platform says that something in a calendar has changed, and not what."""

    @property
    def concern(self) -> Concern:
        return Concern()


class EventChanged(msgspec.Struct, frozen=True, kw_only=True):
    """An event of an account was written or deleted, by anybody. Without an id it may be any of them."""

    event_id: str | None
    deleted: bool = False


class CalendarEvents(Protocol):
    """Without a scope, an occurrence is changed by itself and a series as a whole.

    A version that is not the expected one is `Outdated`.
    """

    async def list(self, held: AccountCredentials, query: EventQuery) -> EventPage:
        """List events. The cursor and the sync token are the platform's own; a token that it no longer takes is
        `SyncExpired`.
        """

    async def create(self, held: AccountCredentials, new: NewEvent) -> EventItem:
        """Write an event, under the id that was chosen for it."""

    async def look_created(self, held: AccountCredentials, new: NewEvent) -> Looked[EventItem]:
        """Find out by reading what became of a `create` whose answer was lost."""

    async def change(self, held: AccountCredentials, change: EventChange) -> EventItem:
        """Change an event, and give it as it is now."""

    async def look_changed(self, held: AccountCredentials, change: EventChange) -> Looked[EventItem]:
        """Find out by reading what became of a `change` whose answer was lost."""

    async def delete(self, held: AccountCredentials, deletion: EventDeletion) -> None:
        """Delete an event. PlatformNotFound where there is none."""

    async def look_deleted(self, held: AccountCredentials, deletion: EventDeletion) -> Looked[None]:
        """Find out by reading what became of a `delete` whose answer was lost."""


CALENDAR: Capability[CalendarEvents] = Capability("calendar")
"""Events of a calendar: read live from the platform, written, changed and deleted there at most once."""
