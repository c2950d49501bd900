"""Events of an account's calendars: listed live, and changed by operations, so that nothing is written twice.

A list of a watched calendar is cached for a minute, or until something in the calendar changes.
"""

from uuid import uuid4

import msgspec

from socialgate.areas.accounts import subscriptions
from socialgate.areas.accounts.reading import Fetched, ListRead, LiveReads
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.calendar import store
from socialgate.areas.calendar.reading import can_sync, changes_of, check_query, fields_of
from socialgate.areas.calendar.schemas import (
    CalendarEvent,
    CalendarEvents,
    EventChanges,
    EventConference,
    EventDeleted,
    EventDeletionQuery,
    EventGuest,
    EventsQuery,
    NewCalendarEvent,
)
from socialgate.areas.calendar.sync import LACKS
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.calendar import (
    CALENDAR,
    EventChange,
    EventChanged,
    EventDeletion,
    EventItem,
    EventQuery,
    Guest,
    NewEvent,
)
from socialgate.contracts.operations import OperationType
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.work import Work
from socialgate.web.edits import Expected
from socialgate.web.paging import opaque, plain

_MARK = "mark"
_PRIMARY = "primary"
# A notified change invalidates it sooner.
_KEPT_SECONDS = 60.0


class Agenda:
    def __init__(self, reads: LiveReads, of_accounts: Accounts, operations: Operations) -> None:
        self._reads = reads
        self._accounts = of_accounts
        self._operations = operations

    async def list(
        self, work: Work, account_id: str, query: EventsQuery, *, fresh: bool = False
    ) -> Fetched[CalendarEvents]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        check_query(query)
        version, is_watched = await work.read(self._version, account, query.calendar_id)
        calendar_id = query.calendar_id or ""
        # A token is valid for the calendar that it was issued for, and a cursor for its list.
        syncs = ("calendar sync", account_id, calendar_id)
        chosen = [str(one) for one in (query.since, query.until, query.q, query.expand, query.sync_token)]
        of = ("calendar", account_id, calendar_id, *chosen)
        asked = EventQuery(
            calendar_id=query.calendar_id,
            since=query.since,
            until=query.until,
            q=query.q,
            expand=query.expand,
            sync_token=plain(query.sync_token, *syncs, name="syncToken"),
            limit=query.limit,
            cursor=plain(query.cursor, *of),
        )
        read = ListRead(
            name="calendar",
            params=(version, *msgspec.structs.astuple(asked)),
            limit=query.limit,
            capability=CALENDAR,
            lacks=LACKS,
            call=lambda part, held, rows: part.list(held, msgspec.structs.replace(asked, limit=rows)),
            keep=_KEPT_SECONDS if is_watched else 0.0,
        )
        fetched = await self._reads.list(account, read, fresh=fresh)
        page = fetched.value
        # A filtered list cannot be continued: the token would report changes to events that were never listed.
        token = page.sync_token if can_sync(query) else None
        shown = CalendarEvents(
            data=[show(item) for item in page.items],
            next_cursor=opaque(page.cursor, *of),
            sync_token=opaque(token, *syncs),
        )
        return Fetched(shown, fetched.age)

    async def _version(self, tx: Tx, account: AccountRow, calendar_id: str | None) -> tuple[int | None, bool]:
        """Return the version of an account's calendars, and whether changes to this one are notified.

        The caller's own changes increment the version, so a list never joins a read that began before them.
        """
        row = await store.find(tx, account.owner_id, account.id)
        if row is None:
            return None, False
        if calendar_id not in {None, _PRIMARY, account.platform_account_id} or row.sync_token is None:
            return row.version, False
        return row.version, await subscriptions.is_standing(tx, account.platform, account.inbound_key)

    async def create(self, work: Work, account_id: str, given: NewCalendarEvent) -> CalendarEvent:
        account = await work.read(self._accounts.find, work.caller, account_id)
        new = NewEvent(
            # We choose the id: if the response is lost, the event is looked up by it and never created twice.
            event_id=uuid4().hex,
            calendar_id=given.calendar_id,
            notify=given.notify,
            mark=new_id(_MARK),
            fields=fields_of(given),
        )
        return await self._operations.run(work, account, CREATE, new)

    async def change(
        self, work: Work, account_id: str, event_id: str, given: EventChanges, expected: Expected
    ) -> CalendarEvent:
        account = await work.read(self._accounts.find, work.caller, account_id)
        change = EventChange(
            event_id=event_id,
            split_id=uuid4().hex,
            calendar_id=given.calendar_id,
            notify=given.notify,
            mark=new_id(_MARK),
            fields=changes_of(given),
            scope=given.scope,
            expected=expected.if_match,
        )
        return await self._operations.run(work, account, PATCH, change)

    async def delete(
        self, work: Work, account_id: str, event_id: str, query: EventDeletionQuery, expected: Expected
    ) -> EventDeleted:
        account = await work.read(self._accounts.find, work.caller, account_id)
        deletion = EventDeletion(
            event_id=event_id,
            calendar_id=query.calendar_id,
            notify=query.notify,
            mark=new_id(_MARK),
            scope=query.scope,
            expected=expected.if_match,
        )
        return await self._operations.run(work, account, DELETE, deletion)


def show(item: EventItem) -> CalendarEvent:
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
        attendees=[_guest(guest) for guest in item.attendees],
        conference=None if item.conference_url is None else EventConference(url=item.conference_url),
        reminders=item.reminders,
        status=item.status,
        etag=item.etag,
        html_url=item.html_url,
        updated_at=item.updated_at,
    )


def _guest(guest: Guest) -> EventGuest:
    return EventGuest(email=guest.email, name=guest.name, optional=guest.optional, response=guest.response)


async def _written(tx: Tx, account: AccountRow, asked: NewEvent | EventChange, item: EventItem) -> CalendarEvent:
    await tx.tell(EventChanged(event_id=asked.event_id), account)
    return show(item)


async def _deleted(tx: Tx, account: AccountRow, asked: EventDeletion, result: None) -> EventDeleted:
    del result
    await tx.tell(EventChanged(event_id=asked.event_id, deleted=True), account)
    return EventDeleted(id=asked.event_id, account_id=account.id)


CREATE = OperationType(
    name="calendar.create",
    request=NewEvent,
    answer=CalendarEvent,
    capability=CALENDAR,
    lacks=LACKS,
    call=lambda part, held, new: part.create(held, new),
    record=_written,
    look=lambda part, held, new: part.look_created(held, new),
    shown=lambda new: {"eventId": new.event_id},
    object_id=lambda _, item: item.id,
)
PATCH = OperationType(
    name="calendar.patch",
    request=EventChange,
    answer=CalendarEvent,
    capability=CALENDAR,
    lacks=LACKS,
    call=lambda part, held, change: part.change(held, change),
    record=_written,
    look=lambda part, held, change: part.look_changed(held, change),
    shown=lambda change: {"eventId": change.event_id, "scope": change.scope},
    object_id=lambda _, item: item.id,
)
DELETE = OperationType(
    name="calendar.delete",
    request=EventDeletion,
    answer=EventDeleted,
    capability=CALENDAR,
    lacks=LACKS,
    call=lambda part, held, deletion: part.delete(held, deletion),
    record=_deleted,
    look=lambda part, held, deletion: part.look_deleted(held, deletion),
    shown=lambda deletion: {"eventId": deletion.event_id, "scope": deletion.scope},
    object_id=lambda deletion, _: deletion.event_id,
)
