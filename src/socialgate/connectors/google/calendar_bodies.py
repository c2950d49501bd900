"""Conversion of events between Google's format and ours."""

from typing import Any, get_args

import msgspec

from socialgate.connectors.forms import given
from socialgate.connectors.google.shapes import Event, EventGuest, EventMoment, EventReminders
from socialgate.contracts.calendar import EventFields, EventItem, EventReminder, EventTime, Guest, Response
from socialgate.contracts.calendar import EventReminders as Reminders
from socialgate.contracts.connecting import AccountCredentials

# The property that stores the mark of a request; only this app sees it.
MARK = "socialgate"


def event_body(fields: EventFields, mark: str) -> dict[str, Any]:
    """Write the given fields; None removes a field."""
    meeting = {"createRequest": {"requestId": mark, "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
    body = {
        "summary": fields.title,
        "description": fields.description,
        "location": fields.location,
        "start": fields.start and _moment(fields.start),
        "end": fields.end and _moment(fields.end),
        "recurrence": fields.recurrence,
        "attendees": fields.attendees and [_guest(guest) for guest in fields.attendees],
        "reminders": fields.reminders and _reminders(fields.reminders),
        "conferenceData": fields.meet if fields.meet is msgspec.UNSET else meeting if fields.meet else None,
        "extendedProperties": {"private": {MARK: mark}},
    }
    return {name: value for name, value in body.items() if value is not msgspec.UNSET}


def _moment(time: EventTime) -> dict[str, str | None]:
    """Write a time. The other kind is set to null, so that an all-day event can get a time of day."""
    moment, day = time.date_time, time.date
    return {
        "dateTime": None if moment is None else moment.isoformat(),
        "date": None if day is None else day.isoformat(),
        "timeZone": time.timezone,
    }


def _guest(guest: Guest) -> dict[str, Any]:
    about = {"email": guest.email, "displayName": guest.name, "optional": guest.optional or None}
    answer = {"responseStatus": guest.response, "comment": guest.comment, "additionalGuests": guest.brings or None}
    return given({**about, **answer})


def _reminders(reminders: Reminders) -> dict[str, Any]:
    overrides = [{"method": one.method, "minutes": one.minutes} for one in reminders.overrides]
    return {"useDefault": reminders.use_default, "overrides": overrides}


def event_item(held: AccountCredentials, calendar_id: str | None, event: Event) -> EventItem:
    return EventItem(
        id=event.id,
        calendar_id=held.platform_account_id if calendar_id in {None, "primary"} else calendar_id or "",
        title=event.summary,
        description=event.description,
        location=event.location,
        start=event_time(event.start),
        end=event_time(event.end),
        recurrence=event.recurrence,
        recurring_event_id=event.recurring_event_id,
        original_start=event_time(event.original_start_time),
        attendees=tuple(
            Guest(
                email=guest.email,
                name=guest.display_name,
                optional=guest.optional,
                response=_response(guest),
                comment=guest.comment,
                brings=guest.additional_guests,
            )
            for guest in event.attendees
        ),
        conference_url=event.hangout_link,
        reminders=_shown(event.reminders),
        status=event.status,
        etag=event.etag,
        html_url=event.html_link,
        updated_at=event.updated,
        mark=event.extended_properties.private.get(MARK, ""),
    )


def event_time(moment: EventMoment) -> EventTime:
    return EventTime(date=moment.date, date_time=moment.date_time, timezone=moment.time_zone)


def _shown(reminders: EventReminders) -> Reminders:
    overrides = tuple(
        EventReminder(method="email" if one.method == "email" else "popup", minutes=one.minutes)
        for one in reminders.overrides
    )
    return Reminders(use_default=reminders.use_default, overrides=overrides)


def _response(guest: EventGuest) -> Response:
    return next((one for one in get_args(Response) if one == guest.response_status), "needsAction")
