"""What a person or a test can make happen at Stripe."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, World
from socialgate.sandbox.kit.accounts import named
from socialgate.sandbox.vendors.stripe.billing import UPDATED, accept_card, decline_card, end, schedule_end, start
from socialgate.sandbox.vendors.stripe.billing_state import Session, Subscription
from socialgate.sandbox.vendors.stripe.happening import Happening
from socialgate.sandbox.vendors.stripe.state import LIVE, Customer, name_of, price_of

_EMAIL = "payer@example.com"


class OfSession(ActionRequest, frozen=True, kw_only=True):
    """Without a session, the newest open one is meant."""

    session: str | None = None


class SetCard(ActionRequest, frozen=True, kw_only=True):
    account: str
    result: Literal["declined", "accepted"] = "declined"
    times: Annotated[int, Meta(ge=1)] = 1


class Unsubscribe(ActionRequest, frozen=True, kw_only=True):
    account: str
    subscription: str | None = None
    when: Literal["now", "period_end"] = "period_end"


def open_sessions(world: World, _account: str = "") -> Mapping[str, str]:
    found = world.store.find(Session, parent=LIVE, newest_first=True)
    return {one.id: f"{_sold(world, one)}, {one.customer_email or one.customer or 'new customer'}" for one in found}


def pay(world: World, order: OfSession) -> dict[str, Any]:
    session = _session(world, order)
    subscription = start(Happening(world), session, _EMAIL)
    return {"session": session.id, "customer": session.customer, "subscription": subscription.id}


def decline(world: World, order: OfSession) -> dict[str, Any]:
    """The card is declined. The session stays open, as it does for somebody who then tries another card."""
    session = _session(world, order)
    return {"session": session.id, "status": session.status, "error": "card_declined"}


def set_card(world: World, order: SetCard) -> dict[str, Any]:
    customer = named(world, order.account, "customer", Customer)
    if order.result == "declined":
        decline_card(world, customer.id, order.times)
        return {"account": customer.id, "declined": order.times}
    return {"account": customer.id, "paid": accept_card(Happening(world), customer.id)}


def unsubscribe(world: World, order: Unsubscribe) -> dict[str, Any]:
    key = order.subscription or next(iter(_subscriptions(world, order.account)), "")
    one = world.store.get(Subscription, key)
    if one is None or one.status == "canceled":
        raise ControlError("There is no such subscription. Pay a checkout session of the customer first.")
    happening = Happening(world)
    if order.when == "now":
        end(happening, one)
    else:
        with happening.changing(one, UPDATED):
            schedule_end(happening, one, one.period_end)
    return {"subscription": one.id, "status": one.status, "cancelAt": one.cancel_at}


def _session(world: World, order: OfSession) -> Session:
    key = order.session or next(iter(open_sessions(world)), "")
    found = world.store.get(Session, key)
    if found is None or found.status != "open":
        raise ControlError("There is no such open checkout session. Create one, or choose another.")
    return found


def _sold(world: World, one: Session) -> str:
    names = [name_of(world.store, price_of(world.store, item.price)) for item in one.items]
    return f"{', '.join(names)} for {one.amount_total / 100:.2f} {one.currency.upper()}"


def _subscriptions(world: World, account: str) -> Mapping[str, str]:
    found = world.store.find(Subscription, parent=LIVE, newest_first=True)
    return {one.id: f"{one.id} ({one.status})" for one in found if one.customer == account}


ACTIONS: dict[str, Action[Any]] = {
    "pay": Action("Pay a checkout session", OfSession, pay, choices={"session": open_sessions}),
    "decline": Action("Decline the card of a checkout session", OfSession, decline, choices={"session": open_sessions}),
    "card": Action("Decline the next payments, or accept the card again", SetCard, set_card),
    "unsubscribe": Action("Cancel a subscription", Unsubscribe, unsubscribe, choices={"subscription": _subscriptions}),
}
