"""Events of Google Calendar. An occurrence of a series has an id of its own, and names the series."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.forms import given
from socialgate.connectors.google.calendar_bodies import MARK, event_body, event_item, with_responses
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Event, Items
from socialgate.connectors.google.wire import Access, GoogleApi, checked_id
from socialgate.contracts.calendar import (
    EventChange,
    EventDeletion,
    EventFields,
    EventItem,
    EventPage,
    EventQuery,
    EventRequest,
    NewEvent,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformError, PlatformNotFound, Rejected
from socialgate.contracts.operations import Looked, NotSeen
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell

_BASE = "https://www.googleapis.com/calendar/v3/calendars"
_ID, _CALENDAR_ID = re.compile(r"[\w-]{1,1100}", re.ASCII), re.compile(r"[\w.#@+-]{1,300}", re.ASCII)
_CHANGED = "It was changed on Google meanwhile. Read it again, then change that."
_PRECONDITION_FAILED = 412


class GoogleCalendar:
    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.for_account, Product.CALENDAR)

    async def list(self, held: AccountCredentials, query: EventQuery) -> EventPage:
        how = {
            "timeMin": _written(query.since),
            "timeMax": _written(query.until),
            "q": query.q,
            "singleEvents": "true" if query.expand else None,
            "orderBy": "startTime" if query.expand else None,
            "maxResults": query.limit,
            "pageToken": query.cursor,
        }
        found = await self._open(held).get(_events(query.calendar_id), Items[Event], **given(how))
        show = partial(event_item, held, query.calendar_id)
        return EventPage(items=[show(event) for event in found.items], cursor=found.next_page_token)

    async def create(self, held: AccountCredentials, new: NewEvent) -> EventItem:
        body = {"id": new.event_id, **given(event_body(new.fields, new.mark))}
        access, url = self._open(held), _events(new.calendar_id)
        made = await access.post(url, Event, body, repeatable=False, query=_how(new, new.fields))
        return event_item(held, new.calendar_id, made)

    async def look_created(self, held: AccountCredentials, new: NewEvent) -> Looked[EventItem]:
        try:
            return event_item(held, new.calendar_id, await _read(self._open(held), new))
        except PlatformNotFound:
            return NotSeen()

    async def change(self, held: AccountCredentials, change: EventChange) -> EventItem:
        access, expected, body = self._open(held), change.expected, event_body(change.fields, change.mark)
        target = change.event_id
        if change.scope == "all" or change.fields.attendees:
            found = await _target(access, change)
            target, expected = found.id, found.etag
            body |= with_responses(change.fields, found)
        headers = {} if expected is None else {"If-Match": expected}
        how: Mapping[str, Any] = {"query": _how(change, change.fields), "headers": headers}
        url = _event(change, target)
        return event_item(
            held, change.calendar_id, await access.call("PATCH", url, Event, repeatable=False, json=body, **how)
        )

    async def look_changed(self, held: AccountCredentials, change: EventChange) -> Looked[EventItem]:
        found = await _target(self._open(held), msgspec.structs.replace(change, expected=None))
        mark = found.extended_properties.private.get(MARK, "")
        if mark == change.mark:
            return event_item(held, change.calendar_id, found)
        # Each of our requests leaves its own; those of other programs leave them alone.
        return CannotTell("The event was changed again since then.") if mark > change.mark else NotSeen()

    async def delete(self, held: AccountCredentials, deletion: EventDeletion) -> None:
        access, expected, target = self._open(held), deletion.expected, deletion.event_id
        if deletion.scope == "all":
            found = await _target(access, deletion)
            target, expected = found.id, found.etag
        headers = {} if expected is None else {"If-Match": expected}
        query = {"sendUpdates": deletion.notify}
        await access.call("DELETE", _event(deletion, target), object, repeatable=False, query=query, headers=headers)

    async def look_deleted(self, held: AccountCredentials, deletion: EventDeletion) -> Looked[None]:
        try:
            found = await _read(self._open(held), deletion)
        except PlatformNotFound:
            return None
        return None if found.status == "cancelled" else NotSeen()


async def _read(access: Access, request: EventRequest, event_id: str | None = None) -> Event:
    return await access.get(_event(request, event_id or request.event_id), Event)


async def _target(access: Access, request: EventChange | EventDeletion) -> Event:
    """Read what is to be changed: of an occurrence, the series if all of it is meant."""
    found = await _read(access, request)
    if found.status == "cancelled":
        raise PlatformNotFound("The event was deleted on Google.", platform=Platform.GOOGLE)
    if request.expected not in {None, "*", found.etag}:
        error = PlatformError(status=_PRECONDITION_FAILED, code="conditionNotMet")
        raise Rejected(_CHANGED, platform=Platform.GOOGLE, error=error)
    if request.scope == "all" and found.recurring_event_id is not None:
        return await _read(access, request, found.recurring_event_id)
    return found


def _events(calendar_id: str | None) -> str:
    return f"{_BASE}/{quote(checked_id(calendar_id or 'primary', _CALENDAR_ID), safe='@')}/events"


def _event(request: EventRequest, event_id: str) -> str:
    return f"{_events(request.calendar_id)}/{checked_id(event_id, _ID)}"


def _how(request: EventRequest, fields: EventFields) -> dict[str, str]:
    """Without the version, Google passes over what is said of meetings; with it, it takes silence for "none"."""
    meets = {} if fields.meet is msgspec.UNSET else {"conferenceDataVersion": "1"}
    return {"sendUpdates": request.notify, **meets}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
