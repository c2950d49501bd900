from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.contracts.calendar import (
    EXAMPLE_START,
    EventReminders,
    EventTime,
    GuestResponse,
    NotifyScope,
    SeriesScope,
)
from socialgate.core.fields import AccountIdField, IsDeleted, NextCursor
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_EVENT_ID = "0f8fad5bd9cb469fa16570867728950e"
_EXAMPLE_END = {"dateTime": "2026-11-20T10:00:00+01:00", "date": None, "timezone": "Europe/Stockholm"}
_NOTIFY_DESCRIPTION = "Which guests the platform notifies: all, those without a calendar on this platform, or none."
_SCOPE_DESCRIPTION = (
    "For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an occurrence means "
    "that occurrence, and the id of a series the whole series."
)
_RECURRENCE_DESCRIPTION = (
    "RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not recurring."
)

CalendarId = Annotated[str, Meta(min_length=1, max_length=300, description="Default: the account's primary calendar.")]
DescribedNotifyScope = Annotated[NotifyScope, Meta(description=_NOTIFY_DESCRIPTION)]
DescribedSeriesScope = Annotated[SeriesScope, Meta(description=_SCOPE_DESCRIPTION)]
Title = Annotated[str, Meta(max_length=1000)]
Description = Annotated[str, Meta(max_length=8000)]
Location = Annotated[str, Meta(max_length=1000)]
Recurrence = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=2000)]], Meta(max_length=20, description=_RECURRENCE_DESCRIPTION)
]
EventSearchText = Annotated[
    str, Meta(min_length=1, max_length=200, description="Words to find in the event or its guests.")
]
EventTimeText = Annotated[str, Meta(max_length=40, description="RFC 3339, or a local time without an offset.")]
TimezoneName = Annotated[str, Meta(max_length=64, description="IANA name. Required for recurring events.")]


SyncToken = Annotated[
    str,
    Meta(
        max_length=2000,
        description="`syncToken` of an earlier list: lists only what has changed since then, including deletions.",
    ),
]


class CalendarEventsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which events to list. `since` and `until` are times with an offset: events between them are listed."""

    calendar_id: CalendarId | None = None
    since: datetime | None = None
    """Only events that end after this time. With an offset, such as `2026-11-16T00:00:00Z`."""
    until: datetime | None = None
    """Only events that start before this time. With an offset."""
    q: EventSearchText | None = None
    expand: Annotated[
        bool, Meta(description="List every occurrence of a series instead of the series, in chronological order.")
    ] = False
    sync_token: SyncToken | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "since": "2026-11-16T00:00:00Z", "until": "2026-11-23T00:00:00Z", "expand": True}


# Unlike `Guest`, it does not show their comment, nor how many they bring.
class EventGuest(ResponseModel, frozen=True, kw_only=True):
    """An invited person and their answer."""

    email: str
    """The email address that was invited."""
    name: str | None
    """The display name. Null if it is unknown."""
    optional: bool
    """Whether the person need not come."""
    response: GuestResponse
    """Their answer; `needsAction` until there is one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "elif@example.com", "name": "Elif Yilmaz", "optional": False, "response": "accepted"}


class EventConference(ResponseModel, frozen=True, kw_only=True):
    """A video meeting."""

    url: str
    """The link to join."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://meet.google.com/abc-defg-hij"}


# Unlike `EventItem`, it does not show our mark, and says what follows from its times.
class CalendarEvent(ResponseModel, frozen=True, kw_only=True):
    """An event. The end is exclusive: a one-day event ends on the next date.

    An occurrence names its series in `recurringEventId`; the series itself has `recurrence`. Send `etag` as `If-Match`.
    """

    id: str
    """The platform's own id. An occurrence of a series has its own."""
    calendar_id: str
    """The calendar that it is in."""
    title: str
    """The title. Empty if there is none."""
    description: str | None
    """The description. It may contain HTML. Null if there is none."""
    location: str | None
    """Where it takes place. Null if that is not set."""
    start: EventTime
    """When it starts."""
    end: EventTime
    """When it ends, exclusive: a one-day event ends on the next date."""
    all_day: bool
    """Whether it lasts whole days: `start` and `end` have a `date`."""
    recurrence: list[str]
    """RFC 5545 lines such as `RRULE`. Empty for single events and occurrences."""
    recurring_event_id: str | None
    """For an occurrence: the id of its series. Null otherwise."""
    attendees: list[EventGuest]
    """The invited people, with their answers."""
    conference: EventConference | None
    """The video meeting. Null if there is none."""
    reminders: EventReminders
    """How the owner of the calendar is reminded."""
    status: str
    """`confirmed`, `tentative` or `cancelled`, which is deleted."""
    etag: str
    """The version. Send it as `If-Match` to change only this version."""
    html_url: str | None
    """A page of the platform that shows it. Null if the platform does not report it."""
    updated_at: datetime | None
    """When it was last changed. Null if the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_EVENT_ID,
            "calendarId": "ada@example.com",
            "title": "Tasting",
            "description": None,
            "location": "Bakery",
            "start": EXAMPLE_START,
            "end": _EXAMPLE_END,
            "allDay": False,
            "recurrence": [],
            "recurringEventId": None,
            "attendees": [EventGuest.example()],
            "conference": EventConference.example(),
            "reminders": EventReminders.example(),
            "status": "confirmed",
            "etag": '"3541234567890000"',
            "htmlUrl": "https://www.google.com/calendar/event?eid=abc",
            "updatedAt": "2026-11-16T09:30:00Z",
        }


class CalendarEvents(ResponseModel, frozen=True, kw_only=True):
    """A page of a list. The last page has no `nextCursor`, and has a `syncToken` if the whole calendar was listed.

    Events deleted since the token was issued have the status `cancelled`, and may contain nothing but their id.
    """

    data: list[CalendarEvent]
    """The events of this page."""
    next_cursor: NextCursor
    sync_token: str | None
    """Send it later to list only what has changed since. Null on all pages but the last, and if a filter was used."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [CalendarEvent.example()], "nextCursor": None, "syncToken": "pE0dGm3KQ1BEQWx2V0R4NzA"}


class NewEventTime(RequestBody, frozen=True, kw_only=True):
    """Either `dateTime`, with an offset or a `timezone`, or a whole `date`."""

    date_time: EventTimeText | None = None
    date: (
        Annotated[str, Meta(max_length=10, description="A whole day such as `2026-11-20`, instead of `dateTime`.")]
        | None
    ) = None
    timezone: TimezoneName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"dateTime": "2026-11-20T09:00:00", "timezone": "Europe/Stockholm"}


class NewGuest(RequestBody, frozen=True, kw_only=True):
    """A person to invite."""

    email: Annotated[str, Meta(max_length=320, pattern=r"^[^@\s]+@[^@\s]+$(?!\n)")]
    """The email address to invite."""
    name: Annotated[str, Meta(max_length=200)] | None = None
    """The display name."""
    optional: bool = False
    """Whether the person need not come."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "elif@example.com"}


Guests = Annotated[list[NewGuest], Meta(max_length=200)]


class NewCalendarEvent(RequestBody, frozen=True, kw_only=True):
    """An event to create. `meet` adds one of the platform's video meetings."""

    start: NewEventTime
    """When it starts."""
    end: NewEventTime
    """When it ends, exclusive: a one-day event ends on the next date."""
    title: Title | UnsetType = UNSET
    """Shown in the calendar and in invitations."""
    description: Description | UnsetType = UNSET
    """The description. It may contain HTML."""
    location: Location | UnsetType = UNSET
    """Where it takes place, as free text."""
    recurrence: Recurrence | UnsetType = UNSET
    attendees: Guests | UnsetType = UNSET
    """The people to invite. `notify` says who gets an email."""
    reminders: EventReminders | UnsetType = UNSET
    """How the owner of the calendar is reminded. By default with the reminders of the calendar."""
    meet: bool | UnsetType = UNSET
    """True adds one of the platform's video meetings."""
    calendar_id: CalendarId | None = None
    notify: DescribedNotifyScope = "none"

    @classmethod
    def example(cls) -> dict[str, Any]:
        end = {"dateTime": "2026-11-20T10:00:00", "timezone": "Europe/Stockholm"}
        guests = {"attendees": [NewGuest.example()], "notify": "all", "meet": True}
        return {"title": "Tasting", "start": NewEventTime.example(), "end": end, **guests}


class EventChanges(RequestBody, frozen=True, kw_only=True):
    """The changes. Omitted fields keep their values; lists are replaced as a whole, and guests keep their answers."""

    start: NewEventTime | UnsetType = UNSET
    """When it starts."""
    end: NewEventTime | UnsetType = UNSET
    """When it ends, exclusive: a one-day event ends on the next date."""
    title: Title | UnsetType = UNSET
    """Shown in the calendar and in invitations."""
    description: Description | UnsetType | None = UNSET
    """The description. It may contain HTML. Null removes it."""
    location: Location | UnsetType | None = UNSET
    """Where it takes place, as free text."""
    recurrence: Recurrence | UnsetType = UNSET
    attendees: Guests | UnsetType = UNSET
    """Replaces all guests. Those who stay keep their answers."""
    reminders: EventReminders | UnsetType = UNSET
    """How the owner of the calendar is reminded. By default with the reminders of the calendar."""
    meet: bool | UnsetType = UNSET
    """True adds one of the platform's video meetings, false removes it."""
    calendar_id: CalendarId | None = None
    scope: DescribedSeriesScope | None = None
    notify: DescribedNotifyScope = "none"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Rye tasting", "notify": "all"}


class EventDeletionQuery(QueryParameters, frozen=True, kw_only=True):
    """What to delete, and whom to notify."""

    calendar_id: CalendarId | None = None
    scope: DescribedSeriesScope | None = None
    notify: DescribedNotifyScope = "none"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"scope": "this", "notify": "all"}


class EventDeleted(ResponseModel, frozen=True, kw_only=True):
    """The event that was deleted on the platform."""

    id: str
    """The platform's own id of the event."""
    account_id: AccountIdField
    deleted: IsDeleted = True

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _EXAMPLE_EVENT_ID, "accountId": _EXAMPLE_ACCOUNT_ID, "deleted": True}
