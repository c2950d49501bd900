"""Conversion of events between Google's format and ours."""

from typing import Any, get_args

import msgspec

from socialgate.connectors.google.responses import EventGuest, EventReminders, GoogleEvent, GoogleEventTime
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.calendar import EventFields, EventItem, EventReminder, EventTime, Guest, GuestResponse
from socialgate.contracts.calendar import EventReminders as Reminders

# The property that stores the mark of a request; only this app sees it.
MARKER_PROPERTY = "socialgate"


def build_event_body(fields: EventFields, mark: str) -> dict[str, Any]:
    """Write the given fields; None removes a field."""
    meeting = {"createRequest": {"requestId": mark, "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
    body = {
        "summary": fields.title,
        "description": fields.description,
        "location": fields.location,
        "start": fields.start and _build_time(fields.start),
        "end": fields.end and _build_time(fields.end),
        "recurrence": fields.recurrence,
        "attendees": fields.attendees and [_build_guest(guest) for guest in fields.attendees],
        "reminders": fields.reminders and _build_reminders(fields.reminders),
        "conferenceData": fields.with_video_meeting
        if fields.with_video_meeting is msgspec.UNSET
        else meeting
        if fields.with_video_meeting
        else None,
        "extendedProperties": {"private": {MARKER_PROPERTY: mark}},
    }
    return {name: value for name, value in body.items() if value is not msgspec.UNSET}


def _build_time(time: EventTime) -> dict[str, str | None]:
    """Write a time. The other kind is set to null, so that an all-day event can get a time of day."""
    moment, day = time.date_time, time.date
    return {
        "dateTime": None if moment is None else moment.isoformat(),
        "date": None if day is None else day.isoformat(),
        "timeZone": time.timezone,
    }


def _build_guest(guest: Guest) -> dict[str, Any]:
    about = {"email": guest.email, "displayName": guest.name, "optional": guest.optional or None}
    answer = {
        "responseStatus": guest.response,
        "comment": guest.comment,
        "additionalGuests": guest.additional_guests or None,
    }
    return drop_none({**about, **answer})


def _build_reminders(reminders: Reminders) -> dict[str, Any]:
    overrides = [{"method": override.method, "minutes": override.minutes} for override in reminders.overrides]
    return {"useDefault": reminders.use_default, "overrides": overrides}


def parse_event(credentials: AccountCredentials, calendar_id: str | None, event: GoogleEvent) -> EventItem:
    return EventItem(
        id=event.id,
        calendar_id=credentials.platform_account_id if calendar_id in {None, "primary"} else calendar_id or "",
        title=event.summary,
        description=event.description,
        location=event.location,
        start=parse_event_time(event.start),
        end=parse_event_time(event.end),
        recurrence=event.recurrence,
        recurring_event_id=event.recurring_event_id,
        original_start=parse_event_time(event.original_start_time),
        attendees=tuple(
            Guest(
                email=guest.email,
                name=guest.display_name,
                optional=guest.optional,
                response=_parse_guest_response(guest),
                comment=guest.comment,
                additional_guests=guest.additional_guests,
            )
            for guest in event.attendees
        ),
        conference_url=event.hangout_link,
        reminders=_parse_reminders(event.reminders),
        status=event.status,
        etag=event.etag,
        html_url=event.html_link,
        updated_at=event.updated,
        request_marker=event.extended_properties.private.get(MARKER_PROPERTY, ""),
    )


def parse_event_time(moment: GoogleEventTime) -> EventTime:
    return EventTime(date=moment.date, date_time=moment.date_time, timezone=moment.time_zone)


def _parse_reminders(reminders: EventReminders) -> Reminders:
    overrides = tuple(
        EventReminder(method="email" if override.method == "email" else "popup", minutes=override.minutes)
        for override in reminders.overrides
    )
    return Reminders(use_default=reminders.use_default, overrides=overrides)


def _parse_guest_response(guest: EventGuest) -> GuestResponse:
    return next((arg for arg in get_args(GuestResponse) if arg == guest.response_status), "needsAction")
