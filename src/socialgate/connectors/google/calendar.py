"""Events of Google Calendar. An occurrence of a series has its own id and refers to the series."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec import UNSET

from socialgate.connectors import series
from socialgate.connectors.calendars import SeriesCalendar
from socialgate.connectors.forms import given
from socialgate.connectors.google.calendar_bodies import event_body, event_item, event_time
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Event, Items
from socialgate.connectors.google.wire import Access, GoogleApi, checked_id
from socialgate.contracts.calendar import EventFields, EventItem, EventPage, EventQuery, EventRequest
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Platform

CALENDAR = "https://www.googleapis.com/calendar/v3"
_ID, _CALENDAR_ID = re.compile(r"[\w-]{1,1100}", re.ASCII), re.compile(r"[\w.#@+-]{1,300}", re.ASCII)
_MOST_ROWS = 2500
_TOKENS = "nextPageToken,nextSyncToken"
# What a new series copies from the one that it was split from. A meeting belongs to one series only.
_TAKEN_OVER = (
    *("summary", "description", "location", "attendees", "reminders", "visibility", "transparency", "colorId"),
    *("guestsCanModify", "guestsCanInviteOthers", "guestsCanSeeOtherGuests", "source", "extendedProperties"),
)


class GoogleCalendar(SeriesCalendar):
    platform = Platform.GOOGLE

    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.for_account, Product.CALENDAR)

    async def list(self, held: AccountCredentials, query: EventQuery) -> EventPage:
        how = {
            "timeMin": query.since and query.since.isoformat(),
            "timeMax": query.until and query.until.isoformat(),
            "q": query.q,
            "singleEvents": "true" if query.expand else None,
            "orderBy": "startTime" if query.expand else None,
            "syncToken": query.sync_token,
            "fields": _TOKENS if query.tokens_only else None,
            "maxResults": _MOST_ROWS if query.tokens_only else query.limit,
            "pageToken": query.cursor,
        }
        found = await self._open(held).get(_events(query.calendar_id), Items[Event], **given(how))
        items = [event_item(held, query.calendar_id, event) for event in found.items]
        return EventPage(items=items, cursor=found.next_page_token, sync_token=found.next_sync_token)

    def _book(self, held: AccountCredentials, request: EventRequest) -> "GoogleBook":
        return GoogleBook(self._open(held), held, request)


class GoogleBook:
    def __init__(self, access: Access, held: AccountCredentials, request: EventRequest) -> None:
        self._access = access
        self._mark = request.mark
        self._notify: dict[str, str] = {"sendUpdates": request.notify}
        self._events = _events(request.calendar_id)
        self._show = partial(event_item, held, request.calendar_id)

    async def read(self, event_id: str) -> EventItem:
        return self._show(await self._access.get(self._event(event_id), Event))

    async def insert(self, event_id: str, fields: EventFields, like: str | None = None) -> EventItem:
        before = {} if like is None else await self._access.get(self._event(like), dict[str, Any])
        taken = {name: before[name] for name in _TAKEN_OVER if name in before}
        body = given({**taken, **event_body(fields, self._mark), "id": event_id})
        body["extendedProperties"] = _joined(taken.get("extendedProperties", {}), body["extendedProperties"])
        made = await self._access.post(self._events, Event, body, repeatable=False, query=self._how(fields))
        return self._show(made)

    async def write(self, event_id: str, fields: EventFields, expected: str | None) -> EventItem:
        how = {"json": event_body(fields, self._mark), "query": self._how(fields), "headers": _match(expected)}
        return self._show(await self._access.call("PATCH", self._event(event_id), Event, repeatable=False, **how))

    async def remove(self, event_id: str, expected: str | None) -> None:
        how = {"query": self._notify, "headers": _match(expected)}
        await self._access.call("DELETE", self._event(event_id), object, repeatable=False, **how)

    async def last_start(self, event_id: str) -> series.Start | None:
        how = {"showDeleted": "true", "maxResults": _MOST_ROWS}
        pages = self._access.pages(f"{self._event(event_id)}/instances", Items[Event], **how)
        found = [event.original_start_time async for page in pages for event in page.items]
        return max((series.start_of(event_time(one)) for one in found), default=None)

    def _event(self, event_id: str) -> str:
        return f"{self._events}/{checked_id(event_id, _ID)}"

    def _how(self, fields: EventFields) -> dict[str, str]:
        """Without the version, Google ignores meetings; with it, an omitted meeting means "none"."""
        return self._notify if fields.meet is UNSET else {**self._notify, "conferenceDataVersion": "1"}


def _joined(before: Mapping[str, Mapping[str, str]], ours: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Keep the properties that others have set, with our own beside them."""
    return {name: {**before.get(name, {}), **ours.get(name, {})} for name in {**before, **ours}}


def _match(expected: str | None) -> dict[str, str]:
    return {} if expected is None else {"If-Match": expected}


def _events(calendar_id: str | None) -> str:
    return f"{CALENDAR}/calendars/{quote(checked_id(calendar_id or 'primary', _CALENDAR_ID), safe='@')}/events"
