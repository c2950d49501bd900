# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Where events are sent, signed and retried, with a record of every attempt."""

from __future__ import annotations

import datetime as dt
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack_query
from ..types import Delivery, DeliveryDetail, DeliveryPage, DeliveryQueued


class DeliveriesResource(Resource):
    """Where events are sent, signed and retried, with a record of every attempt."""

    @cached_property
    def with_raw_response(self) -> DeliveriesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return DeliveriesResourceWithRawResponse(DeliveriesResource(RawSender(self._root), self._root))

    def list(
        self,
        hook_id: str,
        *,
        limit: int | None = None,
        status: params.DeliveryStatusInput | None = None,
        event: params.DeliveriesQueryEvent | None = None,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
    ) -> Pages[Delivery, DeliveryPage]:
        """List the deliveries of a hook with their attempts, newest first.

        Args:
            hook_id: The id of a hook, `hook_…`.
            limit: Maximum number of rows per page.
            status: Only deliveries with this status.
            event: Only deliveries of this event.
            since: The start, inclusive.
            until: The end, exclusive.

        """
        call: Call[DeliveryPage] = Call(
            method="GET",
            path=fill("/hooks/{}/deliveries", hook_id),
            returns=DeliveryPage,
            query=pack_query({"limit": limit, "status": status, "event": event, "since": since, "until": until}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        hook_id: str,
        delivery_id: str,
    ) -> DeliveryDetail:
        """Return one delivery with its request exactly as it was sent.

        Args:
            hook_id: The id of a hook, `hook_…`.
            delivery_id: The id of a delivery, `dlv_…`.

        """
        call: Call[DeliveryDetail] = Call(
            method="GET",
            path=fill("/hooks/{}/deliveries/{}", hook_id, delivery_id),
            returns=DeliveryDetail,
        )
        return self._client.send(call)

    def retry(
        self,
        hook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> DeliveryQueued:
        """Resend the event of a delivery, as a new delivery.

        The body and `webhook-id` stay the same, so that a receiver can recognize the event.

        Args:
            hook_id: The id of a hook, `hook_…`.
            delivery_id: The id of a delivery, `dlv_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `delivery_pending`, `event_expired`, `event_not_covered`,
        `hook_disabled`, `idempotency_key_in_use`, `idempotency_key_reused`.

        """
        call: Call[DeliveryQueued] = Call(
            method="POST",
            path=fill("/hooks/{}/deliveries/{}/retry", hook_id, delivery_id),
            returns=DeliveryQueued,
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class DeliveriesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: DeliveriesResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.retry = raw(resource.retry)


class AsyncDeliveriesResource(AsyncResource):
    """Where events are sent, signed and retried, with a record of every attempt."""

    @cached_property
    def with_raw_response(self) -> AsyncDeliveriesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncDeliveriesResourceWithRawResponse(AsyncDeliveriesResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        hook_id: str,
        *,
        limit: int | None = None,
        status: params.DeliveryStatusInput | None = None,
        event: params.DeliveriesQueryEvent | None = None,
        since: str | dt.datetime | None = None,
        until: str | dt.datetime | None = None,
    ) -> AsyncPages[Delivery, DeliveryPage]:
        """List the deliveries of a hook with their attempts, newest first.

        Args:
            hook_id: The id of a hook, `hook_…`.
            limit: Maximum number of rows per page.
            status: Only deliveries with this status.
            event: Only deliveries of this event.
            since: The start, inclusive.
            until: The end, exclusive.

        """
        call: Call[DeliveryPage] = Call(
            method="GET",
            path=fill("/hooks/{}/deliveries", hook_id),
            returns=DeliveryPage,
            query=pack_query({"limit": limit, "status": status, "event": event, "since": since, "until": until}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        hook_id: str,
        delivery_id: str,
    ) -> DeliveryDetail:
        """Return one delivery with its request exactly as it was sent.

        Args:
            hook_id: The id of a hook, `hook_…`.
            delivery_id: The id of a delivery, `dlv_…`.

        """
        call: Call[DeliveryDetail] = Call(
            method="GET",
            path=fill("/hooks/{}/deliveries/{}", hook_id, delivery_id),
            returns=DeliveryDetail,
        )
        return await self._client.send(call)

    async def retry(
        self,
        hook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> DeliveryQueued:
        """Resend the event of a delivery, as a new delivery.

        The body and `webhook-id` stay the same, so that a receiver can recognize the event.

        Args:
            hook_id: The id of a hook, `hook_…`.
            delivery_id: The id of a delivery, `dlv_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `delivery_pending`, `event_expired`, `event_not_covered`,
        `hook_disabled`, `idempotency_key_in_use`, `idempotency_key_reused`.

        """
        call: Call[DeliveryQueued] = Call(
            method="POST",
            path=fill("/hooks/{}/deliveries/{}/retry", hook_id, delivery_id),
            returns=DeliveryQueued,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncDeliveriesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncDeliveriesResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.retry = async_raw(resource.retry)
