"""Plans and paying for them: what the usage and billing areas share, and what a payment provider implements."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, Protocol

import msgspec

from socialgate.contracts.webhooks import PlatformFact
from socialgate.core.db import Tx
from socialgate.core.metering import MONTHLY_LIMITED_METRICS, UsageMetric

BillingInterval = Literal["month", "year"]
# The states of a subscription, as Stripe names them.
SubscriptionStatus = Literal[
    "active", "trialing", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "paused"
]

# What a plan can limit. The others report what happens to an owner, and nothing of that is ever dropped.
LIMITABLE_METRICS = (
    *(metric for metric in UsageMetric if metric in MONTHLY_LIMITED_METRICS),
    UsageMetric.CONNECTED_ACCOUNTS,
)


class Plans(msgspec.Struct, frozen=True, kw_only=True):
    """The plans of a deployment, by name, with their limits. `default` is the plan of owners who pay for none."""

    limits: Mapping[str, Mapping[UsageMetric, int]]
    default: str

    def get_limit(self, plan: str, metric: UsageMetric) -> int | None:
        """Return the limit of a plan; None if there is none."""
        return self.limits[plan].get(metric)

    @property
    def plan_names(self) -> list[str]:
        return list(self.limits)


class PlanState(msgspec.Struct, frozen=True, kw_only=True):
    """The plan that counts for an owner now, and its subscription, which the plan comes from unless it `is_assigned`.

    `grace_until` is set while a payment is overdue: the plan stays until then.
    """

    plan: str
    is_assigned: bool = False
    status: SubscriptionStatus | None = None
    interval: BillingInterval | None = None
    renews_at: datetime | None = None
    ends_at: datetime | None = None
    grace_until: datetime | None = None


class PlanLookup(Protocol):
    """Knows the plan of every owner. The billing area implements it."""

    @property
    def can_buy_plans(self) -> bool:
        """Whether plans can be bought here."""

    async def get_plan_state(self, tx: Tx, owner_id: str) -> PlanState:
        """Return the plan that counts for an owner."""


class PlanOffer(msgspec.Struct, frozen=True):
    """What is bought: a plan, paid monthly or yearly."""

    plan: str
    interval: BillingInterval


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """A subscription as the provider has it now. `plan` is what was asked for when it was bought."""

    id: str
    status: SubscriptionStatus
    price_ids: Sequence[str]
    plan: str | None
    created_at: datetime
    renews_at: datetime | None = None
    ends_at: datetime | None = None


class PriceAmount(msgspec.Struct, frozen=True, kw_only=True):
    """What a price of the provider costs, in the smallest unit of its currency (ISO 4217)."""

    amount: int
    currency: str


class CheckoutSession(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    url: str
    expires_at: datetime


class CheckoutRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkout page is made for, and its number among those of the owner.

    `idempotency_key` is the same for every repetition of the request.
    """

    owner_id: str
    customer_id: str
    plan: str
    price_id: str
    success_url: str
    cancel_url: str
    checkout_number: int = msgspec.field(name="number")
    idempotency_key: str = msgspec.field(name="key")


class SubscriptionMoved(PlatformFact, frozen=True, kw_only=True):
    """The provider reports that something about the subscriptions of a customer may have changed.

    It is only a hint to look: reports arrive in any order, so the current state is read from the provider.
    """

    event: str
    customer_id: str


class PaymentProvider(Protocol):
    async def fetch_price_amounts(self, price_ids: Sequence[str]) -> Mapping[str, PriceAmount]:
        """Return what prices cost. One that does not exist, or has no fixed amount, is missing."""

    async def create_customer(self, owner_id: str, name: str, email: str | None, key: str) -> str | None:
        """Create the customer of an owner, or return the one that the same key created, and return its id.

        None if the provider failed and returns that for every request with this key.
        """

    async def find_customer(self, owner_id: str, since: datetime, until: datetime) -> str | None:
        """Find the customer that was created for an owner between two times."""

    async def create_checkout(self, purchase: CheckoutRequest) -> CheckoutSession | None:
        """Create a checkout page for a plan, or return the one that the same key created.

        None if the provider failed and returns that for every request with this key. It may have created the page.
        """

    async def is_checkout_open(self, checkout_id: str) -> bool:
        """Return whether a page can still be paid."""

    async def close_checkouts(self, customer_id: str, max_checkout_number: int) -> None:
        """Close the open pages of a customer up to this number, so that they cannot be paid any more.

        A page without a number is closed too. What cannot be closed was paid or has expired.
        """

    async def create_portal_url(self, customer_id: str, return_url: str) -> str:
        """Create the URL of the page on which a customer changes or cancels a subscription."""

    async def list_subscriptions(self, customer_id: str) -> Sequence[Subscription]:
        """List all subscriptions of a customer, including those that have ended."""


class BillingConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How this deployment sells plans. `payments` is None if it does not. `missing` are settings that it lacks.

    The provider is loaded when it is first needed, which in most processes it never is.
    """

    payments: Callable[[], PaymentProvider] | None
    prices: Mapping[PlanOffer, str]
    return_url: str
    grace: timedelta
    missing: Sequence[str] = ()
