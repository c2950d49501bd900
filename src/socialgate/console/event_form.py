"""The form of a calendar event: read as the bodies of the API, and filled in from an event."""

from datetime import date, datetime, timedelta
from email.utils import formataddr, getaddresses
from typing import Annotated, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, UnsetType

from socialgate.areas.calendar.schemas import (
    CalendarEvent,
    EventChanges,
    EventGuest,
    NewCalendarEvent,
    NewEventTime,
)
from socialgate.console.forms import FormData
from socialgate.contracts.calendar import EventReminder, EventReminders, EventTime, NotifyScope, SeriesScope
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.web.field_errors import build_body_error
from socialgate.web.schemas import RequestBody

TIME_FORMAT = "%Y-%m-%dT%H:%M"
_ONE_DAY = timedelta(days=1)
_CHECKED = "true"
# What people choose instead of writing a rule.
FREQUENCIES = (
    ("", "Does not repeat"),
    ("RRULE:FREQ=DAILY", "Every day"),
    ("RRULE:FREQ=WEEKLY", "Every week"),
    ("RRULE:FREQ=MONTHLY", "Every month"),
    ("RRULE:FREQ=YEARLY", "Every year"),
)
REMINDERS = (
    ("", "As set in the calendar"),
    ("none", "No reminder"),
    ("10", "10 minutes before"),
    ("60", "1 hour before"),
)
# An event does not say in the form which reminders it has.
KEPT_OR_NEW_REMINDERS = (("", "Leave as it is"), *REMINDERS[1:])

B = TypeVar("B", NewCalendarEvent, EventChanges)
Text = Annotated[str, Meta(max_length=8000)]


class EventForm(RequestBody, frozen=True, kw_only=True):
    """What a person fills in. Times are in the time zone of the page; the last day of whole days is included."""

    title: Text = ""
    start: Annotated[str, Meta(max_length=30)] | None = None
    end: Annotated[str, Meta(max_length=30)] | None = None
    all_day: str | None = None
    location: Text = ""
    description: Text = ""
    attendees: Text = ""
    optional_attendees: Text = ""
    repeat: Annotated[str, Meta(max_length=100)] | None = None
    recurrence: Text = ""
    reminder: Annotated[str, Meta(max_length=10)] | None = None
    meet: str | None = None
    notify: NotifyScope = "all"
    scope: SeriesScope | None = None
    version: Annotated[str, Meta(max_length=200)] | None = None

    def build_new(self, zone: ZoneInfo) -> NewCalendarEvent:
        start, end = self._read_times(zone)
        rules = self._list_rules()
        body = {
            "start": start,
            "end": end,
            "title": self.title,
            "description": self.description,
            "location": self.location,
            "recurrence": rules,
            "attendees": self._list_guests(),
            "notify": self.notify,
            **({"meet": True} if self.meet else {}),
        }
        return _decode({name: value for name, value in body.items() if value}, NewCalendarEvent, self._reminders())

    def build_changes(self, zone: ZoneInfo, event: CalendarEvent) -> EventChanges:
        """Return what differs from the event: what was not touched keeps its time zone, and its answers."""
        before = fill_form(event, zone)
        body: dict[str, object] = {"notify": self.notify, **({} if self.scope is None else {"scope": self.scope})}
        times = (self.start or "", self.end or "", self.all_day or "")
        if times != tuple(before.value(name) for name in ("start", "end", "allDay")):
            body["start"], body["end"] = self._read_times(zone)
        for name in ("title", "location", "description"):
            text = getattr(self, name).replace("\r\n", "\n")
            if text != before.value(name):
                body[name] = text
        guests = self._list_guests()
        if guests != _write_guests(event.attendees):
            body["attendees"] = guests
        if not event.recurring_event_id and self._list_rules() != event.recurrence:
            body["recurrence"] = self._list_rules()
        if bool(self.meet) != (event.conference is not None):
            body["meet"] = bool(self.meet)
        return _decode(body, EventChanges, self._reminders())

    def _read_times(self, zone: ZoneInfo) -> tuple[NewEventTime, NewEventTime]:
        if self.start is None or self.end is None:
            names = [name for name, text in (("start", self.start), ("end", self.end)) if text is None]
            faults = [Fault(f"/{name}", "required", "Choose a day and a time.") for name in names]
            raise InvalidRequest("Choose when it starts and ends.", errors=faults)
        if not self.all_day:
            return _build_time(self.start, zone), _build_time(self.end, zone)
        try:
            last = date.fromisoformat(self.end[:10])
        except ValueError as error:
            raise InvalidRequest.for_field("/end", "invalid_time", "Choose a day.") from error
        return NewEventTime(date=self.start[:10]), NewEventTime(date=(last + _ONE_DAY).isoformat())

    def _list_rules(self) -> list[str]:
        own = [line.strip() for line in self.recurrence.splitlines() if line.strip()]
        return own or ([self.repeat] if self.repeat else [])

    def _list_guests(self) -> list[dict[str, object]]:
        return [*_read_guests(self.attendees, optional=False), *_read_guests(self.optional_attendees, optional=True)]

    def _reminders(self) -> EventReminders | UnsetType:
        if self.reminder is None:
            return UNSET
        minutes = int(self.reminder) if self.reminder.isdecimal() else None
        overrides = () if minutes is None else (EventReminder(method="popup", minutes=minutes),)
        return EventReminders(use_default=False, overrides=overrides)


def fill_form(event: CalendarEvent, zone: ZoneInfo) -> FormData:
    rules = dict(FREQUENCIES)
    simple = event.recurrence[0] if len(event.recurrence) == 1 and event.recurrence[0] in rules else ""
    return FormData(
        {
            "title": [event.title],
            "start": [write_time(event.start, zone)],
            "end": [write_time(event.end, zone, is_end=True)],
            "allDay": [_CHECKED if event.all_day else ""],
            "location": [event.location or ""],
            "description": [(event.description or "").replace("\r\n", "\n")],
            "attendees": ["\n".join(_write_guest(guest) for guest in event.attendees if not guest.optional)],
            "optionalAttendees": ["\n".join(_write_guest(guest) for guest in event.attendees if guest.optional)],
            "repeat": [simple],
            "recurrence": ["" if simple else "\n".join(event.recurrence)],
            "meet": [_CHECKED if event.conference is not None else ""],
            "version": [event.etag],
        }
    )


def write_time(time: EventTime, zone: ZoneInfo, *, is_end: bool = False) -> str:
    """Write a time as a field has it. The last day of whole days is the one before they end."""
    if time.date is not None:
        return f"{time.date - _ONE_DAY if is_end else time.date}T00:00"
    return "" if time.date_time is None else time.date_time.astimezone(zone).strftime(TIME_FORMAT)


def get_first_moment(time: EventTime, zone: ZoneInfo) -> datetime:
    """Return when a time is, for sorting and for the day that it is on."""
    if time.date_time is not None:
        return time.date_time.astimezone(zone)
    return datetime.combine(time.date or date.min, datetime.min.time(), zone)


def _build_time(text: str, zone: ZoneInfo) -> NewEventTime:
    return NewEventTime(date_time=text, timezone=zone.key)


def _read_guests(text: str, *, optional: bool) -> list[dict[str, object]]:
    """Read one guest per line, or several between commas: `ana@example.com` or `Ana <ana@example.com>`."""
    pairs = getaddresses([line for line in text.splitlines() if line.strip()])
    return [
        {"email": email or name, "name": name or None, "optional": optional} for name, email in pairs if email or name
    ]


def _write_guest(guest: EventGuest) -> str:
    return formataddr((guest.name, guest.email)) if guest.name else guest.email


def _write_guests(guests: list[EventGuest]) -> list[dict[str, object]]:
    ordered = sorted(guests, key=lambda guest: guest.optional)
    return [{"email": guest.email, "name": guest.name, "optional": guest.optional} for guest in ordered]


def _decode(body: dict[str, object], kind: type[B], reminders: EventReminders | UnsetType) -> B:
    """Decode the request, so that what is wrong is found as it is for the API."""
    plain = msgspec.to_builtins({**body, **({} if reminders is UNSET else {"reminders": reminders})})
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise build_body_error(error, kind, plain) from error
