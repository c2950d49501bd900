from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.calendar.schemas import (
    CalendarEvent,
    CalendarEvents,
    CalendarEventsQuery,
    EventChanges,
    EventDeleted,
    EventDeletionQuery,
    NewCalendarEvent,
)
from socialgate.areas.calendar.service import CalendarService
from socialgate.contracts.failures import NotSupportedError, SyncTokenExpiredError
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.content_negotiation import build_negotiated_response, bypasses_cache
from socialgate.web.etags import ExpectedVersion
from socialgate.web.route import RouteTag, route

TAG = RouteTag("Calendar", "Calendar events of an account.")
_EVENTS_PATH = "/accounts/{account_id:str}/calendar/events"
_EVENT_PATH = f"{_EVENTS_PATH}/{{event_id:str}}"


@route(
    "GET",
    _EVENTS_PATH,
    sdk="calendar.list",
    tag=TAG,
    query=CalendarEventsQuery,
    raises=(NotSupportedError, SyncTokenExpiredError, *LIVE_READ_ERRORS),
)
async def list_calendar_events(
    account_id: str,
    params: CalendarEventsQuery,
    request: Request[Any, Any, Any],
    work: UnitOfWork,
    agenda: CalendarService,
) -> Response[CalendarEvents]:
    """List the events of a calendar, or the changes since an earlier list.

    A recurring event is listed once, with its `recurrence`; `expand=true` lists its occurrences instead. A list of the
    whole calendar ends with a `syncToken`: send it later to list only what has changed since then. Responses are cached
    for up to a minute, as `Age` says, unless you send `Cache-Control: no-cache`.
    """
    result = await agenda.list(work, account_id, params, fresh=bypasses_cache(request))
    return build_negotiated_response(request, result.value, {}, age_seconds=result.age_seconds)


@route("POST", _EVENTS_PATH, sdk="calendar.create", tag=TAG, raises=(NotSupportedError, *OPERATION_ERRORS))
async def create_calendar_event(
    account_id: str, data: NewCalendarEvent, work: UnitOfWork, agenda: CalendarService
) -> CalendarEvent:
    """Create an event, optionally recurring, with guests, reminders and a video meeting.

    Send an `Idempotency-Key`: repeating the request with it never creates a second event.
    """
    return await agenda.create(work, account_id, data)


@route(
    "PATCH", _EVENT_PATH, sdk="calendar.update", tag=TAG, idempotent=True, raises=(NotSupportedError, *OPERATION_ERRORS)
)
async def change_calendar_event(
    account_id: str,
    event_id: str,
    data: EventChanges,
    expected: ExpectedVersion,
    work: UnitOfWork,
    agenda: CalendarService,
) -> CalendarEvent:
    """Update an event, one occurrence of a series, or a whole series.

    Send `If-Match` with the `etag` of the version that you read: if somebody has changed it since, the response is 412
    and nothing is changed.
    """
    return await agenda.change(work, account_id, event_id, data, expected)


@route(
    "DELETE",
    _EVENT_PATH,
    sdk="calendar.delete",
    tag=TAG,
    query=EventDeletionQuery,
    raises=(NotSupportedError, *OPERATION_ERRORS),
)
async def delete_calendar_event(
    account_id: str,
    event_id: str,
    params: EventDeletionQuery,
    expected: ExpectedVersion,
    work: UnitOfWork,
    agenda: CalendarService,
) -> EventDeleted:
    """Delete an event, one occurrence of a series, or a whole series."""
    return await agenda.delete(work, account_id, event_id, params, expected)


routes = [list_calendar_events, create_calendar_event, change_calendar_event, delete_calendar_event]
