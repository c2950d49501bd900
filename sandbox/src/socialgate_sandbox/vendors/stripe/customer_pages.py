"""The pages that a customer sees: the checkout page and the customer portal."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.kit import Call, build_page_routes, render_template
from socialgate_sandbox.vendors.stripe.billing import (
    DEFAULT_PAYER_EMAIL,
    SUBSCRIPTION_UPDATED_EVENT,
    accept_card,
    change_items,
    complete_checkout,
    decline_card,
    get_customer,
    schedule_end,
)
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, PortalSession, Session, Subscription
from socialgate_sandbox.vendors.stripe.operations import Operation
from socialgate_sandbox.vendors.stripe.sessions import CHECKOUT_PATH, PORTAL_PATH
from socialgate_sandbox.vendors.stripe.state import LIVE_PHASE, Price, get_price, get_product_name
from socialgate_sandbox.vendors.stripe.subscriptions import collect_change

_SEE_OTHER_STATUS = 303
_PORTAL_LIFETIME_SECONDS = 3600


def serve_checkout_page(call: Call) -> Response:
    now, session = Operation(call.context), call.context.store.get(Session, call.path_params["id"])
    if session is None:
        return _render_message("There is no such checkout session", "Go back to the service and start again.", 404)
    if session.status != "open":
        message = "You have already paid" if session.status == "complete" else "This checkout session has expired"
        return _render_message(message, "Go back to the service.", 200)
    if call.method != "POST":
        return _render_checkout(call, session)
    if call.form.get("decision") != "pay":
        return RedirectResponse(session.cancel_url or session.success_url, _SEE_OTHER_STATUS)
    card = call.form.get("card", "accepted")
    if card == "declined":
        return _render_checkout(call, session, "Your card was declined. Try another one.")
    complete_checkout(now, session, call.form.get("email") or DEFAULT_PAYER_EMAIL)
    if card == "later":
        decline_card(call.context, session.customer or "")
    return RedirectResponse(session.success_url.replace("{CHECKOUT_SESSION_ID}", session.id), _SEE_OTHER_STATUS)


def serve_portal_page(call: Call) -> Response:
    now = Operation(call.context)
    portal_sessions = call.context.store.find(PortalSession, parent=call.path_params["secret"], limit=1)
    if not portal_sessions or now.now - portal_sessions[0].created > _PORTAL_LIFETIME_SECONDS:
        return _render_message("This link has expired", "Open the customer portal from the service again.", 404)
    if call.method != "POST":
        return _render_portal(now, portal_sessions[0])
    _run_decision(now, portal_sessions[0].customer, call.form.get("decision", ""), call.form.get("price", ""))
    return RedirectResponse(portal_sessions[0].url, _SEE_OTHER_STATUS)


def _run_decision(operation: Operation, customer: str, decision: str, price: str) -> None:
    if decision in {"accept", "decline"}:
        _set_card_result(operation, customer, is_accepted=decision == "accept")
    subscription = _find_subscription(operation, customer)
    if subscription is None:
        return
    invoice = None
    with operation.track_changes(subscription, SUBSCRIPTION_UPDATED_EVENT):
        if decision in {"cancel", "resume"}:
            schedule_end(operation, subscription, subscription.period_end if decision == "cancel" else None)
        elif decision == "switch" and price in {
            choice["id"] for choice in _list_price_choices(operation, subscription)
        }:
            first, *others = subscription.items
            items = [msgspec.structs.replace(first, price=price), *others]
            invoice = change_items(operation, subscription, items, "always_invoice")
    collect_change(operation, subscription, invoice)


def _set_card_result(operation: Operation, customer: str, *, is_accepted: bool) -> None:
    if is_accepted:
        accept_card(operation, customer)
    else:
        decline_card(operation.world, customer)


def _render_checkout(call: Call, session: Session, failure: str = "") -> Response:
    store, now = call.context.store, Operation(call.context)
    customer = get_customer(now, session.customer) if session.customer else None
    return render_template(
        "checkout.html",
        402 if failure else 200,
        app=call.context.app.name,
        items=[_build_price_view(now, get_price(store, item.price), item.quantity) for item in session.items],
        trial_days=session.trial_days,
        email=customer.email if customer else session.customer_email,
        known=bool(customer or session.customer_email),
        can_return=session.cancel_url is not None,
        failure=failure,
    )


def _render_portal(operation: Operation, session: PortalSession) -> Response:
    customer, subscription = get_customer(operation, session.customer), _find_subscription(operation, session.customer)
    invoices = [row for row in operation.store.find(Invoice, newest_first=True) if row.customer == customer.id]
    return render_template(
        "portal.html",
        app=operation.world.app.name,
        customer=customer,
        subscription=subscription,
        item=None
        if subscription is None
        else _build_price_view(
            operation, get_price(operation.store, subscription.items[0].price), subscription.items[0].quantity
        ),
        ends=None if subscription is None else _format_date(subscription.cancel_at or subscription.period_end),
        choices=[] if subscription is None else _list_price_choices(operation, subscription),
        invoices=[(row.number or "draft", _format_dollars(row.total), row.status) for row in invoices],
        is_due=any(row.status == "open" for row in invoices),
        return_url=session.return_url,
    )


def _list_price_choices(operation: Operation, subscription: Subscription) -> list[dict[str, Any]]:
    """The other plans that a customer can switch to."""
    prices = [price for price in operation.store.find(Price) if price.active and price.recurring]
    others = [
        price for price in prices if price.currency == subscription.currency and price.id != subscription.items[0].price
    ]
    return [_build_price_view(operation, price, subscription.items[0].quantity) for price in others]


def _find_subscription(operation: Operation, customer: str) -> Subscription | None:
    live = operation.store.find(Subscription, parent=LIVE_PHASE, newest_first=True)
    return next((subscription for subscription in live if subscription.customer == customer), None)


def _build_price_view(operation: Operation, price: Price, quantity: int) -> dict[str, Any]:
    each = "" if price.recurring is None else price.recurring.interval
    name = get_product_name(operation.store, price)
    return {"id": price.id, "name": name, "amount": _format_dollars(price.unit_amount * quantity), "interval": each}


def _format_dollars(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def _format_date(unix_time: int) -> str:
    at = datetime.fromtimestamp(unix_time, UTC)
    return f"{at.day} {at:%B %Y}"


def _render_message(title: str, message: str, status: int) -> Response:
    return render_template("stripe_message.html", status, title=title, said=message)


ROUTES = [
    *build_page_routes(serve_checkout_page, CHECKOUT_PATH + "/{id}"),
    *build_page_routes(serve_portal_page, PORTAL_PATH + "/{secret}"),
]
