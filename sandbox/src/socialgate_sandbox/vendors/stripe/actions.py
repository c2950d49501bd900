"""What a person or a test can make happen at Stripe."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, World
from socialgate_sandbox.kit.accounts import named
from socialgate_sandbox.vendors.stripe.billing import (
    GUEST,
    UPDATED,
    accept_card,
    decline_card,
    end,
    schedule_end,
    start,
)
from socialgate_sandbox.vendors.stripe.billing_state import Session, Subscription
from socialgate_sandbox.vendors.stripe.happening import Happening
from socialgate_sandbox.vendors.stripe.state import LIVE, Customer, name_of, price_of

_CARDS = {
    "accepted": "Accepted",
    "declined": "Declined",
    "later": "Accepted now, declined at every renewal",
}


class Pay(ActionRequest, frozen=True, kw_only=True):
    session: str = ""
    card: Literal["accepted", "declined", "later"] = "accepted"


class SetCard(ActionRequest, frozen=True, kw_only=True):
    account: str
    result: Literal["declined", "accepted"] = "declined"
    times: Annotated[int, Meta(ge=1)] = 1


class Unsubscribe(ActionRequest, frozen=True, kw_only=True):
    account: str
    subscription: str = ""
    when: Literal["now", "period_end"] = "period_end"


def pay(world: World, order: Pay) -> dict[str, Any]:
    """Pay like on the checkout page. After a declined card, somebody can try another one."""
    key = order.session or next((one.id for one in _open(world)), "")
    session = world.store.get(Session, key)
    if session is None or session.status != "open":
        raise ControlError("There is no such open checkout session. Start a checkout in the service first.")
    if order.card == "declined":
        return {"session": session.id, "status": session.status, "error": "card_declined"}
    made = start(Happening(world), session, GUEST)
    if order.card == "later":
        decline_card(world, made.customer)
    return {"session": session.id, "status": session.status, "customer": made.customer, "subscription": made.id}


def set_card(world: World, order: SetCard) -> dict[str, Any]:
    customer = named(world, order.account, "customer", Customer)
    if order.result == "declined":
        decline_card(world, customer.id, order.times)
        return {"account": customer.id, "declined": order.times}
    return {"account": customer.id, "paid": accept_card(Happening(world), customer.id)}


def unsubscribe(world: World, order: Unsubscribe) -> dict[str, Any]:
    key = order.subscription or next(filter(None, _subscriptions(world, order.account)), "")
    one = world.store.get(Subscription, key)
    if one is None or one.customer != order.account or one.status == "canceled":
        raise ControlError("There is no such subscription. Pay a checkout session of the customer first.")
    happening = Happening(world)
    if order.when == "now":
        end(happening, one)
    else:
        with happening.changing(one, UPDATED):
            schedule_end(happening, one, one.period_end)
    return {"subscription": one.id, "status": one.status, "cancelAt": one.cancel_at}


def _open(world: World) -> list[Session]:
    return world.store.find(Session, parent=LIVE, newest_first=True)


def _sessions(world: World, _account: str) -> Mapping[str, str]:
    """List the open sessions. Without a choice, the newest is meant."""
    shown = {
        one.id: f"{_sold(world, one)}, {one.customer_email or one.customer or 'new customer'}" for one in _open(world)
    }
    return {"": "The newest", **shown} if shown else {}


def _sold(world: World, one: Session) -> str:
    names = [name_of(world.store, price_of(world.store, item.price)) for item in one.items]
    return f"{', '.join(names)} for {one.amount_total / 100:.2f} {one.currency.upper()}"


def _subscriptions(world: World, account: str) -> Mapping[str, str]:
    found = world.store.find(Subscription, parent=LIVE, newest_first=True)
    shown = {one.id: f"{one.id} ({one.status})" for one in found if one.customer == account}
    return {"": "The newest", **shown} if shown else {}


ACTIONS: dict[str, Action[Any]] = {
    "pay": Action("Pay a checkout session", Pay, pay, choices={"session": _sessions, "card": _CARDS}),
    "card": Action("Decline the next payments, or accept the card again", SetCard, set_card),
    "unsubscribe": Action("Cancel a subscription", Unsubscribe, unsubscribe, choices={"subscription": _subscriptions}),
}
