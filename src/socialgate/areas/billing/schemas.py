from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.contracts.billing import Interval
from socialgate.web.schema import Body, View


class NewCheckout(Body, frozen=True, kw_only=True):
    """The plan to buy."""

    plan: Annotated[str, Meta(min_length=1, max_length=40, description="The name of a plan that is for sale.")]
    interval: Annotated[Interval, Meta(description="Whether it is billed monthly or yearly.")] = "month"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"plan": "pro", "interval": "month"}


class CheckoutPage(View, frozen=True, kw_only=True):
    """The checkout page. Open it in a browser before it expires."""

    url: str
    """The URL of Stripe's checkout page."""
    expires_at: datetime
    """When the page expires."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "url": "https://checkout.stripe.com/c/pay/cs_test_a1b2c3",
            "expiresAt": "2026-11-16T09:30:00Z",
        }


class PortalPage(View, frozen=True, kw_only=True):
    """The customer portal, where a subscription can be changed or cancelled. Open it immediately: it expires soon."""

    url: str
    """The URL of Stripe's customer portal."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://billing.stripe.com/p/session/test_a1b2c3"}
