"""Selling plans: one customer per owner at the payment provider, checkout pages, and the plan that counts."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from socialgate.areas.billing import store
from socialgate.areas.billing.checkouts import (
    IDEMPOTENCY_KEY_LIFETIME,
    CheckoutPages,
    PurchaseRequest,
    require_no_subscription,
)
from socialgate.areas.billing.schemas import CheckoutPage, NewCheckout, PortalPage
from socialgate.areas.billing.store import BillingRow
from socialgate.areas.identity import store as identity
from socialgate.contracts.billing import BillingConfig, PaymentProvider, PlanOffer, Plans, PlanState, Subscription
from socialgate.contracts.failures import PlatformUnavailableError
from socialgate.contracts.platforms import DeploymentVendor
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork

# How far the provider's clock may be ahead of or behind ours.
_CLOCK_SKEW = timedelta(minutes=10)
_RETRY_SECONDS = 1
PAID_STATUSES = frozenset({"active", "trialing"})
# Which subscription counts if there are several: one that is paid, then one that may still be.
_STATUS_RANKS = {"active": 0, "trialing": 0, "past_due": 1, "paused": 2, "unpaid": 2}
_LAST_RANK = 3


class BillingNotConfiguredError(Conflict):
    """This deployment sells no plans.

    The operator can set up Stripe with `SOCIALGATE_STRIPE_SECRET_KEY`, `SOCIALGATE_STRIPE_WEBHOOK_SECRET` and
    `SOCIALGATE_STRIPE_PRICES`, change the plan of everybody with `SOCIALGATE_DEFAULT_PLAN`, or that of one owner with
    `socialgate plan`.
    """

    code = "billing_not_configured"
    title = "Billing is not configured"


class PlanAssignedError(Conflict):
    """The operator assigned a plan to the owner. It takes precedence over any plan that is bought, so a purchase would
    have no effect.

    Ask the operator for another plan, or to remove the assignment with `socialgate plan <owner> --remove`.
    """

    code = "plan_assigned"
    title = "The plan is assigned by the operator"


class NotSubscribedError(Conflict):
    """The owner has never bought a plan, so there is nothing to manage.

    Buy one with `POST /billing/checkout`.
    """

    code = "not_subscribed"
    title = "There is no subscription"


class BillingService:
    def __init__(self, db: Database, shop: BillingConfig, plans: Plans) -> None:
        self._db = db
        self._shop = shop
        self._plans = plans
        self._pages = CheckoutPages(db, shop)
        self._prices_by_id = {price_id: price for price, price_id in shop.prices.items()}

    @property
    def can_buy_plans(self) -> bool:
        return self._shop.payments is not None and not self._shop.missing

    async def start_checkout(self, work: UnitOfWork, body: NewCheckout) -> CheckoutPage:
        payments = self._require_payments()
        price_id = self._get_price_id(body)
        owner_id = work.caller.owner_id
        await work.read(self._require_can_buy, owner_id)
        await self._ensure_customer(work.caller, payments)
        open_page = await self._pages.open(
            payments, PurchaseRequest(owner_id=owner_id, plan=body.plan, price_id=price_id)
        )
        price = self._prices_by_id.get(open_page.price_id, PlanOffer(body.plan, body.interval))
        page = CheckoutPage(
            url=open_page.checkout.url,
            expires_at=open_page.checkout.expires_at,
            plan=open_page.plan,
            interval=price.interval,
        )
        return await work.write(self._require_can_buy_and_return, owner_id, page)

    async def open_portal(self, work: UnitOfWork) -> PortalPage:
        payments = self._require_payments()
        row = await work.read(store.find_billing_row, work.caller.owner_id)
        if row is None or row.customer_id is None or not await _has_bought(row, row.customer_id, payments):
            raise NotSubscribedError("The owner has never bought a plan. Buy one with POST /billing/checkout.")
        url = await payments.create_portal_url(row.customer_id, self._shop.return_url)
        return await work.write(_return_for_idempotency_key, PortalPage(url=url))

    async def get_plan_state(self, tx: Tx, owner_id: str) -> PlanState:
        row, assigned = await store.find_with_assigned_plan(tx, owner_id)
        # A plan that was removed from the file counts as none.
        assigned = assigned if assigned in self._plans.limits else None
        if row is None or row.status is None:
            return PlanState(plan=assigned or self._plans.default, is_assigned=assigned is not None)
        overdue = row.past_due_since if row.status == "past_due" else None
        grace_until = None if overdue is None else overdue + self._shop.grace
        is_paid = row.status in PAID_STATUSES or (grace_until is not None and tx.now < grace_until)
        bought = row.plan if is_paid and row.plan in self._plans.limits else None
        return PlanState(
            plan=assigned or bought or self._plans.default,
            is_assigned=assigned is not None,
            status=row.status,
            interval=row.interval,
            renews_at=row.renews_at,
            ends_at=row.ends_at,
            grace_until=grace_until,
        )

    async def read_subscriptions(self, owner_id: str) -> Sequence[Subscription] | None:
        """Read the subscriptions of an owner from the provider; None if it is no customer."""
        row = await self._db.read(store.find_billing_row, owner_id)
        if row is None or row.customer_id is None or self._shop.payments is None:
            return None
        return await self._shop.payments().list_subscriptions(row.customer_id)

    async def close_checkout(self, owner_id: str) -> None:
        """Close the checkout page of an owner with an assigned plan: what is paid there would not count."""
        # In this order: a page that is opened after the assignment was removed has a higher number.
        row = await self._db.read(store.find_billing_row, owner_id)
        standing = await self._db.read(self.get_plan_state, owner_id)
        if row is None or row.customer_id is None or not standing.is_assigned or self._shop.payments is None:
            return
        await self._shop.payments().close_checkouts(row.customer_id, row.checkout_number)

    async def save_subscription(self, tx: Tx, owner_id: str, subscriptions: Sequence[Subscription]) -> None:
        """Write which subscription counts, as it is now."""
        row = await store.find_billing_row_for_change(tx, owner_id)
        best = min(subscriptions, key=_get_sort_key, default=None)
        if row is None or best is None:
            return
        price = next(
            (self._prices_by_id[price_id] for price_id in best.price_ids if price_id in self._prices_by_id), None
        )
        since = row.past_due_since if row.subscription_id == best.id else None
        values = {
            "subscription_id": best.id,
            "plan": best.plan if price is None else price.plan,
            "interval": None if price is None else price.interval,
            "status": best.status,
            "renews_at": best.renews_at,
            "ends_at": best.ends_at,
            "past_due_since": (since or tx.now) if best.status == "past_due" else None,
            "synced_at": tx.now,
        }
        await store.update_billing_row(tx, owner_id, values)

    async def _require_can_buy(self, tx: Tx, owner_id: str) -> None:
        """Reject a purchase that would change nothing, or be paid for twice."""
        standing = await self.get_plan_state(tx, owner_id)
        if standing.is_assigned:
            raise PlanAssignedError(
                f"The operator assigned the plan {standing.plan} to the owner, so a purchase would have no effect. Ask "
                f"the operator for another plan, or to run `socialgate plan {owner_id} --remove`."
            )
        row = await store.find_billing_row(tx, owner_id)
        require_no_subscription([] if row is None else [row])

    async def _require_can_buy_and_return(self, tx: Tx, owner_id: str, page: CheckoutPage) -> CheckoutPage:
        """Return the page, unless a plan was assigned or bought since. Then nobody learns its URL."""
        await self._require_can_buy(tx, owner_id)
        return page

    def _require_payments(self) -> PaymentProvider:
        if self._shop.payments is None or self._shop.missing:
            missing = ", ".join(self._shop.missing)
            raise BillingNotConfiguredError(f"This deployment sells no plans. The operator must set {missing}.")
        return self._shop.payments()

    def _explain_not_sold(self, body: NewCheckout) -> str:
        is_sold = any(price.plan == body.plan for price in self._shop.prices)
        return f"The plan {body.plan} is not for sale{f' per {body.interval}' if is_sold else ''}."

    def _get_price_id(self, body: NewCheckout) -> str:
        price_id = self._shop.prices.get(PlanOffer(body.plan, body.interval))
        if price_id is None:
            label = (
                f"There is no plan {body.plan}."
                if body.plan not in self._plans.limits
                else self._explain_not_sold(body)
            )
            detail = f"{label} Plans for sale: {_format_prices(self._shop.prices)}."
            raise InvalidRequest.for_field("/plan", "not_supported", detail)
        return price_id

    async def _ensure_customer(self, caller: Caller, payments: PaymentProvider) -> str:
        """Return the customer of an owner, and create it on first use, once.

        What is asked for is written before the call: a request that was interrupted is repeated with the same key,
        which creates nothing new, and once the key has expired or is of no use the customer is looked up first.
        """
        owner_id = caller.owner_id
        row = await self._db.write(self._find_or_insert_row, caller)
        if row.customer_id is not None:
            return row.customer_id
        customer_id = None
        if self._db.clock.now() - row.asked_at <= IDEMPOTENCY_KEY_LIFETIME:
            customer_id = await payments.create_customer(
                owner_id, row.name, row.email, _build_customer_idempotency_key(row)
            )
        if customer_id is None:
            since, until = row.asked_at - _CLOCK_SKEW, row.asked_at + IDEMPOTENCY_KEY_LIFETIME + _CLOCK_SKEW
            customer_id = await payments.find_customer(owner_id, since, until)
        if customer_id is None:
            row = await self._db.write(self._renew_request_time, row)
            customer_id = await payments.create_customer(
                owner_id, row.name, row.email, _build_customer_idempotency_key(row)
            )
        if customer_id is None:
            raise PlatformUnavailableError(
                "Stripe has a problem right now. Try again.",
                platform=DeploymentVendor.STRIPE,
                retry_after=_RETRY_SECONDS,
            )
        return await self._db.write(self._save_customer, owner_id, customer_id)

    async def _find_or_insert_row(self, tx: Tx, caller: Caller) -> BillingRow:
        owner_id = caller.owner_id
        row = await store.find_billing_row(tx, owner_id)
        if row is None:
            owner = await identity.get_owner(tx, owner_id)
            # The checkout page shows this address, and invoices are sent to it.
            user = None if caller.user_id is None else await identity.find_user(tx, owner_id, caller.user_id)
            await store.insert_billing_row(tx, owner_id, owner.name, None if user is None else user.email)
            row = await store.find_billing_row(tx, owner_id)
        assert row is not None, "it was written in this very transaction"
        return row

    async def _renew_request_time(self, tx: Tx, before: BillingRow) -> BillingRow:
        row = await store.find_billing_row_for_change(tx, before.owner_id)
        assert row is not None, "rows of billing are not removed"
        if row.asked_at == before.asked_at:
            await store.update_billing_row(tx, row.owner_id, {"asked_at": tx.now})
        return await store.find_billing_row(tx, row.owner_id) or row

    async def _save_customer(self, tx: Tx, owner_id: str, customer_id: str) -> str:
        """Store the customer. Of two requests at the same time, both get the same."""
        row = await store.find_billing_row_for_change(tx, owner_id)
        assert row is not None, "it was written before the call"
        if row.customer_id is None:
            await store.update_billing_row(tx, owner_id, {"customer_id": customer_id})
        return row.customer_id or customer_id


def _build_customer_idempotency_key(row: BillingRow) -> str:
    return f"socialgate-customer-{row.owner_id}-{int(row.asked_at.timestamp())}"


def _format_prices(prices: Iterable[PlanOffer]) -> str:
    intervals: dict[str, list[str]] = {}
    for price in sorted(prices, key=lambda price: (price.plan, price.interval)):
        intervals.setdefault(price.plan, []).append(price.interval)
    return ", ".join(f"{plan} ({', '.join(interval)})" for plan, interval in intervals.items())


def _get_sort_key(subscription: Subscription) -> tuple[int, float]:
    """Sort by what counts most, the newest first."""
    return _STATUS_RANKS.get(subscription.status, _LAST_RANK), -subscription.created_at.timestamp()


async def _return_for_idempotency_key(tx: Tx, answer: PortalPage) -> PortalPage:
    """Store a response for its Idempotency-Key."""
    del tx
    return answer


async def _has_bought(row: BillingRow, customer_id: str, payments: PaymentProvider) -> bool:
    """Tell buyers from owners who only opened a checkout page. A payment of just now may not be recorded yet."""
    return row.status is not None or bool(await payments.list_subscriptions(customer_id))
