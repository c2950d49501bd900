"""Events of Google Calendar. An occurrence of a series has an id of its own, and names the series."""

import re
from contextlib import suppress
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.forms import given
from socialgate.connectors.google import series
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
from socialgate.contracts.failures import OutcomeUnknown, PlatformError, PlatformFailure, PlatformNotFound, Rejected
from socialgate.contracts.operations import Looked, NotSeen
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell

_BASE = "https://www.googleapis.com/calendar/v3/calendars"
_ID, _CALENDAR_ID = re.compile(r"[\w-]{1,1100}", re.ASCII), re.compile(r"[\w.#@+-]{1,300}", re.ASCII)
_CHANGED = "It was changed on Google meanwhile. Read it again, then change that."
_MOST_INSTANCES = 2500


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
        access, fields = self._open(held), change.fields
        target, expected, body = change.event_id, change.expected, event_body(fields, change.mark)
        if change.scope is not None or fields.attendees:
            found, begins = await _target(access, change)
            if begins is not None:
                return event_item(held, change.calendar_id, await _split(access, change, found, begins))
            target, expected = found.id, found.etag
            body |= with_responses(fields, found)
        url, how = _event(change, target), _how(change, fields)
        made = await access.call("PATCH", url, Event, repeatable=False, json=body, query=how, headers=_match(expected))
        return event_item(held, change.calendar_id, made)

    async def look_changed(self, held: AccountCredentials, change: EventChange) -> Looked[EventItem]:
        access = self._open(held)
        if change.scope == "following":
            with suppress(PlatformNotFound):
                made = await _read(access, change, change.split_id)
                await _finish(access, change)
                return event_item(held, change.calendar_id, made)
        found, _ = await _target(access, msgspec.structs.replace(change, expected=None))
        mark = found.extended_properties.private.get(MARK, "")
        if mark == change.mark:
            return event_item(held, change.calendar_id, found)
        # Each of our requests leaves its own; those of other programs leave them alone.
        return CannotTell("The event was changed again since then.") if mark > change.mark else NotSeen()

    async def delete(self, held: AccountCredentials, deletion: EventDeletion) -> None:
        access, expected, target = self._open(held), deletion.expected, deletion.event_id
        if deletion.scope is not None:
            found, begins = await _target(access, deletion)
            if begins is not None:
                await _end(access, deletion, found, begins, found.etag)
                return
            target, expected = found.id, found.etag
        url, query = _event(deletion, target), {"sendUpdates": deletion.notify}
        await access.call("DELETE", url, object, repeatable=False, query=query, headers=_match(expected))

    async def look_deleted(self, held: AccountCredentials, deletion: EventDeletion) -> Looked[None]:
        try:
            found = await _read(self._open(held), deletion)
        except PlatformNotFound:
            return None
        return None if found.status == "cancelled" else NotSeen()


async def _read(access: Access, request: EventRequest, event_id: str | None = None) -> Event:
    return await access.get(_event(request, event_id or request.event_id), Event)


async def _target(access: Access, request: EventChange | EventDeletion) -> tuple[Event, series.Start | None]:
    """Read what is to be changed: an event, an occurrence, or its series. Where only the rest of a series is meant, say
    with which occurrence that begins.
    """
    found = await _read(access, request)
    if found.status == "cancelled":
        raise PlatformNotFound("The event was deleted on Google.", platform=Platform.GOOGLE)
    if request.expected not in {None, "*", found.etag}:
        error = PlatformError(status=HTTPStatus.PRECONDITION_FAILED, code="conditionNotMet")
        raise Rejected(_CHANGED, platform=Platform.GOOGLE, error=error)
    if found.recurrence and request.scope in {"this", "following"}:
        detail = "This is a series. Name one of its occurrences, which a list with `expand=true` shows."
        raise Rejected(detail, platform=Platform.GOOGLE, field="/scope", category="user_content")
    if found.recurring_event_id is None or request.scope in {None, "this"}:
        return found, None
    whole, begins = await _read(access, request, found.recurring_event_id), series.start_of(found.original_start_time)
    if request.scope == "all" and isinstance(request, EventChange) and (request.fields.start or request.fields.end):
        detail = f"To move all occurrences, change the series itself: {whole.id}."
        raise Rejected(detail, platform=Platform.GOOGLE, field="/start", category="user_content")
    is_rest = request.scope == "following" and begins != series.start_of(whole.start)
    return whole, begins if is_rest else None


async def _split(access: Access, change: EventChange, whole: Event, begins: series.Start) -> Event:
    """Write the new series before the old one is ended: what is left by a failure in between can be finished."""
    fields = series.rest_of(change.fields, whole, begins, await _last_start(access, change, whole))
    known = series.taken_over(await access.get(_event(change, whole.id), dict[str, Any]))
    body = {**known, **event_body(fields, change.mark), **with_responses(fields, whole), "id": change.split_id}
    url, how = _events(change.calendar_id), _how(change, fields)
    made = await access.post(url, Event, given(body), repeatable=False, query=how)
    try:
        await _end(access, change, whole, begins, whole.etag)
    except OutcomeUnknown:
        raise
    except PlatformFailure:
        await _take_back(access, change)
        raise
    return made


async def _last_start(access: Access, change: EventChange, whole: Event) -> series.Start | None:
    if not series.is_finite(whole.recurrence):
        return None
    how = {"showDeleted": "true", "maxResults": _MOST_INSTANCES}
    pages = access.pages(f"{_event(change, whole.id)}/instances", Items[Event], **how)
    return max([series.start_of(one.original_start_time) async for page in pages for one in page.items], default=None)


async def _end(access: Access, request: EventRequest, whole: Event, begins: series.Start, expected: str | None) -> None:
    body = event_body(EventFields(recurrence=tuple(series.ended(whole.recurrence, begins))), request.mark)
    url, how = _event(request, whole.id), {"sendUpdates": request.notify}
    await access.call("PATCH", url, object, repeatable=False, json=body, query=how, headers=_match(expected))


async def _take_back(access: Access, change: EventChange) -> None:
    try:
        await access.delete(_event(change, change.split_id), sendUpdates="none")
    except PlatformFailure as failure:
        detail = "The new series is there, and the old one was not ended."
        raise OutcomeUnknown(detail, platform=Platform.GOOGLE) from failure


async def _finish(access: Access, change: EventChange) -> None:
    """End the old series, unless that was done: then it does not have the occurrence any more."""
    with suppress(PlatformNotFound):
        found = await _read(access, change)
        if found.status != "cancelled" and found.recurring_event_id is not None:
            whole = await _read(access, change, found.recurring_event_id)
            await _end(access, change, whole, series.start_of(found.original_start_time), None)


def _match(expected: str | None) -> dict[str, str]:
    return {} if expected is None else {"If-Match": expected}


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
