# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Buying a plan and managing the subscription, through Stripe."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, raw
from .._sync.client import RawSender
from .._wire import pack
from ..types import CheckoutPage, PlanForSalePage, PortalPage


class BillingResource(Resource):
    """Buying a plan and managing the subscription, through Stripe."""

    @cached_property
    def with_raw_response(self) -> BillingResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return BillingResourceWithRawResponse(BillingResource(RawSender(self._root), self._root))

    def checkout(
        self,
        *,
        plan: str,
        interval: params.NewCheckoutInterval | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CheckoutPage:
        """Create a checkout page for a plan.

        An owner has one open page. Requests for the same plan and interval get the same page for an hour; any other
        request closes it and creates a new one. Of several requests at the same moment one creates the page; those for
        another plan or interval fail with `checkout_in_progress`. The plan changes when the payment provider reports
        the payment, usually within seconds. `GET /usage` shows it.

        Args:
            plan: The name of a plan that is for sale.
            interval: Whether it is billed monthly or yearly.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `already_subscribed`, `billing_not_configured`, `body_too_large`,
        `checkout_in_progress`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `plan_assigned`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `session_required`,
        `unsupported_media_type`.

        """
        call: Call[CheckoutPage] = Call(
            method="POST",
            path="/billing/checkout",
            returns=CheckoutPage,
            body=pack("NewCheckout", {"plan": plan, "interval": interval}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def plans(
        self,
    ) -> PlanForSalePage:
        """List the plans, what each of them allows, and what it costs.

        A plan without `prices` cannot be bought here. The list is complete: `nextCursor` is always null.
        """
        call: Call[PlanForSalePage] = Call(
            method="GET",
            path="/billing/plans",
            returns=PlanForSalePage,
        )
        return self._client.send(call)

    def portal(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> PortalPage:
        """Create a link to the customer portal, where the subscription can be changed or cancelled and invoices viewed.

        Args:
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `billing_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `not_subscribed`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `session_required`.

        """
        call: Call[PortalPage] = Call(
            method="POST",
            path="/billing/portal",
            returns=PortalPage,
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class BillingResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: BillingResource) -> None:
        self.checkout = raw(resource.checkout)
        self.plans = raw(resource.plans)
        self.portal = raw(resource.portal)


class AsyncBillingResource(AsyncResource):
    """Buying a plan and managing the subscription, through Stripe."""

    @cached_property
    def with_raw_response(self) -> AsyncBillingResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncBillingResourceWithRawResponse(AsyncBillingResource(AsyncRawSender(self._root), self._root))

    async def checkout(
        self,
        *,
        plan: str,
        interval: params.NewCheckoutInterval | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CheckoutPage:
        """Create a checkout page for a plan.

        An owner has one open page. Requests for the same plan and interval get the same page for an hour; any other
        request closes it and creates a new one. Of several requests at the same moment one creates the page; those for
        another plan or interval fail with `checkout_in_progress`. The plan changes when the payment provider reports
        the payment, usually within seconds. `GET /usage` shows it.

        Args:
            plan: The name of a plan that is for sale.
            interval: Whether it is billed monthly or yearly.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `already_subscribed`, `billing_not_configured`, `body_too_large`,
        `checkout_in_progress`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `plan_assigned`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `session_required`,
        `unsupported_media_type`.

        """
        call: Call[CheckoutPage] = Call(
            method="POST",
            path="/billing/checkout",
            returns=CheckoutPage,
            body=pack("NewCheckout", {"plan": plan, "interval": interval}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def plans(
        self,
    ) -> PlanForSalePage:
        """List the plans, what each of them allows, and what it costs.

        A plan without `prices` cannot be bought here. The list is complete: `nextCursor` is always null.
        """
        call: Call[PlanForSalePage] = Call(
            method="GET",
            path="/billing/plans",
            returns=PlanForSalePage,
        )
        return await self._client.send(call)

    async def portal(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> PortalPage:
        """Create a link to the customer portal, where the subscription can be changed or cancelled and invoices viewed.

        Args:
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `billing_not_configured`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `not_subscribed`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `session_required`.

        """
        call: Call[PortalPage] = Call(
            method="POST",
            path="/billing/portal",
            returns=PortalPage,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncBillingResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncBillingResource) -> None:
        self.checkout = async_raw(resource.checkout)
        self.plans = async_raw(resource.plans)
        self.portal = async_raw(resource.portal)
