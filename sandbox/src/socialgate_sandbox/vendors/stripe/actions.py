"""What a person or a test can make happen at Stripe."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.kit.accounts import find_or_raise
from socialgate_sandbox.vendors.stripe.billing import (
    DEFAULT_PAYER_EMAIL,
    SUBSCRIPTION_UPDATED_EVENT,
    accept_card,
    complete_checkout,
    decline_card,
    end_subscription,
    schedule_end,
)
from socialgate_sandbox.vendors.stripe.billing_state import Session, Subscription
from socialgate_sandbox.vendors.stripe.operations import Operation
from socialgate_sandbox.vendors.stripe.state import LIVE_PHASE, Customer, get_price, get_product_name

_CARD_CHOICES = {
    "accepted": "Accepted",
    "declined": "Declined",
    "later": "Accepted now, declined at every renewal",
}


class PayRequest(ActionRequest, frozen=True, kw_only=True):
    session: str = ""
    card: Literal["accepted", "declined", "later"] = "accepted"


class SetCardRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    result: Literal["declined", "accepted"] = "declined"
    times: Annotated[int, Meta(ge=1)] = 1


class UnsubscribeRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    subscription: str = ""
    when: Literal["now", "period_end"] = "period_end"


def pay_session(context: VendorContext, request: PayRequest) -> dict[str, Any]:
    """Pay like on the checkout page. After a declined card, somebody can try another one."""
    key = request.session or next((session.id for session in _list_open_sessions(context)), "")
    session = context.store.get(Session, key)
    if session is None or session.status != "open":
        raise ControlError("There is no such open checkout session. Start a checkout in the service first.")
    if request.card == "declined":
        return {"session": session.id, "status": session.status, "error": "card_declined"}
    subscription = complete_checkout(Operation(context), session, DEFAULT_PAYER_EMAIL)
    if request.card == "later":
        decline_card(context, subscription.customer)
    return {
        "session": session.id,
        "status": session.status,
        "customer": subscription.customer,
        "subscription": subscription.id,
    }


def set_card_result(context: VendorContext, request: SetCardRequest) -> dict[str, Any]:
    customer = find_or_raise(context, request.account, "customer", Customer)
    if request.result == "declined":
        decline_card(context, customer.id, request.times)
        return {"account": customer.id, "declined": request.times}
    return {"account": customer.id, "paid": accept_card(Operation(context), customer.id)}


def cancel_subscription(context: VendorContext, request: UnsubscribeRequest) -> dict[str, Any]:
    key = request.subscription or next(filter(None, _list_subscription_choices(context, request.account)), "")
    subscription = context.store.get(Subscription, key)
    if subscription is None or subscription.customer != request.account or subscription.status == "canceled":
        raise ControlError("There is no such subscription. Pay a checkout session of the customer first.")
    happening = Operation(context)
    if request.when == "now":
        end_subscription(happening, subscription)
    else:
        with happening.track_changes(subscription, SUBSCRIPTION_UPDATED_EVENT):
            schedule_end(happening, subscription, subscription.period_end)
    return {"subscription": subscription.id, "status": subscription.status, "cancelAt": subscription.cancel_at}


def _list_open_sessions(context: VendorContext) -> list[Session]:
    return context.store.find(Session, parent=LIVE_PHASE, newest_first=True)


def _list_session_choices(context: VendorContext, _account: str) -> Mapping[str, str]:
    """List the open sessions. Without a choice, the newest is meant."""
    shown = {
        session.id: f"{_describe_session(context, session)}, "
        + (session.customer_email or session.customer or "new customer")
        for session in _list_open_sessions(context)
    }
    return {"": "The newest", **shown} if shown else {}


def _describe_session(context: VendorContext, session: Session) -> str:
    names = [get_product_name(context.store, get_price(context.store, item.price)) for item in session.items]
    return f"{', '.join(names)} for {session.amount_total / 100:.2f} {session.currency.upper()}"


def _list_subscription_choices(context: VendorContext, account: str) -> Mapping[str, str]:
    subscriptions = context.store.find(Subscription, parent=LIVE_PHASE, newest_first=True)
    shown = {
        subscription.id: f"{subscription.id} ({subscription.status})"
        for subscription in subscriptions
        if subscription.customer == account
    }
    return {"": "The newest", **shown} if shown else {}


ACTIONS: dict[str, Action[Any]] = {
    "pay": Action(
        "Pay a checkout session",
        PayRequest,
        pay_session,
        field_choices={"session": _list_session_choices, "card": _CARD_CHOICES},
    ),
    "card": Action("Decline the next payments, or accept the card again", SetCardRequest, set_card_result),
    "unsubscribe": Action(
        "Cancel a subscription",
        UnsubscribeRequest,
        cancel_subscription,
        field_choices={"subscription": _list_subscription_choices},
    ),
}
