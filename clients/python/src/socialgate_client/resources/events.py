# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Everything that happened, as a list and as a stream."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.events import AsyncEventStream
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import async_raw_page, raw_page
from .._sync.client import RawSender
from .._sync.events import EventStream
from .._sync.pages import Pages
from .._wire import pack_query
from ..types import Event, EventPage


class EventsResource(EventStream):
    """Everything that happened, as a list and as a stream."""

    @cached_property
    def with_raw_response(self) -> EventsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return EventsResourceWithRawResponse(EventsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        event: params.EventsQueryEvent | None = None,
    ) -> Pages[Event, EventPage]:
        """List events, oldest first: the same events that hooks receive, for polling.

        Pass `nextCursor` as `after` in the next call. There is always one, so you can keep polling: no event is skipped
        or returned twice, however transactions overlap. A key that is limited to some profiles only gets their events.

        Args:
            limit: Maximum number of events per page.
            event: Only events with this name.

        """
        call: Call[EventPage] = Call(
            method="GET",
            path="/events",
            returns=EventPage,
            query=pack_query({"limit": limit, "event": event}),
        )
        return Pages(self._client, call, "after")


class EventsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: EventsResource) -> None:
        self.list = raw_page(resource.list)


class AsyncEventsResource(AsyncEventStream):
    """Everything that happened, as a list and as a stream."""

    @cached_property
    def with_raw_response(self) -> AsyncEventsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncEventsResourceWithRawResponse(AsyncEventsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        event: params.EventsQueryEvent | None = None,
    ) -> AsyncPages[Event, EventPage]:
        """List events, oldest first: the same events that hooks receive, for polling.

        Pass `nextCursor` as `after` in the next call. There is always one, so you can keep polling: no event is skipped
        or returned twice, however transactions overlap. A key that is limited to some profiles only gets their events.

        Args:
            limit: Maximum number of events per page.
            event: Only events with this name.

        """
        call: Call[EventPage] = Call(
            method="GET",
            path="/events",
            returns=EventPage,
            query=pack_query({"limit": limit, "event": event}),
        )
        return AsyncPages(self._client, call, "after")


class AsyncEventsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncEventsResource) -> None:
        self.list = async_raw_page(resource.list)
