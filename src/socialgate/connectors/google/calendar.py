"""Events of Google Calendar. An occurrence of a series has its own id and refers to the series."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec import UNSET

from socialgate.connectors import recurrence
from socialgate.connectors.calendars import CalendarAdapterBase
from socialgate.connectors.google.api import GoogleApi, GoogleProductClient, require_valid_id
from socialgate.connectors.google.calendar_conversion import build_event_body, parse_event, parse_event_time
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.responses import GoogleEvent, YouTubePage
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.calendar import EventFields, EventItem, EventPage, EventQuery, EventRequest
from socialgate.contracts.platforms import Platform

CALENDAR_API_URL = "https://www.googleapis.com/calendar/v3"
_ID, _CALENDAR_ID = re.compile(r"[\w-]{1,1100}", re.ASCII), re.compile(r"[\w.#@+-]{1,300}", re.ASCII)
_MAX_EVENTS_PER_PAGE = 2500
_PAGE_FIELDS = "nextPageToken,nextSyncToken"
# What a new series copies from the one that it was split from. A meeting belongs to one series only.
_COPIED_FIELDS = (
    *("summary", "description", "location", "attendees", "reminders", "visibility", "transparency", "colorId"),
    *("guestsCanModify", "guestsCanInviteOthers", "guestsCanSeeOtherGuests", "source", "extendedProperties"),
)


class GoogleCalendar(CalendarAdapterBase):
    platform = Platform.GOOGLE

    def __init__(self, api: GoogleApi) -> None:
        self._for_account = partial(api.build_client_for_account, GoogleProduct.CALENDAR)

    async def list(self, credentials: AccountCredentials, query: EventQuery) -> EventPage:
        options = {
            "timeMin": query.since and query.since.isoformat(),
            "timeMax": query.until and query.until.isoformat(),
            "q": query.q,
            "singleEvents": "true" if query.expand else None,
            "orderBy": "startTime" if query.expand else None,
            "syncToken": query.sync_token,
            "fields": _PAGE_FIELDS if query.tokens_only else None,
            "maxResults": _MAX_EVENTS_PER_PAGE if query.tokens_only else query.limit,
            "pageToken": query.cursor,
        }
        existing_items = await self._for_account(credentials).get(
            _events_url(query.calendar_id), YouTubePage[GoogleEvent], **drop_none(options)
        )
        items = [parse_event(credentials, query.calendar_id, event) for event in existing_items.items]
        return EventPage(items=items, cursor=existing_items.next_page_token, sync_token=existing_items.next_sync_token)

    def _open_event_store(self, credentials: AccountCredentials, request: EventRequest) -> "GoogleCalendarEventStore":
        return GoogleCalendarEventStore(self._for_account(credentials), credentials, request)


class GoogleCalendarEventStore:
    def __init__(self, access: GoogleProductClient, credentials: AccountCredentials, request: EventRequest) -> None:
        self._access = access
        self._mark = request.request_marker
        self._notify: dict[str, str] = {"sendUpdates": request.notify}
        self._events = _events_url(request.calendar_id)
        self._to_event_item = partial(parse_event, credentials, request.calendar_id)

    async def read(self, event_id: str) -> EventItem:
        return self._to_event_item(await self._access.get(self._event_url(event_id), GoogleEvent))

    async def insert(self, event_id: str, fields: EventFields, copy_from_id: str | None = None) -> EventItem:
        before = {} if copy_from_id is None else await self._access.get(self._event_url(copy_from_id), dict[str, Any])
        taken = {name: before[name] for name in _COPIED_FIELDS if name in before}
        body = drop_none({**taken, **build_event_body(fields, self._mark), "id": event_id})
        body["extendedProperties"] = _merge_properties(taken.get("extendedProperties", {}), body["extendedProperties"])
        event = await self._access.post(
            self._events, GoogleEvent, body, repeatable=False, query=self._build_query(fields)
        )
        return self._to_event_item(event)

    async def write(self, event_id: str, fields: EventFields, expected: str | None) -> EventItem:
        values = {
            "json": build_event_body(fields, self._mark),
            "query": self._build_query(fields),
            "headers": _if_match_header(expected),
        }
        return self._to_event_item(
            await self._access.call("PATCH", self._event_url(event_id), GoogleEvent, repeatable=False, **values)
        )

    async def remove(self, event_id: str, expected: str | None) -> None:
        values = {"query": self._notify, "headers": _if_match_header(expected)}
        await self._access.call("DELETE", self._event_url(event_id), object, repeatable=False, **values)

    async def find_last_start(self, event_id: str) -> recurrence.EventStart | None:
        values = {"showDeleted": "true", "maxResults": _MAX_EVENTS_PER_PAGE}
        pages = self._access.iterate_pages(f"{self._event_url(event_id)}/instances", YouTubePage[GoogleEvent], **values)
        event_times = [event.original_start_time async for page in pages for event in page.items]
        return max(
            (recurrence.require_start(parse_event_time(current_event_time)) for current_event_time in event_times),
            default=None,
        )

    def _event_url(self, event_id: str) -> str:
        return f"{self._events}/{require_valid_id(event_id, _ID)}"

    def _build_query(self, fields: EventFields) -> dict[str, str]:
        """Without the version, Google ignores meetings; with it, an omitted meeting means "none"."""
        return self._notify if fields.with_video_meeting is UNSET else {**self._notify, "conferenceDataVersion": "1"}


def _merge_properties(before: Mapping[str, Mapping[str, str]], ours: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Keep the properties that others have set, with our own beside them."""
    return {name: {**before.get(name, {}), **ours.get(name, {})} for name in {**before, **ours}}


def _if_match_header(expected: str | None) -> dict[str, str]:
    return {} if expected is None else {"If-Match": expected}


def _events_url(calendar_id: str | None) -> str:
    checked_id = require_valid_id(calendar_id or "primary", _CALENDAR_ID)
    return f"{CALENDAR_API_URL}/calendars/{quote(checked_id, safe='@')}/events"
