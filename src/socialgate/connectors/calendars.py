"""What calendars of all platforms share: what a change to a series means, and how a series is split.

A platform provides a `Book`: five calls on single events. Recurrence rules are left to the platform, except for the
little that `connectors/series.py` needs to know about them.
"""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import NamedTuple, Protocol

from msgspec import UNSET
from msgspec.structs import replace

from socialgate.connectors import series
from socialgate.connectors.series import Start, refusals
from socialgate.contracts.calendar import (
    EventChange,
    EventDeletion,
    EventFields,
    EventItem,
    EventRequest,
    Guest,
    NewEvent,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import OutcomeUnknown, Outdated, PlatformFailure, PlatformNotFound, Rejected
from socialgate.contracts.operations import Looked, NotSeen
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell

CANCELLED = "cancelled"
_OUTDATED = "The event was changed on the platform since you read it. Read it again, then repeat the change."
_ONE_REPEATS = (
    "Nothing was changed: a single occurrence cannot repeat. Use `scope` `following` to change the series from here "
    "on, or `all` for the whole series."
)
_NAME_ONE = (
    "Nothing was changed: this is the id of a series. Use the id of one of its occurrences; a list with `expand=true` "
    "shows them."
)


class Book(Protocol):
    """Access to single events, for one request, which determines who is notified and the mark to leave."""

    async def read(self, event_id: str) -> EventItem:
        """Read an event, an occurrence or a series. PlatformNotFound if it does not exist."""

    async def insert(self, event_id: str, fields: EventFields, like: str | None = None) -> EventItem:
        """Create an event with an id of ours. Unset fields are copied from the event `like`."""

    async def write(self, event_id: str, fields: EventFields, expected: str | None) -> EventItem:
        """Update an event. Raises Outdated if its version is not the expected one."""

    async def remove(self, event_id: str, expected: str | None) -> None:
        """Delete an event, an occurrence or a series."""

    async def last_start(self, event_id: str) -> Start | None:
        """Find when the last occurrence of a series was planned."""


class _Target(NamedTuple):
    """What a request refers to: the event that it names, and the one to change, which may be the series of that event.

    If it refers to the rest of a series, `begins` is the first occurrence of the rest.
    """

    named: EventItem
    event: EventItem
    begins: Start | None = None


class SeriesCalendar(ABC):
    """Creates, updates and deletes events, and looks up lost results."""

    platform: Platform

    @abstractmethod
    def _book(self, held: AccountCredentials, request: EventRequest) -> Book: ...

    async def create(self, held: AccountCredentials, new: NewEvent) -> EventItem:
        return await self._book(held, new).insert(new.event_id, new.fields)

    async def look_created(self, held: AccountCredentials, new: NewEvent) -> Looked[EventItem]:
        try:
            return await self._book(held, new).read(new.event_id)
        except PlatformNotFound:
            return NotSeen()

    async def change(self, held: AccountCredentials, change: EventChange) -> EventItem:
        book, fields = self._book(held, change), change.fields
        if change.scope is None and not fields.attendees and fields.recurrence is UNSET:
            return await book.write(change.event_id, fields, change.expected)
        target = await self._target(book, change)
        if target.event.recurring_event_id is not None and fields.recurrence is not UNSET:
            raise Rejected(_ONE_REPEATS, platform=self.platform, field="/recurrence", category="user_content")
        if target.begins is not None:
            return await self._split(book, change, target, target.begins)
        if target.event is not target.named:
            with refusals(self.platform):
                fields = series.moved(fields, target.named, target.event)
        return await book.write(target.event.id, _with_answers(fields, target.event), target.event.etag)

    async def look_changed(self, held: AccountCredentials, change: EventChange) -> Looked[EventItem]:
        book = self._book(held, change)
        if change.scope == "following":
            with suppress(PlatformNotFound):
                made = await book.read(change.split_id)
                with refusals(self.platform):
                    await _finish(book, change)
                return made
        found = (await self._target(book, replace(change, expected=None))).event
        if found.mark == change.mark:
            return found
        # Each of our requests leaves its own mark; other programs do not touch it.
        return CannotTell("The event has been changed again since then.") if found.mark > change.mark else NotSeen()

    async def delete(self, held: AccountCredentials, deletion: EventDeletion) -> None:
        book = self._book(held, deletion)
        if deletion.scope is None:
            await book.remove(deletion.event_id, deletion.expected)
            return
        target = await self._target(book, deletion)
        if target.begins is None:
            await book.remove(target.event.id, target.event.etag)
        else:
            with refusals(self.platform):
                rest = _ended(target.event, target.begins)
            await book.write(target.event.id, rest, target.event.etag)

    async def look_deleted(self, held: AccountCredentials, deletion: EventDeletion) -> Looked[None]:
        try:
            found = await self._book(held, deletion).read(deletion.event_id)
        except PlatformNotFound:
            return None
        return None if found.status == CANCELLED else NotSeen()

    async def _target(self, book: Book, request: EventChange | EventDeletion) -> _Target:
        """Read what to change."""
        named = await book.read(request.event_id)
        if named.status == CANCELLED:
            raise PlatformNotFound("The event was deleted on the platform.", platform=self.platform)
        if request.expected not in {None, "*", named.etag}:
            raise Outdated(_OUTDATED, platform=self.platform)
        if named.recurrence and request.scope in {"this", "following"}:
            raise Rejected(_NAME_ONE, platform=self.platform, field="/scope", category="user_content")
        if named.recurring_event_id is None or request.scope in {None, "this"}:
            return _Target(named, named)
        whole = await book.read(named.recurring_event_id)
        with refusals(self.platform):
            begins = series.start_of(named.original_start)
            is_rest = request.scope == "following" and begins != series.start_of(whole.start)
        return _Target(named, whole, begins if is_rest else None)

    async def _split(self, book: Book, change: EventChange, target: _Target, begins: Start) -> EventItem:
        """Create the new series before ending the old one: after a failure in between, the split can be completed."""
        whole = target.event
        last = await book.last_start(whole.id) if series.is_finite(whole.recurrence) else None
        with refusals(self.platform):
            fields = series.rest_of(change.fields, target.named, whole, last)
        made = await book.insert(change.split_id, _with_answers(fields, whole), like=whole.id)
        try:
            await book.write(whole.id, _ended(whole, begins), whole.etag)
        except OutcomeUnknown:
            raise
        except PlatformFailure:
            await self._take_back(book, change.split_id)
            raise
        return made

    async def _take_back(self, book: Book, event_id: str) -> None:
        try:
            await book.remove(event_id, None)
        except PlatformFailure as failure:
            detail = "The new series was created, but the old one was not ended."
            raise OutcomeUnknown(detail, platform=self.platform) from failure


async def _finish(book: Book, change: EventChange) -> None:
    """End the old series, unless that was already done: then it no longer has the occurrence."""
    with suppress(PlatformNotFound):
        found = await book.read(change.event_id)
        if found.status != CANCELLED and found.recurring_event_id is not None:
            whole = await book.read(found.recurring_event_id)
            await book.write(whole.id, _ended(whole, series.start_of(found.original_start)), None)


def _ended(whole: EventItem, begins: Start) -> EventFields:
    return EventFields(recurrence=series.ended(whole.recurrence, begins))


def _with_answers(fields: EventFields, found: EventItem) -> EventFields:
    """Keep the answers of guests: platforms replace the whole list."""
    if fields.attendees is UNSET:
        return fields
    known = {guest.email.lower(): guest for guest in found.attendees}
    return replace(
        fields, attendees=tuple(_answered(guest, known.get(guest.email.lower())) for guest in fields.attendees)
    )


def _answered(guest: Guest, before: Guest | None) -> Guest:
    if before is None:
        return guest
    return replace(guest, response=before.response, comment=before.comment, brings=before.brings)
