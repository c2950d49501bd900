# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Calendar events of an account."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import CalendarEvent, CalendarEvents, EventDeleted


class CalendarResource(Resource):
    """Calendar events of an account."""

    @cached_property
    def with_raw_response(self) -> CalendarResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return CalendarResourceWithRawResponse(CalendarResource(RawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        calendar_id: str | None = None,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
        q: str | None = None,
        expand: bool | None = None,
        sync_token: str | None = None,
    ) -> Pages[CalendarEvent, CalendarEvents]:
        """List the events of a calendar, or the changes since an earlier list.

        A recurring event is listed once, with its `recurrence`; `expand=true` lists its occurrences instead. A list of
        the whole calendar ends with a `syncToken`: send it later to list only what has changed since then. Responses
        are cached for up to a minute, as `Age` says, unless you send `Cache-Control: no-cache`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            calendar_id: Default: the account's primary calendar.
            since: Only events that end after this time. With an offset, such as `2026-11-16T00:00:00Z`.
            until: Only events that start before this time. With an offset.
            q: Words to find in the event or its guests.
            expand: List every occurrence of a series instead of the series, in chronological order.
            sync_token: `syncToken` of an earlier list: lists only what has changed since then, including deletions.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `sync_token_expired`.

        """
        call: Call[CalendarEvents] = Call(
            method="GET",
            path=fill("/accounts/{}/calendar/events", account_id),
            returns=CalendarEvents,
            query=pack_query(
                {
                    "limit": limit,
                    "calendarId": calendar_id,
                    "since": since,
                    "until": until,
                    "q": q,
                    "expand": expand,
                    "syncToken": sync_token,
                }
            ),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        account_id: str,
        *,
        start: params.NewEventTime,
        end: params.NewEventTime,
        title: str | Omit = OMIT,
        description: str | Omit = OMIT,
        location: str | Omit = OMIT,
        recurrence: Sequence[str] | Omit = OMIT,
        attendees: Sequence[params.NewGuest] | Omit = OMIT,
        reminders: params.EventRemindersLike | Omit = OMIT,
        meet: bool | Omit = OMIT,
        calendar_id: str | None = None,
        notify: params.NewCalendarEventNotify | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CalendarEvent:
        """Create an event, optionally recurring, with guests, reminders and a video meeting.

        Send an `Idempotency-Key`: repeating the request with it never creates a second event.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            start: When it starts.
            end: When it ends, exclusive: a one-day event ends on the next date.
            title: Shown in the calendar and in invitations.
            description: The description. It may contain HTML.
            location: Where it takes place, as free text.
            recurrence: RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not
                recurring.
            attendees: The people to invite. `notify` says who gets an email.
            reminders: How the owner of the calendar is reminded. By default with the reminders of the calendar.
            meet: True adds one of the platform's video meetings.
            calendar_id: Default: the account's primary calendar.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CalendarEvent] = Call(
            method="POST",
            path=fill("/accounts/{}/calendar/events", account_id),
            returns=CalendarEvent,
            body=pack(
                "NewCalendarEvent",
                {
                    "start": start,
                    "end": end,
                    "title": title,
                    "description": description,
                    "location": location,
                    "recurrence": recurrence,
                    "attendees": attendees,
                    "reminders": reminders,
                    "meet": meet,
                    "calendar_id": calendar_id,
                    "notify": notify,
                },
                without_none=("calendar_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        account_id: str,
        event_id: str,
        *,
        start: params.NewEventTime | Omit = OMIT,
        end: params.NewEventTime | Omit = OMIT,
        title: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        location: str | None | Omit = OMIT,
        recurrence: Sequence[str] | Omit = OMIT,
        attendees: Sequence[params.NewGuest] | Omit = OMIT,
        reminders: params.EventRemindersLike | Omit = OMIT,
        meet: bool | Omit = OMIT,
        calendar_id: str | None = None,
        scope: params.EventChangesScope | None = None,
        notify: params.EventChangesNotify | Omit = OMIT,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> CalendarEvent:
        """Update an event, one occurrence of a series, or a whole series.

        Send `If-Match` with the `etag` of the version that you read: if somebody has changed it since, the response is
        412 and nothing is changed.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            event_id: The platform's own id of a calendar event, or of one occurrence of a series.
            start: When it starts.
            end: When it ends, exclusive: a one-day event ends on the next date.
            title: Shown in the calendar and in invitations.
            description: The description. It may contain HTML. Null removes it.
            location: Where it takes place, as free text.
            recurrence: RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not
                recurring.
            attendees: Replaces all guests. Those who stay keep their answers.
            reminders: How the owner of the calendar is reminded. By default with the reminders of the calendar.
            meet: True adds one of the platform's video meetings, false removes it.
            calendar_id: Default: the account's primary calendar.
            scope: For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an
                occurrence means that occurrence, and the id of a series the whole series.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `precondition_failed`, `unsupported_media_type`.

        """
        call: Call[CalendarEvent] = Call(
            method="PATCH",
            path=fill("/accounts/{}/calendar/events/{}", account_id, event_id),
            returns=CalendarEvent,
            body=pack(
                "EventChanges",
                {
                    "start": start,
                    "end": end,
                    "title": title,
                    "description": description,
                    "location": location,
                    "recurrence": recurrence,
                    "attendees": attendees,
                    "reminders": reminders,
                    "meet": meet,
                    "calendar_id": calendar_id,
                    "scope": scope,
                    "notify": notify,
                },
                without_none=("calendar_id", "scope"),
            ),
            headers={} if if_match is None else {"If-Match": if_match},
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def delete(
        self,
        account_id: str,
        event_id: str,
        *,
        calendar_id: str | None = None,
        scope: params.EventDeletionQueryScope | None = None,
        notify: params.EventDeletionQueryNotify | None = None,
        if_match: str | None = None,
    ) -> EventDeleted:
        """Delete an event, one occurrence of a series, or a whole series.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            event_id: The platform's own id of a calendar event, or of one occurrence of a series.
            calendar_id: Default: the account's primary calendar.
            scope: For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an
                occurrence means that occurrence, and the id of a series the whole series.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `precondition_failed`.

        """
        call: Call[EventDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/calendar/events/{}", account_id, event_id),
            returns=EventDeleted,
            query=pack_query({"calendarId": calendar_id, "scope": scope, "notify": notify}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)


class CalendarResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: CalendarResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)


class AsyncCalendarResource(AsyncResource):
    """Calendar events of an account."""

    @cached_property
    def with_raw_response(self) -> AsyncCalendarResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncCalendarResourceWithRawResponse(AsyncCalendarResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        calendar_id: str | None = None,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
        q: str | None = None,
        expand: bool | None = None,
        sync_token: str | None = None,
    ) -> AsyncPages[CalendarEvent, CalendarEvents]:
        """List the events of a calendar, or the changes since an earlier list.

        A recurring event is listed once, with its `recurrence`; `expand=true` lists its occurrences instead. A list of
        the whole calendar ends with a `syncToken`: send it later to list only what has changed since then. Responses
        are cached for up to a minute, as `Age` says, unless you send `Cache-Control: no-cache`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            calendar_id: Default: the account's primary calendar.
            since: Only events that end after this time. With an offset, such as `2026-11-16T00:00:00Z`.
            until: Only events that start before this time. With an offset.
            q: Words to find in the event or its guests.
            expand: List every occurrence of a series instead of the series, in chronological order.
            sync_token: `syncToken` of an earlier list: lists only what has changed since then, including deletions.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `sync_token_expired`.

        """
        call: Call[CalendarEvents] = Call(
            method="GET",
            path=fill("/accounts/{}/calendar/events", account_id),
            returns=CalendarEvents,
            query=pack_query(
                {
                    "limit": limit,
                    "calendarId": calendar_id,
                    "since": since,
                    "until": until,
                    "q": q,
                    "expand": expand,
                    "syncToken": sync_token,
                }
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        account_id: str,
        *,
        start: params.NewEventTime,
        end: params.NewEventTime,
        title: str | Omit = OMIT,
        description: str | Omit = OMIT,
        location: str | Omit = OMIT,
        recurrence: Sequence[str] | Omit = OMIT,
        attendees: Sequence[params.NewGuest] | Omit = OMIT,
        reminders: params.EventRemindersLike | Omit = OMIT,
        meet: bool | Omit = OMIT,
        calendar_id: str | None = None,
        notify: params.NewCalendarEventNotify | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CalendarEvent:
        """Create an event, optionally recurring, with guests, reminders and a video meeting.

        Send an `Idempotency-Key`: repeating the request with it never creates a second event.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            start: When it starts.
            end: When it ends, exclusive: a one-day event ends on the next date.
            title: Shown in the calendar and in invitations.
            description: The description. It may contain HTML.
            location: Where it takes place, as free text.
            recurrence: RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not
                recurring.
            attendees: The people to invite. `notify` says who gets an email.
            reminders: How the owner of the calendar is reminded. By default with the reminders of the calendar.
            meet: True adds one of the platform's video meetings.
            calendar_id: Default: the account's primary calendar.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CalendarEvent] = Call(
            method="POST",
            path=fill("/accounts/{}/calendar/events", account_id),
            returns=CalendarEvent,
            body=pack(
                "NewCalendarEvent",
                {
                    "start": start,
                    "end": end,
                    "title": title,
                    "description": description,
                    "location": location,
                    "recurrence": recurrence,
                    "attendees": attendees,
                    "reminders": reminders,
                    "meet": meet,
                    "calendar_id": calendar_id,
                    "notify": notify,
                },
                without_none=("calendar_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        account_id: str,
        event_id: str,
        *,
        start: params.NewEventTime | Omit = OMIT,
        end: params.NewEventTime | Omit = OMIT,
        title: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        location: str | None | Omit = OMIT,
        recurrence: Sequence[str] | Omit = OMIT,
        attendees: Sequence[params.NewGuest] | Omit = OMIT,
        reminders: params.EventRemindersLike | Omit = OMIT,
        meet: bool | Omit = OMIT,
        calendar_id: str | None = None,
        scope: params.EventChangesScope | None = None,
        notify: params.EventChangesNotify | Omit = OMIT,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> CalendarEvent:
        """Update an event, one occurrence of a series, or a whole series.

        Send `If-Match` with the `etag` of the version that you read: if somebody has changed it since, the response is
        412 and nothing is changed.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            event_id: The platform's own id of a calendar event, or of one occurrence of a series.
            start: When it starts.
            end: When it ends, exclusive: a one-day event ends on the next date.
            title: Shown in the calendar and in invitations.
            description: The description. It may contain HTML. Null removes it.
            location: Where it takes place, as free text.
            recurrence: RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not
                recurring.
            attendees: Replaces all guests. Those who stay keep their answers.
            reminders: How the owner of the calendar is reminded. By default with the reminders of the calendar.
            meet: True adds one of the platform's video meetings, false removes it.
            calendar_id: Default: the account's primary calendar.
            scope: For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an
                occurrence means that occurrence, and the id of a series the whole series.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `precondition_failed`, `unsupported_media_type`.

        """
        call: Call[CalendarEvent] = Call(
            method="PATCH",
            path=fill("/accounts/{}/calendar/events/{}", account_id, event_id),
            returns=CalendarEvent,
            body=pack(
                "EventChanges",
                {
                    "start": start,
                    "end": end,
                    "title": title,
                    "description": description,
                    "location": location,
                    "recurrence": recurrence,
                    "attendees": attendees,
                    "reminders": reminders,
                    "meet": meet,
                    "calendar_id": calendar_id,
                    "scope": scope,
                    "notify": notify,
                },
                without_none=("calendar_id", "scope"),
            ),
            headers={} if if_match is None else {"If-Match": if_match},
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def delete(
        self,
        account_id: str,
        event_id: str,
        *,
        calendar_id: str | None = None,
        scope: params.EventDeletionQueryScope | None = None,
        notify: params.EventDeletionQueryNotify | None = None,
        if_match: str | None = None,
    ) -> EventDeleted:
        """Delete an event, one occurrence of a series, or a whole series.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            event_id: The platform's own id of a calendar event, or of one occurrence of a series.
            calendar_id: Default: the account's primary calendar.
            scope: For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an
                occurrence means that occurrence, and the id of a series the whole series.
            notify: Which guests the platform notifies: all, those without a calendar on this platform, or none.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `precondition_failed`.

        """
        call: Call[EventDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/calendar/events/{}", account_id, event_id),
            returns=EventDeleted,
            query=pack_query({"calendarId": calendar_id, "scope": scope, "notify": notify}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)


class AsyncCalendarResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncCalendarResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
