"""The pages that a customer sees: the checkout page and the customer portal."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.kit import Call, page, page_routes
from socialgate_sandbox.vendors.stripe.billing import (
    GUEST,
    UPDATED,
    accept_card,
    change,
    customer_of,
    decline_card,
    schedule_end,
    start,
)
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, PortalSession, Session, Subscription
from socialgate_sandbox.vendors.stripe.happening import Happening
from socialgate_sandbox.vendors.stripe.sessions import CHECKOUT, PORTAL
from socialgate_sandbox.vendors.stripe.state import LIVE, Price, name_of, price_of
from socialgate_sandbox.vendors.stripe.subscriptions import after

_SEE_OTHER = 303
_PORTAL_LIFE = 3600


def checkout(call: Call) -> Response:
    now, session = Happening(call.world), call.world.store.get(Session, call.args["id"])
    if session is None:
        return _sorry("There is no such checkout session", "Go back to the service and start again.", 404)
    if session.status != "open":
        said = "You have already paid" if session.status == "complete" else "This checkout session has expired"
        return _sorry(said, "Go back to the service.", 200)
    if call.method != "POST":
        return _checkout(call, session)
    if call.form.get("decision") != "pay":
        return RedirectResponse(session.cancel_url or session.success_url, _SEE_OTHER)
    card = call.form.get("card", "accepted")
    if card == "declined":
        return _checkout(call, session, "Your card was declined. Try another one.")
    start(now, session, call.form.get("email") or GUEST)
    if card == "later":
        decline_card(call.world, session.customer or "")
    return RedirectResponse(session.success_url.replace("{CHECKOUT_SESSION_ID}", session.id), _SEE_OTHER)


def portal(call: Call) -> Response:
    now = Happening(call.world)
    found = call.world.store.find(PortalSession, parent=call.args["secret"], limit=1)
    if not found or now.now - found[0].created > _PORTAL_LIFE:
        return _sorry("This link has expired", "Open the customer portal from the service again.", 404)
    if call.method != "POST":
        return _portal(now, found[0])
    _obey(now, found[0].customer, call.form.get("decision", ""), call.form.get("price", ""))
    return RedirectResponse(found[0].url, _SEE_OTHER)


def _obey(now: Happening, customer: str, decision: str, price: str) -> None:
    if decision in {"accept", "decline"}:
        _use_card(now, customer, accepted=decision == "accept")
    one = _subscription(now, customer)
    if one is None:
        return
    invoice = None
    with now.changing(one, UPDATED):
        if decision in {"cancel", "resume"}:
            schedule_end(now, one, one.period_end if decision == "cancel" else None)
        elif decision == "switch" and price in {choice["id"] for choice in _choices(now, one)}:
            first, *others = one.items
            items = [msgspec.structs.replace(first, price=price), *others]
            invoice = change(now, one, items, "always_invoice")
    after(now, one, invoice)


def _use_card(now: Happening, customer: str, *, accepted: bool) -> None:
    if accepted:
        accept_card(now, customer)
    else:
        decline_card(now.world, customer)


def _checkout(call: Call, session: Session, failure: str = "") -> Response:
    store, now = call.world.store, Happening(call.world)
    customer = customer_of(now, session.customer) if session.customer else None
    return page(
        "checkout.html",
        402 if failure else 200,
        app=call.world.app.name,
        items=[_sold(now, price_of(store, item.price), item.quantity) for item in session.items],
        trial_days=session.trial_days,
        email=customer.email if customer else session.customer_email,
        known=bool(customer or session.customer_email),
        can_return=session.cancel_url is not None,
        failure=failure,
    )


def _portal(now: Happening, session: PortalSession) -> Response:
    customer, one = customer_of(now, session.customer), _subscription(now, session.customer)
    invoices = [row for row in now.store.find(Invoice, newest_first=True) if row.customer == customer.id]
    return page(
        "portal.html",
        app=now.world.app.name,
        customer=customer,
        subscription=one,
        item=None if one is None else _sold(now, price_of(now.store, one.items[0].price), one.items[0].quantity),
        ends=None if one is None else _day(one.cancel_at or one.period_end),
        choices=[] if one is None else _choices(now, one),
        invoices=[(row.number or "draft", _money(row.total), row.status) for row in invoices],
        is_due=any(row.status == "open" for row in invoices),
        return_url=session.return_url,
    )


def _choices(now: Happening, one: Subscription) -> list[dict[str, Any]]:
    """The other plans that a customer can switch to."""
    prices = [price for price in now.store.find(Price) if price.active and price.recurring]
    others = [price for price in prices if price.currency == one.currency and price.id != one.items[0].price]
    return [_sold(now, price, one.items[0].quantity) for price in others]


def _subscription(now: Happening, customer: str) -> Subscription | None:
    live = now.store.find(Subscription, parent=LIVE, newest_first=True)
    return next((one for one in live if one.customer == customer), None)


def _sold(now: Happening, price: Price, quantity: int) -> dict[str, Any]:
    each = "" if price.recurring is None else price.recurring.interval
    name = name_of(now.store, price)
    return {"id": price.id, "name": name, "amount": _money(price.unit_amount * quantity), "interval": each}


def _money(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def _day(moment: int) -> str:
    at = datetime.fromtimestamp(moment, UTC)
    return f"{at.day} {at:%B %Y}"


def _sorry(title: str, said: str, status: int) -> Response:
    return page("stripe_message.html", status, title=title, said=said)


ROUTES = [*page_routes(checkout, CHECKOUT + "/{id}"), *page_routes(portal, PORTAL + "/{secret}")]
