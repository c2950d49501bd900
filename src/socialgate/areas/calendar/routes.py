from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import CHANGING, READING
from socialgate.areas.calendar.schemas import (
    CalendarEvent,
    CalendarEvents,
    EventChanges,
    EventDeleted,
    EventDeletionQuery,
    EventsQuery,
    NewCalendarEvent,
)
from socialgate.areas.calendar.service import Agenda
from socialgate.contracts.failures import NotSupported, SyncExpired
from socialgate.core.work import Work
from socialgate.web.answers import answer, wants_fresh
from socialgate.web.edits import Expected
from socialgate.web.route import Tag, route

TAG = Tag("Calendar", "Calendar events of an account.")
_PATH = "/accounts/{account_id:str}/calendar/events"
_ONE = f"{_PATH}/{{event_id:str}}"


@route("GET", _PATH, tag=TAG, query=EventsQuery, raises=(NotSupported, SyncExpired, *READING))
async def list_calendar_events(
    account_id: str, params: EventsQuery, request: Request[Any, Any, Any], work: Work, agenda: Agenda
) -> Response[CalendarEvents]:
    """List the events of a calendar, or the changes since an earlier list.

    A recurring event is listed once, with its `recurrence`; `expand=true` lists its occurrences instead. A list of the
    whole calendar ends with a `syncToken`: send it later to list only what has changed since then. Responses are cached
    for up to a minute, as `Age` says, unless you send `Cache-Control: no-cache`.
    """
    found = await agenda.list(work, account_id, params, fresh=wants_fresh(request))
    return answer(request, found.value, {}, age=found.age)


@route("POST", _PATH, tag=TAG, raises=(NotSupported, *CHANGING))
async def create_calendar_event(account_id: str, data: NewCalendarEvent, work: Work, agenda: Agenda) -> CalendarEvent:
    """Create an event, optionally recurring, with guests, reminders and a video meeting.

    Send an `Idempotency-Key`: repeating the request with it never creates a second event.
    """
    return await agenda.create(work, account_id, data)


@route("PATCH", _ONE, tag=TAG, idempotent=True, raises=(NotSupported, *CHANGING))
async def change_calendar_event(
    account_id: str, event_id: str, data: EventChanges, expected: Expected, work: Work, agenda: Agenda
) -> CalendarEvent:
    """Update an event, one occurrence of a series, or a whole series.

    Send `If-Match` with the `etag` of the version that you read: if somebody has changed it since, the response is 412
    and nothing is changed.
    """
    return await agenda.change(work, account_id, event_id, data, expected)


@route("DELETE", _ONE, tag=TAG, query=EventDeletionQuery, raises=(NotSupported, *CHANGING))
async def delete_calendar_event(
    account_id: str, event_id: str, params: EventDeletionQuery, expected: Expected, work: Work, agenda: Agenda
) -> EventDeleted:
    """Delete an event, one occurrence of a series, or a whole series."""
    return await agenda.delete(work, account_id, event_id, params, expected)


routes = [list_calendar_events, create_calendar_event, change_calendar_event, delete_calendar_event]
