"""Events of an account's calendars: listed live, and changed by operations, so that nothing is written twice.

A list of a watched calendar is cached for a minute, or until something in the calendar changes.
"""

from uuid import uuid4

import msgspec

from socialgate.areas.accounts import registration_store
from socialgate.areas.accounts.live_reads import ListRead, LiveReads, LiveResult
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.calendar import store
from socialgate.areas.calendar.schemas import (
    CalendarEvent,
    CalendarEvents,
    CalendarEventsQuery,
    EventChanges,
    EventConference,
    EventDeleted,
    EventDeletionQuery,
    EventGuest,
    NewCalendarEvent,
)
from socialgate.areas.calendar.sync import NO_CALENDAR_PHRASE
from socialgate.areas.calendar.validation import (
    covers_whole_calendar,
    parse_event_changes,
    parse_event_fields,
    validate_events_query,
)
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.calendar import (
    CALENDAR_CAPABILITY,
    CalendarEventChanged,
    EventDeletion,
    EventItem,
    EventQuery,
    EventUpdateRequest,
    Guest,
    NewEvent,
)
from socialgate.contracts.operations import OperationType
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor

_MARK_ID_PREFIX = "mark"
_PRIMARY_CALENDAR_ID = "primary"
# A notified change invalidates it sooner.
_CACHE_SECONDS = 60.0


class CalendarService:
    def __init__(self, reads: LiveReads, of_accounts: AccountService, operations: OperationService) -> None:
        self._reads = reads
        self._accounts = of_accounts
        self._operations = operations

    async def list(
        self, work: UnitOfWork, account_id: str, query: CalendarEventsQuery, *, fresh: bool = False
    ) -> LiveResult[CalendarEvents]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        validate_events_query(query)
        version, is_watched = await work.read(self._find_version, account, query.calendar_id)
        calendar_id = query.calendar_id or ""
        # A token is valid for the calendar that it was issued for, and a cursor for its list.
        syncs = ("calendar sync", account_id, calendar_id)
        chosen = [str(item) for item in (query.since, query.until, query.q, query.expand, query.sync_token)]
        values = ("calendar", account_id, calendar_id, *chosen)
        requested_query = EventQuery(
            calendar_id=query.calendar_id,
            since=query.since,
            until=query.until,
            q=query.q,
            expand=query.expand,
            sync_token=unwrap_platform_cursor(query.sync_token, *syncs, name="syncToken"),
            limit=query.limit,
            cursor=unwrap_platform_cursor(query.cursor, *values),
        )
        read = ListRead(
            name="calendar",
            params=(version, *msgspec.structs.astuple(requested_query)),
            limit=query.limit,
            capability=CALENDAR_CAPABILITY,
            lacks=NO_CALENDAR_PHRASE,
            call=lambda part, credentials, rows: part.list(
                credentials, msgspec.structs.replace(requested_query, limit=rows)
            ),
            keep=_CACHE_SECONDS if is_watched else 0.0,
        )
        fetched = await self._reads.list(account, read, bypass_cache=fresh)
        page = fetched.value
        # A filtered list cannot be continued: the token would report changes to events that were never listed.
        token = page.sync_token if covers_whole_calendar(query) else None
        shown = CalendarEvents(
            data=[build_event_view(item) for item in page.items],
            next_cursor=wrap_platform_cursor(page.cursor, *values),
            sync_token=wrap_platform_cursor(token, *syncs),
        )
        return LiveResult(shown, fetched.age_seconds)

    async def _find_version(self, tx: Tx, account: AccountRow, calendar_id: str | None) -> tuple[int | None, bool]:
        """Return the version of an account's calendars, and whether changes to this one are notified.

        The caller's own changes increment the version, so a list never joins a read that began before them.
        """
        row = await store.find_calendar_sync(tx, account.owner_id, account.id)
        if row is None:
            return None, False
        if calendar_id not in {None, _PRIMARY_CALENDAR_ID, account.platform_account_id} or row.sync_token is None:
            return row.version, False
        return row.version, await registration_store.is_registration_active(tx, account.platform, account.inbound_key)

    async def create(self, work: UnitOfWork, account_id: str, new_calendar_event: NewCalendarEvent) -> CalendarEvent:
        account = await work.read(self._accounts.find, work.caller, account_id)
        new = NewEvent(
            # We choose the id: if the response is lost, the event is looked up by it and never created twice.
            event_id=uuid4().hex,
            calendar_id=new_calendar_event.calendar_id,
            notify=new_calendar_event.notify,
            request_marker=new_id(_MARK_ID_PREFIX),
            fields=parse_event_fields(new_calendar_event),
        )
        return await self._operations.run(work, account, CREATE_EVENT_OPERATION, new)

    async def change(
        self, work: UnitOfWork, account_id: str, event_id: str, event_changes: EventChanges, expected: ExpectedVersion
    ) -> CalendarEvent:
        account = await work.read(self._accounts.find, work.caller, account_id)
        change = EventUpdateRequest(
            event_id=event_id,
            split_id=uuid4().hex,
            calendar_id=event_changes.calendar_id,
            notify=event_changes.notify,
            request_marker=new_id(_MARK_ID_PREFIX),
            fields=parse_event_changes(event_changes),
            scope=event_changes.scope,
            expected_etag=expected.if_match,
        )
        return await self._operations.run(work, account, CHANGE_EVENT_OPERATION, change)

    async def delete(
        self, work: UnitOfWork, account_id: str, event_id: str, query: EventDeletionQuery, expected: ExpectedVersion
    ) -> EventDeleted:
        account = await work.read(self._accounts.find, work.caller, account_id)
        deletion = EventDeletion(
            event_id=event_id,
            calendar_id=query.calendar_id,
            notify=query.notify,
            request_marker=new_id(_MARK_ID_PREFIX),
            scope=query.scope,
            expected_etag=expected.if_match,
        )
        return await self._operations.run(work, account, DELETE_EVENT_OPERATION, deletion)


def build_event_view(item: EventItem) -> CalendarEvent:
    return CalendarEvent(
        id=item.id,
        calendar_id=item.calendar_id,
        title=item.title,
        description=item.description,
        location=item.location,
        start=item.start,
        end=item.end,
        all_day=item.start.date is not None,
        recurrence=list(item.recurrence),
        recurring_event_id=item.recurring_event_id,
        attendees=[_build_guest(guest) for guest in item.attendees],
        conference=None if item.conference_url is None else EventConference(url=item.conference_url),
        reminders=item.reminders,
        status=item.status,
        etag=item.etag,
        html_url=item.html_url,
        updated_at=item.updated_at,
    )


def _build_guest(guest: Guest) -> EventGuest:
    return EventGuest(email=guest.email, name=guest.name, optional=guest.optional, response=guest.response)


async def _record_written(
    tx: Tx, account: AccountRow, request: NewEvent | EventUpdateRequest, item: EventItem
) -> CalendarEvent:
    await tx.publish_fact(CalendarEventChanged(event_id=request.event_id), account)
    return build_event_view(item)


async def _record_deleted(tx: Tx, account: AccountRow, event_deletion: EventDeletion, result: None) -> EventDeleted:
    del result
    await tx.publish_fact(CalendarEventChanged(event_id=event_deletion.event_id, deleted=True), account)
    return EventDeleted(id=event_deletion.event_id, account_id=account.id)


CREATE_EVENT_OPERATION = OperationType(
    name="calendar.create",
    request=NewEvent,
    response_type=CalendarEvent,
    capability=CALENDAR_CAPABILITY,
    unsupported_phrase=NO_CALENDAR_PHRASE,
    call=lambda part, credentials, new: part.create(credentials, new),
    record=_record_written,
    look=lambda part, credentials, new: part.look_up_created(credentials, new),
    summarize_request=lambda new: {"eventId": new.event_id},
    get_object_id=lambda _, item: item.id,
)
CHANGE_EVENT_OPERATION = OperationType(
    name="calendar.patch",
    request=EventUpdateRequest,
    response_type=CalendarEvent,
    capability=CALENDAR_CAPABILITY,
    unsupported_phrase=NO_CALENDAR_PHRASE,
    call=lambda part, credentials, change: part.update(credentials, change),
    record=_record_written,
    look=lambda part, credentials, change: part.look_up_updated(credentials, change),
    summarize_request=lambda change: {"eventId": change.event_id, "scope": change.scope},
    get_object_id=lambda _, item: item.id,
)
DELETE_EVENT_OPERATION = OperationType(
    name="calendar.delete",
    request=EventDeletion,
    response_type=EventDeleted,
    capability=CALENDAR_CAPABILITY,
    unsupported_phrase=NO_CALENDAR_PHRASE,
    call=lambda part, credentials, deletion: part.delete(credentials, deletion),
    record=_record_deleted,
    look=lambda part, credentials, deletion: part.look_up_deleted(credentials, deletion),
    summarize_request=lambda deletion: {"eventId": deletion.event_id, "scope": deletion.scope},
    get_object_id=lambda deletion, _: deletion.event_id,
)
