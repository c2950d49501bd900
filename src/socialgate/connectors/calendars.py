"""What calendars of all platforms share: what a change to a series means, and how a series is split.

A platform provides a `CalendarEventStore`: five calls on single events. Recurrence rules are left to the platform,
except for the little that `connectors/recurrence.py` needs to know about them.
"""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import NamedTuple, Protocol

from msgspec import UNSET
from msgspec.structs import replace

from socialgate.connectors import recurrence
from socialgate.connectors.recurrence import EventStart, raise_series_errors_as_rejected
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.calendar import (
    EventDeletion,
    EventFields,
    EventItem,
    EventRequest,
    EventUpdateRequest,
    Guest,
    NewEvent,
)
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
    VersionConflictError,
)
from socialgate.contracts.operations import LookupResult, NotFoundYet
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Inconclusive

CANCELLED_STATUS = "cancelled"
_OUTDATED_DETAIL = "The event was changed on the platform since you read it. Read it again, then repeat the change."
_OCCURRENCE_CANNOT_REPEAT_MESSAGE = (
    "Nothing was changed: a single occurrence cannot repeat. Use `scope` `following` to change the series from here "
    "on, or `all` for the whole series."
)
_SERIES_ID_GIVEN_MESSAGE = (
    "Nothing was changed: this is the id of a series. Use the id of one of its occurrences; a list with `expand=true` "
    "shows them."
)


class CalendarEventStore(Protocol):
    """Access to single events, for one request, which determines who is notified and the mark to leave."""

    async def read(self, event_id: str) -> EventItem:
        """Read an event, an occurrence or a series. PlatformNotFound if it does not exist."""

    async def insert(self, event_id: str, fields: EventFields, copy_from_id: str | None = None) -> EventItem:
        """Create an event with an id of ours. Unset fields are copied from the event `copy_from_id`."""

    async def write(self, event_id: str, fields: EventFields, expected: str | None) -> EventItem:
        """Update an event. Raises Outdated if its version is not the expected one."""

    async def remove(self, event_id: str, expected: str | None) -> None:
        """Delete an event, an occurrence or a series."""

    async def find_last_start(self, event_id: str) -> EventStart | None:
        """Find when the last occurrence of a series was planned."""


class _EventTarget(NamedTuple):
    """What a request refers to: the event that it names, and the one to change, which may be the series of that event.

    If it refers to the rest of a series, `split_start` is the first occurrence of the rest.
    """

    requested_event: EventItem
    event: EventItem
    split_start: EventStart | None = None


class CalendarAdapterBase(ABC):
    """Creates, updates and deletes events, and looks up lost results."""

    platform: Platform

    @abstractmethod
    def _open_event_store(self, credentials: AccountCredentials, request: EventRequest) -> CalendarEventStore: ...

    async def create(self, credentials: AccountCredentials, new: NewEvent) -> EventItem:
        return await self._open_event_store(credentials, new).insert(new.event_id, new.fields)

    async def look_up_created(self, credentials: AccountCredentials, new: NewEvent) -> LookupResult[EventItem]:
        try:
            return await self._open_event_store(credentials, new).read(new.event_id)
        except PlatformNotFoundError:
            return NotFoundYet()

    async def update(self, credentials: AccountCredentials, change: EventUpdateRequest) -> EventItem:
        book, fields = self._open_event_store(credentials, change), change.fields
        if change.scope is None and not fields.attendees and fields.recurrence is UNSET:
            return await book.write(change.event_id, fields, change.expected_etag)
        target = await self._read_target(book, change)
        if target.event.recurring_event_id is not None and fields.recurrence is not UNSET:
            raise PlatformRejectedError(
                _OCCURRENCE_CANNOT_REPEAT_MESSAGE, platform=self.platform, field="/recurrence", category="user_content"
            )
        if target.split_start is not None:
            return await self._split_series(book, change, target, target.split_start)
        if target.event is not target.requested_event:
            with raise_series_errors_as_rejected(self.platform):
                fields = recurrence.shift_series(fields, target.requested_event, target.event)
        return await book.write(target.event.id, _keep_guest_responses(fields, target.event), target.event.etag)

    async def look_up_updated(
        self, credentials: AccountCredentials, change: EventUpdateRequest
    ) -> LookupResult[EventItem]:
        book = self._open_event_store(credentials, change)
        if change.scope == "following":
            with suppress(PlatformNotFoundError):
                created_event = await book.read(change.split_id)
                with raise_series_errors_as_rejected(self.platform):
                    await _end_old_series(book, change)
                return created_event
        event_item = (await self._read_target(book, replace(change, expected_etag=None))).event
        if event_item.request_marker == change.request_marker:
            return event_item
        # Each of our requests leaves its own mark; other programs do not touch it.
        return (
            Inconclusive("The event has been changed again since then.")
            if event_item.request_marker > change.request_marker
            else NotFoundYet()
        )

    async def delete(self, credentials: AccountCredentials, deletion: EventDeletion) -> None:
        book = self._open_event_store(credentials, deletion)
        if deletion.scope is None:
            await book.remove(deletion.event_id, deletion.expected_etag)
            return
        target = await self._read_target(book, deletion)
        if target.split_start is None:
            await book.remove(target.event.id, target.event.etag)
        else:
            with raise_series_errors_as_rejected(self.platform):
                rest = _build_series_end(target.event, target.split_start)
            await book.write(target.event.id, rest, target.event.etag)

    async def look_up_deleted(self, credentials: AccountCredentials, deletion: EventDeletion) -> LookupResult[None]:
        try:
            event_item = await self._open_event_store(credentials, deletion).read(deletion.event_id)
        except PlatformNotFoundError:
            return None
        return None if event_item.status == CANCELLED_STATUS else NotFoundYet()

    async def _read_target(self, book: CalendarEventStore, request: EventUpdateRequest | EventDeletion) -> _EventTarget:
        """Read what to change."""
        named = await book.read(request.event_id)
        if named.status == CANCELLED_STATUS:
            raise PlatformNotFoundError("The event was deleted on the platform.", platform=self.platform)
        if request.expected_etag not in {None, "*", named.etag}:
            raise VersionConflictError(_OUTDATED_DETAIL, platform=self.platform)
        if named.recurrence and request.scope in {"this", "following"}:
            raise PlatformRejectedError(
                _SERIES_ID_GIVEN_MESSAGE, platform=self.platform, field="/scope", category="user_content"
            )
        if named.recurring_event_id is None or request.scope in {None, "this"}:
            return _EventTarget(named, named)
        whole = await book.read(named.recurring_event_id)
        with raise_series_errors_as_rejected(self.platform):
            begins = recurrence.require_start(named.original_start)
            is_rest = request.scope == "following" and begins != recurrence.require_start(whole.start)
        return _EventTarget(named, whole, begins if is_rest else None)

    async def _split_series(
        self, book: CalendarEventStore, change: EventUpdateRequest, target: _EventTarget, begins: EventStart
    ) -> EventItem:
        """Create the new series before ending the old one: after a failure in between, the split can be completed."""
        whole = target.event
        last = await book.find_last_start(whole.id) if recurrence.has_end(whole.recurrence) else None
        with raise_series_errors_as_rejected(self.platform):
            fields = recurrence.build_remaining_series(change.fields, target.requested_event, whole, last)
        event_item = await book.insert(change.split_id, _keep_guest_responses(fields, whole), copy_from_id=whole.id)
        try:
            await book.write(whole.id, _build_series_end(whole, begins), whole.etag)
        except OutcomeUnknownError:
            raise
        except PlatformFailure:
            await self._delete_new_series(book, change.split_id)
            raise
        return event_item

    async def _delete_new_series(self, book: CalendarEventStore, event_id: str) -> None:
        try:
            await book.remove(event_id, None)
        except PlatformFailure as failure:
            detail = "The new series was created, but the old one was not ended."
            raise OutcomeUnknownError(detail, platform=self.platform) from failure


async def _end_old_series(book: CalendarEventStore, change: EventUpdateRequest) -> None:
    """End the old series, unless that was already done: then it no longer has the occurrence."""
    with suppress(PlatformNotFoundError):
        event_item = await book.read(change.event_id)
        if event_item.status != CANCELLED_STATUS and event_item.recurring_event_id is not None:
            whole = await book.read(event_item.recurring_event_id)
            await book.write(
                whole.id, _build_series_end(whole, recurrence.require_start(event_item.original_start)), None
            )


def _build_series_end(series_event: EventItem, begins: EventStart) -> EventFields:
    return EventFields(recurrence=recurrence.end_rules_before(series_event.recurrence, begins))


def _keep_guest_responses(fields: EventFields, event_item: EventItem) -> EventFields:
    """Keep the answers of guests: platforms replace the whole list."""
    if fields.attendees is UNSET:
        return fields
    known = {guest.email.lower(): guest for guest in event_item.attendees}
    return replace(
        fields,
        attendees=tuple(_copy_guest_response(guest, known.get(guest.email.lower())) for guest in fields.attendees),
    )


def _copy_guest_response(guest: Guest, before: Guest | None) -> Guest:
    if before is None:
        return guest
    return replace(guest, response=before.response, comment=before.comment, additional_guests=before.additional_guests)
