from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.contracts.billing import BillingInterval
from socialgate.core.metering import UsageMetric
from socialgate.web.schemas import RequestBody, ResponseModel

_PLAN_OF_PAGE_DESCRIPTION = "The plan that the page is for: another than requested if another request came first."


class NewCheckout(RequestBody, frozen=True, kw_only=True):
    """The plan to buy."""

    plan: Annotated[str, Meta(min_length=1, max_length=40, description="The name of a plan that is for sale.")]
    interval: Annotated[BillingInterval, Meta(description="Whether it is billed monthly or yearly.")] = "month"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"plan": "pro", "interval": "month"}


class PlanLimit(ResponseModel, frozen=True, kw_only=True):
    """How much of one metric a plan allows."""

    name: Annotated[UsageMetric, Meta(description="The metric, as in `GET /usage`.")]
    limit: Annotated[
        int | None,
        Meta(description="Per calendar month, for `connectedAccounts` at any moment; null if it is not limited."),
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "posts", "limit": 1000}


class PlanPrice(ResponseModel, frozen=True, kw_only=True):
    """What a plan costs."""

    interval: Annotated[BillingInterval, Meta(description="Whether it is billed monthly or yearly.")]
    amount: Annotated[
        int | None,
        Meta(description="In the smallest unit of the currency, before taxes; null while Stripe cannot be reached."),
    ]
    currency: Annotated[str | None, Meta(description="The ISO 4217 code, such as `EUR`; null together with `amount`.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"interval": "month", "amount": 2900, "currency": "EUR"}


class PlanForSale(ResponseModel, frozen=True, kw_only=True):
    """A plan of this deployment."""

    name: Annotated[str, Meta(description="What `POST /billing/checkout` takes as `plan`.")]
    is_current: Annotated[bool, Meta(description="Whether it is the plan that counts for the owner now.")]
    limits: Annotated[list[PlanLimit], Meta(description="What the plan limits.")]
    prices: Annotated[list[PlanPrice], Meta(description="What the plan costs; empty if it cannot be bought here.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "pro",
            "isCurrent": False,
            "limits": [PlanLimit.example()],
            "prices": [PlanPrice.example()],
        }


class CheckoutPage(ResponseModel, frozen=True, kw_only=True):
    """The checkout page. Open it in a browser before it expires."""

    url: str
    """The URL of Stripe's checkout page."""
    expires_at: datetime
    """When the page expires."""
    plan: Annotated[str, Meta(description=_PLAN_OF_PAGE_DESCRIPTION)]
    interval: Annotated[BillingInterval, Meta(description="How often that plan is billed.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "url": "https://checkout.stripe.com/c/pay/cs_test_a1b2c3",
            "expiresAt": "2026-11-16T09:30:00Z",
            "plan": "pro",
            "interval": "month",
        }


class PortalPage(ResponseModel, frozen=True, kw_only=True):
    """The customer portal, where a subscription can be changed or cancelled. Open it immediately: it expires soon."""

    url: str
    """The URL of Stripe's customer portal."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://billing.stripe.com/p/session/test_a1b2c3"}
