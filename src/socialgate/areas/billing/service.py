"""Selling plans: one customer per owner at the payment provider, checkout pages, and the plan that counts."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from socialgate.areas.billing import store
from socialgate.areas.billing.checkouts import KEY_LASTS, CheckoutPages, Wanted, require_none
from socialgate.areas.billing.schemas import CheckoutPage, NewCheckout, PortalPage
from socialgate.areas.billing.store import BillingRow
from socialgate.areas.identity import store as identity
from socialgate.contracts.billing import Payments, Plans, Price, Shop, Standing, Subscription
from socialgate.contracts.failures import TemporarilyUnavailable
from socialgate.contracts.platforms import Service
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Invalid
from socialgate.core.work import Work

# How far the provider's clock may be ahead of or behind ours.
_SKEW = timedelta(minutes=10)
_RETRY_SECONDS = 1
PAID_STATUSES = frozenset({"active", "trialing"})
# Which subscription counts if there are several: one that is paid, then one that may still be.
_RANKS = {"active": 0, "trialing": 0, "past_due": 1, "paused": 2, "unpaid": 2}
_LAST_RANK = 3


class BillingNotConfigured(Conflict):
    """This deployment sells no plans.

    The operator can set up Stripe with `SOCIALGATE_STRIPE_SECRET_KEY`, `SOCIALGATE_STRIPE_WEBHOOK_SECRET` and
    `SOCIALGATE_STRIPE_PRICES`, change the plan of everybody with `SOCIALGATE_DEFAULT_PLAN`, or that of one owner with
    `socialgate plan`.
    """

    code = "billing_not_configured"
    title = "Billing is not configured"


class PlanAssigned(Conflict):
    """The operator assigned a plan to the owner. It takes precedence over any plan that is bought, so a purchase would
    have no effect.

    Ask the operator for another plan, or to remove the assignment with `socialgate plan <owner> --remove`.
    """

    code = "plan_assigned"
    title = "The plan is assigned by the operator"


class NotSubscribed(Conflict):
    """The owner has never bought a plan, so there is nothing to manage.

    Buy one with `POST /billing/checkout`.
    """

    code = "not_subscribed"
    title = "There is no subscription"


class Billing:
    def __init__(self, db: Database, shop: Shop, plans: Plans) -> None:
        self._db = db
        self._shop = shop
        self._plans = plans
        self._pages = CheckoutPages(db, shop)
        self._bought = {price_id: price for price, price_id in shop.prices.items()}

    @property
    def sells(self) -> bool:
        return self._shop.payments is not None and not self._shop.missing

    async def checkout(self, work: Work, body: NewCheckout) -> CheckoutPage:
        payments = self._payments()
        price_id = self._price(body)
        owner_id = work.caller.owner_id
        await work.read(self._require_buyer, owner_id)
        await self._customer(work.caller, payments)
        found = await self._pages.open(payments, Wanted(owner_id=owner_id, plan=body.plan, price_id=price_id))
        price = self._bought.get(found.price_id, Price(body.plan, body.interval))
        page = CheckoutPage(
            url=found.checkout.url, expires_at=found.checkout.expires_at, plan=found.plan, interval=price.interval
        )
        return await work.write(self._shown, owner_id, page)

    async def portal(self, work: Work) -> PortalPage:
        payments = self._payments()
        row = await work.read(store.find, work.caller.owner_id)
        if row is None or row.customer_id is None or not await _has_bought(row, row.customer_id, payments):
            raise NotSubscribed("The owner has never bought a plan. Buy one with POST /billing/checkout.")
        url = await payments.portal(row.customer_id, self._shop.return_url)
        return await work.write(_as_it_is, PortalPage(url=url))

    async def standing(self, tx: Tx, owner_id: str) -> Standing:
        row = await store.find(tx, owner_id)
        assigned = await store.assigned_plan(tx, owner_id)
        # A plan that was removed from the file counts as none.
        assigned = assigned if assigned in self._plans.limits else None
        if row is None or row.status is None:
            return Standing(plan=assigned or self._plans.default, is_assigned=assigned is not None)
        overdue = row.past_due_since if row.status == "past_due" else None
        grace_until = None if overdue is None else overdue + self._shop.grace
        is_paid = row.status in PAID_STATUSES or (grace_until is not None and tx.now < grace_until)
        bought = row.plan if is_paid and row.plan in self._plans.limits else None
        return Standing(
            plan=assigned or bought or self._plans.default,
            is_assigned=assigned is not None,
            status=row.status,
            interval=row.interval,
            renews_at=row.renews_at,
            ends_at=row.ends_at,
            grace_until=grace_until,
        )

    async def read_current(self, owner_id: str) -> Sequence[Subscription] | None:
        """Read the subscriptions of an owner from the provider; None if it is no customer."""
        row = await self._db.read(store.find, owner_id)
        if row is None or row.customer_id is None or self._shop.payments is None:
            return None
        return await self._shop.payments().subscriptions(row.customer_id)

    async def close_checkout(self, owner_id: str) -> None:
        """Close the checkout page of an owner with an assigned plan: what is paid there would not count."""
        # In this order: a page that is opened after the assignment was removed has a higher number.
        row = await self._db.read(store.find, owner_id)
        standing = await self._db.read(self.standing, owner_id)
        if row is None or row.customer_id is None or not standing.is_assigned or self._shop.payments is None:
            return
        await self._shop.payments().close_checkouts(row.customer_id, row.checkout_number)

    async def record(self, tx: Tx, owner_id: str, found: Sequence[Subscription]) -> None:
        """Write which subscription counts, as it is now."""
        row = await store.find_for_change(tx, owner_id)
        best = min(found, key=_order, default=None)
        if row is None or best is None:
            return
        price = next((self._bought[one] for one in best.price_ids if one in self._bought), None)
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
        await store.update(tx, owner_id, values)

    async def _require_buyer(self, tx: Tx, owner_id: str) -> None:
        """Reject a purchase that would change nothing, or be paid for twice."""
        standing = await self.standing(tx, owner_id)
        if standing.is_assigned:
            raise PlanAssigned(
                f"The operator assigned the plan {standing.plan} to the owner, so a purchase would have no effect. Ask "
                f"the operator for another plan, or to run `socialgate plan {owner_id} --remove`."
            )
        row = await store.find(tx, owner_id)
        require_none([] if row is None else [row])

    async def _shown(self, tx: Tx, owner_id: str, page: CheckoutPage) -> CheckoutPage:
        """Return the page, unless a plan was assigned or bought since. Then nobody learns its URL."""
        await self._require_buyer(tx, owner_id)
        return page

    def _payments(self) -> Payments:
        if self._shop.payments is None or self._shop.missing:
            missing = ", ".join(self._shop.missing)
            raise BillingNotConfigured(f"This deployment sells no plans. The operator must set {missing}.")
        return self._shop.payments()

    def _not_sold(self, body: NewCheckout) -> str:
        is_sold = any(price.plan == body.plan for price in self._shop.prices)
        return f"The plan {body.plan} is not for sale{f' per {body.interval}' if is_sold else ''}."

    def _price(self, body: NewCheckout) -> str:
        price_id = self._shop.prices.get(Price(body.plan, body.interval))
        if price_id is None:
            what = f"There is no plan {body.plan}." if body.plan not in self._plans.limits else self._not_sold(body)
            detail = f"{what} Plans for sale: {_for_sale(self._shop.prices)}."
            raise Invalid.at("/plan", "not_supported", detail)
        return price_id

    async def _customer(self, caller: Caller, payments: Payments) -> str:
        """Return the customer of an owner, and create it on first use, once.

        What is asked for is written before the call: a request that was interrupted is repeated with the same key,
        which creates nothing new, and once the key has expired or is of no use the customer is looked up first.
        """
        owner_id = caller.owner_id
        row = await self._db.write(self._asked, caller)
        if row.customer_id is not None:
            return row.customer_id
        customer_id = None
        if self._db.clock.now() - row.asked_at <= KEY_LASTS:
            customer_id = await payments.create_customer(owner_id, row.name, row.email, _customer_key(row))
        if customer_id is None:
            since, until = row.asked_at - _SKEW, row.asked_at + KEY_LASTS + _SKEW
            customer_id = await payments.find_customer(owner_id, since, until)
        if customer_id is None:
            row = await self._db.write(self._ask_again, row)
            customer_id = await payments.create_customer(owner_id, row.name, row.email, _customer_key(row))
        if customer_id is None:
            raise TemporarilyUnavailable(
                "Stripe has a problem right now. Try again.", platform=Service.STRIPE, retry_after=_RETRY_SECONDS
            )
        return await self._db.write(self._created, owner_id, customer_id)

    async def _asked(self, tx: Tx, caller: Caller) -> BillingRow:
        owner_id = caller.owner_id
        found = await store.find(tx, owner_id)
        if found is None:
            owner = await identity.find_owner(tx, owner_id)
            # The checkout page shows this address, and invoices are sent to it.
            user = None if caller.user_id is None else await identity.find_user(tx, owner_id, caller.user_id)
            await store.insert(tx, owner_id, owner.name, None if user is None else user.email)
            found = await store.find(tx, owner_id)
        assert found is not None, "it was written in this very transaction"
        return found

    async def _ask_again(self, tx: Tx, before: BillingRow) -> BillingRow:
        row = await store.find_for_change(tx, before.owner_id)
        assert row is not None, "rows of billing are not removed"
        if row.asked_at == before.asked_at:
            await store.update(tx, row.owner_id, {"asked_at": tx.now})
        return await store.find(tx, row.owner_id) or row

    async def _created(self, tx: Tx, owner_id: str, customer_id: str) -> str:
        """Store the customer. Of two requests at the same time, both get the same."""
        row = await store.find_for_change(tx, owner_id)
        assert row is not None, "it was written before the call"
        if row.customer_id is None:
            await store.update(tx, owner_id, {"customer_id": customer_id})
        return row.customer_id or customer_id


def _customer_key(row: BillingRow) -> str:
    return f"socialgate-customer-{row.owner_id}-{int(row.asked_at.timestamp())}"


def _for_sale(prices: Iterable[Price]) -> str:
    intervals: dict[str, list[str]] = {}
    for price in sorted(prices, key=lambda price: (price.plan, price.interval)):
        intervals.setdefault(price.plan, []).append(price.interval)
    return ", ".join(f"{plan} ({', '.join(found)})" for plan, found in intervals.items())


def _order(one: Subscription) -> tuple[int, float]:
    """Sort by what counts most, the newest first."""
    return _RANKS.get(one.status, _LAST_RANK), -one.created_at.timestamp()


async def _as_it_is(tx: Tx, answer: PortalPage) -> PortalPage:
    """Store a response for its Idempotency-Key."""
    del tx
    return answer


async def _has_bought(row: BillingRow, customer_id: str, payments: Payments) -> bool:
    """Tell buyers from owners who only opened a checkout page. A payment of just now may not be recorded yet."""
    return row.status is not None or bool(await payments.subscriptions(customer_id))
